"""registry_adapter.own_rules: the rules of a home, read again when the file changes."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from hermes_tool_router.intent.compile import BookError
from hermes_tool_router.probe.home import SOURCE
from hermes_tool_router.registry_adapter.own_rules import HomeRules, own_rules, own_rules_file
from hermes_tool_router.registry_adapter.resources import rule_book

BOOK = rule_book()
RULE = 'rules:\n  - {id: "own.ledger", toolset: "file", any: ["ledger"], weight: 4.0}\n'


def write(home: Path, text: str, at: int) -> None:
    """Write the file as an editor would, at a time of its own."""
    path = own_rules_file(home)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at, at))


def test_without_a_file_the_book_is_the_shipped_one(tmp_path: Path) -> None:
    """The very same object."""
    assert HomeRules()(tmp_path, BOOK) is BOOK


def test_a_change_holds_from_the_next_message_on(tmp_path: Path) -> None:
    """And as long as nothing changes nothing is read."""
    rules = HomeRules()
    write(tmp_path, RULE, at=1_000)

    first = rules(tmp_path, BOOK)
    again = rules(tmp_path, BOOK)
    write(tmp_path, "", at=2_000)
    after = rules(tmp_path, BOOK)

    assert first.rules[-1].id == "own.ledger"
    assert again is first
    assert after.rules == BOOK.rules


def test_the_file_of_the_documentation_holds(tmp_path: Path) -> None:
    """Its key ``off`` stands bare, which YAML alone would read as false."""
    document = (SOURCE / "docs" / "rules.md").read_text(encoding="utf-8")
    example = document.partition("## Rules of your own")[2].partition("```yaml\n")[2]
    write(tmp_path, example.partition("```")[0], at=1_000)

    found = own_rules(tmp_path)

    assert [rule.id for rule in found.rules] == ["own.ledger"]
    assert found.shadow == {"own.ledger"}
    assert found.off == {"session_search.our-past"}


def test_words_that_yaml_takes_for_booleans_are_patterns(tmp_path: Path) -> None:
    """Unquoted, as people write them."""
    write(tmp_path, "rules: [{id: own.on, toolset: file, any: [on, yes], weight: 4}]", at=1_000)

    found = own_rules(tmp_path)

    assert [rule.id for rule in found.rules] == ["own.on"]


def test_a_mistake_is_told_in_one_line(tmp_path: Path) -> None:
    """It goes into a log and into ``status``."""
    write(tmp_path, "rules: [", at=1_000)

    with pytest.raises(BookError, match=r"^rules\.yaml does not read: .* line 1, column \d+.*$"):
        own_rules(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "rules: [{id: own.a, toolset: file, any: [x], weight: 1, weight: 2}]",
            "'weight' stands twice in .* line 1",
            id="a key twice",
        ),
        pytest.param(
            "rules: [{id: own.a, toolset: file, any: [x], weight: .nan}]",
            "weight must be a number from -12 to 12, not nan",
            id="no number",
        ),
        pytest.param("rules: " + "[" * 5_000, "nested too deeply", id="deep"),
        pytest.param("# " + "x" * 300_000, "at most 262,144 are read", id="long"),
        pytest.param(
            "rules: ["
            + ", ".join(f"{{id: own.a{n}, toolset: file, any: [x]}}" for n in range(501))
            + "]",
            "501 rules; at most 500",
            id="many",
        ),
    ],
)
def test_what_would_mislead_or_hold_up_a_turn_is_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    """A weight that is no number would drop its toolset from every comparison."""
    write(tmp_path, text, at=1_000)

    with pytest.raises(BookError, match=said):
        own_rules(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Nor is anything else that is no file."""
    path = own_rules_file(tmp_path)
    path.parent.mkdir()
    os.mkfifo(path)

    with pytest.raises(BookError, match="not a plain file"):
        own_rules(tmp_path)


@pytest.mark.parametrize("text", ["rules: [", "rules: 3", "off: [web.nothing]", "\x00"])
def test_a_file_that_is_wrong_is_left_out_with_one_warning(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The shipped rules go on."""
    rules = HomeRules()
    write(tmp_path, text, at=1_000)

    with caplog.at_level(logging.WARNING):
        found = [rules(tmp_path, BOOK) for _ in range(3)]

    assert {book.version for book in found} == {BOOK.version}
    assert all(book.rules == BOOK.rules for book in found)
    assert len(caplog.records) == 1
    assert "own rules are left out" in caplog.text


def test_another_home_has_its_own(tmp_path: Path) -> None:
    """A gateway serves several."""
    rules = HomeRules()
    (tmp_path / "a").mkdir()
    write(tmp_path / "a", RULE, at=1_000)

    assert rules(tmp_path / "a", BOOK) is not BOOK
    assert rules(tmp_path / "b", BOOK) is BOOK
