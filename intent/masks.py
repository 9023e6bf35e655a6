"""Material told from instruction: fences, code, quotes, logs, mail, pasted blocks.

What is masked carries no vote of its own.  It leaves one token that says what
kind of thing stood there, because "summarise this log" rests on there being one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Masked", "mask"]

_QUOTES = {
    '"': '"',
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
    "《": "》",
    "‘": "’",
    "`": "`",
    "'": "'",
}
_OPENERS = re.compile(r"```|~~~|[\"“„«»「『《‘`]|(?<![\w'])'(?=\S)")
_MARKS = re.compile(r"[\"“„«»「『《‘`'~]")
"""Characters that those begin with: sought alone, they take a quarter of the time."""
_QUOTE_LIMIT = 1200
_LINE = 240
"""Characters of a line that say what it is."""
_LOG_LINE = re.compile(
    r"\s*+(?:"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|ERR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|FAILED|PASSED|OK)\b"
    r"|Traceback|File \"[^\"]{1,200}\", line|at [\w.$<>/]{2,120}\("
    r"|Caused by:|\w{3,40}(?:Error|Exception):"
    r"|npm (?:ERR|WARN)|##\[|E {3}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3} |goroutine "
    r"|panic:|fatal:|error(?:\[\w+\])?:|warning:|-->"
    r"|\$ \w|[\w.-]+@[\w.-]+[:~ ]|>>> |\.\.\. |={5}|-{5}"
    r"|\+{3} |-{3} |@@ |diff --git|[+-](?: {4}|\w)|commit [0-9a-f]{7}"
    r")"
)
_CODE_LINE = re.compile(
    r"\s*+(?:"
    r"(?:def|class|import|from|func|fn|function|const|let|var|return|public|private|static|package"
    r"|using|namespace|struct|enum|interface|module|SELECT|INSERT|CREATE|UPDATE|FROM|WHERE) "
    r".*[(){};:=.*]?"
    r"|#include|#define|<\?xml|</?[a-zA-Z][\w-]*[ >/]|[{}()\[\]];?,?\s*$|//|/\*|\*/|--\s"
    r"|.{0,160}[;{]\s*$|\"?[\w.-]+\"?\s*[:=]\s*[\"\[{\d].{0,160}$"
    r")|\s{4,}+\S"
)


@dataclass(slots=True)
class Masked:
    """One stretch of material: kind and ``[start, end)`` in the text."""

    kind: str
    start: int
    end: int


def _fence_end(text: str, start: int, fence: str) -> int:
    close = text.find(fence, start + 3)
    return len(text) if close < 0 else close + 3


def _quote_end(text: str, start: int, closers: str, dead: dict[str, int]) -> int:
    """End of a quotation, or -1; remembers where no closer follows, to stay linear."""
    best = -1
    for closer in closers:
        if dead.get(closer, len(text)) <= start:
            continue
        at = text.find(closer, start + 1, start + _QUOTE_LIMIT)
        if at < 0 and text.find(closer, start + 1) < 0:
            dead[closer] = start
        if at >= 0 and (best < 0 or at < best):
            best = at
    return best + 1 if best >= 0 else -1


def _quotes(text: str) -> list[Masked]:
    found: list[Masked] = []
    dead: dict[str, int] = {}
    at = 0
    while match := _OPENERS.search(text, at):
        start, mark = match.start(), match.group()
        at = start + 1
        if len(mark) == 3:
            at = _fence_end(text, start, mark)
            found.append(Masked("fence", start, at))
            continue
        end = _quote_end(text, start, _QUOTES[mark], dead)
        if end < 0 or (mark == "'" and text[end : end + 1].isalnum()):
            continue
        found.append(Masked("code" if mark == "`" else "quote", start, end))
        at = end
    return found


def _line_kind(line: str) -> str:
    if line.startswith(">"):
        return "mail"
    line = line[:_LINE]
    if _LOG_LINE.match(line):
        return "log"
    if _CODE_LINE.match(line):
        return "source"
    return "table" if line.count("\t") >= 2 or line.count("|") >= 3 or line.count(",") >= 5 else ""


def _blocks(text: str, taken: list[Masked]) -> list[Masked]:
    """Runs of two lines or more that are log, source, table or quoted mail."""
    found: list[Masked] = []
    fences = [span for span in taken if span.kind == "fence"]
    at = 0
    run: list[tuple[str, int, int]] = []
    for line in [*text.split("\n"), "."]:
        end = at + len(line)
        inside = any(span.start <= at < span.end for span in fences)
        kind = "" if inside else _line_kind(line)
        if kind or (run and not line.strip() and not inside):
            run.append((kind, at, end))
        else:
            while run and not run[-1][0]:
                run.pop()
            if len(run) >= 2 or (run and run[0][0] == "mail"):
                found.append(Masked(run[0][0], run[0][1], run[-1][2]))
            run = []
        at = end + 1
    return found


def mask(text: str) -> list[Masked]:
    """Find the material in a text, in order and without overlap.  Never raises."""
    spans = _quotes(text) if _MARKS.search(text) else []
    if "\n" in text:
        blocks = _blocks(text, spans)
        spans = [s for s in spans if not any(b.start <= s.start < b.end for b in blocks)]
        spans = sorted([*spans, *blocks], key=lambda span: span.start)
    return spans
