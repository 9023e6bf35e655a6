"""The values that travel between packages.

All are frozen, or never changed.  Tokens are o200k tokens of the minified tool schema, or an
estimate of them where no vocabulary is at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

__all__ = [
    "Catalog",
    "Decision",
    "Grade",
    "Message",
    "Opinion",
    "Origin",
    "Outcome",
    "Reason",
    "Tier",
    "ToolName",
    "ToolSpec",
    "Toolset",
    "ToolsetName",
]

ToolName = NewType("ToolName", str)
ToolsetName = NewType("ToolsetName", str)


class Outcome(StrEnum):
    """What happens to the surface."""

    NARROWED = "narrowed"
    FULL = "full"


class Grade(StrEnum):
    """How far the evidence reaches (design D2)."""

    TIGHT = "tight"
    """Floor plus what the evidence asks for."""
    BROAD = "broad"
    """Floor, the generalist set and any evidence: task-like text, thin evidence."""
    FULL = "full"
    """Everything the host would have sent."""


class Tier(StrEnum):
    """Who spoke last."""

    RULES = "rules"
    LOCAL = "local"
    SYSTEM_ONE = "system_one"
    CHAT = "chat"


class Origin(StrEnum):
    """Where a toolset comes from."""

    BUILTIN = "builtin"
    MCP = "mcp"
    PLUGIN = "plugin"
    OWN = "own"
    """``tool_router``: request_toolset, jev_ask."""
    BRIDGE = "bridge"
    """Tool Search's own tools, which stand for everything it defers."""
    UNREGISTERED = "unregistered"
    """Tools the registry does not know (memory provider, context engine)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool schema as the model would see it."""

    name: ToolName
    toolset: ToolsetName
    description: str
    """The schema's own description, whole."""
    tokens: int
    """Cost of the schema in tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """A named group of tools that this session was granted."""

    name: ToolsetName
    origin: Origin
    description: str
    """A few words of purpose; empty where nothing is known."""
    tools: tuple[ToolSpec, ...]
    tokens: int = field(init=False, repr=False, compare=False)
    """Cost of all its schemas, in tokens; summed once, because every decision asks for it."""

    def __post_init__(self) -> None:
        """Sum what the tools cost."""
        object.__setattr__(self, "tokens", sum([tool.tokens for tool in self.tools]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Immutable snapshot of every granted toolset, in the order of first appearance."""

    toolsets: tuple[Toolset, ...]
    order: tuple[ToolName, ...] = ()
    """Names of all tools in the order of the host's own request."""
    names: tuple[ToolsetName, ...] = field(init=False, repr=False, compare=False)
    """Names of the toolsets, in catalog order; gathered once, because every decision asks."""
    costs: Mapping[ToolsetName, int] = field(init=False, repr=False, compare=False)
    """Cost of each toolset, in tokens; likewise."""
    memo: dict[object, object] = field(init=False, repr=False, compare=False, default_factory=dict)
    """What follows from it and is asked for with every decision; a cache, no part of the value."""

    def __post_init__(self) -> None:
        """Gather names and costs."""
        costs = {toolset.name: toolset.tokens for toolset in self.toolsets}
        object.__setattr__(self, "names", tuple([toolset.name for toolset in self.toolsets]))
        object.__setattr__(self, "costs", costs)

    @property
    def tokens(self) -> int:
        """Cost of the full surface, in tokens."""
        return sum(toolset.tokens for toolset in self.toolsets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What the user sent, as far as routing reads it."""

    text: str
    """Text parts joined by newlines, host frames still around it."""
    has_image: bool = False
    """The content carried an image part."""
    has_audio: bool = False
    """The content carried an audio part."""
    has_file: bool = False
    """The content carried a file part."""
    unreadable: bool = False
    """The content had a shape nobody here knows: never a reason to narrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a tier behind the rules said about one message."""

    tier: Tier
    probabilities: Mapping[ToolsetName, float]
    """Chance that each toolset is needed, 0 to 1; a toolset left out got no opinion."""
    confidence: float = 1.0
    """Confidence of the answer as a whole, 0 to 1."""
    failed: str = ""
    """Why a tier that was asked gave nothing usable; empty: it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a decision came out as it did; never holds user text."""

    rule: str
    """Rule id, or the name of an engine step such as ``engine.floor``."""
    toolset: ToolsetName | None = None
    """What it spoke for or against; ``None``: for the whole decision."""
    weight: float = 0.0
    """Log-odds that the rule added; negative speaks against."""
    span: tuple[int, int] | None = None
    """Characters ``[start, end)`` of the original text that it rests on."""


@dataclass(
    slots=True, kw_only=True
)  # never changed; "frozen" would make it cost three times as much
class Decision:
    """Which toolsets a request carries, and why."""

    outcome: Outcome
    grade: Grade
    toolsets: tuple[ToolsetName, ...]
    """All that stay, floor included, in catalog order; for ``full`` the whole catalog."""
    evident: frozenset[ToolsetName] = frozenset()
    """Toolsets that strong evidence names; the only ones a later turn may add."""
    settled: bool = True
    """False: narrowed by weighing alone, with nothing plainly meant; a later tier may know more."""
    substantive: bool = True
    """False: a greeting or a bare host frame, which does not use up the first turn."""
    follow_up: bool = False
    """The message only makes sense after an earlier one."""
    tier: Tier = Tier.RULES
    reasons: tuple[Reason, ...] = ()
    errors: tuple[str, ...] = ()
    """What went wrong on the way; a decision with errors is ``full``."""

    @property
    def undecided(self) -> bool:
        """Whether a later tier could still say more (D7)."""
        open_ = self.grade is not Grade.TIGHT or not self.settled
        return self.substantive and not self.errors and open_
