"""The configuration snippets of the three origin documents do what design §5 says."""

from __future__ import annotations

import pytest
import yaml

from hermes_tool_router.router.errors import SettingsError
from hermes_tool_router.router.settings import Layer, Resolved, Settings, resolve


def pasted(text: str) -> Resolved:
    """Resolve a snippet that somebody pasted under our entry."""
    layer = Layer(name="plugins.entries.tool-router.settings", data=yaml.safe_load(text))
    return resolve([layer], profile="default")


JEV_ROUTER = """
enabled: true
mode: {mode}
decision_model: jev-preview
timeout_seconds: 1.5
max_workers: 3
state_max_bytes: 6000
turn_classifier: {{enabled: true}}
tool_shaping: {{enabled: false, min_confidence: 0.97}}
risk_gate: {{enabled: true, block_unbindable: true, approval_threshold: 0.75}}
verify: {{enabled: false, continue_threshold: 0.9, max_nudges: 1}}
cache: {{max_turns: 128, ttl_seconds: 900}}
telemetry: {{enabled: true, max_events: 64}}
"""

JEV_JUDGE = """
mode: enforce
tools: [terminal]
timeout_s: 3.0
cache_seconds: 60
backend: openrouter
typesafe_model: jev-1.14.0
typesafe_base_url: https://typesafe.example
openrouter_model: typesafe/jev-1.14
openrouter_base_url: https://openrouter.example/api/alpha
retry_max_wait_s: 1.0
breaker_threshold: 4
breaker_cooldown_s: 60
min_interval_s: 0.5
destructive_threshold: 0.91
exfiltration_threshold: 0.71
impact_threshold: 2.1
gate_version: v2
reads_secrets_threshold: 0.72
sends_outbound_threshold: 0.73
blast_radius_threshold: 2.2
self_advocating_threshold: 0.74
jev_model: typesafe-ai/jev-1
jev_base_url: https://gateway.example/v4/ai
log_path: /var/log/judge.jsonl
"""


def modes(settings: Settings) -> tuple[str, str, str, str]:
    """Modes of routing, gate, verifier and shaping."""
    return (
        settings.mode,
        settings.risk_gate.mode,
        settings.verify.mode,
        settings.tool_shaping.mode,
    )


def test_router_snippet_with_a_hosted_classifier() -> None:
    """The OpenRouter quick setup, as it stands under ``global``."""
    result = pasted("""
        global:
          deterministic_rules_enabled: false
          confidence_threshold: 0.90
          router_hard_timeout_ms: 2000
          fail_open: true
          classifier:
            enabled: true
            provider: openrouter
            model: google/gemini-3.5-flash-lite
        """)

    classifier = result.settings.classifier
    assert result.notices == ()
    assert not result.settings.deterministic_rules_enabled
    assert classifier.enabled
    assert classifier.provider_in_force.model == "google/gemini-3.5-flash-lite"
    assert classifier.provider_in_force.api_key_env == "OPENROUTER_API_KEY"


def test_router_snippet_with_the_safe_defaults() -> None:
    """The settings list of the README leaves everything off."""
    result = pasted("""
        global:
          enabled: false
          floor_toolsets: []
          deterministic_rules_enabled: true
          confidence_threshold: 0.90
          fail_open: true
          classifier:
            enabled: false
        """)

    assert result.settings == resolve([], profile="default").settings


def test_router_snippet_with_a_local_endpoint() -> None:
    """A flat ``classifier`` with a keyless local server."""
    result = pasted("""
        classifier:
          enabled: true
          provider: custom
          model: router-local
          base_url: http://127.0.0.1:1234/v1
          api_key_env: null
        """)

    provider = result.settings.classifier.provider_in_force
    assert (provider.base_url, provider.model) == ("http://127.0.0.1:1234/v1", "router-local")
    assert provider.api_key_env == ""


def test_router_classifier_without_a_provider_is_deepseek() -> None:
    """Direct DeepSeek is the hosted default."""
    provider = pasted("classifier: {enabled: true}").settings.classifier.provider_in_force

    assert (provider.base_url, provider.model, provider.api_key_env) == (
        "https://api.deepseek.com",
        "deepseek-flash",
        "DEEPSEEK_API_KEY",
    )


def test_router_install_step_enables_one_profile() -> None:
    """``profiles.<name>.enabled`` reaches that profile and no other."""
    layer = Layer(
        name="config.yaml", data={"profiles": {"router-test": {"enabled": True}}}, shipped=True
    )

    there = resolve([layer], profile="router-test").settings.enabled
    elsewhere = resolve([layer], profile="default").settings.enabled

    assert (there, elsewhere) == (True, False)


def test_jev_router_snippet_reaches_our_paths() -> None:
    """Every key of the merge snippet arrives, with one notice naming the paths."""
    result = pasted(JEV_ROUTER.format(mode="shadow"))

    settings, system_one = result.settings, result.settings.system_one
    assert settings.enabled
    assert settings.turn_classifier.enabled
    assert (system_one.model, system_one.timeout_s) == ("jev-preview", 1.5)
    assert (system_one.max_workers, system_one.state_max_bytes) == (3, 6000)
    assert settings.tool_shaping.min_confidence == 0.97
    assert settings.risk_gate.block_unbindable
    assert settings.risk_gate.approval_threshold == 0.75
    assert (settings.verify.continue_threshold, settings.verify.max_nudges) == (0.9, 1)
    assert (settings.cache.max_turns, settings.cache.ttl_seconds) == (128, 900)
    assert (settings.telemetry.enabled, settings.telemetry.max_events) == (True, 64)
    assert len(result.notices) == 1
    assert "decision_model as system_one.model" in result.notices[0]
    assert "mode as risk_gate.mode" in result.notices[0]


@pytest.mark.parametrize("mode", ["shadow", "enforce"])
def test_jev_router_mode_governs_its_three_features(mode: str) -> None:
    """Its one mode is spread over gate, verifier and shaping; flat, it is ours as well."""
    settings = pasted(JEV_ROUTER.format(mode=mode)).settings

    assert modes(settings) == (mode, mode, mode, mode)


def test_jev_router_mode_leaves_routing_to_global() -> None:
    """Beside a ``global`` with a mode, the pasted one speaks for the features only."""
    settings = pasted(JEV_ROUTER.format(mode="shadow") + "\nglobal: {mode: enforce}").settings

    assert modes(settings) == ("enforce", "shadow", "shadow", "shadow")


def test_own_mode_of_a_feature_wins_over_a_pasted_one() -> None:
    """The more exact word wins, in whatever order the keys stand."""
    settings = pasted("""
        mode: shadow
        decision_model: jev-latest
        risk_gate: {mode: enforce}
        """).settings

    assert modes(settings) == ("shadow", "enforce", "shadow", "shadow")


def test_jev_router_read_only_list_may_be_empty() -> None:
    """An empty list assesses every tool; the default is the documented eleven."""
    empty = pasted("risk_gate: {read_only_tools: []}").settings.risk_gate.read_only_tools
    default = pasted("").settings.risk_gate.read_only_tools

    assert (empty, len(default)) == ((), 11)


def test_jev_judge_snippet_reaches_our_paths() -> None:
    """Every key of the settings table arrives."""
    result = pasted(JEV_JUDGE)

    gate, system_one = result.settings.risk_gate, result.settings.system_one
    assert modes(result.settings) == ("enforce", "enforce", "shadow", "shadow")
    assert (gate.judge_tools, gate.gate_version) == (("terminal",), "v2")
    assert gate.thresholds.model_dump() == {
        "destructive": 0.91,
        "exfiltration": 0.71,
        "impact": 2.1,
        "reads_secrets": 0.72,
        "sends_outbound": 0.73,
        "blast_radius": 2.2,
        "self_advocating": 0.74,
    }
    assert system_one.model_dump() == {
        "backend": "openrouter",
        "base_url": "http://127.0.0.1:11434",
        "api_key_env": None,
        "model": "jev-latest",
        "timeout_s": 3.0,
        "max_workers": 4,
        "state_max_bytes": 8000,
        "typesafe_model": "jev-1.14.0",
        "typesafe_base_url": "https://typesafe.example",
        "openrouter_model": "typesafe/jev-1.14",
        "openrouter_base_url": "https://openrouter.example/api/alpha",
        "jev_model": "typesafe-ai/jev-1",
        "jev_base_url": "https://gateway.example/v4/ai",
        "cache_seconds": 60,
        "retry_max_wait_s": 1.0,
        "breaker_threshold": 4,
        "breaker_cooldown_s": 60,
        "min_interval_s": 0.5,
        "log_path": "/var/log/judge.jsonl",
    }
    assert len(result.notices) == 1


def test_jev_judge_threshold_names_are_understood_where_ours_stand() -> None:
    """``destructive_threshold`` under ``risk_gate.thresholds`` is ``destructive``."""
    result = pasted("risk_gate: {thresholds: {destructive_threshold: 0.8}}")

    assert result.settings.risk_gate.thresholds.destructive == 0.8
    assert "risk_gate.thresholds.destructive" in result.notices[0]


def test_two_snippets_that_disagree_are_refused() -> None:
    """Both documents bound the same call; a silent winner would surprise somebody."""
    with pytest.raises(SettingsError, match="keep one") as caught:
        pasted("{timeout_seconds: 2.0, timeout_s: 3.0}")

    assert caught.value.key == "timeout_s"


def test_jev_names_work_in_a_profile() -> None:
    """Aliases are read in every block."""
    layer = Layer(name="settings", data={"profiles": {"work": {"timeout_seconds": 1}}})

    result = resolve([layer], profile="work")

    assert result.settings.system_one.timeout_s == 1
    assert "profiles.work.timeout_seconds as system_one.timeout_s" in result.notices[0]
