"""Conditions that rules are made of.  Each is total and linear in the act's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from typing import Any

from ..calls.acts import Act
from ..calls.paths import canonical
from .shapes import is_recursive, path_classes, scanned
from .sql import changes_everything

__all__ = ["CONDITIONS", "SETTERS", "Predicate", "like", "sub_words"]

Predicate = Callable[[Act], bool]
_Builder = Callable[[Any, Sequence[str]], Predicate]

_WILD = re.compile(r"[*?\[]")
_EMPTYING = frozenset({"", ":", "true"})


def sub_words(act: Act) -> tuple[str, ...]:
    """The operands that subcommands are looked for in, at most five."""
    return tuple(arg.text for arg in act.options.operands[:5])


def _patterns(value: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_inlined(pattern)})" for pattern in value))


def _inlined(pattern: str) -> str:
    """``(?i)`` at the start becomes a group of its own, so that patterns can be joined."""
    return f"(?i:{pattern[4:]})" if pattern.startswith("(?i)") else pattern


def _paths(kind: str) -> _Builder:
    def build(wanted: Sequence[str], excluded: Sequence[str]) -> Predicate:
        wanted_set, excluded_set = frozenset(wanted), frozenset(excluded)

        def check(act: Act) -> bool:
            paths: Sequence[str] = getattr(act, kind)
            if not paths:
                return False
            return any(_path_fits(path, wanted_set, excluded_set) for path in paths[:256])

        return check

    return build


def _path_fits(path: str, wanted: frozenset[str], excluded: frozenset[str]) -> bool:
    found = path_classes(path)
    return bool(found & wanted) and not found & excluded


def _no_paths(kind: str) -> _Builder:
    def build(unwanted: Sequence[str], _: Sequence[str]) -> Predicate:
        unwanted_set = frozenset(unwanted)

        def check(act: Act) -> bool:
            return not any(path_classes(path) & unwanted_set for path in getattr(act, kind)[:256])

        return check

    return build


def _any_path(wanted: Sequence[str], excluded: Sequence[str]) -> Predicate:
    """Over every word that may be a path, and every file named otherwise."""
    wanted_set, excluded_set = frozenset(wanted), frozenset(excluded)

    def check(act: Act) -> bool:
        named: Sequence[str] = act.named
        if "*" in wanted_set:
            cwd = act.command.cwd
            named = [canonical(arg.text, cwd) for arg in act.options.operands[:256]]
        for paths in (named, act.reads, act.writes, act.deletes, act.changes):
            for path in paths:
                if _path_fits(path, wanted_set, excluded_set):
                    return True
        return False

    return check


def _recursive(value: bool, _: Sequence[str]) -> Predicate:
    return lambda act: is_recursive(act) is value


def _truncates(value: bool, excluded: Sequence[str]) -> Predicate:
    """Empties a file: a bare ``>``, ``truncate -s 0``, ``cat /dev/null >``."""
    excluded_set = frozenset(excluded)

    def check(act: Act) -> bool:
        if not act.writes:
            return not value
        emptied = [path for path in act.writes if path not in act.appends]
        sizes = [arg.text for arg in act.options.value_of("-s", "--size")]
        empties = (
            act.program in _EMPTYING
            or (act.program == "truncate" and any(re.fullmatch(r"0\w?", size) for size in sizes))
            or (act.program in {"cat", "cp", "dd"} and "/dev/null" in act.reads)
            or (act.program in {"echo", "printf"} and (act.written or "x").strip() == "")
            or (act.program == "write_file" and act.written == "")
        )
        hit = empties and any(not path_classes(path) & excluded_set for path in emptied)
        return hit is value

    return check


def _flags(value: Sequence[str], _: Sequence[str]) -> Predicate:
    wanted = frozenset(value)
    return lambda act: bool(act.options.flags & wanted)


def _all_flags(value: Sequence[str], _: Sequence[str]) -> Predicate:
    wanted = frozenset(value)
    return lambda act: wanted <= act.options.flags


def _no_flags(value: Sequence[str], _: Sequence[str]) -> Predicate:
    unwanted = frozenset(value)
    return lambda act: not act.options.flags & unwanted


def _choice(words: Sequence[str]) -> Callable[[str], bool]:
    """True of a word that is one of these; ``*``, ``?`` and ``[`` are wildcards."""
    plain = frozenset(word for word in words if not _WILD.search(word))
    wild = [translate(word) for word in words if word not in plain]
    if not wild:
        return plain.__contains__
    pattern = re.compile("|".join(wild))
    return lambda word: word in plain or pattern.match(word) is not None


def _sub(value: Sequence[str], _: Sequence[str]) -> Predicate:
    """The first operands are one of the phrases, word by word."""
    phrases = [[_choice(word.split("|")) for word in phrase.split(" ")] for phrase in value]

    def check(act: Act) -> bool:
        words = sub_words(act)
        for phrase in phrases:
            if len(words) >= len(phrase) and all(map(_fits, phrase, words)):
                return True
        return False

    return check


def _fits(choice: Callable[[str], bool], word: str) -> bool:
    return choice(word)


def _no_sub(value: Sequence[str], _: Sequence[str]) -> Predicate:
    present = _sub(value, ())
    return lambda act: not present(act)


def _verb(value: Sequence[str], _: Sequence[str]) -> Predicate:
    """A word among the first operands, none of those before it a path or a sentence."""
    wanted = _choice(value)

    def check(act: Act) -> bool:
        for word in sub_words(act):
            if wanted(word):
                return True
            if " " in word or word.startswith(("./", "/", "~")):
                return False
        return False

    return check


def _arg(value: Sequence[str], _: Sequence[str]) -> Predicate:
    pattern = _patterns(value)
    return lambda act: any(pattern.search(scanned(arg.text)) for arg in act.command.args[1:256])


def _no_arg(value: Sequence[str], _: Sequence[str]) -> Predicate:
    present = _arg(value, ())
    return lambda act: not present(act)


def _text(value: Sequence[str], _: Sequence[str]) -> Predicate:
    pattern = _patterns(value)

    def check(act: Act) -> bool:
        return bool(
            pattern.search(scanned(act.text))
            or (act.stdin is not None and pattern.search(scanned(act.stdin)))
        )

    return check


def _written(value: Sequence[str], _: Sequence[str]) -> Predicate:
    pattern = _patterns(value)
    return lambda act: act.written is not None and bool(pattern.search(scanned(act.written)))


def _value(value: Mapping[str, str], _: Sequence[str]) -> Predicate:
    wanted = [(key.split("|"), re.compile(_inlined(pattern))) for key, pattern in value.items()]

    def check(act: Act) -> bool:
        return any(
            pattern.search(scanned(arg.text))
            for names, pattern in wanted
            for arg in act.options.value_of(*names)
        )

    return check


def _sql(value: bool, _: Sequence[str]) -> Predicate:
    def check(act: Act) -> bool:
        texts = [arg.text for arg in act.command.args[1:64]]
        if act.stdin is not None:
            texts.append(act.stdin)
        return any(changes_everything(scanned(text)) for text in texts) is value

    return check


def _wrappers(value: Sequence[str], _: Sequence[str]) -> Predicate:
    wanted = frozenset(value)
    return lambda act: bool(wanted & set(act.command.wrappers))


def _wrapper_arg(value: Sequence[str], _: Sequence[str]) -> Predicate:
    """A word of what a command is wrapped in."""
    pattern = _patterns(value)
    return lambda act: any(
        pattern.search(word[:512]) for words in act.command.wrapper_args for word in words[1:64]
    )


def _origins(value: Sequence[str], _: Sequence[str]) -> Predicate:
    wanted = frozenset(value)
    return lambda act: bool(wanted & set(act.origins))


def _env(value: Sequence[str], _: Sequence[str]) -> Predicate:
    """A variable that is set for the command, or exported or set by it; ``NAME=value``."""
    pattern = _patterns(value)

    def check(act: Act) -> bool:
        if not act.command.assignments and act.program not in SETTERS:
            return False
        named = [f"{a.name}={a.value.text[:512]}" for a in act.command.assignments]
        if act.program in SETTERS:
            named.extend(arg.text[:512] for arg in act.options.operands[:64])
        return any(pattern.search(name) for name in named)

    return check


def like(value: Sequence[str]) -> Callable[[str], bool]:
    """True of a program whose name one of the patterns fits."""
    pattern = _patterns(value)
    return lambda program: bool(program) and bool(pattern.search(program[:256]))


def _programs_like(value: Sequence[str], _: Sequence[str]) -> Predicate:
    fits = like(value)
    return lambda act: fits(act.program)


def _names(value: Sequence[str], _: Sequence[str]) -> Predicate:
    """A variable that one of the words was expanded from."""
    pattern = _patterns(value)
    return lambda act: any(
        pattern.search(name) for arg in act.command.args[1:64] for name in arg.names
    )


def _operands(value: int, _: Sequence[str]) -> Predicate:
    return lambda act: len(act.options.operands) <= value


def _min_operands(value: int, _: Sequence[str]) -> Predicate:
    return lambda act: len(act.options.operands) >= value


def _no_reader(value: Sequence[str], _: Sequence[str]) -> Predicate:
    pattern = _patterns(value)
    return lambda act: not any(pattern.search(text) for text in act.readers)


def _reader(value: Sequence[str], _: Sequence[str]) -> Predicate:
    pattern = _patterns(value)
    return lambda act: any(pattern.search(text) for text in act.readers)


def _background(value: bool, _: Sequence[str]) -> Predicate:
    return lambda act: act.command.background is value


def _unresolved(value: bool, _: Sequence[str]) -> Predicate:
    return lambda act: any(not arg.resolved for arg in act.command.args[1:]) is value


def _fed(value: bool, _: Sequence[str]) -> Predicate:
    def check(act: Act) -> bool:
        fed = (
            bool(act.feeds)
            or act.stdin is not None
            or any(redirect.operator == "<" for redirect in act.command.redirects)
        )
        return fed is value

    return check


SETTERS = frozenset({"export", "declare", "env", "setx", "typeset", "set"})
"""Programs whose words set variables."""

CONDITIONS: Mapping[str, _Builder] = {
    "all_flags": _all_flags,
    "any_path": _any_path,
    "arg": _arg,
    "background": _background,
    "changes": _paths("changes"),
    "deletes": _paths("deletes"),
    "env": _env,
    "fed": _fed,
    "flags": _flags,
    "max_operands": _operands,
    "min_operands": _min_operands,
    "names": _names,
    "no_arg": _no_arg,
    "no_flags": _no_flags,
    "no_reader": _no_reader,
    "no_reads": _no_paths("reads"),
    "no_sub": _no_sub,
    "no_writes": _no_paths("writes"),
    "origins": _origins,
    "programs_like": _programs_like,
    "reader": _reader,
    "reads": _paths("reads"),
    "recursive": _recursive,
    "sql": _sql,
    "sub": _sub,
    "text": _text,
    "truncates": _truncates,
    "unresolved": _unresolved,
    "value": _value,
    "verb": _verb,
    "wrapper_arg": _wrapper_arg,
    "wrappers": _wrappers,
    "writes": _paths("writes"),
    "written": _written,
}
