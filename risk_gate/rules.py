"""The rule tables: loading, validation, and the compiled predicates.

A rule speaks about one act (``calls/acts.py``).  Its ``when`` holds conditions
that all must be true; ``any`` holds alternatives of the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..calls.acts import Act
from ..router.errors import RuleError
from .costs import COST
from .index import Part, RuleIndex, literals_of, unversioned
from .predicates import CONDITIONS, Predicate, like
from .sources import RULE_FILES, load_sources
from .values import Decision, RiskClass

__all__ = ["Rule", "Tables", "load", "shipped"]

_CLASSES: frozenset[str] = frozenset(RiskClass.__args__)  # type: ignore[attr-defined]  # Literal
_REQUIRED = ("id", "class", "severity", "decision", "words", "when", "source", "match", "no_match")
_OPTIONAL = ("reversible", "tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, compiled.

    Attributes:
        parts: its alternatives.
        reversible: what it finds can be undone.
        match, no_match: shell commands that prove it, from its file.
    """

    id: str
    risk: RiskClass
    severity: int
    decision: Decision
    words: str
    source: str
    reversible: bool
    parts: tuple[Part, ...]
    match: tuple[str, ...]
    no_match: tuple[str, ...]

    def matches(self, act: Act) -> bool:
        """The rule speaks of this act."""
        return any(part.predicate(act) for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All rules.

    Attributes:
        index: finds those that speak of an act.
    """

    rules: tuple[Rule, ...]
    index: RuleIndex[Rule] = field(repr=False, compare=False)

    def speaking(self, act: Act) -> list[Rule]:
        """Rules that speak of an act, each once."""
        return self.index.speaking(act)


@cache
def shipped() -> Tables:
    """The tables of this installation, loaded once."""
    return load(load_sources())


def load(sources: Mapping[str, Any]) -> Tables:
    """Validate and compile.

    Raises:
        RuleError: naming file, rule, what is wrong and what is allowed.
    """
    families: Mapping[str, Sequence[str]] = sources["families"]["families"]
    literals: Mapping[str, Sequence[str]] = sources.get("literals", {})
    rules: list[Rule] = []
    seen: set[str] = set()
    for file in RULE_FILES:
        for raw in sources[file]["rules"]:
            rule = _rule(file, raw, families, literals)
            if rule.id in seen:
                raise RuleError(
                    f"{file}.yaml: rule {rule.id!r} is there twice; ids are never reused"
                )
            seen.add(rule.id)
            rules.append(rule)
    index = RuleIndex((rule, part) for rule in rules for part in rule.parts)
    return Tables(rules=tuple(rules), index=index)


def _rule(
    file: str,
    raw: Mapping[str, Any],
    families: Mapping[str, Sequence[str]],
    literals: Mapping[str, Sequence[str]],
) -> Rule:
    name = f"{file}.yaml: rule {raw.get('id', '?')!r}"
    for key in _REQUIRED:
        if key not in raw:
            raise RuleError(f"{name} has no {key!r}; every rule needs {', '.join(_REQUIRED)}")
    for key in raw:
        if key not in (*_REQUIRED, *_OPTIONAL):
            raise RuleError(f"{name}: {key!r} is not known; allowed: {(*_REQUIRED, *_OPTIONAL)}")
    if raw["class"] not in _CLASSES:
        raise RuleError(f"{name}: class {raw['class']!r} is not one of {sorted(_CLASSES)}")
    if raw["severity"] not in (0, 1, 2, 3):
        raise RuleError(f"{name}: severity {raw['severity']!r} is not 0, 1, 2 or 3")
    if raw["decision"] not in ("ask", "block"):
        raise RuleError(f"{name}: decision {raw['decision']!r} is neither 'ask' nor 'block'")
    if not raw["match"] or not raw["no_match"]:
        raise RuleError(f"{name} needs at least one match and one no_match case")
    return Rule(
        id=raw["id"],
        risk=raw["class"],
        severity=raw["severity"],
        decision=Decision(raw["decision"]),
        words=raw["words"],
        source=raw["source"],
        reversible=raw.get("reversible", False),
        parts=tuple(
            Part(
                programs=frozenset(_programs(when, families)),
                names=_about_names(when, families),
                when=when,
                literals=literals_of(when, literals),
                predicate=_compiled(name, when, families),
            )
            for when in _alternatives(raw["when"])
        ),
        match=tuple(raw["match"]),
        no_match=tuple(raw["no_match"]),
    )


def _names(listed: Sequence[str], families: Mapping[str, Sequence[str]]) -> list[str]:
    names: list[str] = []
    for item in listed:
        names.extend(families.get(item[1:], ()) if item.startswith("@") else (item,))
    return names


def _programs(when: Mapping[str, Any], families: Mapping[str, Sequence[str]]) -> list[str]:
    """Programs that the condition can only be true for; empty when that cannot be said."""
    if "programs" in when:
        return _names(when["programs"], families)
    alternatives = [_programs(inner, families) for inner in when.get("any", ())]
    if alternatives and all(alternatives):
        return [name for names in alternatives for name in names]
    return []


def _alternatives(when: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The ``any`` of a rule as rules of their own, so that each is indexed by its programs."""
    if "any" not in when or "programs" in when:
        return [when]
    shared = {key: value for key, value in when.items() if key != "any"}
    return [_merged(shared, inner) for inner in when["any"]]


def _merged(shared: Mapping[str, Any], inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """One flat condition where that says the same: no key twice, no paths left out in one only."""
    if set(shared) & set(inner) or "except_paths" in {*shared, *inner}:
        return {**shared, "any": [inner]}
    return {**shared, **inner}


def _compiled(
    name: str, when: Mapping[str, Any], families: Mapping[str, Sequence[str]]
) -> Predicate:
    """All conditions of a ``when`` as one predicate."""
    parts: list[Predicate] = []
    ordered = sorted(when.items(), key=lambda item: COST.get(item[0], 5))
    excluded = tuple(when.get("except_paths", ()))
    for key, value in ordered:
        if key == "except_paths":
            continue
        if key == "any":
            parts.append(_any_of([_compiled(name, inner, families) for inner in value]))
        elif key in {"programs", "except_programs"}:
            names = frozenset(_names(value, families))
            parts.append(_program(names, wanted=key == "programs"))
        elif key in CONDITIONS:
            try:
                parts.append(CONDITIONS[key](value, excluded))
            except (re.error, TypeError, AttributeError) as error:
                raise RuleError(f"{name}: {key!r} is malformed: {error}") from error
        else:
            allowed = sorted((*CONDITIONS, "any", "programs", "except_programs", "except_paths"))
            raise RuleError(f"{name}: condition {key!r} is not known; allowed: {allowed}")
    return _all_of(parts)


def _program(names: frozenset[str], *, wanted: bool) -> Predicate:
    fits = _among(names, wanted=wanted)
    return lambda act: fits(act.program)


def _among(names: frozenset[str], *, wanted: bool) -> Callable[[str], bool]:
    return lambda program: (program in names or unversioned(program) in names) is wanted


def _about_names(
    when: Mapping[str, Any], families: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], bool], ...]:
    """What a condition says about the program's name, other than that it is one of these."""
    found: list[Callable[[str], bool]] = []
    if "except_programs" in when:
        names = frozenset(_names(when["except_programs"], families))
        found.append(_among(names, wanted=False))
    if "programs_like" in when:
        found.append(like(when["programs_like"]))
    return tuple(found)


def _all_of(parts: Sequence[Predicate]) -> Predicate:
    if len(parts) == 1:
        return parts[0]

    def check(act: Act) -> bool:
        for part in parts:  # noqa: SIM110 - a loop is half the cost of all() in the hot path
            if not part(act):
                return False
        return True

    return check


def _any_of(parts: Sequence[Predicate]) -> Predicate:
    def check(act: Act) -> bool:
        return any(part(act) for part in parts)

    return check
