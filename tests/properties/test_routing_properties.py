"""What holds of every decision, whatever the text."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.benchmarks.routing import FLOOR, book, catalog, surface
from hermes_tool_router.intent.load import with_rules
from hermes_tool_router.intent.masks import mask
from hermes_tool_router.intent.patterns import element, pattern
from hermes_tool_router.intent.rulebook import Rule
from hermes_tool_router.intent.tokens import fold, tokenise
from hermes_tool_router.router.engine import decide
from hermes_tool_router.router.values import Message, Outcome, ToolsetName

BOOK = book()
GRANTED = catalog(surface(None))
EXAMPLES = int(os.environ.get("ROUTER_MAX_EXAMPLES", "60"))
ROOT = Path(__file__).resolve().parents[2]
_PIECES = (
    'remind me the lights don\'t search web ~/a.py https://a.example/b "quoted" ``` `x` \n 提醒 我'
    " сайт напомни bitte nicht suchen, every 6 hours [IMPORTANT: [Replying and . ? « » …"
)
WORDS = st.sampled_from(_PIECES.split(" "))
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=40).map(" ".join))
CHECK = settings(derandomize=True, deadline=None, max_examples=EXAMPLES)


@CHECK
@given(TEXTS)
def test_a_decision_is_total_and_deterministic(text: str) -> None:
    """Any Unicode gets a decision, twice the same, with the floor in it and nothing foreign."""
    first = decide(Message(text=text), GRANTED, floor=FLOOR, book=BOOK)

    again = decide(Message(text=text), GRANTED, floor=FLOOR, book=BOOK)

    assert first == again
    assert not first.errors
    assert set(first.toolsets) >= FLOOR
    assert list(first.toolsets) == [name for name in GRANTED.names if name in first.toolsets]


@CHECK
@given(TEXTS)
def test_lone_surrogates_are_read_like_any_character(text: str) -> None:
    """What a terminal or a broken client may send."""
    decision = decide(Message(text=f"\ud800{text}\udfff"), GRANTED, floor=FLOOR, book=BOOK)

    assert not decision.errors


@CHECK
@given(TEXTS)
def test_the_order_of_rules_is_irrelevant(text: str) -> None:
    """A book read backwards decides the same."""
    backwards = with_rules(BOOK, BOOK.rules[::-1])

    one = decide(Message(text=text), GRANTED, floor=FLOOR, book=BOOK)
    other = decide(Message(text=text), GRANTED, floor=FLOOR, book=backwards)

    assert (one.outcome, one.toolsets, one.evident) == (
        other.outcome,
        other.toolsets,
        other.evident,
    )


@CHECK
@given(TEXTS, st.sampled_from(GRANTED.names))
def test_a_vote_for_a_toolset_never_removes_one(text: str, name: ToolsetName) -> None:
    """More evidence for something takes nothing else away, as long as the grade stays."""
    favour = Rule(
        id="test.favour",
        toolset=name,
        weight=2.0,
        strong=False,
        flag="",
        patterns=(pattern([element("any", [["remind"], ["the"], ["提"]], 0)]),),
        unless=(),
    )
    more = with_rules(BOOK, (*BOOK.rules, favour))

    before = decide(Message(text=text), GRANTED, floor=FLOOR, book=BOOK)
    after = decide(Message(text=text), GRANTED, floor=FLOOR, book=more)

    kept = set(after.toolsets)
    lost = set(before.toolsets) - kept if before.grade is after.grade else set()
    assert lost <= ({name} if _negated(after.reasons) else set())


def _negated(reasons: object) -> bool:
    return "test.favour" in str(reasons) and "weight=-2.0" in str(reasons)


@CHECK
@given(TEXTS)
def test_masking_what_is_masked_changes_nothing(text: str) -> None:
    """Material blanked out leaves no new material behind."""
    spans = mask(text)
    blank = list(text)
    for span in spans:
        for at in range(span.start, span.end):
            blank[at] = "\n" if text[at] == "\n" else "·"

    again = mask("".join(blank))

    assert all(span.start <= span.end <= len(text) for span in spans)
    assert [s for s in again if s.kind in {"fence", "code"}] == []


@CHECK
@given(TEXTS)
def test_folded_positions_lead_back_to_the_text(text: str) -> None:
    """Every token's span lies in the original text, in order."""
    folded = fold(text)

    spans = [folded.original(token.start, token.end) for token in tokenise(folded.text)]

    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@CHECK
@given(TEXTS)
def test_words_between_spaces_are_tokens_like_those_between_tabs(text: str) -> None:
    """What is taken for a word without the token pattern is what the pattern would find.

    A backslash apart, behind which a path of Windows may hold spaces and no tabs.
    """
    folded = fold(text).text.replace("\\", "/").replace("\t", " ")

    tabbed = tokenise(folded.replace(" ", "\t"))

    assert [(token.kind, token.start, token.end) for token in tokenise(folded)] == [
        (token.kind, token.start, token.end) for token in tabbed
    ]


@CHECK
@given(TEXTS)
def test_folding_twice_is_folding_once(text: str) -> None:
    """Folding is idempotent."""
    once = fold(text).text

    assert fold(once).text == once


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_hash_seed_does_not_show(seed: str) -> None:
    """The same decisions in another process with another hash seed."""
    texts = ["remind me at 7 to water the ferns and dim the lamps", "查一下明天的天气", "fix it"]
    here = [repr(decide(Message(text=t), GRANTED, floor=FLOOR, book=BOOK)) for t in texts]
    program = (
        "from hermes_tool_router.benchmarks.routing import FLOOR, book, catalog, surface\n"
        "from hermes_tool_router.router.engine import decide\n"
        "from hermes_tool_router.router.values import Message\n"
        "b, c = book(), catalog(surface(None))\n"
        f"for t in {texts!r}:\n"
        "    d = decide(Message(text=t), c, floor=FLOOR, book=b)\n"
        "    print(ascii((d.outcome, d.toolsets, sorted(d.evident), d.reasons)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", _MOUNT.format(root=str(ROOT)) + program],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )

    decisions = [decide(Message(text=t), GRANTED, floor=FLOOR, book=BOOK) for t in texts]
    wanted = [ascii((d.outcome, d.toolsets, sorted(d.evident), d.reasons)) for d in decisions]
    assert here
    assert run.stdout.splitlines() == wanted


_MOUNT = "import runpy\nrunpy.run_path({root!r} + '/_checkout.py')['mount']('benchmarks')\n"


def test_an_image_part_brings_vision() -> None:
    """An attachment is evidence of its own."""
    message = Message(text="", has_image=True)

    decision = decide(message, GRANTED, floor=FLOOR, book=BOOK)

    assert "vision" in decision.toolsets
    assert decision.substantive


def test_an_error_inside_gives_the_full_surface() -> None:
    """Routing fails open."""
    broken = replace(BOOK, lexicon=replace(BOOK.lexicon, bias=()))

    decision = decide(Message(text="dim the lamps"), GRANTED, floor=FLOOR, book=broken)

    assert decision.outcome is Outcome.FULL
    assert decision.errors
