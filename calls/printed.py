"""What a pipeline prints, where that can be told without running it.

``echo … | base64 -d | sh`` hides its command from a reader, not from us.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Sequence

from .values import Command
from .words import ansi_c

__all__ = ["MAX_PRINTED", "all_printed", "decoded_base64", "printed"]

MAX_PRINTED = 65_536
"""Characters; a longer text counts as unknown."""

_FORMAT = re.compile(r"%(?:-?\d*(?:\.\d+)?)([sbdiqx%])")
_NOT_HEX = re.compile(r"[^0-9a-fA-F]")


MAX_FILTERS = 16
"""Commands of one pipeline, and members of one group, that are followed."""


def printed(
    commands: Sequence[Command], last: int, *, partly: bool = False, left: int = MAX_FILTERS
) -> str | None:
    """Standard output of ``commands[last]``, ``None`` where only running it would tell.

    Args:
        commands: one script, in order.
        last: index of the command whose output is wanted.
        partly: parts that are not resolved may stand as written, ``$NAME``.
        left: commands that may still be followed upstream.
    """
    command = commands[last]
    if left <= 0 or command.program not in _PRINTERS:
        return None
    source: str | None = None
    if 0 < len(command.stdin_from) <= MAX_FILTERS:
        texts = [
            printed(commands, index, partly=partly, left=left - 1) for index in command.stdin_from
        ]
        known = [text for text in texts if text is not None]
        source = "".join(known) if len(known) == len(texts) else None
    elif (stdin := command.stdin_text) is not None and (partly or stdin.resolved):
        source = stdin.text
    handler = _PRINTERS.get(command.program)
    if handler is None or not (partly or all(arg.resolved for arg in command.args)):
        return None
    if any(redirect.operator in {">", ">>", "&>"} for redirect in command.redirects):
        return None
    text = handler(command.argv[1:], source)
    return text if text is not None and len(text) <= MAX_PRINTED else None


def all_printed(commands: Sequence[Command]) -> str | None:
    """What a script prints, ``None`` where only running it would tell."""
    outputs = [
        printed(commands, index)
        for index, command in enumerate(commands)
        if command.position == command.length - 1 and command.operator != "||"
    ][:16]
    known = [text for text in outputs if text is not None]
    return "".join(known) if known and len(known) == len(outputs) else None


def decoded_base64(text: str, *, encoding: str = "utf-8") -> str | None:
    """Text behind base64, blanks and missing padding forgiven; ``None`` if it is none."""
    compact = "".join(text.split())
    if len(compact) < 4:
        return None
    try:
        raw = base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
        return raw.decode(encoding)
    except (binascii.Error, ValueError):
        return None


def _echo(words: Sequence[str], _: str | None) -> str:
    rest = list(words)
    escapes = newline = False
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        escapes = escapes or "e" in rest[0]
        newline = newline or "n" in rest[0]
        rest.pop(0)
    text = " ".join(rest)
    return (ansi_c(text) if escapes else text) + ("" if newline else "\n")


def _printf(words: Sequence[str], _: str | None) -> str | None:
    rest = list(words)
    if rest and rest[0] == "--":
        rest.pop(0)
    if not rest or rest[0] == "-v":
        return None
    template, values = ansi_c(rest[0]), rest[1:]
    slots = sum(1 for match in _FORMAT.finditer(template) if match[1] != "%")
    rounds = max(1, -(-len(values) // slots)) if slots else 1
    remaining = iter(values)

    def filled(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        value = next(remaining, "")
        return ansi_c(value) if match[1] == "b" else value

    return "".join(_FORMAT.sub(filled, template) for _ in range(min(rounds, 256)))


def _cat(words: Sequence[str], source: str | None) -> str | None:
    return source if all(word == "-" for word in words) else None


def _base64(words: Sequence[str], source: str | None) -> str | None:
    if source is None:
        return None
    if any(re.fullmatch(r"-\w*[dD]\w*|--decode", word) for word in words):
        return decoded_base64(source)
    return base64.b64encode(source.encode("utf-8", "surrogatepass")).decode("ascii")


def _xxd(words: Sequence[str], source: str | None) -> str | None:
    if source is None or not any(re.fullmatch(r"-\w*r\w*", word) for word in words):
        return None
    digits = _NOT_HEX.sub("", source)
    try:
        return bytes.fromhex(digits).decode("utf-8")
    except ValueError:
        return None


def _openssl(words: Sequence[str], source: str | None) -> str | None:
    if source is None or not {"base64", "-base64"} & set(words) or "-d" not in words:
        return None
    return decoded_base64(source)


def _tr(words: Sequence[str], source: str | None) -> str | None:
    if source is None or len(words) != 2:
        return None
    if words[0] == "-d":
        return "".join(char for char in source if char not in ansi_c(words[1]))
    old, new = (_tr_set(word) for word in words)
    if not old or not new:
        return None
    new += new[-1] * (len(old) - len(new))
    return source.translate(str.maketrans(old, new[: len(old)]))


def _tr_set(text: str) -> str:
    text = ansi_c(text)

    def filled(match: re.Match[str]) -> str:
        low, high = ord(match[1]), ord(match[2])
        return "".join(map(chr, range(low, high + 1))) if 0 <= high - low < 256 else match[0]

    return re.sub(r"(.)-(.)", filled, text)


def _rev(_: Sequence[str], source: str | None) -> str | None:
    if source is None:
        return None
    return "\n".join(line[::-1] for line in source.split("\n"))


def _rot13(_: Sequence[str], source: str | None) -> str | None:
    return None if source is None else codecs.encode(source, "rot13")


def _which(words: Sequence[str], _: str | None) -> str | None:
    """``$(which rm)`` and ``$(command -v rm)`` name the program itself."""
    names = [word for word in words if not word.startswith("-")]
    return names[0] if len(names) == 1 else None


def _pwd(_: Sequence[str], __: str | None) -> str:
    return "."


_PRINTERS: dict[str, Callable[[Sequence[str], str | None], str | None]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tee": lambda _, source: source,
    "base64": _base64,
    "gbase64": _base64,
    "xxd": _xxd,
    "openssl": _openssl,
    "tr": _tr,
    "rev": _rev,
    "rot13": _rot13,
    "which": _which,
    "command": _which,
    "pwd": _pwd,
}
