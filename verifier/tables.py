"""Runner and output tables from YAML, validated.

Every message names the file, the id, what was wrong and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import yaml

from ..router.errors import RuleError
from .values import Kind

__all__ = ["Runner", "Runners", "Signal", "Tables", "tables_from_bytes"]

Reading = Literal["fail", "pass", "none", "unknown"]
_READINGS: tuple[Reading, ...] = ("fail", "pass", "none", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """One program that checks work; the fields are those of ``data/runners.yaml``.

    Attributes:
        run: for each form the words, each a set of choices; an empty set is any word.
    """

    id: str
    ecosystem: str
    kind: Kind
    run: tuple[tuple[frozenset[str], ...], ...]
    idle: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    codes: Mapping[int, Reading]
    target: bool = False
    direct: bool = False
    first: bool = False
    module: bool = False
    script: bool = False
    silent: bool = False
    goal: str = ""
    bare: Kind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runners:
    """All of ``data/runners.yaml``.

    Attributes:
        by_program: runners that a program name may stand for, in file order.
        anywhere: runners for any program.
        goals: builder → word → kind.
        words: kind of target word → the words.
    """

    by_program: Mapping[str, tuple[Runner, ...]]
    anywhere: tuple[Runner, ...]
    codes: Mapping[int, Reading]
    through: frozenset[str]
    task_wrappers: frozenset[str]
    values: frozenset[str]
    trivial: frozenset[str]
    words: Mapping[str, frozenset[str]]
    goals: Mapping[str, Mapping[str, Kind]]
    scripts: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A line that tells how a check went; the fields are those of ``data/outputs.yaml``."""

    id: str
    kind: str
    verdict: Reading
    weak: bool
    partial: bool
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Everything that recognising a check needs."""

    runners: Runners
    signals: tuple[Signal, ...]


_RUNNER_KEYS = frozenset(
    re.findall(
        r"\w+",
        "id ecosystem kind run idle idle_off needs forced skips contains codes target first direct"
        " module script silent goal bare cases",
    )
)
_SIGNAL_KEYS = frozenset(("id", "kind", "verdict", "weak", "partial", "pattern", "flags", "cases"))


def tables_from_bytes(runners: bytes, outputs: bytes) -> Tables:
    """Read ``data/runners.yaml`` and ``data/outputs.yaml``.

    Raises:
        RuleError: a file does not validate.
    """
    return Tables(runners=_runners(runners), signals=_signals(outputs))


def _load(name: str, data: bytes) -> dict[str, Any]:
    try:
        book = yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise RuleError(f"{name}: not YAML: {error}") from error
    if not isinstance(book, dict) or not isinstance(book.get("provenance"), str):
        raise RuleError(f"{name}: expected a mapping with a provenance")
    return book


def _runners(data: bytes) -> Runners:
    name = "runners.yaml"
    book = _load(name, data)
    shared = _strings(book.get("idle"), f"{name}: idle")
    rules = [_runner(row, shared, name) for row in book.get("runners", ())]
    ids = [rule.id for rule in rules]
    for doubled in {ident for ident in ids if ids.count(ident) > 1}:
        raise RuleError(f"{name}: runner {doubled!r} stands twice")
    by_program: dict[str, list[Runner]] = {}
    for rule in rules:
        for program in dict.fromkeys(word for form in rule.run for word in sorted(form[0])):
            by_program.setdefault(program, []).append(rule)
    return Runners(
        by_program={program: tuple(found) for program, found in by_program.items()},
        anywhere=tuple(rule for rule in rules if any(not form[0] for form in rule.run)),
        codes=_codes(book.get("codes"), f"{name}: codes"),
        through=frozenset(_strings(book.get("through"), f"{name}: through")),
        task_wrappers=frozenset(_strings(book.get("task_wrappers"), f"{name}: task_wrappers")),
        values=frozenset(_strings(book.get("values"), f"{name}: values")),
        trivial=frozenset(_strings(book.get("trivial"), f"{name}: trivial")),
        words={
            kind: frozenset(_words(text, f"{name}: targets: {kind}"))
            for kind, text in book["targets"].items()
        },
        goals={
            builder: {
                goal: Kind(kind)
                for kind, text in goals.items()
                for goal in _words(text, f"{name}: goals: {builder}")
            }
            for builder, goals in book["goals"].items()
        },
        scripts=frozenset(_words(book.get("scripts"), f"{name}: scripts")),
    )


def _runner(row: Any, shared: Sequence[str], name: str) -> Runner:
    ident = row.get("id") if isinstance(row, dict) else None
    where = f"{name}: runner {ident!r}"
    if not isinstance(ident, str) or not isinstance(row, dict):
        raise RuleError(f"{where}: a runner is a mapping with an id")
    for key in sorted(set(row) - _RUNNER_KEYS):
        raise RuleError(f"{where}: unknown key {key!r}; allowed: {', '.join(sorted(_RUNNER_KEYS))}")
    off = _strings(row.get("idle_off"), f"{where}: idle_off")
    bare = row.get("bare")
    return Runner(
        id=ident,
        ecosystem=str(row.get("ecosystem", "any")),
        kind=_kind(row.get("kind"), where),
        run=tuple(_form(form) for form in _strings(row.get("run"), f"{where}: run")),
        idle=(*(word for word in shared if word not in off), *_list(row, "idle", where)),
        needs=_list(row, "needs", where),
        forced=_list(row, "forced", where),
        skips=_list(row, "skips", where),
        contains=_list(row, "contains", where),
        codes=_codes(row.get("codes"), where),
        target=row.get("target") is True,
        direct=row.get("direct") is True,
        first=row.get("first") is True,
        module=row.get("module") is True,
        script=row.get("script") is True,
        silent=row.get("silent") is True,
        goal=str(row.get("goal", "")),
        bare=_kind(bare, where) if bare is not None else None,
    )


def _form(text: str) -> tuple[frozenset[str], ...]:
    return tuple(
        frozenset() if word == "*" else frozenset(word.split("|")) for word in text.split()
    )


def _kind(value: object, where: str) -> Kind:
    try:
        return Kind(str(value))
    except ValueError:
        allowed = ", ".join(Kind)
        raise RuleError(f"{where}: kind {value!r} is unknown; allowed: {allowed}") from None


def _list(row: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    return _strings(row.get(key), f"{where}: {key}")


def _strings(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RuleError(f"{where}: expected a list of quoted strings")
    return tuple(value)


def _words(value: object, where: str) -> list[str]:
    if not isinstance(value, str):
        raise RuleError(f"{where}: expected words in one quoted string")
    return value.split()


def _codes(value: object, where: str) -> dict[int, Reading]:
    found: dict[int, Reading] = {}
    for code, reading in (value if isinstance(value, dict) else {}).items():
        if not str(code).isdecimal() or reading not in _READINGS:
            raise RuleError(f"{where}: {code!r}: {reading!r} is no exit status with a reading")
        found[int(code)] = reading
    return found


def _signals(data: bytes) -> tuple[Signal, ...]:
    name = "outputs.yaml"
    signals: dict[str, Signal] = {}
    for row in _load(name, data).get("signals", ()):
        where = f"{name}: signal {row.get('id')!r}"
        for key in sorted(set(row) - _SIGNAL_KEYS):
            raise RuleError(f"{where}: unknown key {key!r}; allowed: {sorted(_SIGNAL_KEYS)}")
        if row.get("verdict") not in _READINGS or row.get("kind") not in {*Kind, "any"}:
            raise RuleError(f"{where}: verdict is one of {_READINGS}, kind one of {[*Kind]} or any")
        if row["id"] in signals:
            raise RuleError(f"{where}: stands twice")
        try:
            pattern = re.compile(
                row["pattern"], re.MULTILINE | (re.IGNORECASE if row.get("flags") == "i" else 0)
            )
        except (re.error, KeyError, TypeError) as error:
            raise RuleError(f"{where}: pattern does not compile: {error}") from error
        signals[row["id"]] = Signal(
            id=row["id"],
            kind=row["kind"],
            verdict=row["verdict"],
            weak=row.get("weak") is True,
            partial=row.get("partial") is True,
            pattern=pattern,
        )
    return tuple(signals.values())
