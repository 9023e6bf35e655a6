"""Answers per turn: who asks, what is remembered, what comes too late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes_tool_router.router.questions import Answers, NoulAnswer
from hermes_tool_router.router.turns import (
    TurnBook,
    begin,
    complete,
    for_session,
    forget,
    lookup,
    settle,
    with_local_turn,
)

BOOK = TurnBook(max_turns=3, ttl_s=100)
YES = Answers(by_id={"q": NoulAnswer(probability=0.9)})
FAILED = Answers(by_id={}, missing=("q",), outcome="timeout")
KEY = ("s", "t1")


def _answered(book: TurnBook, key: tuple[str, str], answers: Answers = YES) -> TurnBook:
    book, begun = begin(book, key, 0)
    return settle(book, key, begun.ticket, answers, 0)[0]


def test_the_first_caller_asks_and_the_second_waits() -> None:
    """One ticket a turn."""
    book, first = begin(BOOK, KEY, 0)

    _, second = begin(book, KEY, 1)

    assert first.ticket
    assert (second.ticket, second.answers) == (0, None)


@pytest.mark.parametrize(
    "answers", [pytest.param(YES, id="answer"), pytest.param(FAILED, id="failure")]
)
def test_an_answer_is_remembered_failure_or_not(answers: Answers) -> None:
    """A turn pays for a failure once."""
    book = _answered(BOOK, KEY, answers)

    assert begin(book, KEY, 1)[1].answers == answers


def test_an_entry_lives_as_long_as_the_setting_says() -> None:
    """One second less than the limit it is there, at the limit it is gone."""
    book = _answered(BOOK, KEY)

    assert lookup(book, KEY, 99) == YES
    assert lookup(book, KEY, 100) is None
    assert begin(book, KEY, 100)[1].ticket


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda book: complete(book, "s", "t1"), id="turn ended"),
        pytest.param(lambda book: complete(book, "s", ""), id="all turns of the session ended"),
        pytest.param(lambda book: forget(book, "s"), id="session forgotten"),
        pytest.param(lambda book: replace(book, entries={}), id="made room"),
        pytest.param(lambda book: settle(book, KEY, 1, FAILED, 0)[0], id="settled before"),
    ],
)
def test_a_late_answer_is_discarded(change: object) -> None:
    """It neither shows up nor replaces anything."""
    book, begun = begin(BOOK, KEY, 0)
    assert callable(change)
    book = change(book)

    book, in_time = settle(book, KEY, begun.ticket, YES, 1)

    assert not in_time
    assert lookup(book, KEY, 1) != YES


def test_an_old_ticket_does_not_answer_a_new_question() -> None:
    """After the first question expired, only the second one counts."""
    book, old = begin(BOOK, KEY, 0)
    book, new = begin(book, KEY, 200)

    book, in_time = settle(book, KEY, old.ticket, FAILED, 201)

    assert not in_time
    assert settle(book, KEY, new.ticket, YES, 202)[1]


def test_completed_turns_make_room_before_running_ones() -> None:
    """The bound holds, and the oldest running turn survives a completed one."""
    book = BOOK
    for turn in ("a", "b", "c"):
        book = _answered(book, ("s", turn))
    book = complete(book, "s", "b")

    book, _ = begin(book, ("s", "d"), 1)

    assert [turn for _, turn in book.entries] == ["a", "c", "d"]


def test_without_completed_turns_the_oldest_makes_room() -> None:
    """The bound holds in any case."""
    book = BOOK
    for turn in "abcdef":
        book, _ = begin(book, ("s", turn), 0)

    assert [turn for _, turn in book.entries] == ["d", "e", "f"]


def test_a_reader_without_a_turn_abstains_between_two_unfinished_turns() -> None:
    """With one it knows, with two nobody can tell, with none there is nothing to tell."""
    one = _answered(BOOK, KEY)
    two, _ = begin(one, ("s", "t2"), 0)
    other, _ = begin(one, ("x", "t9"), 0)

    found = [for_session(book, "s", 1) for book in (one, two, other)]

    assert found == [YES, None, YES]
    assert for_session(complete(two, "s", "t2"), "s", 1) == YES
    assert for_session(complete(one, "s", ""), "s", 1) is None


def test_a_local_turn_id_is_made_once_a_call() -> None:
    """Hosts without turn ids call once a turn."""
    book, first = with_local_turn(BOOK, ("s", ""))
    book, second = with_local_turn(book, ("s", ""))

    assert first != second
    assert with_local_turn(book, KEY)[1] == KEY
