"""The text layer: folding, tokens, masks, frames, languages, concepts."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.routing import book
from hermes_tool_router.intent.evidence import weigh
from hermes_tool_router.intent.masks import mask
from hermes_tool_router.intent.reading import WINDOW, read
from hermes_tool_router.intent.rulebook import RuleBook
from hermes_tool_router.intent.tokens import fold, tokenise

HINT = (
    "[IMPORTANT: You are running as a scheduled cron job. DELIVERY: it is sent. "
    "SILENT: or say [SILENT] and nothing more.]\n\n"
)
SKILL = (
    '[IMPORTANT: The user has invoked the "tidy" skill, indicating they want you to follow its '
    "instructions. The full skill content is loaded below.]\n\n# Tidy\nSearch the web daily.\n\n"
    "The user has provided the following instruction alongside the skill invocation: "
)


@pytest.fixture(scope="module")
def rules() -> RuleBook:
    """The committed book."""
    return book()


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        pytest.param("Segurança", "seguranca", id="accents"),
        pytest.param("ＡＢＣ", "abc", id="full width"),
        pytest.param("İstanbul", "istanbul", id="a capital that lowers to two characters"),
        pytest.param("straße", "strase", id="sharp s keeps its length"),
        pytest.param("أحمد", "احمد", id="hamza carriers"),
    ],
)
def test_folding_keeps_the_length(text: str, folded: str) -> None:
    """One character in, one out, so that positions stay."""
    assert fold(text).text == folded
    assert len(fold(text).text) == len(text)


def test_a_decomposed_text_maps_back_to_itself() -> None:
    """Combining marks take the path with an offset table."""
    text = "cafe\u0301 <- here"

    folded = fold(text)

    token = tokenise(folded.text)[1]
    start, end = folded.original(token.start, token.end)
    assert text[start:end] == "here"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        pytest.param("see https://a.example/x now", ["word", "url", "word"], id="address"),
        pytest.param("open ~/notes/a.md", ["word", "path"], id="path"),
        pytest.param("edit config.toml", ["word", "file"], id="file name"),
        pytest.param("at 7:30", ["word", "time"], id="time"),
        pytest.param("提醒", ["cjk", "cjk"], id="characters of a script without spaces"),
        pytest.param("कल बारिश", ["word", "word"], id="vowel signs stay in the word"),
        pytest.param("run --all", ["word", "flag"], id="flag"),
    ],
)
def test_tokens_know_what_kind_of_thing_they_are(text: str, kinds: list[str]) -> None:
    """The object of an instruction is evidence."""
    assert [token.kind for token in tokenise(fold(text).text)] == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        pytest.param("x ```\nrm -rf /\n``` y", ["fence"], id="fence"),
        pytest.param("what does `ls` do", ["code"], id="inline code"),
        pytest.param("he said «запусти»", ["quote"], id="guillemets"),
        pytest.param("say 「電気を消して」", ["quote"], id="corner brackets"),
        pytest.param("> old mail\nnew words", ["mail"], id="quoted mail"),
        pytest.param(
            "2026-01-01 10:00:00 ERROR a\n2026-01-01 10:00:01 ERROR b\nwhy?", ["log"], id="log"
        ),
        pytest.param("it's Anna's list", [], id="apostrophes are no quotes"),
        pytest.param('a lone " sign', [], id="an open quote"),
    ],
)
def test_material_is_told_from_instruction(text: str, kinds: list[str]) -> None:
    """What is quoted, fenced or pasted is masked."""
    assert [span.kind for span in mask(text)] == kinds


def test_material_carries_no_vote(rules: RuleBook) -> None:
    """Quoted words do not speak."""
    quoted = weigh(read('is this polite: "wake me at seven and search the web"', rules), rules)

    assert all(vote.rule.toolset not in {"cronjob", "web"} for vote in quoted.votes)
    assert quoted.lexicon["cronjob"] < 0


def test_a_voice_transcript_is_the_users_own_words(rules: RuleBook) -> None:
    """A message that is one quotation is what the user said."""
    reading = read('"remind me to call Eva"', rules)

    assert [token.text for token in reading.tokens][:2] == ["remind", "me"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(HINT + "look up the ferry", "look up the ferry", id="cron"),
        pytest.param(SKILL + "only the attic", "only the attic", id="skill"),
        pytest.param(SKILL + HINT + "go", "go", id="skill around cron"),
        pytest.param("[Replying to: \"a 'b' c\"]\n\nis it?", "is it?", id="reply"),
        pytest.param("[ASYNC DELEGATION COMPLETE — d1]\ngoal", "", id="delegation"),
        pytest.param("[bug] login fails", "[bug] login fails", id="brackets of the user"),
        pytest.param(
            "hi\n\n[System note: This is the user's very first message ever. x]", "hi", id="sidecar"
        ),
    ],
)
def test_frames_of_the_host_are_peeled(text: str, words: str, rules: RuleBook) -> None:
    """The user's words are left."""
    assert read(text, rules).text == words


def test_frame_text_is_never_the_reason_of_a_vote(rules: RuleBook) -> None:
    """Spans of votes lie inside the user's words."""
    text = SKILL + HINT + "poke me when the oven is hot"

    evidence = weigh(read(text, rules), rules)

    assert evidence.votes
    assert all(text[slice(*vote.span)] in "poke me when the oven is hot" for vote in evidence.votes)


def test_an_unknown_frame_is_not_read(rules: RuleBook) -> None:
    """Something that only the host writes, in a form that nobody here knows."""
    assert read("[IMPORTANT: a notice from the future]\nx", rules).peeled.unknown


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("kannst du mir bitte den Weg zeigen", "de", id="German"),
        pytest.param("где мой телефон и что с ним", "ru", id="Russian"),
        pytest.param("ниже мој телефон и шта је са њим", "sr", id="Serbian"),
        pytest.param("마감이 언제야", "ko", id="Korean"),
        pytest.param("გამარჯობა მეგობარო", "ka", id="Georgian"),
    ],
)
def test_languages_are_told_by_cheap_evidence(text: str, code: str, rules: RuleBook) -> None:
    """Function words and script are enough."""
    assert read(text, rules).tongue.codes[0] == code


def test_two_languages_in_one_message_are_both_named(rules: RuleBook) -> None:
    """People mix."""
    codes = read("schick mir bitte the report as a pdf", rules).tongue.codes

    assert {"de", "en"} <= set(codes)


def test_no_language_is_an_answer(rules: RuleBook) -> None:
    """Nothing to go by, nothing claimed."""
    assert read("xqzt wvvk", rules).tongue.codes == ()


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        pytest.param("erinnere mich", "@remind", id="German"),
        pytest.param("recuérdame eso", "@remind", id="Spanish"),
        pytest.param("提醒我", "@remind", id="Chinese"),
        pytest.param("เตือนฉัน", "@remind", id="Thai"),
        pytest.param("напомни мне", "@remind", id="Russian"),
    ],
)
def test_a_concept_is_one_key_in_every_language(text: str, concept: str, rules: RuleBook) -> None:
    """What is learned in one language serves the others."""
    assert concept in read(text, rules).keys


def test_a_word_means_its_concept_only_in_its_languages(rules: RuleBook) -> None:
    """Vietnamese "dịch" is to translate; German "dich" is not."""
    assert "@translate" not in read("kannst du dich bitte mit der Frage melden", rules).keys


def test_an_instruction_in_the_middle_of_a_long_text_is_read(rules: RuleBook) -> None:
    """Above the window, request lines are read beside head and tail."""
    filler = "The committee met and went through its papers without haste.\n" * 200
    text = filler + "please remind me on friday to call the bank\n" + filler

    reading = read(text, rules)

    assert len(text) > 2 * WINDOW
    assert reading.windowed
    assert "@remind" in reading.keys


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("don't search the web, just guess", id="English"),
        pytest.param("sin buscar en internet, ¿quién fue Goya?", id="Spanish"),
        pytest.param("не ищи в интернете, скажи так", id="Russian"),
        pytest.param("不要上网，直接说", id="Chinese"),
    ],
)
def test_a_negated_clause_does_not_ask_for_what_it_names(text: str, rules: RuleBook) -> None:
    """The words of the clause are left out."""
    evidence = weigh(read(text, rules), rules)

    assert "negation" in evidence.flags
    assert evidence.lexicon["web"] < 0
