"""The hostile texts are what they claim to be, and each is timed both ways."""

from __future__ import annotations

from hermes_tool_router.benchmarks.hostile_texts import SHAPES, costs, structure_of, within
from hermes_tool_router.benchmarks.secrets_suite import TABLE
from hermes_tool_router.sanitizer import table_from_bytes


def test_every_shape_is_as_long_as_asked_and_like_no_other() -> None:
    """At least 30 shapes, each reaching its size, the same ones at every call."""
    texts = [make(2_000)[:2_000] for make in SHAPES.values()]

    assert len(SHAPES) >= 30
    assert {len(text) for text in texts} == {2_000}
    assert len(set(texts)) == len(texts)
    assert texts == [make(2_000)[:2_000] for make in SHAPES.values()]


def test_structure_holds_the_whole_text() -> None:
    """As a command, a list and fields, and within the values that are looked at."""
    text = "abcdefg" * 9_000

    structure = structure_of(text)

    parts = [structure["command"], *structure["items"], *structure["fields"].values()]
    assert "".join(parts) == text
    assert len(parts) + len(structure["fields"]) < 500


def test_each_shape_is_timed_as_a_text_and_as_a_structure() -> None:
    """The least and the most of several runs."""
    report = costs(table_from_bytes(TABLE.read_bytes()), size=200)

    assert set(SHAPES) < set(report)
    assert all(0 <= row["text"] <= row["text_worst"] for row in report.values())
    assert all(0 <= row["structure"] <= row["structure_worst"] for row in report.values())


def test_least_of_the_runs_is_counted_for_texts_and_for_structures() -> None:
    """Each form by itself, and a run that was disturbed does not count."""
    rows = {
        "a": {"text": 60.0, "text_worst": 90.0, "structure": 90.0},
        "b": {"text": 60.1, "text_worst": 60.1, "structure": 1.0},
    }

    assert (within(rows), within(rows, "structure")) == (1, 1)
