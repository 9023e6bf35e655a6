"""The parser that Hermes gets."""

from __future__ import annotations

import argparse

import pytest

from hermes_tool_router.console.parser import EPILOG, set_up
from hermes_tool_router.console.run import _COMMANDS


def parser() -> argparse.ArgumentParser:
    """A parser as Hermes makes it."""
    made = argparse.ArgumentParser(prog="hermes tool-router")
    set_up(made)
    return made


def commands(made: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Sub-parsers by name."""
    (action,) = (a for a in made._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


def test_every_command_of_the_parser_is_built_and_no_other() -> None:
    """No command in the help that does nothing."""
    assert set(commands(parser())) == set(_COMMANDS)


@pytest.mark.parametrize("name", sorted(_COMMANDS))
def test_every_command_takes_json(name: str) -> None:
    """Programs can read each answer."""
    more = {"explain": ["x"], "rules": ["check"]}.get(name, [])

    assert parser().parse_args([name, *more, "--json"]).json is True


def test_help_has_examples_and_exit_statuses() -> None:
    """What people look for in --help."""
    text = parser().format_help()

    assert EPILOG.splitlines()[1] in text
    assert "3  refused" in text


@pytest.mark.parametrize(
    "line", ["log --limit 0", "log --limit x", "log --kind other", "rules", "explain", "unknown"]
)
def test_wrong_usage_ends_with_two(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As argparse does it, with a word on the error output."""
    with pytest.raises(SystemExit) as left:
        parser().parse_args(line.split())

    assert left.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        pytest.param(["--since", "last week"], "a date such as", id="no date"),
        pytest.param(["--sessions", "0"], "a whole number from 1 on, got '0'", id="no session"),
        pytest.param(["--sessions", "ten"], "from 1 on, got 'ten'", id="no number"),
        pytest.param(["--html", "/no/such/folder/page.html"], "there is no folder", id="no folder"),
    ],
)
def test_replay_refuses_what_it_cannot_mean(
    wrong: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2 and what was expected, before anything is read."""
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(["replay", *wrong])

    assert caught.value.code == 2
    assert said in capsys.readouterr().err


def test_replay_takes_a_date_or_a_moment() -> None:
    """A day begins at its midnight here; a zone is respected."""
    day = parser().parse_args(["replay", "--since", "2026-05-01"]).since
    moment = parser().parse_args(["replay", "--since", "2026-05-01T00:00:00+00:00"]).since

    assert moment == 1777593600.0
    assert abs(day - moment) <= 14 * 3600
