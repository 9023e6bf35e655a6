"""Pages: self-contained, escaped, with and without a plotting library."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from hermes_tool_router.reports import plots
from hermes_tool_router.reports.log_page import log_page, log_report
from hermes_tool_router.reports.page import Figures, Grid, Page, Plot, render
from hermes_tool_router.reports.replay_page import replay_page

MISSED = {"turn": 0, "toolset": "file", "tool": "patch", "message": "<img src=//x onerror=1>"}


def session(number: int, **more: Any) -> dict[str, Any]:
    """One row of a replay's JSON."""
    sent = [4_000, 4_000 + 500 * (number % 3), 6_000]
    return {
        "session": f"s{number}",
        "platform": "cli",
        "model": "vendor/some-model-of-a-long-name",
        "started_at": 1.7e9 + number * 1_000,
        "requests": 3,
        "first_full": 12_000,
        "tokens_full": 36_000,
        "tokens_sent": sum(sent),
        "sent": sent,
        "moves": 2,
        "cost_full": 0.12,
        "cost_sent": 0.07,
        "recoveries": [],
        **more,
    }


def figures(*sessions: dict[str, Any]) -> dict[str, Any]:
    """A replay's JSON."""
    return {
        "sessions": list(sessions),
        "missing": {"file": 2},
        "total": {
            "sessions": len(sessions),
            "turns": 9,
            "tokens_full": sum(row["tokens_full"] for row in sessions),
            "tokens_sent": sum(row["tokens_sent"] for row in sessions),
            "recoveries": 2,
            "moves": 4,
            "cost_full": 0.24,
            "cost_sent": 0.14,
        },
    }


REPLAY = figures(*(session(n) for n in range(12)), session(12, recoveries=[MISSED]))


def addresses(html: str) -> list[str]:
    """Every way in which a page could ask somebody for something, namespaces aside."""
    bare = re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    inside = re.sub(r'(xlink:)?href="#[^"]*"|url\(#[^)]*\)', "", bare)
    return re.findall(r"(?:src|href)=|url\(|@import|https?://|<script|<link|<iframe", inside)


def test_a_page_is_whole_in_itself() -> None:
    """No address, no script; the policy forbids both."""
    html = render(replay_page(figures(*(session(n) for n in range(12)))))

    assert addresses(html) == []
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html


def test_text_of_users_is_escaped() -> None:
    """A message cannot become markup."""
    html = render(replay_page(REPLAY))

    assert "&lt;img src=//x onerror=1&gt;" in html
    assert "<img" not in html


def test_a_dearer_result_is_said_first() -> None:
    """Saved tokens must not hide lost money."""
    data = figures(session(1))
    data["total"]["cost_sent"] = 0.5

    assert "dearer" in replay_page(data).lead
    assert "dearer" not in replay_page(figures(session(1))).lead


def test_empty_parts_leave_nothing_behind() -> None:
    """No heading over no table."""
    parts = (
        Figures(items=()),
        Grid(title="Nothing", heads=("a",), rows=()),
        Plot(title="Not drawn", svg=""),
        Plot(title="Empty", svg="", none="No session to draw."),
    )

    html = render(Page(title="T", lead="L", parts=parts))

    assert "Nothing" not in html
    assert "Not drawn" not in html
    assert "No session to draw." in html
    assert render(replay_page(figures())).count("<table>") == 1


def test_without_the_library_the_tables_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """``None`` in ``sys.modules`` is Python's own way to say that it is not installed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    html = render(replay_page(REPLAY))

    assert not plots.is_installed()
    assert "<svg" not in html
    assert html.count("<table>") == 3


class TestPlots:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        """Drawn only where the extra is there."""
        if not plots.is_installed():
            pytest.skip("matplotlib (extra [report]) is not installed")

    def test_a_drawing_takes_the_readers_colour_and_no_metadata(self) -> None:
        """Light and dark from one text; the same figures give the same bytes."""
        first = plots.histogram([0.1, 0.55, 0.6, -3.0], across="saved")
        again = plots.histogram([0.1, 0.55, 0.6, -3.0], across="saved")

        assert first == again
        assert first.startswith("<svg")
        assert "currentColor" in first
        assert "#010203" not in first
        assert "metadata" not in first

    def test_nothing_to_draw_is_no_drawing(self) -> None:
        """Empty axes say nothing."""
        assert plots.histogram([], across="x") == ""
        assert plots.bars({"one": 1.0}, across="x") == ""
        assert plots.reliability([(0.1, 0.2)]) == ""
        assert plots.steps({"a": []}, across="x", up="y") == ""

    def test_of_many_bars_the_lowest_are_drawn(self) -> None:
        """Few stay in their order; of equal ones the alphabet decides."""
        rows = {"b": 1.0, "a": 1.0, "c": 0.5}

        assert list(plots.lowest(rows, limit=3)) == ["b", "a", "c"]
        assert list(plots.lowest(rows, limit=2)) == ["c", "a"]

    def test_the_ids_of_two_drawings_do_not_meet(self) -> None:
        """Clip paths of one must not cut the other."""
        one = plots.bars({"a": 0.5, "b": 1.0}, across="hit", percent=True)
        two = plots.steps({"a": [1, 2], "b": [2, 2]}, across="request", up="tokens")

        clips = [set(re.findall(r'<clipPath id="([^"]+)"', svg)) for svg in (one, two)]
        assert all(clips)
        assert plots.reliability([(0.1, 0.2), (0.9, 0.8)]).startswith("<svg")
        assert clips[0].isdisjoint(clips[1])


def test_the_log_becomes_figures() -> None:
    """Worked out by hand from three decisions and four verdicts."""
    row = {"outcome": "narrowed", "platform": "cli", "tier": "rules", "mode": "enforce"}
    decisions = [
        {**row, "session": "a", "tokens_full": 100, "tokens_sent": 20, "reasons": '["r.1", "r.1"]'},
        {**row, "session": "a", "tokens_full": 100, "tokens_sent": 40, "reasons": "{"},
        {**row, "session": "b", "outcome": "pass", "tokens_full": 0, "tokens_sent": 0},
    ]
    gate = [
        {"verdict": verdict, "tool": tool}
        for verdict, tool in zip(
            ("allow", "allow", "ask", "block"), ("a", "a", "a", "b"), strict=True
        )
    ]

    report = log_report(decisions, gate, {"decision": 3})
    html = render(log_page(report))

    assert (report["decisions"], report["sessions"]) == (3, 2)
    assert report["savings"] == [0.8, 0.6]
    assert report["by_outcome"] == {"narrowed": {"decisions": 2, "saving": 0.7}}
    assert report["rules"] == {"r.1": 1}
    assert report["asks_per_100_calls"] == 50.0
    assert report["asks_by_tool"] == {
        "a": {"calls": 3, "asks_per_100": 33.33},
        "b": {"calls": 1, "asks_per_100": 100.0},
    }
    assert "70 %" in html
    assert addresses(html) == []


def test_an_empty_log_has_a_page() -> None:
    """No division by nothing."""
    report = log_report([], [], {})

    assert report["asks_per_100_calls"] is None
    assert "What the tool router did" in render(log_page(report))
