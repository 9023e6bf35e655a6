"""Takes wrappers off a command: ``sudo -u x env A=1 timeout 5 rm …`` → ``rm …``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .tables import table
from .values import Arg, Assignment

__all__ = ["Carried", "Unwrapped", "carried", "is_carrier", "program_name", "unwrap"]

MAX_WRAPPERS = 12
"""Wrappers around one command; more of them is nothing a person writes."""

_SEPARATORS = frozenset({":::", ":::+", "::::"})
"""GNU parallel: its arguments follow instead of coming from standard input."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spec:
    """How one wrapper reads its own words (see ``data/wrappers.yaml``)."""

    value: frozenset[str] = frozenset()
    skip: int = 0
    env: bool = False
    query: frozenset[str] = frozenset()
    joined: bool = False
    command: frozenset[str] = frozenset()
    stdin: bool = False
    child: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwrapped:
    """What is inside, and what was around it.

    Attributes:
        args: the inner command; the last wrapper itself where it holds none.
        strings: shell texts that the wrappers run (``su -c``, ``env -S``, ``watch …``).
        reads_stdin: words of the command come from standard input (``xargs``).
        replaced: the marker that ``xargs -I`` replaces, empty for none.
    """

    args: tuple[Arg, ...]
    names: tuple[str, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()
    assignments: tuple[Assignment, ...] = ()
    strings: tuple[Arg, ...] = ()
    reads_stdin: bool = False
    replaced: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What a carrier (``ssh``, ``docker exec``) runs on the other side.

    Attributes:
        args: the words of the inner command, empty for none.
        joined: they are one shell text.
        origin: the origin of the inner script.
    """

    args: tuple[Arg, ...]
    joined: bool
    origin: str


@dataclass(slots=True)
class _Own:
    """The words of one wrapper, taken apart."""

    end: int
    assignments: list[Assignment]
    strings: list[Arg]
    query: bool = False
    replaced: str = ""


@cache
def _specs(section: str) -> Mapping[str, _Spec]:
    raw: Mapping[str, Mapping[str, Any]] = table("wrappers")[section]
    return {
        name: _Spec(
            value=frozenset(entry.get("value", ())),
            skip=entry.get("skip", 0),
            env=entry.get("env", False),
            query=frozenset(entry.get("query", ())),
            joined=entry.get("joined", False),
            command=frozenset(entry.get("command", ())),
            stdin=entry.get("stdin", False),
            child=entry.get("child", ""),
            after=entry.get("after", ""),
        )
        for name, entry in raw.items()
    }


@cache
def _heads(section: str) -> frozenset[str]:
    return frozenset(name.split(" ")[0] for name in _specs(section))


def program_name(text: str) -> str:
    """Last path component in lower case, ``.exe`` taken off."""
    return text.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")


def unwrap(args: Sequence[Arg], set_before: Sequence[Assignment] = ()) -> Unwrapped:
    """Take off every wrapper.  Linear in the number of words; never raises.

    Args:
        args: the words of a command.
        set_before: variables set in front of it; they come first in the result.
    """
    if not args or program_name(args[0].text) not in _heads("wrappers"):
        return Unwrapped(args=tuple(args), assignments=tuple(set_before))
    names: list[str] = []
    words: list[tuple[str, ...]] = []
    assignments = list(set_before)
    strings: list[Arg] = []
    reads_stdin, replaced = False, ""
    current = tuple(args)
    for _ in range(MAX_WRAPPERS):
        found = _find(current, "wrappers")
        if found is None:
            break
        name, spec, start = found
        own = _own_words(current, start, spec)
        if own.query:
            break
        assignments.extend(own.assignments)
        inner = current[own.end :]
        if spec.stdin:
            inner = tuple(arg for arg in inner if arg.text not in _SEPARATORS)
        whole = len(inner) == 1 and spec.stdin and " " in inner[0].text
        if (spec.joined or whole) and inner:
            strings.append(_join(inner))
            inner = ()
        strings.extend(own.strings)
        if not inner:
            break
        names.append(name)
        words.append(tuple(arg.text for arg in current[: own.end]))
        reads_stdin = reads_stdin or spec.stdin
        replaced = replaced or own.replaced
        current = inner
    return Unwrapped(
        args=current,
        names=tuple(names),
        words=tuple(words),
        assignments=tuple(assignments),
        strings=tuple(strings),
        reads_stdin=reads_stdin,
        replaced=replaced,
    )


def is_carrier(program: str) -> bool:
    """A program that may run a command on the other side of something."""
    return program in _heads("carriers")


def carried(args: Sequence[Arg]) -> Carried | None:
    """What a carrier runs on the other side; ``None`` for anything else."""
    found = _find(tuple(args), "carriers")
    if found is None:
        return None
    _, spec, start = found
    if spec.after and any(arg.text == spec.after for arg in args):
        position = next(i for i, arg in enumerate(args) if arg.text == spec.after)
        return Carried(args=tuple(args[position + 1 :]), joined=False, origin=spec.child)
    own = _own_words(args, start, spec)
    if own.strings:
        return Carried(args=tuple(own.strings), joined=True, origin=spec.child)
    return Carried(args=tuple(args[own.end :]), joined=spec.joined, origin=spec.child)


def _find(args: tuple[Arg, ...], section: str) -> tuple[str, _Spec, int] | None:
    """The wrapper that these words start with: name, how it reads, index of its first own word."""
    if not args:
        return None
    name = program_name(args[0].text)
    if name not in _heads(section):
        return None
    specs = _specs(section)
    position = 1
    valued = frozenset(table("wrappers")["before_subcommand"].get(name, ()))
    while position < len(args) and args[position].text.startswith("-"):
        position += 2 if args[position].text in valued else 1
    if position < len(args):
        second = f"{name} {args[position].text}"
        third = f"{second} {args[position + 1].text}" if position + 1 < len(args) else ""
        if third in specs:
            return third, specs[third], position + 2
        if second in specs:
            return second, specs[second], position + 1
    return (name, specs[name], 1) if name in specs else None


def _own_words(args: Sequence[Arg], start: int, spec: _Spec) -> _Own:
    """Step over options, assignments and operands that belong to the wrapper."""
    own = _Own(end=start, assignments=[], strings=[])
    position, skip = start, spec.skip
    while position < len(args):
        text = args[position].text
        if text == "--":
            position += 1
            if skip == 0 or skip > 50:
                break
        elif text.startswith("-") and len(text) > 1:
            position = _option(args, position, spec, own)
        elif spec.env and (match := _ASSIGNMENT.match(text)):
            value = Arg(match[2], resolved=args[position].resolved)
            own.assignments.append(Assignment(match[1], value))
            position += 1
        elif skip > 0:
            skip -= 1
            position += 1
        else:
            break
    own.end = min(position, len(args))
    return own


def _option(args: Sequence[Arg], position: int, spec: _Spec, own: _Own) -> int:
    """Step over one option; returns the index behind it."""
    text = args[position].text
    name, equals, attached = text.partition("=")
    own.query = own.query or text in spec.query
    following = args[position + 1] if position + 1 < len(args) else None
    if text.startswith("-I") and spec.stdin:
        own.replaced = text[2:] or (following.text if following else "")
    if name in spec.command:
        if equals:
            own.strings.append(Arg(attached, resolved=args[position].resolved))
            return position + 1
        if following is not None:
            own.strings.append(following)
        return position + 2
    short = next((flag for flag in spec.command if len(flag) == 2 and _closes(text, flag)), None)
    if short is not None and following is not None:  # su -lc 'text'
        own.strings.append(following)
        return position + 2
    return position + (2 if text in spec.value else 1)


def _closes(text: str, flag: str) -> bool:
    """A cluster of short options that ends in this one, such as ``-lc`` for ``-c``."""
    return len(text) > 2 and text[1] != "-" and text.isascii() and text.endswith(flag[1])


def _join(args: Sequence[Arg]) -> Arg:
    return Arg(" ".join(arg.text for arg in args), resolved=all(arg.resolved for arg in args))
