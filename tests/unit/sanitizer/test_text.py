"""Texts: bounds, marks, known secrets, and what is reported about them."""

from __future__ import annotations

import pytest

from hermes_tool_router.sanitizer import MAX_CHARS, PatternTable, Sanitizer

SECRET = "Tr0ub" + "4dorX9"


def test_harmless_text_comes_back_unchanged_and_complete(sanitizer: Sanitizer) -> None:
    """What holds no secret is sent as it is."""
    result = sanitizer.text("rm -rf /var/lib/app/releases/20260302")

    assert result.text == "rm -rf /var/lib/app/releases/20260302"
    assert (result.complete, result.truncated, result.redactions) == (True, False, 0)
    assert result.kinds == ()
    assert result.original_chars == result.sent_chars == len(result.text)


def test_redaction_alone_leaves_the_text_complete(sanitizer: Sanitizer) -> None:
    """A removed secret is no missing input (design D10)."""
    result = sanitizer.text(f"DB_PASSWORD={SECRET}\nAPI_TOKEN={SECRET}{SECRET}")

    assert result.text == "DB_PASSWORD=[REDACTED:password]\nAPI_TOKEN=[REDACTED:token]"
    assert (result.complete, result.redactions) == (True, 2)
    assert result.kinds == ("password", "token")


@pytest.mark.parametrize("size", [500, 9_000, 200_000, 1_000_000])
def test_cut_text_keeps_head_and_tail_and_marks_the_cut(sanitizer: Sanitizer, size: int) -> None:
    """The end of a command matters as much as its beginning."""
    result = sanitizer.text("HEAD " + "x " * (size // 2) + " TAIL", max_chars=300)

    assert result.text.startswith("HEAD ")
    assert result.text.endswith(" TAIL")
    assert "[CUT: " in result.text
    assert len(result.text) <= 300
    assert (result.complete, result.truncated) == (False, True)


def test_mark_counts_the_characters_that_are_gone(sanitizer: Sanitizer) -> None:
    """A reader can tell how much is missing."""
    result = sanitizer.text("a" * 1000, max_chars=100)

    left = result.text.replace("[CUT: ", "|").replace(" characters]", "|").split("|")
    assert int(left[1]) + len(left[0]) + len(left[2]) == 1000


def test_no_half_of_a_secret_stays_beside_a_cut(sanitizer: Sanitizer) -> None:
    """A secret that lies across a cut goes as a whole, wherever the cut falls."""
    token = "gh" + "p_" + "k7QzW9" + "a1Bc2D" * 5

    for shift in range(0, 60, 7):
        text = "x" * (150 + shift) + " " + token + " " + "y" * 20_000 + " " + token + " " + "z" * 90
        result = sanitizer.text(text, max_chars=300)

        assert "a1Bc2D" not in result.text
        assert result.text.count("[") == result.text.count("]")


@pytest.mark.parametrize("limit", [0, 1, 10, 24, 25, 26, 40, 100])
def test_tiny_bounds_hold(sanitizer: Sanitizer, limit: int) -> None:
    """Bounds hold even where not even the mark fits."""
    result = sanitizer.text("é" * 5_000, max_chars=limit, max_bytes=limit)

    assert len(result.text) <= limit
    assert len(result.text.encode()) <= limit
    assert result.truncated


def test_bytes_are_bounded_in_utf8(sanitizer: Sanitizer) -> None:
    """A character can take four bytes; none is split."""
    result = sanitizer.text("𝒳" * 1_000, max_bytes=401)

    assert len(result.text.encode()) <= 401
    assert result.text.startswith("𝒳")
    assert result.text.endswith("𝒳")


def test_no_caller_can_lift_the_bound_on_characters(sanitizer: Sanitizer) -> None:
    """131,072 characters is the most that is ever looked at or sent."""
    result = sanitizer.text("word " * 100_000, max_chars=10**9)

    assert result.sent_chars <= MAX_CHARS
    assert result.truncated


def test_text_that_was_cut_before_stays_incomplete(sanitizer: Sanitizer) -> None:
    """A second pass cannot turn a cut text into a whole one."""
    first = sanitizer.text("a" * 1_000, max_chars=100)

    second = sanitizer.text(first.text)

    assert second.text == first.text
    assert (second.complete, second.truncated) == (False, True)


def test_result_can_always_be_encoded(sanitizer: Sanitizer) -> None:
    """Lone surrogates, which no encoder takes, are replaced."""
    result = sanitizer.text("a\ud800b\udfff")

    assert result.text == "a\ufffdb\ufffd"


@pytest.mark.parametrize("thing", [None, 3, 2.5, b"bytes", ["list"], object(), float("nan"), int])
def test_what_is_no_string_is_named_by_its_type(sanitizer: Sanitizer, thing: object) -> None:
    """Nothing raises, and nothing unknown counts as seen."""
    result = sanitizer.text(thing)

    assert result.text == f"<{type(thing).__name__}>"
    assert not result.complete


def test_subclass_of_str_cannot_run_code(sanitizer: Sanitizer) -> None:
    """The plain string is taken past any overridden method."""

    class Hostile(str):
        def __str__(self) -> str:
            raise RuntimeError

        def __len__(self) -> int:
            raise RuntimeError

    assert sanitizer.text(Hostile("plain")).text == "plain"


@pytest.mark.parametrize(
    "text",
    [
        "the value is zebra crossing 77, as agreed",
        "curl https://x.example/?q=zebra%20crossing%2077",
        "q=zebra+crossing+77",
        "emVicmEgY3Jvc3NpbmcgNzc",
        "zebra\u200b crossing 77",
    ],
    ids=["plain", "percent", "plus", "base64", "zero width"],
)
def test_known_secret_goes_in_every_form(table: PatternTable, text: str) -> None:
    """Values of the live environment go without any label beside them."""
    sanitizer = Sanitizer(table, secrets={"ODD_NAME": "zebra crossing 77"})

    result = sanitizer.text(text)

    assert result.kinds == ("environment",)
    assert "crossing" not in result.text
    assert "emVi" not in result.text


@pytest.mark.parametrize(
    "text", ["curl ", "mysql |", "zip \n", "redis-cli ;", "password:", "--token"]
)
def test_what_ends_where_a_secret_would_begin_raises_nothing(
    sanitizer: Sanitizer, text: str
) -> None:
    """A command without arguments, a label without a value."""
    assert sanitizer.text(text).text == text


def test_short_known_values_are_ignored(table: PatternTable) -> None:
    """A three-letter secret would hit ordinary words."""
    sanitizer = Sanitizer(table, secrets={"PIN": "abc"})

    assert sanitizer.text("abc abc").text == "abc abc"


def test_marker_inside_a_secret_does_not_hide_it(sanitizer: Sanitizer) -> None:
    """Writing a marker into a value is no way around."""
    result = sanitizer.text(f"password=[REDACTED:x]{SECRET}")

    assert SECRET not in result.text


def test_for_display_shows_what_is_invisible(sanitizer: Sanitizer) -> None:
    """A human must see what a terminal would hide."""
    shown = sanitizer.for_display(f"ls\x1b[2J\u202e --token {SECRET}{SECRET}")

    assert shown == "ls\\e[2J\\u202e --token [REDACTED:token]"


def test_a_letter_that_grows_when_lowered_hides_nothing(sanitizer: Sanitizer) -> None:
    """Case is folded letter by letter there, so that positions stay."""
    token = "AKIA" + "Q3EG" * 4

    assert token not in sanitizer.text(f"İstanbul: {token}").text
