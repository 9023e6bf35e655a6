"""The tiers side by side: figures worked out by hand, and nothing that the log does not hold."""

from __future__ import annotations

from typing import Any

from hermes_tool_router.reports.log_page import log_page, log_report
from hermes_tool_router.reports.page import render
from hermes_tool_router.reports.tier_report import (
    NOT_IN_THE_LOG,
    other_rows,
    tier_report,
    tier_rows,
)


def row(tier: str, sent: int, micros: int, *reasons: str, **more: Any) -> dict[str, Any]:
    """A decision of the log over 1,000 granted tokens."""
    fields = {"session": "a", "outcome": "narrowed", "errors": [], "tokens_full": 1_000}
    return {
        **fields,
        "tier": tier,
        "tokens_sent": sent,
        "micros": micros,
        "reasons": list(reasons),
        **more,
    }


DECISIONS = [
    row("local", 200, 4_000, "engine.tight", "engine.rules-alone-more", session="b"),
    row("rules", 400, 1_000, "engine.tight"),
    row("rules", 1_000, 3_000, "engine.follow_up", outcome="full", session="c"),
    row("chat", 1_000, 900_000, "engine.classifier_failed", "engine.local-alone-fewer"),
    row("", 300, 0, outcome="pass"),
    row("rules", 0, 5, tokens_full=0),
]
CALLS = [
    {"purpose": "route", "backend": "chat", "outcome": "ok", "latency_ms": 300.0, "cached": False},
    {"purpose": "route", "backend": "chat", "outcome": "timeout", "latency_ms": 900.0},
    {"purpose": "gate", "backend": "chat", "outcome": "ok", "latency_ms": 1.0},
]


def test_each_tier_has_its_figures() -> None:
    """In the order in which they speak; rows without a tier or without tools are left out."""
    found = tier_report(DECISIONS, CALLS, {"a": 3, "c": 1})

    assert list(found["tiers"]) == ["rules", "local", "chat"]
    assert found["tiers"]["rules"] == {
        "decisions": 2,
        "full": 1,
        "failed": 0,
        "saving": 0.3,
        "kept": 700,
        "joined_later": 2.0,
        "p50_ms": 3.0,
        "p95_ms": 3.0,
    }
    assert found["tiers"]["local"]["joined_later"] is None
    assert found["tiers"]["chat"]["failed"] == 1


def test_agreement_is_read_from_the_reasons_and_calls_by_backend() -> None:
    """Calls of the gate are no routing."""
    found = tier_report(DECISIONS, CALLS, {})

    assert found["alone"] == {"local": {"fewer": 1}, "rules": {"more": 1}}
    assert found["calls"] == {
        "route, chat": {"calls": 2, "ok": 1, "cached": 0, "p50_ms": 900.0, "p95_ms": 900.0}
    }


def test_the_page_says_what_the_log_does_not_hold() -> None:
    """Beside the table of the tiers."""
    compared = tier_report(DECISIONS, CALLS, {})

    html = render(log_page({**log_report(DECISIONS, [], {}), "compared": compared}))

    assert "What an earlier tier alone would have kept" in html
    assert NOT_IN_THE_LOG.replace("'", "&#x27;") in html


def test_an_empty_log_compares_nothing() -> None:
    """No division by nothing, no empty table."""
    found = tier_report([], [], {})

    assert found == {"tiers": {}, "alone": {}, "calls": {}}
    assert tier_rows(found)[1] == []
    assert other_rows(found) == {}
