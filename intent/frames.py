"""The host's own frames around a user's words, peeled outermost first.

The frames are data (``rules/frames.yaml``).  Peeling can only take votes away:
a user who types a frame gains nothing by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["Frame", "Peeled", "Take", "openers_of", "peel"]

Take = Literal["after", "before", "between", "nothing", "tagged", "skill", "abstain"]
TAKES: tuple[str, ...] = get_args(Take)
_DEPTH = 12
"""Frames peeled from one message; the gateway stacks at most nine."""
_OPENER = 4
_TAG_LIMIT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame of the host.

    Attributes:
        begin: constant that the message starts with (for ``before``: that
            stands anywhere, what follows it is frame).
        until: constants, the first that occurs ends the frame; empty: the
            frame is the whole message.
        last: take the last occurrence of ``until`` instead of the first.
        take: where the user's words are.
        stop: constants that end the words again.
        evidence: toolset to log-odds that the frame itself speaks for.
    """

    id: str
    begin: str
    take: Take
    until: tuple[str, ...] = ()
    last: bool = False
    stop: tuple[str, ...] = ()
    evidence: Mapping[str, float]


@dataclass(slots=True)
class Peeled:
    """What is left of a message.

    Attributes:
        start: where the words start in the original text.
        end: where they end; equal to ``start`` when there are none.
        evidence: what the frames themselves speak for, summed.
        unknown: the message starts like a frame of the host, but none we know.
        frames: ids of the frames taken off, outermost first.
        skills: spans of skill bodies, which may declare tools.
    """

    start: int
    end: int
    evidence: Mapping[str, float]
    unknown: bool = False
    frames: tuple[str, ...] = ()
    skills: tuple[tuple[int, int], ...] = ()


def _find(text: str, marks: Sequence[str], start: int, end: int, *, last: bool) -> tuple[int, int]:
    """Position and length of the first (or last) mark, ``(-1, 0)`` for none."""
    best, size = -1, 0
    for mark in marks:
        at = text.rfind(mark, start, end) if last else text.find(mark, start, end)
        if at >= 0 and (best < 0 or (at > best if last else at < best)):
            best, size = at, len(mark)
    return best, size


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _words(text: str, frame: Frame, start: int, end: int) -> tuple[int, int]:
    """Span of the words that one frame leaves."""
    if frame.take in {"nothing", "abstain"}:
        return end, end
    at, size = _find(text, frame.until, start + len(frame.begin), end, last=frame.last)
    if at < 0:
        return end, end
    begin = at + size
    if frame.stop:
        stop, _ = _find(text, frame.stop, begin, end, last=False)
        end = stop if stop >= 0 else end
    return begin, end


def _tagged(text: str, start: int, end: int, frame: Frame) -> tuple[int, int] | None:
    """Words after a ``[Name] `` tag of limited length, such as a timestamp."""
    close = text.find(frame.until[0], start, min(end, start + _TAG_LIMIT))
    return None if close < 0 else (close + len(frame.until[0]), end)


def openers_of(frames: Sequence[Frame]) -> frozenset[str]:
    """First characters of every frame that stands before the words."""
    return frozenset(frame.begin[:_OPENER] for frame in frames if frame.take != "before")


def _cut(
    text: str,
    start: int,
    end: int,
    frames: Sequence[Frame],
    taken: list[str],
    evidence: dict[str, float],
) -> int:
    """Where the words end before the frames that stand behind them, which are noted."""
    for frame in frames:
        at = text.find(frame.begin, start, end) if frame.take == "before" else -1
        if at >= 0:
            end = at
            taken.append(frame.id)
            _add(evidence, frame.evidence)
    return end


def peel(
    text: str,
    frames: Sequence[Frame],
    suspects: tuple[str, ...],
    openers: frozenset[str] | None = None,
) -> Peeled:
    """Take the host's frames off a message.  Never raises.

    Args:
        text: the message as it came.
        frames: in the order in which they are tried.
        suspects: starts that only the host writes; a message which still has
            one after peeling is not read.
        openers: see :func:`openers_of`; spares a look at every frame.
    """
    start, end = _trim(text, 0, len(text))
    stacked = "\n\n[" in text or "\n\n---" in text
    if openers is not None and not stacked and text[start : start + _OPENER] not in openers:
        # Most messages: no frame that we know.
        unknown = text.startswith(suspects, start, end)
        return Peeled(start, end, {}, unknown)
    taken: list[str] = []
    skills: list[tuple[int, int]] = []
    evidence: dict[str, float] = {}
    if stacked:
        end = _cut(text, start, end, frames, taken, evidence)
        start, end = _trim(text, start, end)
    for _ in range(_DEPTH):
        if openers is not None and text[start : start + _OPENER] not in openers:
            break
        outer = [f for f in frames if f.take != "before" and text.startswith(f.begin, start, end)]
        if not outer:
            break
        frame = outer[0]
        span = (
            _tagged(text, start, end, frame)
            if frame.take == "tagged"
            else _words(text, frame, start, end)
        )
        if span is None:
            break
        if frame.take == "skill":
            skills.append((start + len(frame.begin), span[0] if span[0] < span[1] else end))
        taken.append(frame.id)
        _add(evidence, frame.evidence)
        start, end = _trim(text, *span)
        if frame.take == "abstain":
            return _peeled(start, end, taken, skills, evidence, unknown=True)
    unknown = text.startswith(suspects, start, end)
    return _peeled(start, end, taken, skills, evidence, unknown=unknown)


def _add(total: dict[str, float], more: Mapping[str, float]) -> None:
    for name, weight in more.items():
        total[name] = total.get(name, 0.0) + weight


def _peeled(
    start: int,
    end: int,
    taken: list[str],
    skills: list[tuple[int, int]],
    evidence: dict[str, float],
    *,
    unknown: bool,
) -> Peeled:
    return Peeled(
        start=start,
        end=end,
        frames=tuple(taken),
        skills=tuple(skills),
        evidence=evidence,
        unknown=unknown,
    )
