"""docs/compatibility.md lists what the doctor looks up."""

from __future__ import annotations

from pathlib import Path

from hermes_tool_router.probe.contract import RELIANCES, Reliance

DOC = Path(__file__).resolve().parents[3] / "docs" / "compatibility.md"


def _row(item: Reliance) -> str:
    return f"| {'needed' if item.needed else ''} | `{item.name}` | {item.use} |"


def test_every_reliance_is_a_row_of_the_document() -> None:
    """The table between the marks has one row for each, in the doctor's order."""
    text = DOC.read_text("utf-8")
    table = text.split("<!-- reliances -->\n")[1].split("<!-- /reliances -->")[0]

    expected = ["| | of Hermes | for |", "|---|---|---|", *map(_row, RELIANCES)]

    assert table.splitlines() == expected, "docs/compatibility.md lists something else"
