"""The settings: frozen models, every key with its meaning, unit and bounds.

Building a schema costs a start of Hermes more than the rest of it, so each group builds its own
when a key of it is first checked (``defer_build``), and groups that nobody set never do.
Annotations are no texts here: pydantic would compile each of them.

The defaults here are the shipped ones; ``config.yaml`` repeats them for people
and a test keeps the two equal.  Names and defaults that the origin documents
fixed are kept (design §5); bounds are theirs where they gave any.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from .settings_types import (
    Auto,
    EnvName,
    Mode,
    NameList,
    Probability,
    Text,
    Url,
    folded,
    group,
    setting,
)

__all__ = [
    "CHAT_PROVIDERS",
    "Cache",
    "ChatProvider",
    "Classifier",
    "Common",
    "JevAsk",
    "LocalClassifier",
    "PlatformSwitch",
    "Retention",
    "RiskGate",
    "Section",
    "Settings",
    "SystemOne",
    "Telemetry",
    "Thresholds",
    "ToolShaping",
    "TurnClassifier",
    "Verify",
]

ImpactLevel = Annotated[float, Field(ge=0.0, le=3.0)]

READ_ONLY_TOOLS = (
    # The bypass list of the jev-router reference, in its order.
    "read_file",
    "search_files",
    "web_search",
    "web_extract",
    "web_search_plus",
    "web_extract_plus",
    "session_search",
    "skills_list",
    "skill_view",
    "tool_search",
    "tool_describe",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProvider:
    """Where a chat model is asked; empty texts mean that the user must say."""

    base_url: str
    model: str
    api_key_env: str
    """Environment variable with the key; empty means that no key is sent."""


CHAT_PROVIDERS: Mapping[str, ChatProvider] = MappingProxyType(
    {
        # Names as the vendors documented them in autumn 2026 (deepseek-chat was retired in July).
        "deepseek": ChatProvider(
            base_url="https://api.deepseek.com",
            model="deepseek-flash",
            api_key_env="DEEPSEEK_API_KEY",
        ),
        "openrouter": ChatProvider(
            base_url="https://openrouter.ai/api/v1",
            model="google/gemini-3.5-flash-lite",
            api_key_env="OPENROUTER_API_KEY",
        ),
        "custom": ChatProvider(base_url="", model="", api_key_env=""),
    }
)


class Section(BaseModel):
    """Base of every group of settings: frozen, strict, no key that nobody reads."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,
    )


class Classifier(Section):
    """The chat model that routes what the rules left open."""

    enabled: bool = setting(
        False, "Ask a chat model where rules and local encoder ended broad or full."
    )
    provider: Annotated[Literal["deepseek", "openrouter", "custom"] | None, folded] = setting(
        None, "Where the model is; null means deepseek, custom needs base_url and model."
    )
    model: Text | None = setting(None, "Model name; null means the provider's default.")
    base_url: Url | None = setting(
        None, "OpenAI-compatible address; null means the provider's own."
    )
    api_key_env: EnvName | None = setting(
        None,
        "Name of the environment variable with the key; null means the provider's own variable, "
        "and no key at all for custom.",
    )

    @property
    def provider_in_force(self) -> ChatProvider:
        """The provider with what the user set put over its defaults."""
        base = CHAT_PROVIDERS[self.provider or "deepseek"]
        return replace(
            base,
            base_url=self.base_url or base.base_url,
            model=self.model or base.model,
            api_key_env=self.api_key_env or base.api_key_env,
        )


class LocalClassifier(Section):
    """The embedded encoder between the rules and any network model."""

    enabled: Auto = setting(
        "auto", "auto uses the encoder where the extra [local] is installed; it opens no socket."
    )


class SystemOne(Section):
    """Decision models: TypeSafe direct, OpenRouter, Vercel AI Gateway, or a server of yours."""

    backend: Annotated[
        Literal["auto", "typesafe", "openrouter", "gateway", "local", "custom"], folded
    ] = setting(
        "auto",
        "auto takes the first key present: TypeSafe, OpenRouter, AI Gateway; local and custom "
        "ask the server at base_url.",
    )
    base_url: Url = setting(
        "http://127.0.0.1:11434",
        "Server for local and custom that speaks /v1/systemone: Ollama (this default), "
        "llama.cpp, vLLM, LM Studio.",
    )
    api_key_env: EnvName | None = setting(
        None, "Name of the environment variable with the key for local and custom; null: no key."
    )
    model: Text = setting(
        "jev-latest", "Model for local, custom, and TypeSafe unless typesafe_model is set."
    )
    timeout_s: float = setting(
        2.0, "Total deadline of one call, retry and queueing included.", unit="s", ge=0.01, le=10
    )
    max_workers: int = setting(4, "Calls in flight at once.", unit="calls", ge=1, le=16)
    state_max_bytes: int = setting(
        8000, "Most that one call sends as state.", unit="bytes", ge=512, le=16000
    )
    typesafe_model: Text | None = setting(None, "Model on TypeSafe; null means model above.")
    typesafe_base_url: Url = setting(
        "https://api.typesafe.ai",
        "TypeSafe, or a local server that speaks the same (no /v1 at the end).",
    )
    openrouter_model: Text = setting("~typesafe/jev-latest", "Model on OpenRouter.")
    openrouter_base_url: Url = setting(
        "https://openrouter.ai/api/alpha",
        "OpenRouter; calls go to its /v1/systemone, after a 404 to /alpha/decisions.",
    )
    jev_model: Text = setting("typesafe-ai/jev", "Model on the Vercel AI Gateway.")
    jev_base_url: Url = setting(
        "https://ai-gateway.vercel.sh/v4/ai",
        "AI Gateway; calls go to its /typesafe/v1/systemone, after a 404 to /evaluation-model.",
    )
    cache_seconds: float = setting(
        300.0, "How long an identical call shares one answer; 0 never.", unit="s", ge=0, le=86400
    )
    retry_max_wait_s: float = setting(
        2.0, "Longest wait that a server may ask for before the one retry.", unit="s", ge=0, le=10
    )
    breaker_threshold: int = setting(
        3, "Failures in a row that silence the endpoint.", unit="calls", ge=1, le=100
    )
    breaker_cooldown_s: float = setting(
        120.0, "How long a silenced endpoint stays silent.", unit="s", ge=0, le=86400
    )
    min_interval_s: float = setting(
        0.25, "Least gap between two calls of one process; calls queue.", unit="s", ge=0, le=10
    )
    log_path: Text | None = setting(
        None, "File that gets a copy of the call log, one JSON object a line; null means none."
    )


class TurnClassifier(Section):
    """A decision model's reading of each turn."""

    enabled: bool = setting(
        False, "Ask a decision model what each turn needs: 3 choices and 5 yes/no questions."
    )


class ToolShaping(Section):
    """Narrowing on a decision model's word alone."""

    enabled: bool = setting(
        False, "Let the turn classifier narrow a fresh greeting; needs turn_classifier.enabled."
    )
    mode: Mode = setting("shadow", "shadow logs what it would remove, enforce removes it.")
    min_confidence: float = setting(
        0.95, "Least confidence of every answer involved.", unit="probability", ge=0.95, le=1
    )


class Thresholds(Section):
    """Where an answer of the decision model starts to count against a call."""

    destructive: Probability = setting(0.90, "Destroys data (v1, v2).", unit="probability")
    exfiltration: Probability = setting(0.70, "Sends data out (v1).", unit="probability")
    impact: ImpactLevel = setting(2.5, "Harm if unwanted (v1, v2).", unit="level 0-3")
    reads_secrets: Probability = setting(0.70, "Reads secrets (v2).", unit="probability")
    sends_outbound: Probability = setting(0.70, "Sends something out (v2).", unit="probability")
    blast_radius: ImpactLevel = setting(2.5, "How much it reaches (v2).", unit="level 0-3")
    self_advocating: Probability = setting(
        0.70, "Argues for its own approval (v2).", unit="probability"
    )


class RiskGate(Section):
    """Judging tool calls before they run."""

    enabled: bool = setting(True, "Judge tool calls with the local rules.")
    mode: Mode = setting("shadow", "shadow logs verdicts, enforce asks and blocks.")
    use_model: bool = setting(False, "Ask a decision model as well; sends the redacted call.")
    unattended: Annotated[Literal["block_severe", "block_all", "abstain"], folded] = setting(
        "block_severe", "What an ask verdict becomes where nobody can answer."
    )
    block_unbindable: bool = setting(
        False, "Block a call whose arguments cannot be digested, instead of abstaining."
    )
    approval_threshold: Probability = setting(
        0.80, "Risk from which the six-question assessment asks a human.", unit="probability"
    )
    read_only_tools: NameList = setting(
        READ_ONLY_TOOLS, "Tools that skip the model, never the local rules; [] assesses all."
    )
    judge_tools: NameList = setting(
        ("terminal", "write_file", "patch"), "Tools that the gate questions of gate_version cover."
    )
    gate_version: Annotated[Literal["v1", "v2"], folded] = setting(
        "v1", "v1 asks three questions, v2 asks six and applies a ladder."
    )
    thresholds: Thresholds = group(Thresholds)


class Verify(Section):
    """Checking completion claims against what was run."""

    enabled: bool = setting(False, "Compare completion claims with the evidence of the turn.")
    mode: Mode = setting("shadow", "shadow logs, enforce lets the turn continue once more.")
    use_model: bool = setting(False, "Ask a decision model as well; sends redacted evidence.")
    annotate: bool = setting(False, "Add one line to an answer whose claim has no evidence.")
    continue_threshold: Probability = setting(
        0.85, "Certainty from which a turn continues.", unit="probability"
    )
    max_nudges: int = setting(2, "Continuations per turn at most.", unit="nudges", ge=0, le=3)


class JevAsk(Section):
    """The tool with which the model asks a decision model itself."""

    enabled: bool = setting(False, "Offer jev_ask; it sends what the model writes into it.")
    max_calls_per_session: int = setting(
        20, "Calls of one session; it is a way out for injected text.", unit="calls", ge=1, le=1000
    )
    state_max_bytes: int = setting(
        4000, "Largest state; a larger one is refused, not cut.", unit="bytes", ge=256, le=16000
    )


class Cache(Section):
    """What is kept in memory per turn."""

    max_turns: int = setting(256, "Turns and proposals kept.", unit="turns", ge=1, le=4096)
    ttl_seconds: float = setting(1800.0, "How long a turn is kept.", unit="s", ge=1, le=604800)


class Telemetry(Section):
    """Content-free records of what was decided."""

    enabled: bool = setting(True, "Write decisions, calls and verdicts to the local logs.")
    max_events: int = setting(
        128,
        "Log rows that wait in memory while the state file cannot be used.",
        unit="events",
        ge=1,
        le=100000,
    )


class Retention(Section):
    """How long the local state is kept."""

    days: int = setting(30, "Age at which rows and rotated logs go.", unit="days", ge=1, le=3650)
    rows: int = setting(20000, "Rows kept in each log table.", unit="rows", ge=100, le=1000000)
    log_bytes: int = setting(
        5000000, "Size at which a log file rotates.", unit="bytes", ge=10000, le=1000000000
    )


class PlatformSwitch(Section):
    """One platform of a profile."""

    enabled: bool | None = setting(
        None, "Switch the plugin for this platform alone; null means as everywhere."
    )


class Common(Section):
    """What stands outside the groups."""

    enabled: bool = setting(False, "Switch the whole plugin.")
    mode: Mode = setting(
        "enforce",
        "Routing only: shadow decides and logs, enforce narrows the request.",
    )
    floor_toolsets: NameList = setting(
        (), "Toolsets that are never removed; an MCP server by its name or as mcp-NAME."
    )
    floor_tools: NameList = setting((), "Single tools that are never removed.")
    deterministic_rules_enabled: bool = setting(
        True, "Route by rules first; false lets the later tiers speak alone."
    )
    confidence_threshold: Probability = setting(
        0.90, "Least confidence of a network answer as a whole.", unit="probability"
    )
    router_hard_timeout_ms: int = setting(
        2000,
        "Deadline of a decision with a network tier, first start included.",
        unit="ms",
        ge=50,
        le=10000,
    )
    fail_open: Literal[True] = setting(
        True, "Any doubt or error keeps the full surface; true is the only value."
    )
    expand_on_later_turns: bool = setting(
        True, "Add a toolset when a later message clearly asks for it."
    )
    refrain_where_dearer: bool = setting(
        True,
        "Send a session everything where the known prices of its model make narrowing dearer.",
    )
    route_subagents: bool = setting(
        False, "Route a sub-agent on its own goal; false leaves it its whole grant."
    )


class Settings(Common):
    """Everything that can be set, after all layers are applied."""

    classifier: Classifier = group(Classifier)
    local_classifier: LocalClassifier = group(LocalClassifier)
    system_one: SystemOne = group(SystemOne)
    turn_classifier: TurnClassifier = group(TurnClassifier)
    tool_shaping: ToolShaping = group(ToolShaping)
    risk_gate: RiskGate = group(RiskGate)
    verify: Verify = group(Verify)
    jev_ask: JevAsk = group(JevAsk)
    cache: Cache = group(Cache)
    telemetry: Telemetry = group(Telemetry)
    retention: Retention = group(Retention)
    platforms: Mapping[str, PlatformSwitch] = Field(
        default_factory=dict,
        description="Switches per platform, by the host's platform name.",
    )

    @property
    def enabled_anywhere(self) -> bool:
        """Whether any platform has the plugin switched on."""
        return self.enabled or any(switch.enabled for switch in self.platforms.values())
