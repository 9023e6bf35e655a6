"""Times of decisions in a process that has read other messages."""

from __future__ import annotations

from hermes_tool_router.benchmarks.in_use import among_others, middle, timed
from hermes_tool_router.benchmarks.routing import book
from hermes_tool_router.intent.reading import read
from hermes_tool_router.router.values import Message

MESSAGES = [Message(text=text) for text in ("open the garage", "paint the garage", "paint a boat")]


def test_a_message_is_new_where_all_others_were_read() -> None:
    """What only this message says is forgotten before it is timed, what others say is not."""
    rules = book()
    known: list[set[str]] = []

    def decide(message: Message) -> None:
        known.append({word for word in rules.entries["word"] if word in message.text.split()})
        read(message.text, rules)

    timed(MESSAGES, decide)
    known.clear()
    micros = among_others(MESSAGES, rules, decide)

    assert known == [{"the", "garage"}, {"paint", "the", "garage"}, {"paint"}]
    assert len(micros) == len(MESSAGES)


def test_the_middle_is_the_median_and_the_99th_percentile() -> None:
    """Of a hundred values, the fiftieth and the one before the last."""
    assert middle([float(value) for value in range(100)]) == {"p50": 50.0, "p99": 99.0}
