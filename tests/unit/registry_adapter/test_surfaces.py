"""registry_adapter.surfaces: one surface per session, with the real rule book and store."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hermes_tool_router.recovery.schema import NAME as REQUEST_TOOL
from hermes_tool_router.router.session import Phase
from hermes_tool_router.router.settings import Settings

TASK = "run pytest in ~/src/app and fix the test that fails in tests/test_cart.py"
QUESTION = "write a short poem about autumn rain"


class TestFirstTurn:
    def test_a_task_gets_its_tools_and_the_floor(self, bench: Any) -> None:
        """What the message needs is there, and what nothing can know about stays."""
        live = bench.built()
        before = copy.deepcopy(live)

        sent = bench.names(bench.turn(TASK, first=True, request=live))

        assert {"terminal", "read_file", "patch", "memory", REQUEST_TOOL, "provider_tool"} <= set(
            sent
        )
        assert "web_search" not in sent
        assert live == before

    def test_the_menu_reaches_the_model(self, bench: Any) -> None:
        """request_toolset says what is held back, in the request itself."""
        sent = bench.turn(QUESTION, first=True)

        own = next(t for t in sent["tools"] if t["function"]["name"] == REQUEST_TOOL)
        assert "terminal (shell commands)" in own["function"]["description"]

    def test_without_a_way_to_ask_nothing_is_narrowed(self, bench: Any) -> None:
        """An explicit toolset list leaves out our tool, so it keeps the whole request."""
        request = bench.built("memory", "terminal", "web_search")

        assert bench.turn(QUESTION, first=True, request=request) is request
        assert bench.records[-1].state.why == "host.no_request_toolset"

    def test_a_bridge_is_a_way_to_ask(self, bench: Any) -> None:
        """With Tool Search on, request_toolset is behind tool_call."""
        request = bench.built("memory", "terminal", "tool_call", "web_search")

        assert "terminal" not in bench.names(bench.turn(QUESTION, first=True, request=request))

    @pytest.mark.parametrize("platform", ["subagent", "curator"])
    def test_an_agent_with_a_grant_of_its_own_keeps_it(self, bench: Any, platform: str) -> None:
        """Sub-agents and the curator are not narrowed by default."""
        request = bench.built()

        assert bench.turn(QUESTION, first=True, platform=platform, request=request) is request

    def test_a_history_that_was_not_seen_is_not_narrowed(self, bench: Any) -> None:
        """The plugin may be enabled in the middle of a conversation."""
        request = bench.built()

        assert bench.turn(TASK, request=request) is request
        assert bench.turn(QUESTION, request=request) is request

    def test_an_unreadable_message_keeps_everything(self, bench: Any) -> None:
        """Content of a shape that nobody knows is no reason to prune."""
        request = bench.built()

        assert bench.turn([{"type": "hologram"}], first=True, request=request) is request

    def test_a_request_that_no_turn_announced_is_left_alone(self, bench: Any) -> None:
        """Auxiliary requests of an unknown session pass."""
        request = bench.built()

        assert bench.request(session="other", request=request) is request


class TestLaterTurns:
    def test_the_same_need_sends_the_same_bytes(self, bench: Any) -> None:
        """A turn without a new need must not touch the prefix."""
        first = bench.turn(TASK, first=True)

        assert bench.turn("thanks")["tools"] == first["tools"]
        assert bench.request()["tools"] == first["tools"]

    def test_a_plain_new_need_is_appended(self, bench: Any) -> None:
        """The tool is there in that turn's first request, behind what was sent before."""
        first = bench.names(bench.turn(TASK, first=True))

        later = bench.names(bench.turn("now search the web for the changelog of that library"))

        assert later[: len(first)] == first
        assert "web_search" in later

    def test_later_growth_can_be_switched_off(self, make_bench: Any) -> None:
        """expand_on_later_turns: false leaves growth to the model's own calls."""
        bench = make_bench(expand_on_later_turns=False)
        first = bench.names(bench.turn(TASK, first=True))

        assert bench.names(bench.turn("now search the web for the changelog")) == first

    def test_a_greeting_does_not_use_up_the_first_turn(self, bench: Any) -> None:
        """The floor goes out with the greeting, the task's tools with the task."""
        greeted = bench.names(bench.turn("hi", first=True))

        worked = bench.names(bench.turn(TASK))

        assert "terminal" not in greeted
        assert worked[: len(greeted)] == greeted
        assert {"terminal", "read_file"} <= set(worked)


class TestGrowth:
    def test_a_called_tool_joins_with_its_toolset(self, bench: Any) -> None:
        """The call runs in its step; the next request carries the schema."""
        first = bench.names(bench.turn(QUESTION, first=True))

        bench.call("terminal")

        grown = bench.names(bench.request())
        assert grown[: len(first)] == first
        assert grown[len(first) :] == ["process", "terminal"]

    def test_a_request_for_a_toolset_is_answered(self, bench: Any) -> None:
        """The visible way to ask works by session id."""
        bench.turn(QUESTION, first=True)

        reply = bench.surfaces.asked("s", {"toolsets": ["terminal"]})

        assert reply["added_tools"] == ["process", "terminal"]
        assert bench.names(bench.request())[-2:] == ["process", "terminal"]

    def test_a_session_that_is_not_narrowed_has_nothing_to_add(self, bench: Any) -> None:
        """The answer tells the model to go on."""
        assert "nothing is held back" in str(bench.surfaces.asked("other", {"tools": ["terminal"]}))

    def test_a_tool_that_the_history_used_is_visible(self, bench: Any) -> None:
        """Whatever the state says, a call in the history has its schema."""
        bench.turn(QUESTION, first=True)
        history = [{"role": "assistant", "tool_calls": [{"function": {"name": "web_search"}}]}]

        assert "web_search" in bench.names(bench.request(request=bench.built(messages=history)))

    def test_a_forced_tool_is_visible(self, bench: Any) -> None:
        """A request that forces a tool it does not carry would be refused."""
        bench.turn(QUESTION, first=True)
        request = bench.built()
        request["tool_choice"] = {"type": "function", "function": {"name": "terminal"}}

        assert "terminal" in bench.names(bench.request(request=request))

    def test_a_late_server_is_held_back_until_it_is_called(self, bench: Any) -> None:
        """The prefix stays, and the tool comes the moment it is used."""
        first = bench.names(bench.turn(QUESTION, first=True))
        late = bench.built("mcp__crm__find", *bench.granted)

        assert bench.names(bench.request(request=late)) == first
        bench.call("mcp__crm__find")
        assert bench.names(bench.request(request=late)) == [*first, "mcp__crm__find"]

    def test_a_nested_call_changes_nothing(self, bench: Any) -> None:
        """Calls of execute_code carry no session."""
        first = bench.names(bench.turn(QUESTION, first=True))

        bench.call("terminal", session="")

        assert bench.names(bench.request()) == first


class TestReview:
    def test_a_background_review_sends_its_parents_bytes(self, bench: Any) -> None:
        """The fork shares the session id; it neither decides nor grows."""
        first = bench.turn(QUESTION, first=True)
        seen: list[Mapping[str, Any]] = []

        def fork() -> None:
            seen.append(bench.turn("Review the conversation above and save what matters"))
            bench.call("terminal")
            seen.append(bench.request())

        thread = threading.Thread(target=fork, name="bg-review")
        thread.start()
        thread.join()

        assert [sent["tools"] for sent in seen] == [first["tools"], first["tools"]]


class TestKinship:
    def test_a_rotated_session_carries_its_parents_surface(self, bench: Any) -> None:
        """After a rotation the turn id still names the old session."""
        parent = bench.turn(QUESTION, first=True, session="old")

        child = bench.turn(TASK, first=True, session="new", origin="old")

        assert child["tools"] == parent["tools"]

    def test_a_branch_carries_its_parents_surface(self, make_bench: Any) -> None:
        """Hermes knows the parent of a session with a copied history."""
        bench = make_bench(parents={"branch": "s"})
        parent = bench.turn(QUESTION, first=True)

        child = bench.turn("and in French?", session="branch")

        assert child["tools"] == parent["tools"]

    def test_an_identical_opener_starts_anew(self, bench: Any) -> None:
        """The API server derives its ids from openers: additions must not pile up."""
        first = bench.turn(QUESTION, first=True)
        bench.call("terminal")

        again = bench.turn(QUESTION, first=True)

        assert again["tools"] == first["tools"]

    def test_a_new_process_goes_on_with_the_same_bytes(self, make_bench: Any) -> None:
        """What was sent is on disk before it is sent."""
        before = make_bench()
        before.turn(QUESTION, first=True)
        before.call("terminal")
        sent = before.request()

        after = make_bench()

        assert after.turn("go on")["tools"] == sent["tools"]


class TestModes:
    def test_shadow_decides_and_changes_nothing(self, make_bench: Any) -> None:
        """Requests are the host's own objects, and the record says what would have gone out."""
        bench = make_bench(mode="shadow")
        request = bench.built("clarify", "memory", "terminal", "web_search")

        assert bench.turn(QUESTION, first=True, request=request) is request
        record = bench.records[-1]
        assert record.shadow
        assert record.tokens_sent < record.tokens_full == 3600
        assert bench.store.get("s") is None

    def test_where_routing_is_off_our_own_tool_is_taken_out(self, make_bench: Any) -> None:
        """Another profile of the same process may have it on."""
        bench = make_bench()
        bench.place = replace(bench.place, settings=Settings(), routes=False)

        sent = bench.turn(QUESTION, first=True, request=bench.built("memory", REQUEST_TOOL))

        assert bench.names(sent) == ["memory"]

    def test_a_session_can_be_opened_for_good(self, bench: Any) -> None:
        """`/router off`: everything is sent, what was sent before stays in front."""
        first = bench.names(bench.turn(QUESTION, first=True))

        bench.surfaces.open("s")

        sent = bench.names(bench.request())
        assert sent[: len(first)] == first
        assert set(sent) == set(bench.granted)

    def test_pinned_tools_are_sent(self, make_bench: Any) -> None:
        """floor_tools keeps single tools of a toolset."""
        bench = make_bench(floor_tools=("process",))

        sent = bench.names(bench.turn(QUESTION, first=True))

        assert "process" in sent
        assert "terminal" not in sent


def test_eight_sessions_in_threads_do_not_mix(bench: Any) -> None:
    """Each session ends with the surface that it would have alone."""
    tools = ["terminal", "web_search", "read_file", "patch"] * 2
    sent: dict[int, list[str]] = {}

    def drive(index: int) -> None:
        session = f"s{index}"
        bench.turn(QUESTION, first=True, session=session)
        bench.call(tools[index], session=session)
        sent[index] = bench.names(bench.request(session=session))

    threads = [threading.Thread(target=drive, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(sent) == list(range(8))
    assert all(tools[index] in names for index, names in sent.items())
    assert all(
        ("terminal" in names) == (tools[index] == "terminal") for index, names in sent.items()
    )
    state = bench.store.get("s0")
    assert state is not None
    assert state.phase is Phase.NARROWED
