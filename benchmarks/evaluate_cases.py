"""The authored cases of ``evaluate``: what a user says, a model does, and what is due.

``cases/evaluate.yaml`` holds them; its header describes the form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from .decision_server import Opinion
from .options import UsageError

__all__ = ["FILE", "Case", "Due", "Kind", "Step", "Turn", "read"]

FILE = Path(__file__).resolve().parent / "cases" / "evaluate.yaml"
_FILLER = re.compile(r"\{filler (\d+)\}")
_SENTENCE = "The report of the week lists orders, returns and open questions of each shop. "


class Kind(StrEnum):
    """What a case is about; closed."""

    FRESH_CHAT = "fresh-chat"
    FOLLOW_UP = "follow-up"
    LONG_TAIL = "long-tail"
    LONG_ARGUMENT = "long-argument"
    RISKY = "risky"
    READ_ONLY = "read-only"
    NATIVE_BEFORE = "native-before"
    NATIVE_AFTER = "native-after"
    COMPLETION = "completion"
    MODEL = "model"


class Due(StrEnum):
    """What a careful person wants to become of a call."""

    RUN = "run"
    """Without a question."""
    ASK = "ask"
    """After a question, or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of the model: a call, or text.

    Attributes:
        tool: tool that is called; empty: text ends the turn.
        prints: what the shell prints for the command.
        status: its exit status.
    """

    text: str = ""
    tool: str = ""
    args: Mapping[str, Any] | None = None
    due: Due = Due.RUN
    prints: str = ""
    status: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the user and what the model does with it.

    Attributes:
        answer: what the human says to a question: ``once`` or ``deny``.
        nudge: the answer contradicts what ran, so the turn should go on.
        anew: Hermes is built anew with the history before this turn, as after a resume.
    """

    say: str
    steps: tuple[Step, ...]
    answer: str = "once"
    nudge: bool = False
    anew: bool = False
    opinion: Opinion = field(default_factory=Opinion)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One session.

    Attributes:
        why: what would go wrong.
        policy: ``before`` or ``after`` every other hook, another plugin's hook
            blocks calls that hold ``marker``; empty: there is none.
    """

    id: str
    kind: Kind
    why: str
    turns: tuple[Turn, ...]
    policy: str = ""
    marker: str = ""

    def key(self, number: int) -> str:
        """Name of a turn in reports, from 1."""
        return self.id if len(self.turns) == 1 else f"{self.id}#{number}"


def read(path: Path = FILE) -> tuple[Case, ...]:
    """Read cases.

    Raises:
        UsageError: the file does not validate; the message names file, case and what is wrong.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = document["cases"]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise UsageError(f"{path.name}: cannot be read: {error}") from error
    cases: dict[str, Case] = {}
    openers: dict[str, str] = {}
    for row in rows:
        name = f"case {len(cases) + 1}"
        try:
            name = str(row.get("id", name))
            case = _case(row)
        except KeyError as error:
            raise UsageError(f"{path.name}: {name}: has no {error}") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise UsageError(f"{path.name}: {name}: {error}") from error
        opener = case.turns[0].say
        if case.id in cases or opener in openers:
            other = openers.get(opener, case.id)
            raise UsageError(f"{path.name}: {name}: id or first message is that of {other!r}")
        cases[case.id], openers[opener] = case, case.id
    return tuple(cases.values())


def _case(row: Mapping[str, Any]) -> Case:
    _known(row, {"id", "kind", "why", "turns", "policy"})
    policy = row.get("policy") or {}
    place = next(iter(policy), "")
    if place not in {"", "before", "after"}:
        raise ValueError(f"policy is {place!r}; expected 'before' or 'after'")
    if not row["turns"]:
        raise ValueError("has no turns")
    return Case(
        id=row["id"],
        kind=Kind(row["kind"]),
        why=row["why"],
        turns=tuple(_turn(turn) for turn in row["turns"]),
        policy=place,
        marker=str(policy.get(place, "")),
    )


def _turn(row: Mapping[str, Any]) -> Turn:
    _known(row, {"say", "model", "human", "nudge", "anew", "engine", "fault"})
    steps = tuple(_step(step) for step in row["model"])
    held = sum(step.due is Due.ASK for step in steps)
    if held and sum(bool(step.tool) for step in steps) > 1:
        raise ValueError("a call that is due to be asked about must be the turn's only one")
    answer = row.get("human", "deny" if held else "once")
    if answer not in {"once", "deny"}:
        raise ValueError(f"human is {answer!r}; expected 'once' or 'deny'")
    if row.get("fault", "") not in {"", "status", "truncated"}:
        raise ValueError(f"fault is {row['fault']!r}; expected 'status' or 'truncated'")
    return Turn(
        say=_filled(row["say"]),
        steps=steps,
        answer=answer,
        nudge=bool(row.get("nudge")),
        anew=bool(row.get("anew")),
        opinion=Opinion(
            says={**_needs(steps), **row.get("engine", {})}, fault=row.get("fault", "")
        ),
    )


def _step(row: Mapping[str, Any]) -> Step:
    _known(row, {"text", "call", "args", "due", "prints", "status"})
    if ("text" in row) == ("call" in row):
        raise ValueError(f"a step has either text or call, not {sorted(row)}")
    args = {name: _filled(value) for name, value in (row.get("args") or {}).items()}
    return Step(
        text=_filled(row.get("text", "")),
        tool=row.get("call", ""),
        args=args,
        due=Due(row.get("due", "run")),
        prints=_filled(row.get("prints", "")),
        status=int(row.get("status", 0)),
    )


_NEEDS = {
    "terminal": "needs_terminal",
    "read_file": "needs_files",
    "search_files": "needs_files",
    "write_file": "needs_files",
    "patch": "needs_files",
    "web_search": "needs_web",
}


def _needs(steps: tuple[Step, ...]) -> dict[str, float | str]:
    """What a model that is right says about the turn's needs."""
    needs: dict[str, float | str] = {
        _NEEDS[step.tool]: 0.97 for step in steps if step.tool in _NEEDS
    }
    if not needs:
        return {"intent": "chat", "complexity": "trivial", "side_effects": "none"}
    return needs


def _filled(value: Any) -> Any:
    """Text with ``{filler N}`` replaced by N characters of dull prose."""
    if not isinstance(value, str):
        return value
    return _FILLER.sub(lambda found: _prose(int(found[1])), value)


def _prose(length: int) -> str:
    return (_SENTENCE * (length // len(_SENTENCE) + 1))[:length]


def _known(row: Mapping[str, Any], allowed: set[str]) -> None:
    if unknown := set(row) - allowed:
        raise ValueError(f"unknown keys {sorted(unknown)}; allowed are {sorted(allowed)}")
