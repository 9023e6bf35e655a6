"""The phrase table: its sources, its cases, the two questions it answers."""

from __future__ import annotations

import pytest

from hermes_tool_router.console.phrases import TABLE, build, cases
from hermes_tool_router.intent.followup_book import compile_books, expand
from hermes_tool_router.intent.followup_table import (
    MAGIC,
    UNITS,
    FollowupTable,
    PhraseError,
    table_from_bytes,
)
from hermes_tool_router.intent.followups import (
    Followup,
    FollowupKind,
    converse,
    is_greeting,
    recognise,
)
from hermes_tool_router.intent.phrases import phrase_tokens
from hermes_tool_router.intent.sections import join

CASES = cases()


@pytest.fixture(scope="module")
def table() -> FollowupTable:
    """The committed table."""
    return table_from_bytes(TABLE.read_bytes())


def _texts(kind: str) -> list[object]:
    return [pytest.param(row["text"], id=row["id"]) for row in CASES if row["kind"] == kind]


def test_the_committed_table_equals_its_sources() -> None:
    """Folder installs have no build step, so the compiled table is committed."""
    committed = TABLE.read_bytes()

    fresh = build()

    assert committed == fresh


@pytest.mark.parametrize("text", _texts("follow_up"))
def test_a_follow_up_is_recognised(text: str, table: FollowupTable) -> None:
    """Every case of the sources that needs the earlier turn."""
    assert recognise(text, table).is_follow_up


@pytest.mark.parametrize("text", _texts("scoped"))
def test_a_scoped_request_is_no_follow_up(text: str, table: FollowupTable) -> None:
    """Every case of the sources that stands alone, "OK, …" in front or not."""
    assert not recognise(text, table).is_follow_up


@pytest.mark.parametrize("text", _texts("greeting"))
def test_a_greeting_is_recognised(text: str, table: FollowupTable) -> None:
    """Every case of the sources that only greets, thanks or takes leave."""
    assert is_greeting(text, table)


@pytest.mark.parametrize("text", _texts("not_greeting"))
def test_a_task_that_opens_with_a_greeting_is_none(text: str, table: FollowupTable) -> None:
    """Every case of the sources that goes on to a request."""
    assert not is_greeting(text, table)


@pytest.mark.parametrize(
    ("unit", "least"),
    [
        pytest.param("agree", 25, id="follow-ups"),
        pytest.param("hello", 40, id="greetings"),
    ],
)
def test_languages_reach_the_promised_width(unit: str, least: int, table: FollowupTable) -> None:
    """Counted over the phrases that belong to a language of their own."""
    bit = 1 << UNITS.index(unit)

    meanings = [table.meaning[str(number)] for number in range(len(table.meanings))]
    masks = [mask for meaning in meanings for b, mask in meaning if b == bit]

    spoken = {i for mask in masks if mask > 0 for i in range(len(table.languages)) if mask >> i & 1}
    assert len(spoken) >= least


def test_phrases_are_found_in_their_packed_rows(table: FollowupTable) -> None:
    """Every phrase of the table, whole and with more behind it, and none that is only begun."""
    for token, row in table.packed.items():
        _, *parts = row.decode().split("\t")
        numbers = dict(zip(parts[::2], parts[1::2], strict=True))
        for rest in numbers:
            phrase = [token, *rest.split()]
            ends = {end for end, _ in table.phrases_at(phrase, 0)}
            behind = dict(table.phrases_at([*phrase, "zzz"], 0))

            starts = {n: "".join([f" {t}" for t in phrase[1:n]]) for n in range(1, len(phrase) + 1)}
            wanted = {n for n, start in starts.items() if start in numbers}
            assert ends == wanted
            assert set(behind) == wanted
            assert behind[len(phrase)] == table.meaning[numbers[rest]]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("yes, undo that", FollowupKind.UNDO, id="undo outweighs yes"),
        pytest.param("ok, once more", FollowupKind.RETRY, id="retry outweighs ok"),
        pytest.param("no, the other one", FollowupKind.SELECT, id="a choice outweighs no"),
        pytest.param("still the same error", FollowupKind.CORRECT, id="complaint"),
        pytest.param("👍", FollowupKind.CONFIRM, id="thumb"),
        pytest.param("2", FollowupKind.SELECT, id="number"),
        pytest.param("go on", FollowupKind.CONTINUE, id="carry on"),
        pytest.param("and the changelog?", FollowupKind.EXTEND, id="one more thing"),
        pytest.param("why?", FollowupKind.ASK, id="question about the answer"),
        pytest.param("a bit shorter", FollowupKind.REFINE, id="changed answer"),
        pytest.param("stop", FollowupKind.DECLINE, id="refusal"),
        pytest.param("delete it", FollowupKind.REFER, id="verb and pronoun"),
    ],
)
def test_the_most_telling_kind_wins(text: str, kind: FollowupKind, table: FollowupTable) -> None:
    """A message with several kinds is reported under the one that changes most."""
    assert recognise(text, table).kind == kind


def test_the_span_covers_the_words(table: FollowupTable) -> None:
    """Blanks around the message are not part of the span."""
    found = recognise("  go on \n", table)

    assert found == Followup(kind=FollowupKind.CONTINUE, is_follow_up=True, span=(2, 7))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("?!…", id="punctuation only"),
        pytest.param("yes " * 60, id="too long to be one"),
        pytest.param("delete it from src/app.py", id="a path is content"),
        pytest.param("and the `Parser` class", id="code is content"),
        pytest.param("thanks", id="thanks alone"),
        pytest.param("hello", id="greeting alone"),
        pytest.param("corrige le titre principal", id="an article is no pronoun"),
        pytest.param("what can you do", id="a question of its own"),
    ],
)
def test_these_stand_alone(text: str, table: FollowupTable) -> None:
    """Not a follow-up, whatever words it opens with."""
    assert not recognise(text, table).is_follow_up


def test_a_joined_pronoun_takes_a_few_free_words(table: FollowupTable) -> None:
    """The hyphen tells the pronoun from the article that it looks like."""
    assert recognise("corrige-le dans le titre", table).is_follow_up


def test_case_accents_width_and_lengthening_do_not_matter() -> None:
    """All of them give the same tokens."""
    assert phrase_tokens("ＯＫＡＹＹＹ, Sí! D’accord") == phrase_tokens("okay si daccord")


@pytest.mark.parametrize(
    ("template", "phrases"),
    [
        pytest.param("a", ["a"], id="plain"),
        pytest.param("(a|b) c", ["a c", "b c"], id="choice"),
        pytest.param("[a|b]c", ["c", "ac", "bc"], id="optional choice"),
        pytest.param("x(a|b(c|d))", ["xa", "xbc", "xbd"], id="nested"),
    ],
)
def test_templates_expand(template: str, phrases: list[str]) -> None:
    """Groups are choices, square brackets may be left out."""
    assert expand(template) == phrases


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(b"- a", "x.yaml: expected a mapping", id="no mapping"),
        pytest.param(b"a: [", "x.yaml: not YAML", id="no YAML"),
        pytest.param(
            b'{language: "en", provenance: "p", units: {agree: "a"}, extra: 1}',
            "x.yaml: allowed keys",
            id="unknown key",
        ),
        pytest.param(
            b'{language: "en", provenance: "p", units: {yes: "a"}}',
            "x.yaml: unknown unit True",
            id="a bare yes is no string in YAML",
        ),
        pytest.param(
            b'{language: "en", provenance: "p", units: {agree: ["a"]}}',
            "x.yaml: unit 'agree' must be one quoted string",
            id="list",
        ),
        pytest.param(
            b'{language: no, provenance: "p", units: {agree: "a"}}',
            "x.yaml: language False must be a quoted string",
            id="a bare no is no language in YAML",
        ),
        pytest.param(
            b'{language: "en", provenance: "p", units: []}',
            "x.yaml: units must be a mapping",
            id="units as a list",
        ),
        pytest.param(
            b'{languages: [], provenance: "p"}',
            "x.yaml: languages must be a mapping",
            id="languages as a list",
        ),
        pytest.param(
            b'{language: "en", provenance: "p", units: {agree: "(a|b"}}',
            "has brackets that do not match",
            id="open bracket",
        ),
        pytest.param(
            b'{language: "en", provenance: "p", units: {agree: "a)"}}',
            "has brackets that do not match",
            id="closing bracket",
        ),
    ],
)
def test_a_wrong_source_is_refused_by_name(source: bytes, message: str) -> None:
    """The message says which file and what is wrong."""
    with pytest.raises(PhraseError) as caught:
        compile_books({"x.yaml": source})

    assert message in str(caught.value)


def test_a_template_that_explodes_is_refused() -> None:
    """More than 4,000 phrases from one template is a slip of the pen."""
    with pytest.raises(PhraseError, match="more than 4000"):
        expand("(a|b|c|d|e|f|g|h|i)" * 4)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{}", id="other file"),
        pytest.param(MAGIC + b"x", id="damaged"),
        pytest.param(MAGIC + join([b"en", b"a\nb", b"\t0"]), id="another shape"),
    ],
)
def test_a_damaged_table_is_refused(data: bytes) -> None:
    """Never half a table."""
    with pytest.raises(PhraseError):
        table_from_bytes(data)


@pytest.mark.parametrize("text", ["hello", "yes please", "open the door of the shed", "merci", ""])
def test_both_questions_at_once_get_the_same_answers(text: str, table: FollowupTable) -> None:
    """The cheap way is only cheaper."""
    assert converse(text, table) == (is_greeting(text, table), recognise(text, table))
