"""``report`` says what was sent, and in shadow what would have been."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from hermes_tool_router.console import reporting, status
from hermes_tool_router.console.output import Output
from hermes_tool_router.reports.log_page import log_report
from hermes_tool_router.reports.tier_report import tier_report


@pytest.mark.parametrize(
    ("modes", "said"),
    [
        pytest.param(["enforce"], "sent about 40 of 100", id="enforce"),
        pytest.param(["shadow"], "would have sent about 40 of 100", id="shadow"),
        pytest.param(
            ["shadow", "enforce"], "sent, or in shadow would have sent, about 80 of 200", id="both"
        ),
    ],
)
def test_the_headline_says_whether_it_was_sent(modes: list[str], said: str) -> None:
    """Requests in shadow went out whole."""
    rows = [
        {
            "at": 1.7e9,
            "session": f"s{number}",
            "outcome": "narrowed",
            "grade": "tight",
            "platform": "cli",
            "tier": "rules",
            "mode": mode,
            "reasons": [],
            "micros": 90,
            "tokens_full": 100,
            "tokens_sent": 40,
        }
        for number, mode in enumerate(modes)
    ]
    data = {**log_report(rows, [], {}), "compared": tier_report(rows, [], {})}
    text = io.StringIO()

    reporting.show(data, Output(as_json=False, console=Console(file=text, width=100)))

    assert said in text.getvalue()


def test_status_says_which_of_what_was_counted_was_in_shadow() -> None:
    """Not "would decision 2"."""
    seen = {"outcomes": {}, "enforced": 0, "shadow": 0, "refrained": 0}

    rows = dict(status._effect_rows(seen, {"decision": 1, "would_decision": 2}))

    assert rows["counted so far"] == "decision 1, decision 2 in shadow"
