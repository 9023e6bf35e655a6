"""``hermes tool-router explain "PROMPT"``: what a first message would get, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..registry_adapter.events import Sending, TurnEvent
from ..registry_adapter.granted import granted_catalog
from ..registry_adapter.hermes_config import hermes_config
from ..registry_adapter.plugin import Runtime
from ..router.values import Catalog, Decision, Message
from .effect import percent
from .output import Output

__all__ = ["as_json", "decide", "show"]

_WARM_S = 20.0
"""Longest wait for the embedded encoder, which takes one to two seconds to start."""
_PROMPT = " " * 20_000
"""Stands for a system prompt of 4,400 tokens, as ``benchmarks/run.py cache`` takes it."""
_BY_NAME = frozenset({"", "auto", "anthropic", "deepseek", "gemini", "openai"})
"""Providers of hermes-agent 0.19.0 that are asked at their own address."""


def decide(
    runtime: Runtime, prompt: str, platform: str, *, ask_network: bool = True
) -> tuple[Decision, Catalog]:
    """Route a prompt as the first message of a session on a platform.

    Nothing is logged and no session is touched.  Tiers that open a socket are
    asked only where the settings switch them on, as for a real message.

    Raises:
        HostError: Hermes cannot say which tools the platform is granted.
    """
    catalog = granted_catalog(platform)
    turn = TurnEvent(
        session_id="explain",
        turn_id="explain:1",
        platform=platform,
        message=Message(text=prompt),
        is_first_turn=True,
        sending=_sending(),
    )
    place = runtime.places(platform)
    runtime.encoder.settle(place.settings, timeout_s=_WARM_S)
    decision = runtime.decider.decide(
        turn, catalog, place, later_turn=False, ask_network=ask_network
    )
    return decision, catalog


def _sending() -> Sending | None:
    """The model that Hermes is set to, ``None`` where it does not say."""
    found = hermes_config().get("model")
    if isinstance(found, str):
        found = {"default": found}
    if not isinstance(found, Mapping):
        return None
    model = str(found.get("default") or found.get("model") or "")
    provider, base_url = str(found.get("provider") or ""), str(found.get("base_url") or "")
    if not base_url and provider not in _BY_NAME:
        return None  # somebody else may ask other prices for a model of this name
    return Sending(model=model, base_url=base_url, system=_PROMPT, begins=False)


def as_json(decision: Decision, catalog: Catalog) -> dict[str, Any]:
    """The decision in the form that other programs read."""
    kept = set(decision.toolsets)
    sent = sum(toolset.tokens for toolset in catalog.toolsets if toolset.name in kept)
    return {
        "outcome": decision.outcome.value,
        "grade": decision.grade.value,
        "toolsets": list(decision.toolsets),
        "reasons": [reason.rule for reason in decision.reasons],
        "tier": decision.tier.value,
        "tokens_full": catalog.tokens,
        "tokens_sent": sent,
    }


def show(decision: Decision, catalog: Catalog, out: Output) -> None:
    """Print it for people, without the prompt."""
    data = as_json(decision, catalog)
    full, sent = data["tokens_full"], data["tokens_sent"]
    grade = "" if data["grade"] == data["outcome"] else f" ({data['grade']})"
    out.line(f"{data['outcome']}{grade}, decided by {data['tier']}", bold=True)
    out.line(f"about {sent:,} of {full:,} tokens of tool schemas ({percent(sent, full)})")
    if not decision.substantive:
        out.line("no task yet: the next message decides")
    out.line()
    kept = set(decision.toolsets)
    rows = [
        (str(toolset.name), "sent" if toolset.name in kept else "held back", f"{toolset.tokens:,}")
        for toolset in catalog.toolsets
    ]
    out.table(["toolset", "", "tokens#"], rows)
    out.line()
    reasons = [
        (item.rule, str(item.toolset or ""), f"{item.weight:+.1f}" if item.weight else "")
        for item in decision.reasons
    ]
    out.table(["rule", "for", "weight#"], reasons)
    for error in decision.errors:
        out.line(f"error: {error}")
