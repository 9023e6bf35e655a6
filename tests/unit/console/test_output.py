"""Text for people, on terminals of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from hermes_tool_router.console.output import Output

HEADS = ("time", "platform", "outcome", "sent#")
ROWS = [
    ("12-01 13:18:01", "telegram", "narrowed", "4,259"),
    ("12-01 13:18:08", "cli", "full", "10,746"),
]


def printed(width: int) -> list[str]:
    """Lines of a table on a terminal of a width."""
    text = io.StringIO()
    Output(as_json=False, console=Console(file=text, width=width)).table(HEADS, ROWS)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_a_table_that_fits_has_a_line_a_row() -> None:
    """Heads first, numbers to the right."""
    assert printed(60) == [
        "time            platform  outcome     sent",
        "12-01 13:18:01  telegram  narrowed   4,259",
        "12-01 13:18:08  cli       full      10,746",
    ]


@pytest.mark.parametrize("width", [24, 30, 41])
def test_on_a_narrow_terminal_each_row_is_a_list_and_no_word_is_broken(width: int) -> None:
    """Better a long output than letters under each other."""
    lines = printed(width)

    assert lines[:5] == [
        "time      12-01 13:18:01",
        "platform  telegram",
        "outcome   narrowed",
        "sent      4,259",
        "",
    ]
    assert lines[5:] == [
        "time      12-01 13:18:08",
        "platform  cli",
        "outcome   full",
        "sent      10,746",
    ]


def test_a_table_without_rows_shows_its_heads() -> None:
    """Nothing is stacked where nothing stands."""
    text = io.StringIO()

    Output(as_json=False, console=Console(file=text, width=60)).table(HEADS, [])

    assert text.getvalue().split() == ["time", "platform", "outcome", "sent"]
