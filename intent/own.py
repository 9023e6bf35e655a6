"""A user's own rules beside the shipped book.

A rule is written as in a shipped file, with its ``toolset`` beside it; cases,
source and version may be left out, snippets are not known.  One in stage
``shadow`` weighs nothing: it is found in decisions and changes none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .compile import BookError, rule_row
from .load import rule_of, with_rules
from .rulebook import Rule, RuleBook

__all__ = ["MOST_RULES", "OwnRules", "read_own", "with_own"]

MOST_RULES = 500
"""Own rules of one home; the shipped book has fifty, and a turn waits while they are read."""
_STAGES = ("live", "shadow")
_FOR_PEOPLE = {"source": "own", "since": "own", "match": ["", ""], "no_match": ["", ""]}
"""What a shipped rule must say and an own one may leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRules:
    """One file of own rules.

    Attributes:
        rules: in their order; those in shadow weigh nothing.
        shadow: ids of those.
        off: ids of shipped rules that are not to vote.
    """

    rules: tuple[Rule, ...] = ()
    shadow: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()


def read_own(data: object, file: str) -> OwnRules:
    """Check and compile a parsed file: ``rules`` and ``off``, either may be left out.

    Args:
        data: what the YAML parser gave; ``None``, an empty file, is no rules.
        file: its name, for messages.

    Raises:
        BookError: something is not allowed.
    """
    content = {} if data is None else data
    if not isinstance(content, Mapping) or not content.keys() <= {"rules", "off"}:
        raise BookError(f"{file}: expected a mapping with 'rules', 'off' or both")
    rules, off = (content.get(key) for key in ("rules", "off"))
    rules, off = [] if rules is None else rules, [] if off is None else off
    if not isinstance(rules, list) or not all(isinstance(rule, Mapping) for rule in rules):
        raise BookError(f"{file}: 'rules' must be a list of rules")
    if not isinstance(off, list) or not all(isinstance(name, str) for name in off):
        raise BookError(f"{file}: 'off' must be a list of quoted rule ids")
    if len(rules) > MOST_RULES:
        raise BookError(f"{file}: {len(rules):,} rules; at most {MOST_RULES} are read")
    rows = [_row(rule, file) for rule in rules]
    ids = [row["id"] for row in rows]
    twice = [name for name, count in Counter(ids).items() if count > 1]
    if twice:
        raise BookError(f"{file}: rule {twice[0]!r} stands twice")
    return OwnRules(
        rules=tuple(rule_of(row) for row in rows),
        shadow=frozenset(str(rule["id"]) for rule in rules if rule.get("stage") == "shadow"),
        off=frozenset(off),
    )


def _row(rule: Mapping[str, Any], file: str) -> dict[str, Any]:
    own = {**_FOR_PEOPLE, **rule}
    where = f"{file}: rule {rule.get('id')!r}"
    toolset, stage = own.pop("toolset", None), own.get("stage", "live")
    if not isinstance(toolset, str) or not toolset:
        raise BookError(f"{where}: 'toolset' is missing")
    if stage not in _STAGES:
        raise BookError(f"{where}: stage {stage!r} is unknown; allowed: {', '.join(_STAGES)}")
    row = rule_row(own, toolset, file, {})
    return row if stage == "live" else {**row, "weight": 0.0, "strong": False, "flag": ""}


def with_own(book: RuleBook, own: OwnRules) -> RuleBook:
    """The book with own rules behind the shipped ones, and without those that are off.

    Raises:
        BookError: an id is that of a shipped rule, or one to switch off is not known.
    """
    shipped = {rule.id for rule in book.rules}
    if unknown := sorted(own.off - shipped):
        raise BookError(f"'off': no shipped rule has the id {unknown[0]!r}")
    if taken := [rule.id for rule in own.rules if rule.id in shipped]:
        raise BookError(f"rule {taken[0]!r} has the id of a shipped rule; take another")
    kept = (rule for rule in book.rules if rule.id not in own.off)
    return with_rules(book, (*kept, *own.rules))
