"""Perl, Ruby, JavaScript, PHP and the like: calls with literal arguments, without a parser.

No syntax tree here, so only what is written as a literal is seen; what hides
from this is not called complete by anybody: a text that builds code at run
time is reported as incomplete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .nested import Nested
from .tables import table
from .values import Arg, Command, Script

__all__ = ["read_other", "read_windows"]

MAX_CALLS = 500
"""Calls of one text that are looked at."""

_CALL = re.compile(
    r"""([A-Za-z_][\w]*[!?]?)\s*[\(\s]\s*[\(\[]?\s*(?:'((?:[^'\\\n]|\\.){0,4096})'|"((?:[^"\\\n]|\\.){0,4096})"|%q\(([^)\n]{0,4096})\)|`([^`\n]{0,4096})`)"""
)
_BACKTICKS = re.compile(r"`([^`\n]{1,4096})`|%x\(([^)\n]{1,4096})\)|qx\(([^)\n]{1,4096})\)")
_SHELL_SCRIPT = re.compile(r'do shell script\s+"((?:[^"\\]|\\.){0,8192})"')
_MORE = re.compile(
    r"""\s*,\s*\[?\s*(?:'((?:[^'\\\n]|\\.){0,1024})'|"((?:[^"\\\n]|\\.){0,1024})")"""
)


def read_other(text: str, language: str, origin: str, parse: Nested) -> Script:
    """Calls with literal arguments in code of any language.  Linear in its length."""
    commands: list[Command] = []
    shells: Sequence[str] = table("code")["other"]["shell"]
    for name, args, quoted_by_backtick in _calls(text):
        children: tuple[Script, ...] = ()
        if name in shells and args:
            shown = " ".join(args)
            children = (parse(shown, "interpreter", zero=False, failure=False),)
        del quoted_by_backtick
        words = tuple(Arg(arg) for arg in args)
        commands.append(Command(args=(Arg(f"code:{name}"), *words), children=children))
        if len(commands) >= MAX_CALLS:
            break
    for body in _shell_texts(text, language):
        child = parse(body, "interpreter", zero=False, failure=False)
        commands.append(Command(args=(Arg("code:backtick"), Arg(body)), children=(child,)))
        if len(commands) >= MAX_CALLS:
            break
    full = len(commands) >= MAX_CALLS
    return Script(
        commands=tuple(commands),
        text=text,
        language="other",
        origin=origin,
        complete=not full,
        reasons=("too much code to judge",) if full else (),
    )


def _calls(text: str) -> Iterator[tuple[str, list[str], bool]]:
    for match in _CALL.finditer(text):
        name = match[1].lower().rstrip("!?")
        first = next((group for group in match.groups()[1:] if group is not None), "")
        args = [_plain(first)]
        position = match.end()
        while len(args) < 32 and (more := _MORE.match(text, position)) is not None:
            args.append(_plain(more[1] if more[1] is not None else more[2]))
            position = more.end()
        yield name, args, match[5] is not None


def _shell_texts(text: str, language: str) -> Iterator[str]:
    if language in {"perl", "ruby", "php", "other"}:
        for match in _BACKTICKS.finditer(text):
            yield next(group for group in match.groups() if group is not None)
    for match in _SHELL_SCRIPT.finditer(text):
        yield _plain(match[1])


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


_UNLIKE_SHELL = {"type": Arg("get-content"), "rmdir": Arg("rd"), "md": Arg("mkdir")}
"""Commands of Windows that do something else than a POSIX shell's of the same name."""
_PIECE = re.compile(
    r"""\s*(?:'((?:[^']|'')*)'|"((?:[^"`]|`.)*)"|([;\n]|\|\|?|&&?|[{}()])|((?:[^\s'";|&{}()]|`.)+))"""
)


def read_windows(text: str, language: str, origin: str, parse: Nested) -> Script:
    """PowerShell and ``cmd``: words between separators; no variables, no nesting rules."""
    del parse
    commands: list[Command] = []
    words: list[Arg] = []
    feeding: tuple[int, ...] = ()

    def close(separator: str) -> None:
        nonlocal feeding
        if words:
            words[0] = _UNLIKE_SHELL.get(words[0].text.lower(), words[0])
            commands.append(Command(args=tuple(words), stdin_from=feeding))
            feeding = (len(commands) - 1,) if separator == "|" else ()
            words.clear()
        elif separator != "|":
            feeding = ()

    position = 0
    while position < len(text) and len(commands) < MAX_CALLS:
        match = _PIECE.match(text, position)
        if match is None or match.end() == position:
            position += 1
            continue
        position = match.end()
        single, double, separator, bare = match.groups()
        if separator is not None:
            close(separator)
        else:
            words.append(Arg(next(part for part in (single, double, bare) if part is not None)))
    close("\n")
    known = "powershell" if language == "powershell" else "cmd"
    return Script(
        commands=tuple(commands),
        text=text,
        language="powershell" if known == "powershell" else "cmd",
        origin=origin,
        complete=position >= len(text),
        reasons=() if position >= len(text) else ("too much code to judge",),
    )
