"""Learned weights: sums in narrow lanes, and the keys that a message has."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.benchmarks.routing import book
from hermes_tool_router.intent.features import keys
from hermes_tool_router.intent.lexicon import OFFSET, Rows, known_rows, sums
from hermes_tool_router.intent.memo import MOST, Memo
from hermes_tool_router.intent.reading import read
from hermes_tool_router.registry_adapter.rule_files import LEXICON

BOOK = book()
LEARNED = frozenset(
    line.partition("\t")[0] for line in LEXICON.read_text(encoding="utf-8").splitlines()[1:]
)
_WORDS = st.sampled_from(
    [
        "remind",
        "me",
        "of",
        "the",
        "milk",
        ",",
        "search",
        "web",
        "提醒",
        "我",
        "明天",
        "เตือน",
        "ฉัน",
        "напомни",
        "мне",
        ".",
        "7pm",
        "a.py",
        "é",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(_WORDS, max_size=25).map(" ".join),
    st.lists(_WORDS, max_size=25).map("".join),
)


@pytest.mark.parametrize("weight", [-128, -1, 0, 127])
@pytest.mark.parametrize("keys", [0, 1, 257, 258, 1000])
def test_sums_are_exact_however_many_keys_a_message_has(keys: int, weight: int) -> None:
    """A lane holds 257 of the greatest weights; more keys than that must not run over."""
    table = Rows(bytes([OFFSET + weight, OFFSET]) * keys, 2)
    rows = [table[number] for number in range(keys)]

    found = sums(rows, 2)

    assert list(found) == [keys * (OFFSET + weight), keys * OFFSET]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(TEXTS)
def test_the_router_finds_the_keys_that_were_learned(text: str) -> None:
    """Learning spells every key out, deciding looks up known ones only: the same keys."""
    reading = read(text, BOOK)

    rows = known_rows(reading.tokens, reading.entries, reading.marks, BOOK.lexicon)

    assert len(rows) == len(LEARNED.intersection(keys(reading.tokens, reading.marks)))


def test_a_memo_stays_small() -> None:
    """What it forgets it works out again."""
    memo = Memo(len)

    for number in range(MOST + 1):
        assert memo["x" * (number % 40) + str(number)] > 0

    assert len(memo) <= MOST
    assert memo["x" * 10_000] == 10_000
    assert "x" * 10_000 not in memo
