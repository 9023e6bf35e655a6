"""Rules about tools other than the shell: by name, by argument, by text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..router.errors import RuleError
from .shapes import scanned
from .sources import load_sources
from .values import Decision, RiskClass

__all__ = ["ToolRule", "ToolTables", "load_tools", "shipped_tools"]

_REQUIRED = ("id", "class", "severity", "decision", "words", "tool", "source", "match", "no_match")
_CONDITIONS = ("tool", "no_tool", "args", "no_args", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    tool: re.Pattern[str] | None
    no_tool: re.Pattern[str] | None
    args: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]
    no_args: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]
    text: re.Pattern[str] | None

    def holds(self, tool: str, args: Mapping[str, str], text: str) -> bool:
        """All that it says is true of the call."""
        if self.tool is not None and not self.tool.search(tool):
            return False
        if self.no_tool is not None and self.no_tool.search(tool):
            return False
        if not all(_given(names, pattern, args) for names, pattern in self.args):
            return False
        if any(_given(names, pattern, args) for names, pattern in self.no_args):
            return False
        return self.text is None or bool(self.text.search(scanned(text)))


def _given(names: Sequence[str], pattern: re.Pattern[str], args: Mapping[str, str]) -> bool:
    return any(name in args and bool(pattern.search(scanned(args[name]))) for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule:
    """One rule of ``data/tools.yaml``, compiled."""

    id: str
    risk: RiskClass
    severity: int
    decision: Decision
    words: str
    source: str
    condition: _Condition
    any_of: tuple[_Condition, ...]
    match: tuple[Mapping[str, Any], ...]
    no_match: tuple[Mapping[str, Any], ...]

    def matches(self, tool: str, args: Mapping[str, str], text: str) -> bool:
        """The rule speaks of the call.

        Args:
            tool: its name.
            args: its top-level arguments as text.
            text: every string in the arguments, joined by newlines.
        """
        if not self.condition.holds(tool, args, text):
            return False
        return not self.any_of or any(inner.holds(tool, args, text) for inner in self.any_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTables:
    """``data/tools.yaml``, compiled.

    Attributes:
        arguments: names of arguments by meaning.
        kinds: patterns of tool names by what they do.
    """

    rules: tuple[ToolRule, ...]
    arguments: Mapping[str, frozenset[str]]
    quiet: frozenset[str]
    kinds: Mapping[str, re.Pattern[str]]


@cache
def shipped_tools() -> ToolTables:
    """The tables of this installation, loaded once."""
    return load_tools(load_sources()["tools"])


def load_tools(raw: Mapping[str, Any]) -> ToolTables:
    """Validate and compile.

    Raises:
        RuleError: naming the rule, what is wrong and what is allowed.
    """
    kinds = ("outgoing", "write_tools", "delete_tools", "read_tools", "shell_tools", "code_tools")
    return ToolTables(
        rules=tuple(_rule(rule) for rule in raw["rules"]),
        arguments={name: frozenset(names) for name, names in raw["arguments"].items()},
        quiet=frozenset(raw["quiet"]),
        kinds={kind: re.compile(raw[kind]) for kind in kinds},
    )


def _rule(raw: Mapping[str, Any]) -> ToolRule:
    name = f"tools.yaml: rule {raw.get('id', '?')!r}"
    for key in _REQUIRED:
        if key not in raw:
            raise RuleError(f"{name} has no {key!r}; every rule needs {', '.join(_REQUIRED)}")
    for key in raw:
        if key not in (*_REQUIRED, *_CONDITIONS, "any"):
            allowed = (*_REQUIRED, *_CONDITIONS, "any")
            raise RuleError(f"{name}: {key!r} is not known; allowed: {', '.join(allowed)}")
    try:
        return ToolRule(
            id=raw["id"],
            risk=raw["class"],
            severity=raw["severity"],
            decision=Decision(raw["decision"]),
            words=raw["words"],
            source=raw["source"],
            condition=_condition(raw),
            any_of=tuple(_condition(inner) for inner in raw.get("any", ())),
            match=tuple(raw["match"]),
            no_match=tuple(raw["no_match"]),
        )
    except (re.error, ValueError, TypeError) as error:
        raise RuleError(f"{name} is malformed: {error}") from error


def _condition(raw: Mapping[str, Any]) -> _Condition:
    return _Condition(
        tool=re.compile(raw["tool"]) if "tool" in raw else None,
        no_tool=re.compile(raw["no_tool"]) if "no_tool" in raw else None,
        args=_patterns(raw.get("args", {})),
        no_args=_patterns(raw.get("no_args", {})),
        text=re.compile(raw["text"]) if "text" in raw else None,
    )


def _patterns(
    raw: Mapping[str, str],
) -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    return tuple((tuple(names.split("|")), re.compile(pattern)) for names, pattern in raw.items())
