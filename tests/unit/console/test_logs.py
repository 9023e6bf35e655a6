"""The log command shows rows, and follows them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from hermes_tool_router.console import logs
from hermes_tool_router.console.effect import effect, percent
from hermes_tool_router.console.output import Output
from hermes_tool_router.console.parser import KINDS
from hermes_tool_router.registry_adapter.records import DecisionRecord, GateRecord
from hermes_tool_router.registry_adapter.store import StateStore


def decision(mode: str = "enforce", *, full: int = 100, sent: int = 40) -> DecisionRecord:
    """A narrowed decision."""
    return DecisionRecord(
        session="s",
        message="m",
        outcome="narrowed",
        grade="tight",
        tier="rules",
        tokens_full=full,
        tokens_sent=sent,
        mode=mode,
    )


def printed(*, as_json: bool) -> tuple[Output, io.StringIO]:
    """An output that keeps its text, on a terminal of 80 columns."""
    text = io.StringIO()
    console = Console(file=text, width=80, highlight=False, markup=False, emoji=False)
    return Output(as_json=as_json, console=console), text


def after(rounds: int, then: Callable[[], object]) -> Callable[[float], None]:
    """A sleep that does something in the first round and interrupts after the last."""
    calls = []

    def sleep(seconds: float) -> None:
        calls.append(seconds)
        if len(calls) == 1:
            then()
        if len(calls) > rounds:
            raise KeyboardInterrupt

    return sleep


def test_json_has_one_row_a_line(tmp_path: Path) -> None:
    """Each says which log it is from."""
    store = StateStore(tmp_path)
    store.log(decision())
    store.log(GateRecord(session="s", tool="terminal", verdict="ask", outcome="asked"))
    out, text = printed(as_json=True)

    logs.show(store, KINDS, 10, out)

    rows = [json.loads(line) for line in text.getvalue().splitlines()]
    assert [(row["log"], row["outcome"]) for row in rows] == [
        ("decisions", "narrowed"),
        ("gate", "asked"),
    ]


def test_new_rows_are_printed_as_they_come(tmp_path: Path) -> None:
    """Following starts after what was shown and prints each row once."""
    store = StateStore(tmp_path)
    store.log(decision())
    out, text = printed(as_json=True)
    last = logs.show(store, ("decisions",), 10, out)
    text.truncate(0)
    text.seek(0)

    with pytest.raises(KeyboardInterrupt):
        logs.follow(store, last, out, sleep=after(3, lambda: store.log(decision(sent=7))))

    rows = [json.loads(line) for line in text.getvalue().splitlines()]
    assert [(row["id"], row["tokens_sent"]) for row in rows] == [(2, 7)]


def test_people_get_a_table_that_fits(tmp_path: Path) -> None:
    """Long findings wrap inside their column."""
    store = StateStore(tmp_path)
    findings = tuple(f"finding.with-a-long-name-{n}" for n in range(4))
    store.log(
        GateRecord(session="s", tool="terminal", verdict="ask", outcome="asked", findings=findings)
    )
    out, text = printed(as_json=False)

    logs.show(store, ("gate",), 10, out)

    assert max(len(line) for line in text.getvalue().splitlines()) <= 80
    assert text.getvalue().isascii()


def test_effect_keeps_shadow_apart(tmp_path: Path) -> None:
    """Only enforced decisions removed anything."""
    store = StateStore(tmp_path)
    store.log(decision(full=100, sent=40))
    store.log(decision(full=100, sent=100))
    store.log(decision("shadow", full=100, sent=10))

    seen = effect(store)

    assert (seen["enforced"], seen["tokens_full"], seen["tokens_removed"]) == (2, 200, 60)
    assert (seen["shadow"], seen["would_remove"]) == (1, 90)


@pytest.mark.parametrize(("part", "whole", "text"), [(1, 3, "33%"), (0, 0, "-"), (2, 2, "100%")])
def test_share_of_nothing_is_a_dash(part: int, whole: int, text: str) -> None:
    """No division by zero on a fresh home."""
    assert percent(part, whole) == text
