"""Find secrets in the arguments of command line tools."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from .hints import Hints
from .judge import is_number, is_path, is_placeholder, is_reference
from .lazy import lazy
from .table import Command, PatternTable
from .values import Span

__all__ = ["find_arguments"]

_WORD = lazy(r"""(?:"[^"\n]{0,400}"|'[^'\n]{0,400}'|[^\s"'|;&<>])+""")
_END = lazy(r"[\n|;&<>]")
_REACH = 1000
"""Characters of a command that are read."""


def find_arguments(hints: Hints, table: PatternTable) -> Iterator[Span]:
    """Yield the secrets that commands of the table are given."""
    for command, name in table.commands_in(hints):
        yield from _calls(hints.text, hints.lower, name, command)


def _calls(text: str, lower: str, name: str, command: Command) -> Iterator[Span]:
    done = 0
    at = lower.find(name)
    while at >= 0:
        end = at + len(name)
        if at >= done and _is_command(text, at, end):
            stop = _END.search(text, end, end + _REACH)
            done = stop.start() if stop else min(len(text), end + _REACH)
            yield from _arguments(text, end, done, command)
        at = lower.find(name, end)


def _is_command(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else ""
    if text.startswith(".exe", end):
        after = text[end + 4 : end + 5]
    return after in {" ", "\t"} and (before.isspace() or before in "/\\$(`\"'|;&@:>")


def _arguments(text: str, at: int, stop: int, command: Command) -> Iterator[Span]:
    words = list(_WORD.finditer(text, at, stop))
    for here, following in zip_longest(words, words[1:]):
        yield from _inside(here.start(), here.group(), command)
        if following is None:
            continue
        if here.group() in command.flags:
            yield from _secret(following.start(), following.group())
        elif _is_flag(here.group(), command.pairs):
            yield from _pair(following.start(), following.group())


def _inside(at: int, word: str, command: Command) -> Iterator[Span]:
    """Yield the secret in a word that also holds its flag."""
    for flag in command.attached:
        if word.startswith(flag) and len(word) > len(flag) and not word.startswith("--"):
            yield from _secret(at + len(flag), word[len(flag) :])
    head, sign, rest = word.partition("=")
    if sign and head in command.flags:
        yield from _secret(at + len(head) + 1, rest)
    elif sign and head in command.pairs:
        yield from _pair(at + len(head) + 1, rest)
    for flag in command.pairs:
        if len(flag) == 2 and word.startswith(flag) and ":" in word:
            yield from _pair(at + 2, word[2:])


def _is_flag(word: str, flags: tuple[str, ...]) -> bool:
    """Whether a word is one of the flags, or short flags together that end in one."""
    if word in flags:
        return True
    together = word[:1] == "-" and word[1:].isalpha() and 2 < len(word) < 6
    return together and f"-{word[-1]}" in flags


def _secret(at: int, word: str) -> Iterator[Span]:
    value = word.strip("\"'")
    at += len(word) - len(word.lstrip("\"'"))
    for prefix in ("pass:", "s:"):  # openssl -passin pass:x, iwconfig key s:x
        if value.startswith(prefix):
            value, at = value[len(prefix) :], at + len(prefix)
    if _counts(value):
        yield Span(at, at + len(value), "password")


def _pair(at: int, word: str) -> Iterator[Span]:
    value = word.strip("\"'")
    at += len(word) - len(word.lstrip("\"'"))
    cut = min(
        (i for i in (value.find(":"), value.find("%"), value.find(",")) if i >= 0), default=-1
    )
    if cut >= 0 and _counts(value[cut + 1 :], short=True):
        yield Span(at + cut + 1, at + len(value), "password")


def _counts(value: str, *, short: bool = False) -> bool:
    """Whether an argument is a secret: no port, mapping, path or reference."""
    if len(value) < (2 if short else 4) or value.startswith("-"):
        return False
    if is_reference(value) or is_placeholder(value) or is_path(value):
        return False
    if value in {"public", "private"}:  # the communities that every SNMP manual uses
        return False
    return short or not (is_number(value) or ":" in value or "=" in value or "/" in value)
