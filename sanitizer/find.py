"""All finders over all views of one text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from .blocks import find_blocks
from .cards import find_cards
from .columns import find_columns
from .commands import find_arguments
from .encoded import find_encoded, find_pieces
from .fold import folded, undisguised
from .hints import Hints
from .judge import MARKER
from .labels import find_labels
from .live import find_known
from .prose import find_phrases
from .shapes import find_shapes
from .table import PatternTable
from .urls import find_user_info
from .values import Span

__all__ = ["find_secrets", "merged"]


def find_secrets(
    text: str, table: PatternTable, forms: tuple[str, ...] = (), *, depth: int = 1
) -> list[Span]:
    """Return the secrets in a text: in order, none overlapping another.

    Args:
        text: any text.
        table: the patterns.
        forms: known values and the forms they take.
        depth: how many layers of base64 are opened.
    """
    view = folded(text)
    spans = list(find_known(text, forms))
    hints = table.hints(view.text)
    spans += view.restore(_in_view(hints, table))
    spans += view.restore(find_known(view.text, forms))
    other = undisguised(view)
    if other is not None:
        beside = table.hints(other.text, (hints, other.changes))
        spans += other.restore(_in_view(beside, table))
        spans += other.restore(find_known(other.text, forms))
    if depth > 0:
        opened = find_encoded(
            view.text, lambda plain: bool(find_secrets(plain, table, forms, depth=depth - 1))
        )
        spans += view.restore(opened)
    return _without_markers(text, merged(spans))


def _without_markers(text: str, spans: list[Span]) -> list[Span]:
    """Drop what only covers markers of an earlier pass, so that a second pass changes nothing.

    INVARIANT: a span is dropped only if fewer than four letters or digits of it are
    outside markers; a marker written into a secret does not hide the rest of it.
    """
    if "[REDACTED:" not in text:
        return spans
    starts, ends = [], []
    for found in MARKER.finditer(text):
        starts.append(found.start())
        ends.append(found.end())
    out = []
    for start, end, kind in spans:
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        if first < last:
            start, end = min(start, starts[first]), max(end, ends[last - 1])
            if sum(c.isalnum() for c in MARKER.sub("", text[start:end])) < 4:
                continue
        out.append(Span(start, end, kind))
    return merged(out)


def _in_view(hints: Hints, table: PatternTable) -> Iterator[Span]:
    text = hints.text
    yield from find_blocks(text)
    yield from find_shapes(hints, table)
    yield from find_user_info(text)
    yield from find_labels(hints, table)
    yield from find_columns(hints, table)
    yield from find_phrases(hints, table)
    yield from find_arguments(hints, table)
    yield from find_pieces(hints, table)
    yield from find_cards(text)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Unite spans that overlap; the longest one gives the kind, of equals the first found."""
    out: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if span.end <= span.start:
            continue
        if out and span.start < out[-1].end:
            last = out[-1]
            kind = span.kind if span.end - span.start > longest else last.kind
            longest = max(longest, span.end - span.start)
            out[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            out.append(span)
            longest = span.end - span.start
    return out
