"""What the human sees and what the host remembers.

The host shows only our message, and cuts it: Discord at 300 characters, Slack
at 500, the CLI at some ten rows (hermes-agent 0.19.0).  So the first
:data:`ALONE` characters say what is called, what speaks against it, and the
head and tail of the call itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..sanitizer import visible
from .arguments import view
from .digest import Digest
from .values import ToolCall, Verdict

__all__ = ["ALONE", "MAX_MESSAGE", "approval_text", "block_text", "call_text", "rule_key"]

ALONE = 280
"""Characters that must make sense when the rest is cut."""
MAX_MESSAGE = 1_500
"""Characters of a whole message."""
_DECISIVE = (
    "command", "cmd", "script", "code", "patch", "path", "file_path", "action", "domain",
    "service", "target", "url", "urls", "method", "sql", "query", "message", "prompt", "goal",
    "content", "new_string",
)  # fmt: skip
"""Arguments that say most about a call, most telling first."""
_WARNING = (
    "This view is not whole. Inspect the original call; if you cannot, deny. Do not choose Always."
)


def call_text(call: ToolCall) -> str:
    """The arguments as text, the decisive one first; not sanitized.

    A single argument stands alone, several are ``name: value`` lines.
    """
    top: Mapping[str, str] = view(call.args).top
    if not top:
        return "\n".join(text for _, text in view(call.args).texts)
    names = sorted(top, key=lambda name: (_rank(name), list(top).index(name)))
    if len(names) == 1:
        return top[names[0]]
    return "\n".join(f"{name}: {top[name]}" for name in names)


def _rank(name: str) -> int:
    return _DECISIVE.index(name) if name in _DECISIVE else len(_DECISIVE)


def approval_text(tool: str, verdict: Verdict, shown: str, *, whole: bool = True) -> str:
    """The question for the human, at most :data:`MAX_MESSAGE` characters.

    Args:
        tool: name of the tool.
        verdict: what was found.
        shown: the call, sanitized; paths and hosts must still be in it.
        whole: ``shown`` holds all of the call.
    """
    complete = whole and verdict.complete
    text = visible(shown).strip()
    lead = _lead(visible(tool), verdict, " ".join(text.split()), complete=complete)
    rest = [f"- {_words(verdict, index)}" for index in range(1, min(len(verdict.findings), 6))]
    if len(verdict.findings) > 6:
        rest.append(f"- and {len(verdict.findings) - 6} more")
    if not complete:
        rest.insert(0, _WARNING)
    body = "\n".join((lead, *rest))
    room = MAX_MESSAGE - len(body) - len("\nCall: ")
    if room >= 40:
        body += f"\nCall: {cut(text, room)}"
    return cut(body, MAX_MESSAGE)


def block_text(tool: str, verdict: Verdict) -> str:
    """The reason for the agent: words and rule ids, at most :data:`ALONE` characters."""
    found = verdict.findings[0] if verdict.findings else None
    words = found.words if found is not None else "it was judged too dangerous"
    ids = ", ".join(finding.id for finding in verdict.findings[:4])
    text = (
        f"tool-router blocked {visible(tool)}: it {words} ({ids}). "
        "Do not work around this; tell the user and let them run it."
    )
    return cut(text, ALONE)


def _words(verdict: Verdict, index: int) -> str:
    return verdict.findings[index].words


def _lead(tool: str, verdict: Verdict, text: str, *, complete: bool) -> str:
    """Tool, finding, head … tail: within :data:`ALONE` characters."""
    words = verdict.findings[0].words if verdict.findings else "needs a look"
    more = len(verdict.findings) - 1
    also = f" (+{more} more)" if more > 0 else ""
    mark = "" if complete else " [not whole: inspect, else deny]"
    head = f"{cut(tool, 60)} {cut(words, 110)}{also}{mark}: "
    return head + cut(text, max(24, ALONE - len(head)))


def cut(text: str, limit: int) -> str:
    """Head and tail of a text with the cut marked, at most ``limit`` characters."""
    if len(text) <= limit:
        return text
    mark = f" […{len(text) - limit:,} cut…] "
    room = limit - len(mark)
    if room < 8:
        return text[:limit]
    tail = room // 2
    return f"{text[: room - tail]}{mark}{text[len(text) - tail :]}"


def rule_key(tool: str, verdict: Verdict, digest: Digest, *, once: str) -> str:
    """Under which the host remembers "session" and "always" answers.

    Bound to tool, findings and the exact call, so that an answer covers
    nothing else; an incomplete view gets a key that never comes again.

    Args:
        tool: name of the tool.
        verdict: what was found.
        digest: of the raw arguments.
        once: something that was never used before, such as a random id.
    """
    ids = "+".join(sorted(finding.id for finding in verdict.findings)) or "none"
    if verdict.complete and digest.bound:
        return f"tool-router:{tool}:{ids}:{digest.hex[:32]}"
    return f"tool-router:{tool}:{ids}:once:{once}"
