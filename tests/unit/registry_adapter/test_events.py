"""registry_adapter.events: host kwargs of any shape become events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.registry_adapter.events import (
    RequestEvent,
    ToolCallEvent,
    TurnEvent,
    message_from,
)


def test_a_turn_is_read_from_the_hosts_kwargs() -> None:
    """Unknown keywords of a newer host are tolerated."""
    event = TurnEvent.read(
        {
            "session_id": "s1",
            "turn_id": "s0:task:0a1b2c3d",
            "platform": "CLI",
            "user_message": "hello",
            "is_first_turn": True,
            "conversation_history": [],
            "invented_later": object(),
        }
    )

    assert (event.session_id, event.platform, event.message.text) == ("s1", "cli", "hello")
    assert event.origin_session == "s0"


class TestMessage:
    def test_text_parts_are_joined(self) -> None:
        """An image beside the text is evidence, not an obstacle."""
        message = message_from(
            [
                {"type": "text", "text": "what is"},
                {"type": "image_url", "image_url": {"url": "data:"}},
                {"type": "input_text", "text": "this"},
            ]
        )

        assert message.text == "what is\nthis"
        assert message.has_image
        assert not message.unreadable

    @pytest.mark.parametrize(
        ("part", "field"),
        [
            pytest.param({"type": "input_audio"}, "has_audio", id="audio"),
            pytest.param({"type": "input_file"}, "has_file", id="file"),
            pytest.param({"type": "document"}, "has_file", id="document"),
            pytest.param({"type": "hologram"}, "unreadable", id="a kind not known here"),
            pytest.param(42, "unreadable", id="not a part at all"),
        ],
    )
    def test_other_parts_are_told_apart(self, part: Any, field: str) -> None:
        """What is not text sets a flag; what is not known makes the message unreadable."""
        assert getattr(message_from([part]), field)

    def test_content_of_an_unknown_shape_is_unreadable(self) -> None:
        """A number or an object keeps every tool."""
        assert message_from(3.5).unreadable
        assert not message_from(None).unreadable


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("session_id", "turn_id", "platform", "user_message", "is_first_turn", "tool_name", "args")


@settings(max_examples=80, deadline=None, derandomize=True)
@given(kwargs=st.dictionaries(st.sampled_from(KEYS), anything))
def test_no_kwargs_raise(kwargs: dict[str, object]) -> None:
    """Hermes may pass anything; an event is made all the same."""
    turn = TurnEvent.read(kwargs)
    request = RequestEvent.read(kwargs)
    call = ToolCallEvent.read(kwargs)

    assert isinstance(turn.message.text, str)
    assert isinstance(request.session_id, str)
    assert isinstance(call.tool, str)
