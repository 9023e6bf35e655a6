"""Read what a check printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .tables import Signal
from .values import Kind

__all__ = ["Reading", "digest", "read_output", "written_status"]

_HEAD, _TAIL = 8_192, 32_768
"""Characters of a long output that are read; summaries stand at the end."""

_HALF_LINE = 200
"""Characters kept at either end of a line."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_STATUS = re.compile(
    r"\$\?|\$\{?PIPESTATUS(?:\[[0@*]\])?\}?|\$\{?pipestatus(?:\[1\])?\}?"
    r"|\$\{?(?:rc|ret|code|status|st|res|result|exit_code|exitcode|exit_status|EXIT|EXIT_CODE|RC)\}?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an output says.

    Attributes:
        fails: ids of the signals of failure, weak ones apart.
        lint_fails: those of them that speak about static checks alone.
        weak_fails: ids of those that count only beside a status that is not 0.
        passes: for each kind of check the ids of the signals of success.
        partial: ids of those that a filter may have picked out of many.
        none: ids of signals that nothing was run.
        unknown: ids of signals that the check could not start or was killed.
        passed: tests that passed, as far as summaries count them.
        failed: tests that failed, likewise.
    """

    fails: tuple[str, ...]
    lint_fails: frozenset[str]
    weak_fails: tuple[str, ...]
    passes: tuple[tuple[str, str], ...]
    partial: frozenset[str]
    none: tuple[str, ...]
    unknown: tuple[str, ...]
    passed: int
    failed: int

    def passes_of(self, kind: Kind, *, filtered: bool) -> int:
        """How many signals of success speak about one kind of check.

        Args:
            kind: the kind of check.
            filtered: lines may have been dropped on the way.
        """
        return sum(
            (spoken in {kind, "any"} or kind == Kind.SCRIPT)
            and not (filtered and ident in self.partial)
            for ident, spoken in self.passes
        )


def digest(text: str, limit: int) -> str:
    """Head and tail of a text, the cut marked; the tail gets two thirds.

    Args:
        text: the whole output.
        limit: characters of the result, the mark not counted.
    """
    if len(text) <= limit:
        return text
    head = limit // 3
    tail = limit - head
    return f"{text[:head]}\n[… {len(text) - limit} characters left out …]\n{text[-tail:]}"


def read_output(output: str, kinds: frozenset[Kind], signals: Sequence[Signal]) -> Reading:
    """Look for signals about the kinds of checks that ran.

    Args:
        output: standard output and error, in the order printed.
        kinds: kinds of checks in the command; an own script may print anything.
        signals: what to look for.
    """
    text = _readable(output)
    wanted = {*kinds, "any"} if Kind.SCRIPT not in kinds else {*Kind, "any"}
    found: dict[str, list[Signal]] = {"fail": [], "pass": [], "none": [], "unknown": []}
    counts = {"fail": 0, "pass": 0}
    for signal in signals:
        if signal.kind not in wanted:
            continue
        number = _strength(signal, text)
        if number is not None:
            found[signal.verdict].append(signal)
            if signal.verdict in counts:
                counts[signal.verdict] = max(counts[signal.verdict], number)
    return Reading(
        fails=tuple(signal.id for signal in found["fail"] if not signal.weak),
        lint_fails=frozenset(signal.id for signal in found["fail"] if signal.kind == Kind.LINT),
        weak_fails=tuple(signal.id for signal in found["fail"] if signal.weak),
        passes=tuple((signal.id, signal.kind) for signal in found["pass"]),
        partial=frozenset(signal.id for signal in found["pass"] if signal.partial),
        none=tuple(signal.id for signal in found["none"]),
        unknown=tuple(signal.id for signal in found["unknown"]),
        passed=counts["pass"],
        failed=counts["fail"],
    )


def _readable(output: str) -> str:
    """Head and tail without colours, blank runs and the middles of long lines.

    Bounding lines is what keeps every pattern linear in the length of the output.
    """
    text = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    lines: list[str] = []
    for raw in _ANSI.sub("", text).split("\n"):
        line = raw.rstrip()
        if len(line) > 2 * _HALF_LINE:
            line = f"{line[:_HALF_LINE]} … {line[-_HALF_LINE:]}"
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines)


def _strength(signal: Signal, text: str) -> int | None:
    """The largest number that a signal names, 0 where it names none, ``None``: not there."""
    best: int | None = None
    counted = bool(signal.pattern.groupindex)
    for match in signal.pattern.finditer(text):
        numbers = [
            int(value) for value in match.groupdict().values() if value and value.isdecimal()
        ]
        if not counted or not any(value is not None for value in match.groupdict().values()):
            return best or 0
        if any(numbers):
            best = max(best or 0, *numbers)
    return best


def written_status(texts: Sequence[str], output: str) -> int | None:
    """An exit status that the script printed itself (``echo "exit=$?"``).

    Args:
        texts: arguments of the ``echo`` or ``printf`` that names the status.
        output: what was printed.
    """
    shown = _readable(output)
    for text in texts:
        if len(text) > _HALF_LINE or not _STATUS.search(text):
            continue
        fixed = [re.escape(piece.replace("\\n", "").strip()) for piece in _STATUS.split(text, 1)]
        if len(fixed) != 2:
            continue
        match = re.search(rf"(?m)^.*?{fixed[0]}\s*(\d{{1,3}})\s*{fixed[1]}\s*$", shown)
        if match:
            return int(match[1])
    return None
