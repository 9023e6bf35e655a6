"""What the doctor found, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

__all__ = ["Finding", "Level", "Report", "note", "ok", "problem"]


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; routing works all the same."""
    PROBLEM = "problem"
    """Nothing is routed because of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        id: stable name, ``part.subject``.
        text: what holds, and for a problem what to do; one line.
        data: figures and names for ``--json``; JSON values only.
    """

    id: str
    level: Level
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


def ok(id: str, text: str, **data: Any) -> Finding:  # noqa: A002 - the field's name
    """A finding that is as it should be."""
    return Finding(id=id, level=Level.OK, text=text, data=data)


def note(id: str, text: str, **data: Any) -> Finding:  # noqa: A002 - the field's name
    """A finding worth knowing."""
    return Finding(id=id, level=Level.NOTE, text=text, data=data)


def problem(id: str, text: str, **data: Any) -> Finding:  # noqa: A002 - the field's name
    """A finding that keeps routing from working."""
    return Finding(id=id, level=Level.PROBLEM, text=text, data=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All findings, in the order in which they were made."""

    findings: tuple[Finding, ...]

    @property
    def routes(self) -> bool:
        """Whether a routing path works."""
        return not any(finding.level is Level.PROBLEM for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "routing_works": self.routes,
            "exit_status": 0 if self.routes else 2,
            "findings": [
                {
                    "id": item.id,
                    "level": str(item.level),
                    "text": item.text,
                    "data": dict(item.data),
                }
                for item in self.findings
            ],
        }
