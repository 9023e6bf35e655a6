"""Whatever happens to a session, what it sends only grows at the end."""

from __future__ import annotations

import os
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.recovery.expansion import recover
from hermes_tool_router.recovery.request import answer
from hermes_tool_router.router import session
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Grade,
    Origin,
    Outcome,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

EXAMPLES = int(os.environ.get("ROUTER_MAX_EXAMPLES", "60"))
NAMES = [f"t{index}" for index in range(24)]


def _toolset(index: int) -> Toolset:
    return Toolset(
        name=ToolsetName(f"s{index}"),
        origin=Origin.MCP if index >= 16 else Origin.BUILTIN,
        description="",
        tools=tuple(
            ToolSpec(
                name=ToolName(name), toolset=ToolsetName(f"s{index}"), description="", tokens=9
            )
            for name in NAMES[index : index + 4]
        ),
    )


CATALOG = Catalog(
    toolsets=tuple(_toolset(index) for index in range(0, 24, 4)),
    order=tuple(ToolName(name) for name in NAMES),
)
toolset_names = st.lists(st.sampled_from(CATALOG.names), unique=True, max_size=4)
decisions = st.builds(
    lambda kept, evident, full, substantive: Decision(
        outcome=Outcome.FULL if full else Outcome.NARROWED,
        grade=Grade.FULL if full else Grade.TIGHT,
        toolsets=tuple(kept),
        evident=frozenset(evident),
        substantive=substantive,
    ),
    toolset_names,
    toolset_names,
    st.booleans(),
    st.booleans(),
)
steps = st.one_of(
    st.tuples(st.just("turn"), decisions),
    st.tuples(st.just("call"), st.sampled_from([*NAMES, "unknown"])),
    st.tuples(st.just("ask"), st.lists(st.sampled_from([*NAMES, "s0", "s16", "nope"]))),
    st.tuples(st.just("open"), st.none()),
)


def _after(state: session.SessionState, kind: str, value: object) -> session.SessionState:
    if isinstance(value, Decision):
        return session.expand(state, value, CATALOG)
    if kind == "call":
        return recover(state, ToolName(str(value)), CATALOG)
    if kind == "ask":
        return answer(state, {"toolsets": value, "tools": value}, CATALOG).state
    return session.settle(session.open_up(state), CATALOG.order)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(first=decisions, events=st.lists(steps, max_size=12))
def test_each_request_extends_the_one_before(
    first: Decision, events: list[tuple[str, object]]
) -> None:
    """INVARIANT of router.session: within a session the names sent only grow, by appending."""
    state = session.start("s", first, CATALOG, menu="")
    requests = [session.sent_names(state, CATALOG.order)]

    for kind, value in events:
        state = _after(state, kind, value)
        requests.append(session.sent_names(state, CATALOG.order))

    passed_through = [sent is None for sent in requests]
    narrowed = [sent for sent in requests if sent is not None]
    assert all(passed_through) or not any(passed_through)
    assert all(b[: len(a)] == a for a, b in pairwise(narrowed))
    assert all(len(set(sent)) == len(sent) for sent in narrowed)
    assert all(set(sent) <= set(CATALOG.order) for sent in narrowed)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(first=decisions, tool=st.sampled_from(NAMES))
def test_a_called_tool_is_visible_afterwards(first: Decision, tool: str) -> None:
    """No granted tool stays out after the model has called it."""
    state = recover(session.start("s", first, CATALOG, menu=""), ToolName(tool), CATALOG)

    sent = session.sent_names(state, CATALOG.order)

    assert sent is None or tool in sent


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(
    first=decisions,
    args=st.dictionaries(
        st.sampled_from(["toolsets", "tools", "toolset", "tool", "reason", "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=4), inner, max_size=3)
            ),
            max_leaves=6,
        ),
    ),
)
def test_no_arguments_reach_outside_the_grant(first: Decision, args: dict[str, object]) -> None:
    """request_toolset answers anything, and adds nothing that was not granted."""
    state = session.start("s", first, CATALOG, menu="")

    reply = answer(state, args, CATALOG)

    assert set(reply.state.order) <= set(CATALOG.order)
    assert reply.payload
