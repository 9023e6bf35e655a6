"""Rows of the local logs.  None has a field in which user text could stand.

Digests are keyed with a salt of this installation
(:meth:`.store.StateStore.digest`), so that equal messages can be counted and
none can be guessed from the log of another machine.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

__all__ = ["CallRecord", "DecisionRecord", "GateRecord", "Record", "columns", "row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """One routing decision."""

    session: str
    """Digest of the session id."""
    message: str
    """Digest of the message."""
    outcome: str
    grade: str
    tier: str
    reasons: tuple[str, ...] = ()
    """Rule ids, in the order in which they counted."""
    toolsets: tuple[str, ...] = ()
    tokens_full: int = 0
    tokens_sent: int = 0
    micros: int = 0
    """Time that the decision took, in microseconds."""
    platform: str = ""
    mode: str = ""
    """``shadow`` or ``enforce``."""
    errors: tuple[str, ...] = ()
    """Kinds of errors, never their messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call of a classifier or decision model."""

    purpose: str
    """``route``, ``gate``, ``verify``, ``ask`` or ``turn``."""
    backend: str
    outcome: str
    """``ok``, or why nothing usable came back."""
    model: str = ""
    """The model that answered."""
    pack: str = ""
    """Id and version of the question pack."""
    latency_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: bool = False
    sent_bytes: int = 0
    truncated: bool = False
    redactions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRecord:
    """One verdict on a tool call."""

    session: str
    """Digest of the session id, empty for calls that carry none."""
    tool: str
    verdict: str
    """``allow``, ``ask`` or ``block``: what the rules and the model say."""
    outcome: str
    """What became of it: ``allowed``, ``asked``, ``blocked``, ``would_ask``, ``would_block``,
    ``could_not_ask`` or ``unattended``."""
    findings: tuple[str, ...] = ()
    """Ids of the findings."""
    tier: str = ""
    severity: int = 0
    context: str = ""
    """Who could have answered."""
    thresholds: str = ""
    """Digest of the thresholds in force."""
    call: str = ""
    """Digest of the call."""
    choice: str = ""
    """What the human chose; empty where nobody was asked or the answer is not known."""
    micros: int = 0
    mode: str = ""


Record = DecisionRecord | CallRecord | GateRecord


_LARGEST = 2**63 - 1


_COLUMNS = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (DecisionRecord, CallRecord, GateRecord)
}


def columns(kind: type[Record]) -> tuple[str, ...]:
    """Column names of a kind of record, in table order."""
    return _COLUMNS[kind]


def row(record: Record) -> tuple[str | int | float | None, ...]:
    """Values for :func:`columns` as SQLite takes them; tuples become JSON arrays."""
    return tuple([_storable(getattr(record, name)) for name in _COLUMNS[type(record)]])


def _storable(value: object) -> str | int | float | None:
    """Names come from models and servers: no surrogate and no huge number stops a log."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, tuple):
        return json.dumps(value) if value else "[]"
    if isinstance(value, int):
        number = int(value)
        return number if -_LARGEST <= number <= _LARGEST else max(-_LARGEST, min(number, _LARGEST))
    assert value is None or isinstance(value, float)  # no other type is in a record
    return value
