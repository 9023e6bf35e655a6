"""What a model is told about the toolsets: one line each, no more than it needs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from ..router.values import Catalog, Origin, Toolset, ToolsetName
from .ports import StateSanitizer

__all__ = ["CANDIDATES_MAX", "Candidate", "candidates", "catalogue_digest"]

CANDIDATES_MAX: Final = 52
"""60 questions go into one request; 8 of them are about the turn."""
_PURPOSE_CHARS: Final = 120
_ROUTED = frozenset({Origin.BUILTIN, Origin.MCP, Origin.PLUGIN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One toolset that a model may choose."""

    name: ToolsetName
    purpose: str
    """One line, sanitized, at most 120 characters."""


def candidates(catalog: Catalog, sanitizer: StateSanitizer) -> tuple[Candidate, ...]:
    """Toolsets that a model may choose, in catalog order.

    Our own tools, bridges and tools that the registry does not know stay in any
    case, so nobody is asked about them.  Of more than :data:`CANDIDATES_MAX`
    the last ones are left out, which means that they get no opinion.

    Args:
        catalog: what the session was granted.
        sanitizer: descriptions of MCP servers are other people's text.
    """
    routed = [toolset for toolset in catalog.toolsets if toolset.origin in _ROUTED]
    routed = routed[:CANDIDATES_MAX]
    lines = [_purpose(toolset) for toolset in routed]
    safe = sanitizer.text("\n".join(lines)).text.split("\n")  # one pass costs less than fifty
    if len(safe) != len(lines):  # a secret that spans lines
        safe = [sanitizer.text(line).text for line in lines]
    return tuple(
        Candidate(name=toolset.name, purpose=purpose)
        for toolset, purpose in zip(routed, safe, strict=True)
    )


def catalogue_digest(offered: tuple[Candidate, ...]) -> str:
    """SHA-256 of what the model is told, in hex."""
    digest = hashlib.sha256()
    for candidate in offered:
        digest.update(f"{candidate.name}\0{candidate.purpose}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _purpose(toolset: Toolset) -> str:
    text = toolset.description or ", ".join(tool.name for tool in toolset.tools)
    # Cut first: what is sent is short, and the sanitizer need not read the rest.
    line = " ".join(text[: 4 * _PURPOSE_CHARS].split())[:_PURPOSE_CHARS]
    return line.replace('"', "'")
