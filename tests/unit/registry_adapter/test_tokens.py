"""The cost of a tool schema."""

from __future__ import annotations

import pytest

from hermes_tool_router.registry_adapter.tokens import schema_tokens


def test_the_cost_follows_the_minified_bytes() -> None:
    """Spaces of a serialisation do not count, characters outside ASCII count in bytes."""
    plain = schema_tokens({"name": "read", "description": "x" * 450})
    accented = schema_tokens({"name": "read", "description": "ü" * 450})

    assert plain == 107  # 482 bytes
    assert accented == 207  # 932 bytes


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({}, id="empty"),
        pytest.param({"parameters": {1, 2}}, id="a set"),
        pytest.param({("a",): 1}, id="a tuple as key"),
        pytest.param({"description": "\ud800"}, id="a lone surrogate"),
    ],
)
def test_an_odd_schema_still_costs_something(schema: dict[str, object]) -> None:
    """What is no JSON is estimated all the same."""
    assert schema_tokens(schema) >= 1
