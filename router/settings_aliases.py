"""Names under which other documents know our settings.

``FLAT`` maps keys of the jev-router and jev-judge references, as they stand at
the top of their own settings, to ours.  ``MODE_TARGETS`` says which of our
modes their single ``mode`` governed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["FLAT", "MODE_TARGETS", "PLATFORMS", "RETIRED", "THRESHOLDS"]

_JEV_ROUTER = {
    "decision_model": "system_one.model",
    "timeout_seconds": "system_one.timeout_s",
    "max_workers": "system_one.max_workers",
    "state_max_bytes": "system_one.state_max_bytes",
}

_JEV_JUDGE = {
    "tools": "risk_gate.judge_tools",
    "gate_version": "risk_gate.gate_version",
    "destructive_threshold": "risk_gate.thresholds.destructive",
    "exfiltration_threshold": "risk_gate.thresholds.exfiltration",
    "impact_threshold": "risk_gate.thresholds.impact",
    "reads_secrets_threshold": "risk_gate.thresholds.reads_secrets",
    "sends_outbound_threshold": "risk_gate.thresholds.sends_outbound",
    "blast_radius_threshold": "risk_gate.thresholds.blast_radius",
    "self_advocating_threshold": "risk_gate.thresholds.self_advocating",
    "backend": "system_one.backend",
    "typesafe_model": "system_one.typesafe_model",
    "typesafe_base_url": "system_one.typesafe_base_url",
    "openrouter_model": "system_one.openrouter_model",
    "openrouter_base_url": "system_one.openrouter_base_url",
    "jev_model": "system_one.jev_model",
    "jev_base_url": "system_one.jev_base_url",
    "timeout_s": "system_one.timeout_s",
    "cache_seconds": "system_one.cache_seconds",
    "retry_max_wait_s": "system_one.retry_max_wait_s",
    "breaker_threshold": "system_one.breaker_threshold",
    "breaker_cooldown_s": "system_one.breaker_cooldown_s",
    "min_interval_s": "system_one.min_interval_s",
    "log_path": "system_one.log_path",
}

FLAT: Mapping[str, str] = MappingProxyType({**_JEV_ROUTER, **_JEV_JUDGE})

MODE_TARGETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(_JEV_ROUTER, ("risk_gate.mode", "verify.mode", "tool_shaping.mode")),
        **dict.fromkeys(_JEV_JUDGE, ("risk_gate.mode",)),
    }
)

THRESHOLDS: Mapping[str, str] = MappingProxyType(
    {
        key: path.rpartition(".")[2]
        for key, path in _JEV_JUDGE.items()
        if path.startswith("risk_gate.thresholds.")
    }
)
"""Long names that are also understood inside ``risk_gate.thresholds``."""

RETIRED = frozenset({"expansion_mode", "routing_scope", "shrink_mid_session"})
"""Modes that became fixed behaviour in v0.2 of the reference: ignored, with one notice."""

PLATFORMS = frozenset(
    # hermes-agent 0.19.0 gateway/config.py Platform, and the names that the
    # agent itself uses (acp, cli, cron, curator, subagent, tui); plugins may add more.
    {
        "acp",
        "api_server",
        "bluebubbles",
        "cli",
        "cron",
        "curator",
        "dingtalk",
        "discord",
        "email",
        "feishu",
        "homeassistant",
        "local",
        "matrix",
        "mattermost",
        "msgraph_webhook",
        "qqbot",
        "relay",
        "signal",
        "slack",
        "sms",
        "subagent",
        "telegram",
        "tui",
        "webhook",
        "wecom",
        "wecom_callback",
        "weixin",
        "whatsapp",
        "whatsapp_cloud",
        "yuanbao",
    }
)
