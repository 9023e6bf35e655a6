"""intent.own: a user's rules are checked as the shipped ones are."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tool_router.intent.compile import BookError
from hermes_tool_router.intent.own import OwnRules, read_own, with_own
from hermes_tool_router.registry_adapter.resources import rule_book

BOOK = rule_book()
RULE = {"id": "own.ledger", "toolset": "file", "any": ["ledger"], "weight": 4}


@pytest.mark.parametrize("data", [None, {}, {"rules": None}, {"rules": [], "off": []}])
def test_an_empty_file_is_no_rules(data: object) -> None:
    """And the book is as shipped."""
    assert read_own(data, "rules.yaml") == OwnRules()
    assert with_own(BOOK, OwnRules()).rules == BOOK.rules


def test_own_rules_stand_behind_the_shipped_ones() -> None:
    """One more at the end, one less in the middle."""
    own = read_own({"rules": [RULE], "off": [BOOK.rules[3].id]}, "rules.yaml")

    joined = with_own(BOOK, own)

    assert joined.rules == (*BOOK.rules[:3], *BOOK.rules[4:], *own.rules)
    assert (own.rules[0].weight, own.shadow) == (4.0, frozenset())


def test_a_rule_in_shadow_weighs_nothing_and_sets_no_flag() -> None:
    """Whatever else it says."""
    rule = {**RULE, "stage": "shadow", "strength": "strong", "flag": "negation"}

    (found,) = read_own({"rules": [rule]}, "rules.yaml").rules

    assert (found.weight, found.strong, found.flag) == (0.0, False, "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param([], "expected a mapping", id="a list"),
        pytest.param({"rule": []}, "expected a mapping", id="a misspelt key"),
        pytest.param({"rules": {}}, "'rules' must be a list", id="rules as a mapping"),
        pytest.param({"rules": ["x"]}, "'rules' must be a list", id="a rule as text"),
        pytest.param({"off": [3]}, "'off' must be a list", id="a number for an id"),
        pytest.param({"rules": [{**RULE, "toolset": ""}]}, "'toolset' is missing", id="no toolset"),
        pytest.param({"rules": [{**RULE, "stage": "x"}]}, "allowed: live, shadow", id="stage"),
        pytest.param({"rules": [{**RULE, "any": []}]}, "has no pattern", id="no pattern"),
        pytest.param({"rules": [{**RULE, "any": ["{greet}"]}]}, "no snippet", id="a snippet"),
        pytest.param({"rules": [{**RULE, "id": "Ledger"}]}, "an id is", id="no id of ours"),
        pytest.param({"rules": [{**RULE, "colour": 1}]}, "unknown key 'colour'", id="unknown key"),
        pytest.param({"rules": [RULE, RULE]}, "stands twice", id="twice"),
    ],
)
def test_a_mistake_is_named(data: object, message: str) -> None:
    """With the file, and what is allowed."""
    with pytest.raises(BookError, match=message) as caught:
        read_own(data, "rules.yaml")

    assert "rules.yaml" in str(caught.value)


def test_shipped_ids_are_taken_and_unknown_ones_cannot_be_switched_off() -> None:
    """Both would look as if they worked."""
    taken: Any = {**RULE, "id": BOOK.rules[0].id}

    with pytest.raises(BookError, match="take another"):
        with_own(BOOK, read_own({"rules": [taken]}, "rules.yaml"))
    with pytest.raises(BookError, match="no shipped rule has the id"):
        with_own(BOOK, read_own({"off": ["web.nothing"]}, "rules.yaml"))
