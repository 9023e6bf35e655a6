"""Which rules may speak of an act, told from its program and from what it plainly holds.

Most conditions of most rules ask for something that an act lacks: it writes no such file, sets no
variable, has none of the options, holds no word that the pattern needs.  Each such need is one bit;
one number says what an act has, another what a rule needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..calls.acts import Act
from ..calls.literals import LiteralIndex, needed_by
from .predicates import SETTERS, Predicate
from .shapes import path_classes

__all__ = ["Part", "RuleIndex", "literals_of", "unversioned"]

MAX_PROGRAMS = 1_024
"""Programs whose rules are kept ready."""
MAX_KINDS = 64
"""Kinds of acts of one program that are."""

_TRAITS = ("written", "env", "wrappers", "origins", "reader", "value", "operands", "writes")
_BIT = {trait: 1 << position for position, trait in enumerate(_TRAITS)}
_NEEDS: Mapping[str, int] = {**_BIT, "sub": _BIT["operands"], "verb": _BIT["operands"]}
_PATHS = ("reads", "writes", "deletes", "changes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One alternative of a rule.

    Attributes:
        programs: that it is about; empty for any program.
        names: what else it says about the program's name; all must be true.
        when: its conditions as written.
        literals: one of them stands in the act's text or input; ``None`` where that is not known.
        predicate: true for an act that it speaks of; says all of the above once more.
    """

    programs: frozenset[str]
    names: tuple[Callable[[str], bool], ...]
    when: Mapping[str, Any]
    literals: tuple[str, ...] | None
    predicate: Predicate


def unversioned(program: str) -> str:
    """``python3.12`` without its version."""
    return program.rstrip("0123456789.") or program


def traits_of(act: Act) -> int:
    """What an act has, one bit each."""
    has = _BIT["written"] if act.written is not None else 0
    if act.command.assignments or act.program in SETTERS:
        has |= _BIT["env"]
    if act.command.wrappers:
        has |= _BIT["wrappers"]
    if act.origins:
        has |= _BIT["origins"]
    if act.readers:
        has |= _BIT["reader"]
    if act.options.values:
        has |= _BIT["value"]
    if act.options.operands:
        has |= _BIT["operands"]
    if act.writes:
        has |= _BIT["writes"]
    return has


def traits_needed(when: Mapping[str, Any]) -> int:
    """Traits without which a condition cannot be true."""
    needs = 0
    for key, value in when.items():
        if key == "truncates":
            needs |= _BIT["writes"] if value else 0
        elif key == "any":
            shared = -1
            for inner in value:
                shared &= traits_needed(inner)
            needs |= shared if value else 0
        else:
            needs |= _NEEDS.get(key, 0)
    return needs


def literals_of(
    when: Mapping[str, Any], known: Mapping[str, Sequence[str]]
) -> tuple[str, ...] | None:
    """Literals without which a condition cannot be true of a text; ``None`` for not known."""
    found = [needed_by(when[key], known) for key in ("text", "arg") if key in when]
    if "any" in when:
        inner = [literals_of(alternative, known) for alternative in when["any"]]
        if all(literals is not None for literals in inner):
            found.append(tuple(text for literals in inner for text in literals or ()))
    telling = [literals for literals in found if literals]
    return min(telling, key=len, default=None)


class _Marks:
    """Bits by what they stand for: an option, a class of path, a literal."""

    def __init__(self) -> None:
        self.paths: dict[str, dict[str, int]] = {kind: {} for kind in (*_PATHS, "named")}
        self.flags: dict[str, int] = {}
        self.literals: dict[str, int] = {}
        self._next = len(_TRAITS)

    def needs_of(self, part: Part) -> int:
        """What a part needs; new bits for what only it asks for."""
        needs = traits_needed(part.when)
        for key in ("flags", "all_flags"):
            needs |= self._any_of(part.when.get(key, ()), self.flags)
        for kind in _PATHS:
            needs |= self._any_of(part.when.get(kind, ()), self.paths[kind])
        wanted = part.when.get("any_path", ())
        if "*" not in wanted:  # else any operand is taken for a path
            needs |= self._any_of(wanted, *self.paths.values())
        return needs | self._any_of(part.literals or (), self.literals)

    def _any_of(self, wanted: Iterable[str], *tables: dict[str, int]) -> int:
        keys = tuple(wanted)
        if not keys:
            return 0
        bit = 1 << self._next
        self._next += 1
        for table in tables:
            for key in keys:
                table[key] = table.get(key, 0) | bit
        return bit


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_Rule = TypeVar("_Rule", bound=_Named)
_Entry = tuple[int, _Rule, Part]
_Ready = tuple[tuple[_Rule, Predicate], ...]


class _Program(Generic[_Rule]):
    """The parts that may speak of one program, ready for what its acts have.

    Commands of one program have few different things that rules ask for, so what is found for
    one act is kept for the next.
    """

    __slots__ = ("_entries", "_ready", "asked")

    def __init__(self, entries: Sequence[_Entry[_Rule]]) -> None:
        self._entries = entries
        self.asked = 0
        for needs, _, _ in entries:
            self.asked |= needs
        self._ready: dict[int, _Ready[_Rule]] = {}

    def parts(self, has: int) -> _Ready[_Rule]:
        """Parts that need nothing else than these bits."""
        relevant = has & self.asked
        ready = self._ready.get(relevant)
        if ready is None:
            lacks = ~relevant
            ready = tuple(
                (rule, part.predicate) for needs, rule, part in self._entries if not needs & lacks
            )
            if len(self._ready) >= MAX_KINDS:
                self._ready.clear()
            self._ready[relevant] = ready
        return ready


class RuleIndex(Generic[_Rule]):
    """All parts of all rules, found by act.

    Args:
        parts: in the order in which rules are tried, each with its rule.
    """

    def __init__(self, parts: Iterable[tuple[_Rule, Part]]) -> None:
        by_program: dict[str, list[_Entry[_Rule]]] = {}
        general: list[_Entry[_Rule]] = []
        marks = _Marks()
        for rule, part in parts:
            entry = (marks.needs_of(part), rule, part)
            for program in part.programs:
                by_program.setdefault(program, []).append(entry)
            if not part.programs:
                general.append(entry)
        self._by_program: Mapping[str, Sequence[_Entry[_Rule]]] = by_program
        self._general = tuple(general)
        self._flags = marks.flags
        self._paths = marks.paths
        self._literals = LiteralIndex(marks.literals.items())
        self._every_literal = 0
        for bits in marks.literals.values():
            self._every_literal |= bits
        # Filled as programs are met; what it holds follows from the program alone.
        self._programs: dict[str, _Program[_Rule]] = {}

    def speaking(self, act: Act) -> list[_Rule]:
        """Rules that speak of an act, each once, those about its program first."""
        program = self._programs.get(act.program) or self._prepared(act.program)
        has = traits_of(act) | self._literals_in(act) | self._held(act)
        found: dict[str, _Rule] = {}
        for rule, predicate in program.parts(has):
            if rule.id not in found and predicate(act):
                found[rule.id] = rule
        return list(found.values())

    def _held(self, act: Act) -> int:
        """Bits of its options and of the classes of its paths."""
        has = 0
        for flag in act.options.flags:
            has |= self._flags.get(flag, 0)
        for kind, marks in self._paths.items():
            for path in getattr(act, kind):
                for found in path_classes(path):
                    has |= marks.get(found, 0)
        return has

    def _literals_in(self, act: Act) -> int:
        text = act.text if act.stdin is None else f"{act.text}\n{act.stdin}"
        if not self._literals.readable(text):
            return self._every_literal
        has = 0
        for bits in self._literals.found_in(text):
            has |= bits
        return has

    def _prepared(self, name: str) -> _Program[_Rule]:
        special = self._by_program.get(name) or self._by_program.get(unversioned(name), ())
        entries = [
            entry
            for entry in (*special, *self._general)
            if not entry[2].names or all(fits(name) for fits in entry[2].names)
        ]
        if len(self._programs) >= MAX_PROGRAMS:
            self._programs.clear()
        program = self._programs[name] = _Program(entries)
        return program
