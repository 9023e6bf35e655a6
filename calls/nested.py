"""Scripts inside a command: ``bash -c``, heredocs, ``ssh``, ``find -exec``, hidden options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Protocol

from .expand import Scope, joined
from .find import find_targets
from .printed import decoded_base64, printed
from .tables import table
from .unwrap import Unwrapped, carried, is_carrier
from .values import Arg, Command, Language, Script

__all__ = ["Interpreter", "Nested", "children_of", "interpreter"]


class Nested(Protocol):
    """Reads a script that stands inside another."""

    def __call__(  # noqa: D102 - described by the class
        self,
        text: str,
        origin: str,
        language: str = "shell",
        /,
        *,
        scope: Scope | None = None,
        zero: bool = True,
        failure: bool = True,
    ) -> Script: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A program that runs code which it is given (see ``data/wrappers.yaml``)."""

    language: Language
    code: frozenset[str]
    encoded: frozenset[str]
    value: frozenset[str]
    stop: frozenset[str]
    cluster: bool
    rest: bool
    stdin: bool


@cache
def _interpreters() -> Mapping[str, Interpreter]:
    found: dict[str, Interpreter] = {}
    for entry in table("wrappers")["interpreters"]:
        known = Interpreter(
            language=entry["language"],
            code=frozenset(entry["code"]),
            encoded=frozenset(entry.get("encoded", ())),
            value=frozenset(entry.get("value", ())),
            stop=frozenset(entry.get("stop", ())),
            cluster=entry.get("cluster", False),
            rest=entry.get("rest", False),
            stdin=entry.get("stdin", False),
        )
        found.update(dict.fromkeys(entry["programs"], known))
    return found


_VERSIONED = re.compile(r"[\d.]+\Z")


def interpreter(program: str) -> Interpreter | None:
    """What a program name stands for; ``python3.12`` counts as ``python``."""
    known = _interpreters().get(program)
    return known or _interpreters().get(_VERSIONED.sub("", program))


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Where an interpreter takes its code from.

    Attributes:
        text: code given as an argument, ``None`` for none.
        reads_stdin: neither code nor a file is named, so it reads standard input.
        encoded: ``text`` was base64.
    """

    text: Arg | None
    reads_stdin: bool
    encoded: bool = False


def code_of(args: Sequence[Arg], known: Interpreter) -> Code:
    """Find the code among an interpreter's words."""
    fold = known.language in {"powershell", "cmd"}
    position = 1
    while position < len(args):
        text = args[position].text
        flag = text.lower() if fold else text
        if flag in known.encoded and position + 1 < len(args):
            plain = decoded_base64(args[position + 1].text, encoding="utf-16-le")
            shown = args[position + 1] if plain is None else Arg(plain)
            return Code(text=shown, reads_stdin=False, encoded=True)
        if flag in known.code or (known.cluster and _closes(text, known.code)):
            rest = args[position + 1 :] if known.rest else args[position + 1 : position + 2]
            return Code(text=joined(tuple(rest)) if rest else None, reads_stdin=False)
        if flag in known.stop:
            return Code(text=None, reads_stdin=False)
        if flag in {"-", "-s", "/dev/stdin"}:
            return Code(text=None, reads_stdin=True)
        attached = next(
            (code for code in known.code if len(code) > 2 and flag.startswith(f"{code}=")), None
        )
        if attached is not None:
            return Code(text=Arg(text[len(attached) + 1 :]), reads_stdin=False)
        if not text.startswith(("-", "+")) and not (known.language == "cmd" and text[:1] == "/"):
            if known.language == "powershell":
                return Code(text=joined(tuple(args[position:])), reads_stdin=False)
            return Code(text=None, reads_stdin=False)
        position += 2 if flag in known.value else 1
    return Code(text=None, reads_stdin=known.stdin)


def _closes(text: str, codes: frozenset[str]) -> bool:
    """``-lc`` and ``-ne`` end in an option that takes code."""
    if len(text) < 3 or text[0] != "-" or text[1] == "-" or len(text) > 8:
        return False
    return f"-{text[-1]}" in codes and text[1:].isalpha()


def children_of(
    command: Command, unwrapped: Unwrapped, before: Sequence[Command], parse: Nested
) -> tuple[list[Script], list[str]]:
    """Scripts that a command runs, and what could not be told.

    Args:
        command: placed in its script, wrappers taken off.
        unwrapped: what the wrappers held.
        before: the commands of the same script so far.
        parse: reads one script.
    """
    program = command.program
    if not unwrapped.strings and not _runs_others(program):
        return [], []  # most commands
    children: list[Script] = [
        parse(text.text, "interpreter") for text in unwrapped.strings if text.text.strip()
    ]
    known = interpreter(program)
    if known is not None:
        children.extend(_interpreted(command, known, before, parse))
    children.extend(_carried(command, parse))
    children.extend(
        parse(text, origin, zero=False, failure=False)
        for origin, text in _texts(command, program)
        if text.strip()
    )
    reader = _OTHERS.get(program)
    if reader is not None:
        children.extend(reader(command, before, parse))
    return children, [reason for child in children for reason in child.reasons]


@lru_cache(maxsize=1_024)
def _runs_others(program: str) -> bool:
    """A program that may run a script; the name alone says so."""
    return (
        program in _BUILTINS
        or program in _OTHERS
        or interpreter(program) is not None
        or is_carrier(program)
        or program in _hidden_options()
    )


def _interpreted(
    command: Command, known: Interpreter, before: Sequence[Command], parse: Nested
) -> Iterator[Script]:
    code = code_of(command.args, known)
    if code.text is not None:
        origin = "decoded" if code.encoded else "interpreter"
        yield parse(code.text.text, origin, known.language)
        return
    yield from _substituted(command, known, parse)
    if not code.reads_stdin:
        return
    stdin = command.stdin_text
    if stdin is not None:
        yield parse(stdin.text, "heredoc", known.language)
    elif 0 < len(command.stdin_from) <= 16:
        texts = [printed(before, index, partly=True) for index in command.stdin_from]
        known_texts = [text for text in texts if text is not None]
        if known_texts and len(known_texts) == len(texts):
            yield parse("".join(known_texts), "stdin", known.language)


def _substituted(command: Command, known: Interpreter, parse: Nested) -> Iterator[Script]:
    """``sh <(echo …)``: what a process substitution prints, where that is plain to see."""
    for child in command.children:
        if child.origin == "process-substitution" and child.commands:
            text = printed(child.commands, len(child.commands) - 1, partly=True)
            if text is not None:
                yield parse(text, "stdin", known.language)


def _carried(command: Command, parse: Nested) -> Iterator[Script]:
    inside = carried(command.args)
    if inside is None:
        return
    if inside.args:
        text = joined(inside.args).text if inside.joined else _quoted(inside.args)
        yield parse(text, inside.origin)
    elif inside.origin in {"remote", "stdin"} and (stdin := command.stdin_text) is not None:
        yield parse(stdin.text, inside.origin)


def _quoted(args: Sequence[Arg]) -> str:
    """Words as shell text that reads back as the same words."""
    return " ".join("'" + arg.text.replace("'", "'\\''") + "'" for arg in args)


_BUILTINS = frozenset({"eval", "trap", "alias"})


def _texts(command: Command, program: str) -> Iterator[tuple[str, str]]:
    """Shell texts in builtins and in options that run programs."""
    words = command.argv
    if program == "eval":
        yield "eval", " ".join(words[1:])
    elif program == "trap" and len(words) > 2:
        yield "trap", words[1] if words[1] != "--" else words[2]
    elif program == "alias":
        for word in words[1:]:
            yield "alias", word.partition("=")[2]
    for entry in _hidden_options().get(program, ()):
        yield from (("hidden", text) for text in _hidden(words, entry))


@cache
def _hidden_options() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Options that run programs, by the program that has them."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for entry in table("wrappers")["hidden"]:
        for program in entry["programs"]:
            found.setdefault(program, []).append(entry)
    return found


def _hidden(words: Sequence[str], entry: Mapping[str, Any]) -> Iterator[str]:
    prefix, after = entry.get("prefix", ""), entry.get("after", "")
    wanted = entry.get("subcommands")
    if wanted and not any(word in wanted for word in words[1:]):
        return
    for index, word in enumerate(words[1:], start=1):
        value = None
        name, equals, attached = word.partition("=")
        if word in entry["options"] and index + 1 < len(words):
            value = " ".join(words[index + 1 :]) if entry.get("rest") else words[index + 1]
        elif equals and name in entry["options"]:
            value = attached
        elif len(word) > 2 and word[:2] in entry["options"] and word[1] != "-" and prefix:
            value = word[2:]
        if value is None or not value.lower().startswith(prefix.lower()):
            continue
        value = value[len(prefix) :]
        if after:
            _, found, value = value.partition(after)
            if not found:
                continue
        yield value


def _find(command: Command, _: Sequence[Command], parse: Nested) -> Iterator[Script]:
    """``find roots … -exec words ;``: the braces stand for what it picks."""
    words = command.argv
    targets = find_targets(words)
    start = -1
    for index, word in enumerate((*words, ";")):
        if start < 0 and word in {"-exec", "-execdir", "-ok", "-okdir"}:
            start = index + 1
        elif start >= 0 and (word == "+" or word.rstrip("\\") in {";", ""}):
            inner: list[Arg] = []
            for inside in words[start:index]:
                if inside == "{}":
                    inner.extend(Arg(target) for target in targets)
                else:
                    inner.append(Arg(inside.replace("{}", targets[0])))
            if inner:
                yield parse(_quoted(inner), "exec", zero=False, failure=False)
            start = -1


def _crontab(command: Command, before: Sequence[Command], parse: Nested) -> Iterator[Script]:
    """A crontab on standard input: the commands behind the five time fields."""
    text: str | None = None
    if (stdin := command.stdin_text) is not None:
        text = stdin.text
    elif 0 < len(command.stdin_from) <= 16:
        texts = [printed(before, index, partly=True) for index in command.stdin_from]
        text = "\n".join(t for t in texts if t is not None) or None
    if text is None:
        return
    for line in text.splitlines()[:64]:
        fields = line.split(None, 1 if line.startswith("@") else 5)
        if len(fields) > 1 and not line.lstrip().startswith("#"):
            yield parse(fields[-1], "scheduled", zero=False, failure=False)


_AWK_SYSTEM = re.compile(r'system\s*\(\s*"((?:[^"\\]|\\.)*)"')
_AWK_PIPE = re.compile(
    r'\|\s*(?:getline\s+)?"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"\s*\|\s*getline'
)


def _awk(command: Command, _: Sequence[Command], parse: Nested) -> Iterator[Script]:
    """``system("…")`` and pipes to commands in an awk program."""
    for word in command.argv[1:]:
        if "system" in word or "|" in word:
            for match in (*_AWK_SYSTEM.finditer(word), *_AWK_PIPE.finditer(word)):
                text = next((group for group in match.groups() if group), "")
                unquoted = text.replace('\\"', '"')
                yield parse(unquoted, "hidden", zero=False, failure=False)


_SED_EXECUTE = re.compile(r"(?:^|[;\n\d$/}])\s*e\s+(\S[^\n]*)")


def _sed(command: Command, _: Sequence[Command], parse: Nested) -> Iterator[Script]:
    """GNU sed's ``e`` command."""
    for word in command.argv[1:]:
        if not word.startswith("-") and (match := _SED_EXECUTE.match(word)):
            yield parse(match[1], "hidden", zero=False, failure=False)


_OTHERS = {
    "find": _find,
    "gfind": _find,
    "crontab": _crontab,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "nawk": _awk,
    "sed": _sed,
    "gsed": _sed,
}
