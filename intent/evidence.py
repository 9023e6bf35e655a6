"""A reading to evidence: rule votes with spans, lexicon weights, flags of the message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .followups import FollowupKind, converse
from .lexicon import Lexicon, known_rows, log_odds
from .patterns import Line, find
from .reading import Reading
from .rulebook import Rule, RuleBook
from .tokens import Token

__all__ = ["Evidence", "Vote", "weigh"]


@dataclass(slots=True)
class Vote:
    """One rule that fired.

    Attributes:
        span: characters ``[start, end)`` of the original message.
        negated: the words stand in the reach of a negation, so the vote turned.
    """

    rule: Rule
    weight: float
    span: tuple[int, int]
    negated: bool = False


@dataclass(slots=True)  # made by position: names would double what it costs
class Evidence:
    """What the rules and the lexicon say of one message.

    Attributes:
        lanes: what the lexicon speaks of: toolsets, and the message as a whole.
        learned: log-odds of each of them by the learned words, bias included.
        votes: rules that fired, in the order of the book.
        flags: flags of the rules that fired, and of the reading.
        known: lexicon keys that had a weight.
    """

    lanes: tuple[str, ...]
    learned: Sequence[float]
    votes: tuple[Vote, ...]
    flags: frozenset[str]
    known: int

    @property
    def lexicon(self) -> dict[str, float]:
        """Log-odds of the learned words, by lane."""
        return dict(zip(self.lanes, self.learned, strict=True))


def _starts(reading: Reading, book: RuleBook) -> dict[int, list[int]]:
    """Trials that may match, by number, and where they may begin: positions, rising."""
    starts: dict[int, list[int]] = {}
    for at, (entry, marks) in enumerate(zip(reading.entries, reading.marks, strict=True)):
        hits = entry.hits
        for mark in marks:
            hits += book.index.get(mark, ())
        for number in hits:
            if number in starts:
                starts[number].append(at)
            else:
                starts[number] = [at]
    return starts


def _fired(reading: Reading, book: RuleBook) -> list[tuple[Rule, tuple[int, int]]]:
    """Rules that fired, in the order of the book, and the tokens that they rest on."""
    starts = _starts(reading, book)
    if not starts:
        return []
    texts = [token.text for token in reading.tokens]
    line = Line(reading.tokens, texts, reading.marks)
    said = set(texts).union(*reading.marks)
    fired: dict[int, tuple[int, int]] = {}
    for number in sorted(starts):
        position, sought, excepts = book.trials[number]
        # Exceptions stand behind the patterns of their rule.
        if excepts is (position in fired) and not (sought.needs and sought.needs.isdisjoint(said)):
            at = find(sought, line, starts[number])
            if at is not None and excepts:
                del fired[position]
            elif at is not None:
                fired[position] = at
    return [(book.rules[position], at) for position, at in fired.items()]


_SHORT = 20
"""Tokens of the longest message that may only answer or greet."""


def _dialogue(reading: Reading, book: RuleBook) -> tuple[str, ...]:
    """Flags of a message that answers an earlier one, or only greets."""
    if len(reading.tokens) > _SHORT:
        return ()
    greets, found = converse(reading.text, book.phrases)
    if greets:
        return ("greeting",)
    if not found.is_follow_up:
        return ()
    return ("follow_up", "act") if found.kind is FollowupKind.REFER else ("follow_up",)


_SCOPE_ENDS = frozenset(("stop", "ask"))
_TURNS = frozenset(
    [
        "but",
        "just",
        "instead",
        "und",
        "sondern",
        "aber",
        "sino",
        "pero",
        "mais",
        "mas",
        "ma",
        "però",
        "a",
        "но",
        "а",
        "просто",
        "maar",
        "gewoon",
    ]
)


def _scope(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """Tokens that a negation covers: from its first word to the end of the clause."""
    stop = end
    while stop < len(tokens) and tokens[stop].kind not in _SCOPE_ENDS:
        if tokens[stop].text in _TURNS:
            break
        stop += 1
    return start, stop


def weigh(reading: Reading, book: RuleBook) -> Evidence:
    """Weigh a reading.  Never raises."""
    tokens = reading.tokens
    fired = _fired(reading, book)
    quiet = [_scope(tokens, *at) for rule, at in fired if rule.flag == "negation"]
    votes: list[Vote] = []
    for rule, (start, end) in fired:
        negated = bool(quiet) and rule.flag == "" and _covered(start, quiet)
        weight = -abs(rule.weight) if negated else rule.weight
        votes.append(Vote(rule, weight, reading.span(start, end), negated))
    loud = [at for at in range(len(tokens)) if not _covered(at, quiet)] if quiet else None
    table = book.lexicon
    rows = _rows(reading, table, loud)
    learned = log_odds(rows, table)
    for part in _sentences(reading, quiet) if len(tokens) >= _LEAST_TOKENS else ():
        apart = log_odds(_rows(reading, table, part), table)
        learned = [
            whole if lane in _WHOLE else max(whole, one - _APART)
            for lane, whole, one in zip(table.lanes, learned, apart, strict=True)
        ]
    flags = [vote.rule.flag for vote in votes if vote.rule.flag]
    flags += _dialogue(reading, book)
    return Evidence(table.lanes, learned, tuple(votes), frozenset(flags), len(rows))


_APART = 1.0
"""Log-odds that a sentence alone must be surer than the whole message."""
_BREAKS = frozenset(".!?。！？؟\n;；।")
_WHOLE = frozenset(("none", "vague"))
"""Lanes that speak of the message as a whole."""
_LEAST_TOKENS = 14
_MOST_SENTENCES = 6


def _sentences(reading: Reading, quiet: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Tokens of each sentence, where a message has several: it may ask for several things."""
    tokens = reading.tokens
    breaks = [at for at, token in enumerate(tokens) if token.text in _BREAKS]
    if not breaks:
        return
    count = 0
    start = 0
    for stop in [*breaks, len(tokens)]:
        loud = [at for at in range(start, stop) if not _covered(at, quiet)]
        start = stop + 1
        if len(loud) >= 3 and count < _MOST_SENTENCES:
            count += 1
            yield loud


def _covered(at: int, quiet: Sequence[tuple[int, int]]) -> bool:
    """Whether a token stands in the reach of a negation."""
    return any(low <= at < high for low, high in quiet)


def _rows(reading: Reading, table: Lexicon, loud: Sequence[int] | None) -> list[int]:
    """Rows of the known keys of some of the tokens; ``None``: of all."""
    tokens, entries, marks = reading.tokens, reading.entries, reading.marks
    if loud is not None:
        tokens = [tokens[at] for at in loud]
        entries = [entries[at] for at in loud]
        marks = [marks[at] for at in loud]
    return known_rows(tokens, entries, marks, table)
