"""A reading to evidence: rule votes with spans, lexicon weights, flags of the message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .features import keys as keys_of
from .followups import FollowupKind, converse
from .lexicon import totals
from .patterns import Line, Pattern, find, keys_of_token
from .reading import Reading
from .rulebook import Rule, RuleBook
from .tokens import Token

__all__ = ["Evidence", "Vote", "weigh"]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the rules and the lexicon say of one message.

    Attributes:
        lexicon: log-odds per toolset of the learned words, bias included.
        votes: rules that fired, in the order of the book.
        flags: flags of the rules that fired, and of the reading.
        known: lexicon keys that had a weight.
    """

    lexicon: Mapping[str, float]
    votes: tuple[Vote, ...]
    flags: frozenset[str]
    known: int


def _line(reading: Reading, book: RuleBook) -> Line:
    """The tokens, and where each key of the index stands."""
    index, stems = book.index, book.stems
    places: dict[str, list[int]] = {}
    for at, (token, marks) in enumerate(zip(reading.tokens, reading.marks, strict=True)):
        kind, text, _, _ = token
        plain = kind == "word" and text[:3] not in stems
        for key in (text, *marks) if plain else (*keys_of_token(token), *marks):
            if key in index:
                places.setdefault(key, []).append(at)
    return Line(reading.tokens, reading.marks, places)


def _candidates(line: Line, book: RuleBook) -> list[tuple[Rule, list[Pattern]]]:
    """Rules and those of their patterns of which a key occurs, in the order of the book."""
    hits: set[tuple[int, int]] = set()
    for key in line.places:
        hits.update(book.index[key])
    found: dict[int, list[Pattern]] = {}
    for rule, number in sorted(hits):
        found.setdefault(rule, []).append(book.rules[rule].patterns[number])
    return [(book.rules[rule], patterns) for rule, patterns in found.items()]


def _fires(rule: Rule, patterns: Sequence[Pattern], line: Line) -> tuple[int, int] | None:
    for sought in patterns:
        at = find(sought, line)
        if at is not None:
            if any(find(other, line) is not None for other in rule.unless):
                return None
            return at
    return None


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
    line = _line(reading, book)
    near = _candidates(line, book)
    fired = [(rule, at) for rule, likely in near if (at := _fires(rule, likely, line)) is not None]
    quiet = [_scope(tokens, *at) for rule, at in fired if rule.flag == "negation"]
    votes: list[Vote] = []
    for rule, (start, end) in fired:
        negated = rule.flag == "" and any(low <= start < high for low, high in quiet)
        weight = -abs(rule.weight) if negated else rule.weight
        votes.append(Vote(rule=rule, weight=weight, span=reading.span(start, end), negated=negated))
    keys: Sequence[str] = reading.keys
    if quiet:
        loud = [at for at in range(len(tokens)) if not any(low <= at < high for low, high in quiet)]
        keys = keys_of([tokens[at] for at in loud], [reading.marks[at] for at in loud])
    lexicon, known = _lexicon(keys, book)
    for part in _sentences(reading, quiet):
        apart, _ = _lexicon(part, book)
        for lane in apart.keys() - _WHOLE:
            lexicon[lane] = max(lexicon[lane], apart[lane] - _APART)
    flags = {vote.rule.flag for vote in votes if vote.rule.flag}
    flags.update(_dialogue(reading, book))
    return Evidence(lexicon=lexicon, votes=tuple(votes), flags=frozenset(flags), known=known)


_APART = 1.0
"""Log-odds that a sentence alone must be surer than the whole message."""
_BREAKS = frozenset(".!?。！？؟\n;；।")
_WHOLE = frozenset(("none", "vague"))
"""Lanes that speak of the message as a whole."""
_LEAST_TOKENS = 14
_MOST_SENTENCES = 6


def _sentences(reading: Reading, quiet: Sequence[tuple[int, int]]) -> Iterator[list[str]]:
    """Keys of each sentence, where a message has several: it may ask for several things."""
    tokens = reading.tokens
    if len(tokens) < _LEAST_TOKENS:
        return
    breaks = [at for at, token in enumerate(tokens) if token.text in _BREAKS]
    if not breaks:
        return
    count = 0
    start = 0
    for stop in [*breaks, len(tokens)]:
        loud = [at for at in range(start, stop) if not any(a <= at < b for a, b in quiet)]
        start = stop + 1
        if len(loud) >= 3 and count < _MOST_SENTENCES:
            count += 1
            yield keys_of([tokens[at] for at in loud], [reading.marks[at] for at in loud])


def _lexicon(keys: Sequence[str], book: RuleBook) -> tuple[dict[str, float], int]:
    table = book.lexicon
    sums, known = totals(table.places, table.cells, keys, len(table.lanes))
    share = table.scale / known**0.5 if known else 0.0
    return {
        lane: bias + total * share
        for lane, bias, total in zip(table.lanes, table.bias, sums, strict=True)
    }, known
