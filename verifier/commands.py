"""Find the checks in a shell script.

The shell analysis (``calls``) has taken off wrappers and opened ``bash -c``,
containers and remote shells; here the words that are left are matched with
the runner table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..calls.values import Command, Script
from .tables import Runner, Runners
from .targets import script_checks, target_kind
from .values import Kind

__all__ = ["Check", "find_checks", "match"]

_PYTHON = re.compile(r"^(?:python|pypy)[\d.]*w?$")
_MAX_OPERANDS = 4
_ASSIGNED = re.compile(r"^\w+=")
_VERSIONED = re.compile(r"^(.+?)-?\d+(?:\.\d+)*$")
_INTERPRETERS = frozenset(
    ("bash", "sh", "zsh", "dash", "ksh", "php", "node", "ruby", "perl", "bun", "deno", "tsx")
)
_OUTPUT = frozenset((">", ">>", "&>", "&>>", ">|"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check found in a script.

    Attributes:
        runner: what runs it.
        kind: what it looks at; for targets read from the name.
        words: its arguments.
        command: the shell command, with what its status implies.
        hidden: its standard output goes to a file or nowhere.
        forced: an option makes its exit status say nothing.
        skips: an option makes it run no tests.
    """

    runner: Runner
    kind: Kind
    words: tuple[str, ...]
    command: Command
    hidden: bool = False
    forced: bool = False
    skips: bool = False


def find_checks(script: Script, runners: Runners) -> tuple[Check, ...]:
    """All checks in the order in which they may run; idle forms are left out."""
    found: list[Check] = []
    for visit in script.walk():
        command = visit.command
        if visit.script.language != "shell" or not command.args:
            continue
        matched = match(command.argv, runners, frozenset(command.wrappers))
        if matched is None:
            continue
        runner, kind, words = matched
        found.append(
            Check(
                runner=runner,
                kind=kind,
                words=words,
                command=command,
                hidden=any(
                    redirect.operator in _OUTPUT and redirect.fd in {"", "1"}
                    for redirect in command.redirects
                ),
                forced=_has(words, runner.forced),
                skips=_has(words, runner.skips),
            )
        )
    return tuple(found)


def match(
    argv: Sequence[str], runners: Runners, wrappers: frozenset[str] = frozenset()
) -> tuple[Runner, Kind, tuple[str, ...]] | None:
    """The runner that a command line starts, its kind and its arguments; ``None``: no check."""
    for words in _readings(tuple(argv), runners):
        program = _program(words[0])
        candidates = runners.by_program.get(program, ())
        if not candidates:
            versioned = _VERSIONED.match(program)
            candidates = runners.by_program.get(versioned[1], ()) if versioned else ()
            program = versioned[1] if versioned and candidates else program
        for runner in (*candidates, *runners.anywhere):
            if runner.module and not _is_module(argv):
                continue
            kind = _fits(runner, program, words, runners)
            if kind is not None:
                return runner, kind, tuple(words[1:])
    if wrappers & runners.task_wrappers:
        return _task(argv, runners)
    return None


def _task(argv: Sequence[str], runners: Runners) -> tuple[Runner, Kind, tuple[str, ...]] | None:
    """``hatch run test:pytest`` or ``pdm run lint``: a task by name."""
    name = argv[0]
    if ":" in name and name.rsplit(":", 1)[1] in runners.by_program:
        return match((name.rsplit(":", 1)[1], *argv[1:]), runners)
    kind = target_kind(name, runners) if "/" not in name and "." not in name else None
    by_name = next((r for r in runners.by_program.get("just", ()) if r.target), None)
    return (by_name, kind, tuple(argv[1:])) if kind is not None and by_name else None


def _readings(argv: tuple[str, ...], runners: Runners) -> list[tuple[str, ...]]:
    """The command line, and what it starts if it is an interpreter or a carrier."""
    program = _program(argv[0])
    readings = [argv]
    if _PYTHON.match(program):
        readings = [_python(argv) or argv]
    elif program in _INTERPRETERS:
        script = next(
            (
                i
                for i, w in enumerate(argv)
                if i and not w.startswith("-") and not _ASSIGNED.match(w)
            ),
            None,
        )
        if script is not None and (program != "bash" or "-c" not in argv[:script]):
            readings.append(argv[script:])
    for carrier in runners.through:
        words = carrier.split()
        for reading in list(readings):
            if (_program(reading[0]), *reading[1 : len(words)]) == tuple(words):
                for inner in _behind(reading[len(words) :]):
                    readings.extend(_readings(inner, runners))
    return readings


def _python(argv: tuple[str, ...]) -> tuple[str, ...] | None:
    """``python -X dev -m pytest -q`` as ``pytest -q``, ``python manage.py test`` likewise."""
    index = 1
    while index < len(argv):
        word = argv[index]
        if word == "-m":
            return argv[index + 1 :] or None
        if word in {"-X", "-W", "--check-hash-based-pycs"}:
            index += 2
            continue
        if word == "-c" or not word.startswith("-"):
            return argv[index:] if word != "-c" else None
        index += 1
    return None


def _is_module(argv: Sequence[str]) -> bool:
    return bool(_PYTHON.match(_program(argv[0]))) and "-m" in argv


def _behind(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What a carrier may start: the words from each operand on; ``-m X`` starts X.

    Which options take a value differs, so the first few operands are tried.
    """
    found: list[tuple[str, ...]] = []
    for index, word in enumerate(words):
        if word == "-m":
            return [("python", *words[index:])]
        if not word.startswith("-") and not _ASSIGNED.match(word):
            python = ("python",) if word.endswith(".py") else ()
            found.append((*python, *words[index:]))
    return found[:_MAX_OPERANDS]


def _program(word: str) -> str:
    base = word.replace("\\", "/").rsplit("/", 1)[-1]
    for ending in (".exe", ".cmd", ".bat", ".js", ".mjs", ".phar"):
        base = base.removesuffix(ending)
    return base.lower() if base != "R" else base


def _fits(runner: Runner, program: str, words: Sequence[str], runners: Runners) -> Kind | None:
    arguments = words[1:]
    if _has(arguments, runner.idle) or (runner.needs and not _has(arguments, runner.needs)):
        return None
    if runner.contains and not any(part in " ".join(words) for part in runner.contains):
        return None
    plain = _plain(arguments, runners.values, program)
    for form in runner.run:
        if form[0] and program not in form[0] and words[0] not in form[0]:
            continue
        if len(form) == 1:
            kind = _single(runner, words, plain, runners)
        else:
            kind = _subcommand(runner, form[1:], plain, runners)
        if kind is not None:
            return kind
    return None


def _single(
    runner: Runner, words: Sequence[str], plain: list[str], runners: Runners
) -> Kind | None:
    if runner.script:
        pathlike = "/" in words[0] or words[0].endswith((".sh", ".py", ".bash", ".rb", ".js"))
        return runner.kind if pathlike and script_checks(words[0], runners) else None
    if runner.direct:
        if plain[:1] == ["workspace"]:
            plain = plain[2:]
        return target_kind(plain[0], runners) if plain else None
    return runner.kind


def _subcommand(
    runner: Runner, form: Sequence[frozenset[str]], plain: list[str], runners: Runners
) -> Kind | None:
    if not all(
        index < len(plain) and (not word or plain[index] in word) for index, word in enumerate(form)
    ):
        return runner.bare if not plain and runner.bare and not form[0] else None
    if runner.script:
        return runner.kind if any(script_checks(word, runners) for word in plain[:1]) else None
    if runner.goal:
        goals = runners.goals[runner.goal]
        kinds = [goals[goal] for word in plain for goal in _goal(word) if goal in goals]
        return min(kinds, key=list(Kind).index) if kinds else None
    if runner.target:
        literal = sum(bool(word) for word in form)
        names = plain[literal:]
        names = names[:1] if literal or runner.first else names
        kinds = [kind for name in names if (kind := target_kind(name, runners)) is not None]
        return min(kinds, key=list(Kind).index) if kinds else None
    return runner.kind


def _goal(word: str) -> tuple[str, ...]:
    """A goal with and without its project: ``:app:test``, ``core/test``, ``testOnly a.B``."""
    first = word.split(" ", 1)[0]
    return first, first.rsplit(":", 1)[-1], first.rsplit("/", 1)[-1]


def _plain(words: Sequence[str], values: frozenset[str], program: str) -> list[str]:
    """Words that are neither options, values of options, nor NAME=value."""
    plain: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-") and word != "-":
            skip = word in values
        elif not _ASSIGNED.match(word) and not (program == "cargo" and word.startswith("+")):
            plain.append(word)
    return plain


def _has(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether one of the wanted options is there; a trailing ``=`` takes any value."""
    for want in wanted:
        stem = want.rstrip("=")
        for word in words:
            if word == stem or (want.startswith("-") and word.startswith(stem + "=")):
                return True
    return False
