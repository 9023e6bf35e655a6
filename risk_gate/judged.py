"""What a decision model is shown of a call: the decisive argument first, comments stripped.

A comment in a command that argues for its approval weakens a model's verdict
(it is a finding of the rules instead), and it never changes what runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..router.questions import Answers
from .approval import call_text
from .tool_rules import shipped_tools
from .values import Decision, Finding, ToolCall, Verdict

__all__ = ["judged_text", "seen_whole", "stripped", "unbindable"]


def judged_text(call: ToolCall) -> str:
    """The arguments as text for a model; not sanitized and not cut, the caller does both."""
    return stripped(call_text(call))


def seen_whole(call: ToolCall, verdict: Verdict, answers: Mapping[str, Answers]) -> bool:
    """Whether nothing that runs was kept from the model.

    A file that is written runs nothing by itself, and ``verdict`` says whether
    the rules have read all of it; so a long document is no reason to ask.

    Args:
        call: the call.
        verdict: of the rules.
        answers: by pack id.
    """
    if all(given.input_complete for given in answers.values()):
        return True
    writes = shipped_tools().kinds["write_tools"].match(str(call.tool))
    return verdict.complete and writes is not None


def stripped(text: str) -> str:
    """Code without ``#`` comments; quoted ``#`` and ``$#`` stay.  Linear; never raises.

    Line structure is kept, so that a stripped line leaves an empty one.
    """
    lines: list[str] = []
    quote = ""
    for line in text.split("\n"):
        end, quote = _comment(line, quote)
        lines.append(line[:end].rstrip() if end < len(line) else line)
    return "\n".join(lines)


def _comment(line: str, quote: str) -> tuple[int, str]:
    """Where a comment starts in a line, and the quote that is open behind it."""
    position = 0
    while position < len(line):
        char = line[position]
        if char == "\\" and quote != "'":
            position += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            # An apostrophe inside a word of prose or of a heredoc opens nothing.
            quote = char if char in line[position + 1 :] or char == '"' else ""
        elif char == "#" and (position == 0 or line[position - 1] in " \t;(&|"):
            return position, ""
        position += 1
    return len(line), quote


def unbindable(verdict: Verdict) -> Verdict:
    """The verdict on a call that cannot be digested, where ``block_unbindable`` is on."""
    found = Finding(
        id="gate.unbindable",
        risk="incomplete",
        severity=2,
        decision=Decision.BLOCK,
        words="has arguments that no approval could be bound to; ask for a narrower action",
    )
    return replace(
        verdict, decision=Decision.BLOCK, findings=(found, *verdict.findings), complete=False
    )
