"""Find secrets that fill several lines: private keys and Kubernetes secrets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from .judge import is_reference
from .lazy import lazy
from .values import Span

__all__ = ["find_blocks"]

_BEGIN = lazy(
    r"-{2,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE KEY|SECRET KEY)(?: BLOCK)? ?-{2,5}"
)
_END = lazy(r"-{2,5} ?END (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE KEY|SECRET KEY)(?: BLOCK)? ?-{2,5}")
# What a key's body is made of, quoting, escapes and headers included.
_BODY = lazy(
    r"""(?:\\{1,4}[nrt]|[\s>|#*"'+,;]{1,40}|[A-Za-z0-9+/=]{16,}|=[A-Za-z0-9+/]{4}"""
    r"""|[A-Za-z0-9+/]{1,15}={0,2}(?=[\s\\"'<]|$)"""
    r"""|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)[^\n\\]{0,100})"""
)
_PUTTY = lazy(
    r"Private-Lines: {0,2}\d{1,4}((?:\s{1,4}[A-Za-z0-9+/=]{4,80}(?![A-Za-z0-9+/=-])){1,200})"
)
_KUBE = lazy(r"""["']?kind["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:Sealed)?Secret\b""")
_KUBE_DATA = lazy(r"""(?m)^([ \t]{0,20})(?:data|stringData):[ \t]{0,8}$""")
_KUBE_LINE = lazy(
    r"""([ \t]{0,24})["']?[\w.\-/]{1,128}["']?:[ \t]{1,8}"""
    r"""(?:[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,40})?["']?([^\s"']{1,8000})"""
)
_KUBE_JSON = lazy(r"""["'](?:data|stringData)["'][ \t]{0,4}:\s{0,40}\{([^{}]{0,16000})\}""")
_JSON_PAIR = lazy(r""":\s{0,8}"([^"\n]{1,8000})\"""")
_MAX_KEY = 32_768


def find_blocks(text: str) -> Iterator[Span]:
    """Yield the bodies of private keys and the values of Kubernetes secrets."""
    if "BEGIN" in text or "END" in text:
        yield from _keys(text)
    if "Private-Lines" in text:
        for found in _PUTTY.finditer(text):
            yield Span(*found.span(1), "private-key")
    if "Secret" in text and _KUBE.search(text):
        yield from _kubernetes(text)


def _keys(text: str) -> Iterator[Span]:
    """Yield the bodies of PEM and PGP keys, with a BEGIN, an END or both."""
    done = 0
    ends = list(_END.finditer(text))
    starts = [end.start() for end in ends]
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        at = bisect_left(starts, begin.end())
        if at < len(starts) and starts[at] - begin.end() <= _MAX_KEY:
            done = starts[at]
        else:
            done = _body_end(text, begin.end())
        start = begin.end()
        while start < done and text[start].isspace():
            start += 1
        stop = done
        while start < stop and text[stop - 1].isspace():
            stop -= 1
        if start < stop:
            yield Span(start, stop, "private-key")
    for end in ends:
        start = _body_start(text, end.start(), done)
        body = text[start : end.start()]
        if start >= done and len(body) >= 40:
            yield Span(start, end.start(), "private-key")
        done = max(done, end.end())


def _body_end(text: str, at: int) -> int:
    """Return where the body of a key without END stops."""
    stop = min(len(text), at + _MAX_KEY)
    while at < stop and (piece := _BODY.match(text, at, stop)) and piece.end() > at:
        at = piece.end()
    return at


_REVERSED_BODY = lazy(r"[A-Za-z0-9+/=\s>\\]{0,32768}")


def _body_start(text: str, at: int, floor: int) -> int:
    """Return where the body of a key without BEGIN starts."""
    back = text[max(floor, at - _MAX_KEY) : at][::-1]
    run = _REVERSED_BODY.match(back)
    start = at - (run.end() if run else 0)
    # Words in front of the body are of the same characters: begin at the first long run.
    first = lazy(r"[A-Za-z0-9+/=]{24,}").search(text, start, at)
    return first.start() if first else at


def _kubernetes(text: str) -> Iterator[Span]:
    for data in _KUBE_DATA.finditer(text):
        at = data.end() + 1
        while at < len(text):
            line = _KUBE_LINE.match(text, at)
            if line is None or len(line[1]) <= len(data[1]):
                break
            if not is_reference(line[2]):
                yield Span(*line.span(2), "kubernetes-secret")
            at = text.find("\n", line.end())
            if at < 0:
                break
            at += 1
    for block in _KUBE_JSON.finditer(text):
        for pair in _JSON_PAIR.finditer(text, *block.span(1)):
            if not is_reference(pair[1]):
                yield Span(*pair.span(1), "kubernetes-secret")
