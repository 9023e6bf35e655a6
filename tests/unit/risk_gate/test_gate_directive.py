"""Design D8 as a table."""

from __future__ import annotations

from itertools import product

import pytest

from hermes_tool_router.risk_gate import ATTENDED, Context, Decision, Finding, Place, Verdict
from hermes_tool_router.risk_gate.directive import directive


def _verdict(decision: str, severity: int = 1, *, reversible: bool = True) -> Verdict:
    found = Finding(
        id="x.y", risk="destroy", severity=severity, decision=Decision(decision), words="does x"
    )
    findings = () if decision == "allow" else (found,)
    return Verdict(decision=Decision(decision), findings=findings, reversible=reversible)


HUMAN = [Place.INTERACTIVE, Place.MESSAGING]
NOBODY = [place for place in Place if place not in HUMAN]


def test_a_human_can_answer_at_a_terminal_and_in_a_chat() -> None:
    """Everywhere else nobody reads the question."""
    assert frozenset(HUMAN) == ATTENDED


@pytest.mark.parametrize("place", list(Place))
def test_a_block_verdict_blocks_everywhere(place: Place) -> None:
    """With the reason, whoever is there and whatever hook follows."""
    for later in (True, False):
        found = directive(_verdict("block", 3), Context(place=place, later_hook=later))

        assert (found.action, found.outcome) == ("block", "blocked")


@pytest.mark.parametrize("place", list(Place))
def test_an_allow_verdict_is_silence(place: Place) -> None:
    """Never an approval: the host's own guards still see the call."""
    found = directive(_verdict("allow"), Context(place=place))

    assert (found.action, found.outcome) == (None, "allowed")


@pytest.mark.parametrize("place", HUMAN)
def test_an_ask_verdict_asks_the_human(place: Place) -> None:
    """When no later hook could be hidden by it."""
    found = directive(_verdict("ask", 3, reversible=False), Context(place=place))

    assert (found.action, found.outcome) == ("approve", "asked")


@pytest.mark.parametrize(
    ("severity", "reversible", "action", "outcome"),
    [
        pytest.param(1, True, None, "could_not_ask", id="mild and reversible is let through"),
        pytest.param(1, False, "block", "blocked", id="irreversible is blocked"),
        pytest.param(3, True, "block", "blocked", id="grave is blocked"),
    ],
)
def test_a_later_hook_is_not_hidden(
    severity: int, reversible: bool, action: str | None, outcome: str
) -> None:
    """Our ``approve`` would shadow its ``block``."""
    context = Context(place=Place.INTERACTIVE, later_hook=True)

    found = directive(_verdict("ask", severity, reversible=reversible), context)

    assert (found.action, found.outcome) == (action, outcome)


@pytest.mark.parametrize("place", NOBODY)
@pytest.mark.parametrize(
    ("policy", "severity", "outcome"),
    [
        ("block_severe", 2, "unattended"),
        ("block_severe", 3, "blocked"),
        ("block_all", 1, "blocked"),
        ("abstain", 3, "unattended"),
    ],
)
def test_where_nobody_can_answer_the_setting_decides(
    place: Place, policy: str, severity: int, outcome: str
) -> None:
    """``chat -q``, yolo, cron, bare agents, webhooks, sub-agents, nested calls."""
    context = Context(place=place, unattended=policy)  # type: ignore[arg-type]  # parametrized Literal

    found = directive(_verdict("ask", severity), context)

    assert found.outcome == outcome
    assert found.action == ("block" if outcome == "blocked" else None)


def test_shadow_never_acts() -> None:
    """Whatever the verdict and the place."""
    every = product(("allow", "ask", "block"), Place, (True, False), (1, 3))

    found = [
        directive(_verdict(d, s), Context(place=p, later_hook=later, enforce=False))
        for d, p, later, s in every
    ]

    assert {entry.action for entry in found} == {None}
    assert {entry.outcome for entry in found} == {"allowed", "would_ask", "would_block"}
