"""``hermes tool-router rules check`` and ``rules explain "TEXT"``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from ..intent.compile import BookError
from ..intent.evidence import weigh
from ..intent.own import OwnRules, with_own
from ..intent.reading import read
from ..intent.rulebook import RuleBook
from ..registry_adapter.granted import HostError, granted_catalog
from ..registry_adapter.host import hermes_home
from ..registry_adapter.own_rules import HomeRules, own_rules, own_rules_file
from ..registry_adapter.resources import rule_book
from .output import Output
from .rules import BOOK, build, sources

__all__ = ["check", "explain"]

_SHOWN = 8
"""Toolsets that people see of the learned weights, the likeliest first; ``--json`` has all."""


def check(out: Output) -> int:
    """Validate the sources and compare them with the compiled book; 0 if both are right."""
    try:
        compiled = build()
    except (BookError, OSError) as error:
        return _verdict(out, ok=False, text=str(error))
    if not BOOK.is_file() or BOOK.read_bytes() != compiled:
        return _verdict(
            out,
            ok=False,
            text="the sources are valid, but the compiled book is older; "
            "run python -m hermes_tool_router.console.rules",
        )
    book = rule_book()
    text = f"{len(book.rules)} rules in {len(sources())} files, version {book.version[:12]}"
    home = hermes_home()
    try:
        own = own_rules(home)
        with_own(book, own)
    except BookError as error:
        return _verdict(out, ok=False, text=f"{text}; own rules are left out: {error}")
    if own.rules or own.off:
        text += (
            f"; {own_rules_file(home)}: {len(own.rules)} own rules, "
            f"{len(own.shadow)} of them in shadow, {len(own.off)} shipped ones off"
        )
        text += "".join(f"; {note}" for note in _for_nobody(own, book))
    return _verdict(out, ok=True, text=text)


def _for_nobody(own: OwnRules, book: RuleBook) -> Iterator[str]:
    """Rules for toolsets that no tool here belongs to; an MCP server may be off just now."""
    try:
        granted = {str(name) for name in granted_catalog("cli").names}
    except HostError:
        return
    known = granted.union(book.lexicon.lanes)
    for rule in own.rules:
        if rule.toolset not in known and not rule.toolset.startswith("mcp-"):
            near = difflib.get_close_matches(rule.toolset, sorted(known), n=1)
            meant = f", did you mean {near[0]!r}?" if near else ""
            yield f"rule {rule.id!r} is for {rule.toolset!r}, which no tool here belongs to{meant}"


def explain(text: str, out: Output) -> int:
    """Say how a text is read: language, what was masked, which rules fired and where."""
    home = hermes_home()
    book = HomeRules()(home, rule_book())
    reading = read(text, book)
    evidence = weigh(reading, book)
    votes: list[dict[str, Any]] = [
        {
            "rule": vote.rule.id,
            "toolset": vote.rule.toolset,
            "weight": round(vote.weight, 2),
            "negated": vote.negated,
            "span": list(vote.span),
        }
        for vote in evidence.votes
    ]
    learned = {name: round(value, 2) for name, value in sorted(evidence.lexicon.items())}
    if out.as_json:
        out.value({"votes": votes, "flags": sorted(evidence.flags), "lexicon": learned})
        return 0
    out.line(f"flags: {', '.join(sorted(evidence.flags)) or 'none'}")
    rows = [
        (
            str(vote["rule"]),
            str(vote["toolset"]) + (" (negated)" if vote["negated"] else ""),
            f"{vote['weight']:+.1f}",
            _ascii(text[slice(*vote["span"])]),
        )
        for vote in votes
    ]
    if rows:
        out.table(["rule", "for", "weight#", "words"], rows)
    else:
        out.line("no rule fired")
    out.line()
    ranked = sorted(learned.items(), key=lambda item: -item[1])[:_SHOWN]
    out.table(["learned words", "log-odds#"], [(name, f"{value:+.1f}") for name, value in ranked])
    return 0


def _verdict(out: Output, *, ok: bool, text: str) -> int:
    if out.as_json:
        out.value({"ok": ok, "text": text})
    else:
        out.line(text)
    return 0 if ok else 1


def _ascii(text: str) -> str:
    """A few words of what the user typed, safe on any console."""
    shown = " ".join(text.split())[:40]
    return shown.encode("ascii", "backslashreplace").decode()
