"""Toolsets that no rule knows, matched by their live names and descriptions.

A user's MCP servers and plugins are unknown to any static rule.  What they
call themselves is the evidence: a server named in the message pins it, and
rare words of its descriptions speak for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from ..intent.tokens import fold
from .values import Catalog, Toolset, ToolsetName

__all__ = ["Named", "match_names"]

_PART = re.compile(r"[a-z0-9\u00c0-\uffff]+")
_NOISE = frozenset(
    [
        "mcp",
        "server",
        "tool",
        "tools",
        "get",
        "set",
        "list",
        "create",
        "update",
        "delete",
        "add",
        "remove",
        "search",
        "find",
        "read",
        "write",
        "fetch",
        "send",
        "run",
        "make",
        "show",
        "open",
        "the",
        "a",
        "an",
        "and",
        "or",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "from",
        "by",
        "is",
        "are",
        "be",
        "this",
        "that",
        "it",
        "as",
        "at",
        "your",
        "you",
        "my",
        "new",
        "all",
        "one",
        "use",
        "used",
        "using",
        "user",
        "users",
        "name",
        "names",
        "id",
        "ids",
        "data",
        "item",
        "items",
        "given",
        "specified",
        "return",
        "returns",
        "optional",
        "only",
        "not",
        "can",
        "will",
        "when",
        "if",
        "value",
        "values",
        "type",
        "text",
        "content",
        "number",
        "default",
        "official",
        "api",
        "cli",
        "dev",
        "app",
        "apps",
        "service",
        "main",
        "local",
        "test",
        "hub",
        "core",
        "my",
        "our",
        "web",
        "file",
        "files",
        "page",
        "pages",
    ]
)
_LEAST = 3
_TELLING = 5
"""Letters of a part of a name that says something alone."""


class Named:
    """Evidence for one toolset: pinned by its name, or words of its description."""

    __slots__ = ("pinned", "words")

    def __init__(self, *, pinned: bool, words: int) -> None:
        self.pinned = pinned
        self.words = words


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return _PART.findall(fold(spaced).text)


@lru_cache(maxsize=256)
def _profile(toolset: Toolset) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words of its own name, names of its tools, and words that it is described by.

    A memo of a pure function of a frozen value: the same whoever asks.
    """
    own = [part for part in _parts(str(toolset.name)) if part not in _NOISE and len(part) >= 2]
    tools: set[str] = set()
    words: set[str] = set()
    for tool in toolset.tools:
        tools.add(fold(str(tool.name)).text)
        words.update(_parts(str(tool.name)))
        words.update(_parts(tool.description[:400]))
    words.update(_parts(toolset.description))
    rare = frozenset(w for w in words if w not in _NOISE and len(w) >= _LEAST)
    return frozenset(own), frozenset(tools), rare - frozenset(own)


def match_names(
    names: Collection[ToolsetName], catalog: Catalog, units: Sequence[str], text: str
) -> Mapping[ToolsetName, Named]:
    """Evidence for each of the named toolsets.

    Args:
        names: toolsets that the rule book does not know.
        catalog: what is granted.
        units: folded words of the instruction.
        text: the instruction folded, to find tool names written whole.
    """
    said = frozenset(units)
    toolsets = [toolset for toolset in catalog.toolsets if toolset.name in names]
    profiles = [_profile(toolset) for toolset in toolsets]
    spread: dict[str, int] = {}
    for _, _, rare in profiles:
        for word in rare & said:
            spread[word] = spread.get(word, 0) + 1
    found: dict[ToolsetName, Named] = {}
    for toolset, (own, tools, rare) in zip(toolsets, profiles, strict=True):
        whole = bool(own) and all(_said(part, said) for part in own)
        called = any("_" in name and name in text for name in tools)
        words = sum(1 for word in rare & said if spread[word] == 1)
        # "calendar" for mcp-google-calendar: half a name is as good as two rare words.
        words += 2 * sum(len(part) >= _TELLING and _said(part, said) for part in own)
        found[toolset.name] = Named(pinned=whole or called, words=words)
    return found


def _said(part: str, said: frozenset[str]) -> bool:
    """Whether a word of a name was said, plural and joined forms included."""
    if part in said or part + "s" in said or part.rstrip("s") in said:
        return True
    return len(part) >= 4 and any(word.startswith(part) for word in said)
