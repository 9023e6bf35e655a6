"""Every rule of the book against the cases that stand beside it."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tool_router.benchmarks.routing import FLOOR, SENDING, book, catalog, surface
from hermes_tool_router.intent.evidence import weigh
from hermes_tool_router.intent.load import with_rules
from hermes_tool_router.intent.reading import read
from hermes_tool_router.intent.rulebook import RuleBook
from hermes_tool_router.registry_adapter.rule_files import sources
from hermes_tool_router.router.engine import decide
from hermes_tool_router.router.values import Catalog, Decision, Message

RULES: list[dict[str, Any]] = [
    rule for content in sources().values() for rule in content.get("rules", [])
]
MATCHES = [
    pytest.param(rule["id"], text, id=f"{rule['id']}-{number}")
    for rule in RULES
    for number, text in enumerate(rule["match"], 1)
]
MISSES = [
    pytest.param(rule["id"], text, id=f"{rule['id']}-{number}")
    for rule in RULES
    for number, text in enumerate(rule["no_match"], 1)
]


@pytest.fixture(scope="module")
def rules() -> RuleBook:
    """The committed book."""
    return book()


@pytest.fixture(scope="module")
def granted() -> Catalog:
    """The reference surface, and something to send with."""
    return catalog(surface(SENDING))


def _fired(text: str, rules: RuleBook) -> set[str]:
    return {vote.rule.id for vote in weigh(read(text, rules), rules).votes}


def _outcome(decision: Decision) -> tuple[object, ...]:
    return decision.outcome, decision.grade, decision.toolsets, decision.evident, decision.follow_up


@pytest.mark.parametrize(("rule", "text"), MATCHES)
def test_a_rule_fires_on_its_matches(rule: str, text: str, rules: RuleBook) -> None:
    """What a rule says it is for."""
    assert rule in _fired(text, rules)


@pytest.mark.parametrize(("rule", "text"), MISSES)
def test_a_rule_is_silent_on_its_near_misses(rule: str, text: str, rules: RuleBook) -> None:
    """What a rule must not take for its own."""
    assert rule not in _fired(text, rules)


@pytest.mark.parametrize("rule", [pytest.param(r["id"], id=r["id"]) for r in RULES])
def test_no_rule_is_dead(rule: str, rules: RuleBook, granted: Catalog) -> None:
    """Without it, some case of its own is decided differently."""
    without = with_rules(rules, [each for each in rules.rules if each.id != rule])
    cases = next(each["match"] for each in RULES if each["id"] == rule)

    changed = [
        text
        for text in cases
        if _outcome(decide(Message(text=text), granted, floor=FLOOR, book=rules))
        != _outcome(decide(Message(text=text), granted, floor=FLOOR, book=without))
    ]

    assert changed
