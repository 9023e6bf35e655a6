"""Answers per turn: cached, asked once, forgotten in time.  Pure; the clock comes in.

The reference keeps one classification per (session, turn).  The states of an
entry are *asked* (one caller is asking), *answered* (failures included) and,
apart from that, *complete* once the host says that the turn ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .questions import Answers

__all__ = [
    "Begun",
    "TurnBook",
    "TurnEntry",
    "TurnKey",
    "begin",
    "complete",
    "for_session",
    "forget",
    "lookup",
    "settle",
    "with_local_turn",
]

TurnKey = tuple[str, str]
"""Session id and turn id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEntry:
    """One turn.

    Attributes:
        born_s: clock time of the first question, in seconds.
        ticket: number of the question that is out; only its answer counts.
        answers: what came back; ``None`` while it is out.
        complete: the host said that the turn ended.
    """

    born_s: float
    ticket: int
    answers: Answers | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBook:
    """All remembered turns, oldest first.

    Attributes:
        max_turns: entries kept; completed ones make room first.
        ttl_s: seconds that an entry lives.
        next_ticket: number of the next question.
        next_local: number of the next local turn id.
    """

    max_turns: int
    ttl_s: float
    entries: Mapping[TurnKey, TurnEntry] = field(default_factory=dict)
    next_ticket: int = 1
    next_local: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """What a caller has to do.

    Attributes:
        ticket: the caller asks, and settles under this number; 0: it does not ask.
        answers: known already; ``None`` with ticket 0: somebody else is asking.
    """

    ticket: int = 0
    answers: Answers | None = None


def with_local_turn(book: TurnBook, key: TurnKey) -> tuple[TurnBook, TurnKey]:
    """A turn id of our own where the host gives none.

    This relies on ``pre_llm_call`` firing once a turn, as it does on every
    host that gives no id (hermes-agent before 0.16).
    """
    session, turn = key
    if turn:
        return book, key
    return replace(book, next_local=book.next_local + 1), (session, f"local:{book.next_local}")


def begin(book: TurnBook, key: TurnKey, now_s: float) -> tuple[TurnBook, Begun]:
    """Join a turn: the first caller gets a ticket, later ones the answer or nothing yet."""
    book = _without_expired(book, now_s)
    known = book.entries.get(key)
    if known is not None:
        return book, Begun(answers=known.answers)
    entry = TurnEntry(born_s=now_s, ticket=book.next_ticket)
    book = _with_room(replace(book, next_ticket=book.next_ticket + 1))
    return _put(book, key, entry), Begun(ticket=entry.ticket)


def settle(
    book: TurnBook, key: TurnKey, ticket: int, answers: Answers, now_s: float
) -> tuple[TurnBook, bool]:
    """Store an answer; ``False`` where it came too late and is discarded.

    Too late: the turn ended, expired, made room, or somebody else asks by now.
    A failure is stored like any answer, so that a turn pays for it once.
    """
    book = _without_expired(book, now_s)
    entry = book.entries.get(key)
    if entry is None or entry.ticket != ticket or entry.complete or entry.answers is not None:
        return book, False
    return _put(book, key, replace(entry, answers=answers)), True


def lookup(book: TurnBook, key: TurnKey, now_s: float) -> Answers | None:
    """What is known about one turn."""
    entry = _without_expired(book, now_s).entries.get(key)
    return entry.answers if entry is not None else None


def for_session(book: TurnBook, session: str, now_s: float) -> Answers | None:
    """What is known where the host names a session but no turn.

    ``None`` unless exactly one turn of the session is unfinished: with two
    nobody can tell which one is meant.
    """
    living = _without_expired(book, now_s).entries.items()
    running = [entry for (owner, _), entry in living if owner == session and not entry.complete]
    return running[0].answers if len(running) == 1 else None


def complete(book: TurnBook, session: str, turn: str) -> TurnBook:
    """Mark a turn as ended; without a turn id all turns of the session.

    ``on_session_end`` fires at the end of every turn (hermes-agent 0.19.0
    agent/turn_finalizer.py:615), so it forgets nothing.
    """
    entries = {
        key: replace(entry, complete=True)
        if key[0] == session and (not turn or key[1] == turn)
        else entry
        for key, entry in book.entries.items()
    }
    return replace(book, entries=entries)


def forget(book: TurnBook, session: str) -> TurnBook:
    """Drop a session's turns."""
    entries = {key: entry for key, entry in book.entries.items() if key[0] != session}
    return replace(book, entries=entries)


def _put(book: TurnBook, key: TurnKey, entry: TurnEntry) -> TurnBook:
    return replace(book, entries={**book.entries, key: entry})


def _without_expired(book: TurnBook, now_s: float) -> TurnBook:
    entries = {
        key: entry for key, entry in book.entries.items() if now_s - entry.born_s < book.ttl_s
    }
    return book if len(entries) == len(book.entries) else replace(book, entries=entries)


def _with_room(book: TurnBook) -> TurnBook:
    """Room for one more: completed turns go first, the oldest of them before others."""
    entries = dict(book.entries)
    while len(entries) >= book.max_turns:
        done = next((key for key, entry in entries.items() if entry.complete), None)
        del entries[done if done is not None else next(iter(entries))]
    return replace(book, entries=entries)
