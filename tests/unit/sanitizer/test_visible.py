"""What a human is shown holds nothing invisible."""

from __future__ import annotations

import unicodedata

import pytest

from hermes_tool_router.sanitizer import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("ls -la", "ls -la", id="plain"),
        pytest.param("a\tb\nc", "a\tb\nc", id="tab and newline stay"),
        pytest.param("\x1b[31mred", "\\e[31mred", id="ansi"),
        pytest.param("a\rb", "a\\rb", id="carriage return"),
        pytest.param("rm\u202etxt", "rm\\u202etxt", id="bidi override"),
        pytest.param("a\u200bb", "a\\u200bb", id="zero width"),
        pytest.param("\x9b31m", "\\x9b31m", id="c1 control"),
        pytest.param("\U000e0041", "\\U000e0041", id="tag character"),
        pytest.param("a\u00a0b", "a b", id="odd space"),
        pytest.param("Größe 日本", "Größe 日本", id="letters of any script"),
        pytest.param("\x00", "\\0", id="nul"),
        pytest.param("\ud800", "\\ud800", id="surrogate"),
    ],
)
def test_invisible_characters_are_written_out(text: str, shown: str) -> None:
    """Each kind has one readable form."""
    assert visible(text) == shown


def test_no_control_or_format_character_is_left_anywhere_in_unicode() -> None:
    """Every character of categories Cc, Cf, Zl, Zp and Cs is replaced, but tab and newline."""
    every = "".join(map(chr, range(0x110000)))

    left = {c for c in visible(every) if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp", "Cs"}}

    assert left == {"\t", "\n"}
