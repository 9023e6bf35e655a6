"""Words of the tree to arguments: variables, substitutions, splitting, braces, tildes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from .tree import Lit, Part, Raw, Sub, Var, Word
from .values import Arg
from .words import braces

__all__ = ["Scope", "Value", "expand", "expand_one", "joined"]

MAX_TEXT = 65_536
"""Characters that one variable may grow to; ``a=$a$a`` in a loop stays harmless."""

_VALUE_UNSEEN = frozenset({":+", "+", "#"})
"""``${x:+set}`` and ``${#x}`` tell that there is a value, or its length, and not which."""
_SPECIAL = re.compile(r"[{*?\[]")


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable holds.

    Attributes:
        words: one for a plain variable, any number for an array.
        split: an unquoted use is split at blanks.
    """

    words: tuple[Arg, ...]
    split: bool = True


@dataclass(slots=True)
class Scope:
    """Variables as far as they are known, and how a substitution is evaluated.

    Attributes:
        environment: well-known names and what they stand for.
        variables: set by the script itself.
        substitute: gives the text that a substitution prints, ``None`` when
            that is unknown; it also records the child script.
    """

    environment: Mapping[str, str]
    substitute: Callable[[Sub], str | None]
    variables: dict[str, Value | None] = field(default_factory=dict)

    def lookup(self, name: str) -> Value | None:
        """The value of a variable, ``None`` when it is not known."""
        if name in self.variables:
            return self.variables[name]
        if name in self.environment:
            return Value((Arg(self.environment[name], names=(name,)),))
        return None


@dataclass(slots=True)
class _Building:
    """The words made so far; the last one is still open."""

    words: list[list[tuple[str, bool, bool]]]  # (text, quoted, resolved)
    names: list[str]
    open_word: bool = False

    def add(self, text: str, quoted: bool, resolved: bool = True) -> None:
        self.words[-1].append((text, quoted, resolved))
        self.open_word = True

    def split(self) -> None:
        if self.words[-1]:
            self.words.append([])


def expand(word: Word, scope: Scope) -> list[Arg]:
    """All the words that one word of the tree becomes; none if it vanishes."""
    if len(word) == 1:
        only = word[0]
        if isinstance(only, Lit) and _SPECIAL.search(only.text) is None:
            return [Arg(only.text)]
    building = _Building([[]], [])
    for part in word:
        _add_part(part, scope, building)
    result: list[Arg] = []
    names = tuple(dict.fromkeys(building.names))
    for pieces in building.words:
        if pieces:
            result.extend(_finished(pieces, names))
    return result


def expand_one(word: Word, scope: Scope) -> Arg:
    """A word where the shell does not split, as in assignments and redirections."""
    args = expand(tuple(_quoted(part) for part in word), scope)
    return args[0] if len(args) == 1 else joined(args)


def joined(args: list[Arg] | tuple[Arg, ...]) -> Arg:
    """Words joined by blanks, as ``eval`` and ``ssh`` do."""
    names = tuple(dict.fromkeys(name for arg in args for name in arg.names))
    return Arg(
        " ".join(arg.text for arg in args)[:MAX_TEXT],
        resolved=all(arg.resolved for arg in args),
        names=names,
    )


def _quoted(part: Part) -> Part:
    match part:
        case Lit(text, False) if "{" in text:
            return Lit(text, quoted=True)
        case Var(name, False, operator, operand, source):
            return Var(name, True, operator, operand, source)
        case Sub(kind, body, False, source):
            return Sub(kind, body, True, source)
        case _:
            return part


def _add_part(part: Part, scope: Scope, building: _Building) -> None:
    match part:
        case Lit(text, quoted):
            building.add(text, quoted)
        case Raw(text, quoted):
            building.add(text, quoted, resolved=False)
        case Sub(kind, _, quoted, source):
            printed = scope.substitute(part)
            if printed is None or kind != "$(":
                building.add(source or f"{kind}…)", True, resolved=False)
            else:
                _add_value(Value((Arg(printed.rstrip("\n")),)), quoted, building)
        case Var(name, quoted, operator, operand, source):
            if operator not in _VALUE_UNSEEN:
                building.names.append(name)
            value = _variable(name, operator, operand, scope)
            if value is None:
                building.add(source or f"${name}", True, resolved=False)
            else:
                _add_value(value if quoted else _refit(value, scope), quoted, building)


def _variable(name: str, operator: str, operand: Word, scope: Scope) -> Value | None:
    base, _, index = name.partition("[")
    value = scope.lookup(base)
    if operator in {"", "]"} or operator in {"[@]", "[*]"}:
        return _indexed(value, index.rstrip("]")) if index else value
    if operator in {":-", "-", ":=", "="}:
        return value if value is not None else Value(tuple(expand(operand, scope)))
    if operator in {":+", "+"}:
        return Value(tuple(expand(operand, scope)))
    if operator in {":?", "?"}:
        return value
    if operator == "!" and value is not None and value.words:
        return scope.lookup(value.words[0].text)
    return _edited(value, operator)


def _indexed(value: Value | None, index: str) -> Value | None:
    if value is None or index in {"@", "*"}:
        return value
    if index.isdigit() and int(index) < len(value.words):
        return Value((value.words[int(index)],))
    return None


def _edited(value: Value | None, operator: str) -> Value | None:
    """``${x:1:2}``, ``${x/a/b}``, ``${x%suffix}`` where the outcome is plain to see."""
    if value is None or len(value.words) != 1 or not value.words[0].resolved:
        return None
    text = value.words[0].text
    if operator.startswith("/"):
        every = operator.startswith("//")
        old, _, new = operator.lstrip("/").partition("/")
        if old and not any(mark in old + new for mark in "*?[$\\"):
            return Value((Arg(text.replace(old, new, -1 if every else 1)),))
        return None
    if operator.startswith(":"):
        numbers = operator[1:].split(":")
        if all(number.strip().isdigit() for number in numbers) and len(numbers) <= 2:
            start = int(numbers[0])
            end = start + int(numbers[1]) if len(numbers) == 2 else None
            return Value((Arg(text[start:end]),))
    return None


def _refit(value: Value, scope: Scope) -> Value:
    """A value whose separators are those of a changed ``IFS``, with blanks in their place."""
    changed = scope.variables.get("IFS")
    if changed is None or not changed.words or not changed.words[0].text.strip():
        return value
    blanks = str.maketrans(dict.fromkeys(changed.words[0].text, " "))
    return replace(
        value, words=tuple(replace(arg, text=arg.text.translate(blanks)) for arg in value.words)
    )


def _add_value(value: Value, quoted: bool, building: _Building) -> None:
    for position, arg in enumerate(value.words):
        if position:
            building.split()
        building.names.extend(arg.names)
        if quoted or not value.split or not any(blank in arg.text for blank in " \t\n"):
            building.add(arg.text, quoted, arg.resolved)
            continue
        if arg.text[:1].isspace():
            building.split()
        for index, piece in enumerate(arg.text.split()):
            if index:
                building.split()
            building.add(piece, False, arg.resolved)
        if arg.text[-1:].isspace():
            building.split()


def _finished(pieces: list[tuple[str, bool, bool]], names: tuple[str, ...]) -> list[Arg]:
    resolved = all(piece[2] for piece in pieces)
    unquoted = "".join(text for text, quoted, _ in pieces if not quoted)
    text = "".join(piece[0] for piece in pieces)[:MAX_TEXT]
    if _SPECIAL.search(unquoted) is None:
        return [Arg(text, resolved, names=names)]
    glob = any(mark in unquoted for mark in "*?[")
    if "{" not in unquoted or "}" not in unquoted or len(text) > 1024:
        return [Arg(text, resolved, glob, names)]
    chars = [(char, quoted) for text_, quoted, _ in pieces for char in text_]
    return [
        Arg("".join(char for char, _ in word), resolved, glob, names)
        for word in braces(chars)
        if word
    ]
