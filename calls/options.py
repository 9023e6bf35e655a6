"""The words of a command as options, values and operands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from .tables import table
from .values import Arg

__all__ = ["Grammar", "Options", "grammar_of", "reads_what_it_is_given", "split_options"]

MAX_WORDS = 2_048
"""Words of one command that are looked at."""

_WINDOWS = frozenset({"rd", "rmdir", "del", "erase", "format", "copy", "xcopy", "reg", "schtasks"})


_CMDLET = re.compile(
    r"(?:get|set|new|remove|clear|stop|restart|register|unregister|invoke|enable|disable|rename|move"
    r"|copy|out|test|resolve|select|measure|format|initialize)-[a-z]\w+\Z"
)
"""PowerShell's commands: a verb and a noun; their options are words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How one program reads its words (``data/programs.yaml``)."""

    known: bool = False
    value: frozenset[str] = frozenset()
    dash: bool = False
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Words of a command, sorted out.

    Attributes:
        flags: every option given, clusters taken apart, values left out.
        values: values by option; several where it was given several times.
        operands: everything else, in order.
    """

    flags: frozenset[str]
    values: Mapping[str, tuple[Arg, ...]]
    operands: tuple[Arg, ...]

    def value_of(self, *names: str) -> tuple[Arg, ...]:
        """Values of any of the options named, in the order of the names."""
        return tuple(arg for name in names for arg in self.values.get(name, ()))


@cache
def grammar_of(program: str) -> Grammar:
    """The option grammar of a program; a general one where it is not in the table."""
    programs: Mapping[str, Mapping[str, Any]] = table("programs")["programs"]
    entry = programs.get(program) or programs.get(program.rstrip("0123456789."))
    if entry is None:
        return Grammar(dash=_CMDLET.match(program) is not None, entry={})
    return Grammar(
        known=True,
        value=frozenset(entry.get("value", ())),
        dash=entry.get("dash", False),
        entry=entry,
    )


@cache
def _readers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    raw = table("programs")
    return re.compile(raw["reading"]), re.compile(raw["not_reading"])


@lru_cache(maxsize=1_024)
def reads_what_it_is_given(function: str) -> bool:
    """A function of Python and the like, known by its name alone, that reads or sends a file."""
    reading, not_reading = _readers()
    return reading.search(function) is not None and not_reading.search(function) is None


def split_options(args: Sequence[Arg], program: str) -> Options:
    """Sort the words behind the program name.  Linear; never raises."""
    grammar = grammar_of(program)
    flags: set[str] = set()
    values: dict[str, list[Arg]] = {}
    operands: list[Arg] = []
    words = args[1:MAX_WORDS]
    position = 0
    while position < len(words):
        arg = words[position]
        text = arg.text
        following = words[position + 1] if position + 1 < len(words) else None
        position += 1
        if text == "--":
            operands.extend(words[position:])
            break
        if (text.startswith("--") and len(text) > 2) or (grammar.dash and _is_option(text)):
            name, equals, attached = text.partition("=")
            name = name.lower() if grammar.dash and program.count("-") else name
            flags.add(name)
            if equals:
                values.setdefault(name, []).append(Arg(attached, arg.resolved, names=arg.names))
            elif name in grammar.value and following is not None:
                values.setdefault(name, []).append(following)
                position += 1
        elif _is_option(text):
            position += _cluster(arg, following, grammar, flags, values)
        elif program in _WINDOWS and text.startswith("/") and 1 < len(text) <= 3:
            flags.add(text.lower())
        else:
            operands.append(arg)
    return Options(
        flags=frozenset(flags),
        values={name: tuple(given) for name, given in values.items()},
        operands=tuple(operands),
    )


def _is_option(text: str) -> bool:
    return len(text) > 1 and text[0] == "-" and text[1] != "-"


def _cluster(
    arg: Arg,
    following: Arg | None,
    grammar: Grammar,
    flags: set[str],
    values: dict[str, list[Arg]],
) -> int:
    """``-rf``, ``-ofile``, ``-o file``; returns how many further words it took."""
    text = arg.text
    flags.add(text if len(text) <= 16 else text[:2])
    if text in grammar.value:
        if following is None:
            return 0
        values.setdefault(text, []).append(following)
        return 1
    for index, letter in enumerate(text[1:17], start=1):
        name = f"-{letter}"
        flags.add(name)
        if name in grammar.value:
            rest = text[index + 1 :]
            if rest:
                values.setdefault(name, []).append(Arg(rest, arg.resolved, names=arg.names))
                return 0
            if following is not None:
                values.setdefault(name, []).append(following)
                return 1
            return 0
    return 0
