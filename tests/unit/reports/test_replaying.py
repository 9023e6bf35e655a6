"""Replay: sessions that end as live ones would, figures that add up, suggestions."""

from __future__ import annotations

import pytest

from hermes_tool_router.recovery.schema import NAME as REQUEST_TOOL
from hermes_tool_router.reports.history import PastCall, PastRequest, PastSession, PastTurn
from hermes_tool_router.reports.replay import Grant, Replay, replay
from hermes_tool_router.router.cost import Prices
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Grade,
    Message,
    Origin,
    Outcome,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

COSTS = {"memory": 100, "web": 400, "file": 1_000, "cronjob": 1_500}
OWN = 50
PRICES = Prices(
    name="round", fresh=1.0, read=0.1, write=1.0, lifetime_s=300, any_front=True, least_tokens=1
)


def _toolset(name: str, tokens: int, origin: Origin = Origin.BUILTIN) -> Toolset:
    tool = REQUEST_TOOL if origin is Origin.OWN else f"use_{name}"
    spec = ToolSpec(name=ToolName(tool), toolset=ToolsetName(name), description="", tokens=tokens)
    return Toolset(name=ToolsetName(name), origin=origin, description="", tools=(spec,))


CATALOG = Catalog(
    toolsets=(
        *(_toolset(name, tokens) for name, tokens in COSTS.items()),
        _toolset("tool_router", OWN, Origin.OWN),
    ),
    order=(*(ToolName(f"use_{name}") for name in COSTS), ToolName(REQUEST_TOOL)),
)
GRANT = Grant(catalog=CATALOG, untouched=3_040)


def route(_platform: str, message: Message, catalog: Catalog, _first: bool) -> Decision:
    """The text names the toolsets; ``full`` keeps all, ``hello`` is no task."""
    words = set(message.text.split())
    if "full" in words:
        return Decision(outcome=Outcome.FULL, grade=Grade.FULL, toolsets=catalog.names)
    wanted = {"memory", "tool_router"} | words
    kept = tuple(name for name in catalog.names if name in wanted)
    return Decision(
        outcome=Outcome.NARROWED,
        grade=Grade.TIGHT,
        toolsets=kept,
        evident=frozenset(kept),
        substantive="hello" not in words,
    )


def session(name: str, *turns: tuple[str, tuple[str, ...]], parent: str = "") -> PastSession:
    """A session: for each turn the text and one called tool a request, none for ``-``."""
    made = []
    at = 0.0
    for text, tools in turns:
        requests = []
        for tool in tools:
            arguments = {"toolsets": ["cronjob"]} if tool == REQUEST_TOOL else {}
            calls = () if tool == "-" else (PastCall(tool=tool, arguments=arguments),)
            requests.append(PastRequest(calls=calls, at=at, messages=1_000))
            at += 10
        made.append(PastTurn(message=Message(text=text), requests=tuple(requests)))
    return PastSession(
        id=name,
        platform="cli",
        model="m",
        parent=parent,
        started_at=0.0,
        system=2_000,
        prompt="p",
        turns=tuple(made),
    )


def run(*past: PastSession, grant: Grant = GRANT) -> Replay:
    """Replay with known prices."""
    return replay(past, grant_of=lambda _: grant, route=route, prices_of=lambda _: PRICES)


def test_a_pruned_call_is_one_recovery_and_one_move() -> None:
    """The request after the call has the toolset, the one before has not."""
    past = session("s", ("web", ("use_file", "use_file", "-")))

    (found,) = run(past).sessions

    assert found.sent == (550, 1_550, 1_550)
    assert (found.stock, found.tokens_full, found.tokens_sent) == (3_000, 9_000, 3_650)
    assert found.moves == 1
    assert [(r.turn, r.toolset, r.tool, r.message) for r in found.recoveries] == [
        (0, "file", "use_file", "web")
    ]


def test_a_later_need_and_a_request_of_the_model_grow_without_a_recovery() -> None:
    """Strong evidence appends; ``request_toolset`` appends what it names."""
    past = session("s", ("web", ("-",)), ("file", (REQUEST_TOOL, "-")))

    (found,) = run(past).sessions

    assert found.sent == (550, 1_550, 3_050)
    assert (found.moves, found.recoveries) == (2, ())


def test_a_greeting_waits_and_a_full_decision_leaves_requests_alone() -> None:
    """An untouched request carries our tool on top of stock."""
    waiting, full = run(
        session("a", ("hello", ("-",)), ("web", ("-",))),
        session("b", ("full", ("use_file",)), ("web", ("-",))),
    ).sessions

    assert (waiting.sent, waiting.phase) == ((150, 550), "narrowed")
    assert (full.sent, full.phase, full.recoveries) == ((3_040, 3_040), "pass", ())


def test_a_child_goes_on_with_its_parents_surface() -> None:
    """Nothing is decided again; later evidence still appends."""
    parent = session("p", ("file", ("-",)))
    child = session("c", ("web", ("-",)), parent="p")

    _, found = run(parent, child).sessions

    assert found.sent == (1_550,)


def test_settings_that_pin_or_stop_later_additions_hold() -> None:
    """``floor_tools`` and ``expand_on_later_turns``."""
    past = session("s", ("web", ("-",)), ("file", ("-",)))
    grant = Grant(catalog=CATALOG, untouched=3_040, pinned=("use_cronjob",), expands=False)

    (found,) = run(past, grant=grant).sessions

    assert found.sent == (2_050, 2_050)


def test_a_platform_without_our_tool_is_not_narrowed() -> None:
    """The reason is the live one."""
    grant = Grant(catalog=CATALOG, untouched=3_000, passes="host.no_request_toolset")

    (found,) = run(session("s", ("web", ("-",))), grant=grant).sessions

    assert (found.sent, found.phase) == ((3_000,), "pass")


def test_what_says_nothing_is_left_out_and_counted() -> None:
    """No grant, or no message."""
    empty = session("e")

    found = replay([empty, session("s", ("web", ("-",)))], grant_of=lambda _: None, route=route)

    assert (found.sessions, found.left_out, found.costs) == ((), 2, None)


def test_a_tool_that_is_not_granted_today_is_counted_apart() -> None:
    """It could not have come back."""
    (found,) = run(session("s", ("web", ("gone", "-")))).sessions

    assert (found.outside, found.recoveries, found.sent) == (1, (), (550, 550))


def test_cost_is_that_of_the_cost_model() -> None:
    """Worked out by hand: 2,000 system and 1,000 message tokens in both requests.

    Stock: 6,000 written, then 6,000 read.  Sent: 3,550 written, then 3,550 read.
    """
    (found,) = run(session("s", ("web", ("-", "-")))).sessions

    assert found.cost_full == pytest.approx((6_000 + 6_000 * 0.1) / 1e6)
    assert found.cost_sent == pytest.approx((3_550 + 3_550 * 0.1) / 1e6)


def test_sessions_of_one_model_share_its_cache() -> None:
    """The second session finds 3,000 + 2,000 of stock, and 550 + 2,000 of the narrowed one."""
    first, second = run(session("a", ("web", ("-",))), session("b", ("web", ("-",)))).sessions

    assert first.cost_full == pytest.approx(6_000 / 1e6)
    assert second.cost_full == pytest.approx((5_000 * 0.1 + 1_000) / 1e6)
    assert second.cost_sent == pytest.approx((2_550 * 0.1 + 1_000) / 1e6)


def test_toolsets_that_come_back_often_are_suggested() -> None:
    """Three sessions of four; twice in one session counts once."""
    often = [session(f"s{n}", ("web", ("use_file",))) for n in range(3)]
    once = session("x", ("web", ("use_cronjob", "use_cronjob")))

    found = run(*often, once)

    assert found.pins() == ("file",)
    assert found.missing == {"file": 3, "cronjob": 1}
    assert found.tokens_full == 3_000 * 5
