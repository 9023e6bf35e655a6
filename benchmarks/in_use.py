"""What a decision takes in a process that has read other messages before.

The router remembers no decision, but what its tables say of single words.  So a message is timed
three ways: in a new process; where every other message was read before, and what only this one
says is new; and, the least there is, where this very one was read before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, cast

from ..intent.reading import read
from ..intent.rulebook import RuleBook
from ..router.values import Message

__all__ = ["among_others", "middle", "timed"]


def timed(messages: Sequence[Message], decide: Callable[[Message], object]) -> list[float]:
    """Microseconds of each decision, in order."""
    micros: list[float] = []
    for message in messages:
        start = perf_counter()
        decide(message)
        micros.append((perf_counter() - start) * 1e6)
    return micros


def among_others(
    messages: Sequence[Message], book: RuleBook, decide: Callable[[Message], object]
) -> list[float]:
    """Microseconds of each decision where all other messages were read before, and it was not.

    Args:
        messages: all of which were decided on before.
        book: by which.
        decide: one decision; what it takes is measured.
    """
    texts = [message.text for message in messages]
    words = [{(token.kind, token.text) for token in read(text, book).tokens} for text in texts]
    said = Counter(word for own in words for word in own)
    micros: list[float] = []
    for message, own in zip(messages, words, strict=True):
        for kind, word in own:
            if said[kind, word] == 1:
                _forget(book.entries[kind], word)
        micros += timed([message], decide)
    return micros


def _forget(memo: Mapping[str, Any], word: str) -> None:
    cast("dict[str, Any]", memo).pop(word, None)


def middle(micros: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    times = sorted(micros)
    return {
        "p50": times[len(times) // 2],
        "p99": times[min(len(times) - 1, int(len(times) * 0.99))],
    }
