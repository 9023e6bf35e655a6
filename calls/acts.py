"""Commands to acts: what each one reads, writes, deletes, and who feeds it.

An act is one command with its options sorted out and its files in canonical
form; all acts of a call, those inside other commands included, form one list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from .files import Files
from .find import find_targets
from .options import Options, split_options
from .paths import canonical, looks_like_path
from .printed import printed
from .values import Arg, Command, Language, Script

__all__ = ["Act", "acts_of"]

MAX_ACTS = 2_000
"""Acts of one call that are listed."""

_HANDS_ON = frozenset({"sort", "uniq", "cat"})
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One command as far as its effects go.

    Attributes:
        program: name in lower case, folder, ``.exe`` and look-alike letters
            (full width, invisible) taken off; empty for bare assignments.
        options: its words sorted out.
        named: its operands that look like paths, the first 256, in canonical form.
        reads, writes, deletes, changes: canonical paths; ``changes`` is for
            owner, mode and attributes.
        appends: those of ``writes`` that are only added to.
        feeds: indices of the acts whose output it reads.
        inner: indices of the acts inside it (substitutions, nested scripts).
        origins: how its script is reached, outermost first.
        written: text that it writes where that is plain to see, else ``None``.
        stdin: text on its standard input where that is plain to see.
        readers: the words of the commands that read its output, each joined by blanks.
        text: its words joined by blanks, at most 65,536 characters.
    """

    index: int
    program: str
    command: Command
    options: Options
    language: Language = "shell"
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    appends: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    feeds: tuple[int, ...] = ()
    inner: tuple[int, ...] = ()
    origins: tuple[str, ...] = ()
    written: str | None = None
    stdin: str | None = None
    readers: tuple[str, ...] = ()
    text: str = field(init=False, repr=False, compare=False)
    named: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Every rule asks for these, so they are made once.
        object.__setattr__(self, "text", " ".join(self.command.argv)[:65_536])
        cwd = self.command.cwd
        operands = [arg.text for arg in self.options.operands[:256]]
        paths = [canonical(text, cwd) for text in operands if looks_like_path(text)]
        object.__setattr__(self, "named", tuple(paths))


def acts_of(script: Script, *, workspace: str = "") -> tuple[Act, ...]:
    """All acts of a script and of everything inside it, parents before children."""
    found: list[Act | None] = []
    _collect(script, (), workspace, found)
    readers: dict[int, list[str]] = {}
    for act in found:
        for feed in () if act is None else _upstream(act, found):
            readers.setdefault(feed, []).append("" if act is None else act.text[:2_048])
    for act in found:
        if act is not None and act.index in readers:
            # Nobody has seen it yet, and a copy costs more than all the rest of it.
            object.__setattr__(act, "readers", tuple(readers[act.index]))
    return tuple(act for act in found if act is not None)


def _upstream(act: Act, found: Sequence[Act | None]) -> list[int]:
    """The acts that it reads from, and those behind one that hands on whole lines."""
    feeds = list(act.feeds[:32])
    for feed in act.feeds[:32]:
        between = found[feed]
        if between is not None and between.program in _HANDS_ON:
            feeds.extend(between.feeds[:4])
    return feeds


def _collect(
    script: Script, origins: tuple[str, ...], workspace: str, found: list[Act | None]
) -> None:
    places: list[int] = []
    for command in script.commands:
        if len(found) >= MAX_ACTS:
            return
        index = len(found)
        places.append(index)
        found.append(None)
        for child in command.children:
            _collect(child, (*origins, child.origin), workspace, found)
        feeds = tuple(places[i] for i in command.stdin_from if i < len(places) - 1)
        found[index] = _act(
            script, command, index, feeds, tuple(range(index + 1, len(found))), origins,
            workspace, found,
        )  # fmt: skip


def _act(
    script: Script,
    command: Command,
    index: int,
    feeds: tuple[int, ...],
    inner: tuple[int, ...],
    origins: tuple[str, ...],
    workspace: str,
    found: Sequence[Act | None],
) -> Act:
    program = plain_name(command.program)
    args = _with_piped_words(command, feeds, found)
    options = split_options(args, program)
    files = Files(command.cwd, workspace)
    files.operands(program, options, args)
    files.redirects(command)
    stdin = _stdin(script, command)
    return Act(
        index=index,
        program=program,
        command=command,
        options=options,
        language=script.language,
        reads=files.done("reads"),
        writes=files.done("writes"),
        appends=files.done("appends"),
        deletes=files.done("deletes"),
        changes=files.done("changes"),
        feeds=feeds,
        inner=inner,
        origins=origins,
        written=_written(program, command, options, stdin) if files.wrote else None,
        stdin=stdin,
    )


def plain_name(name: str) -> str:
    """A program name without look-alike letters: full width becomes plain, invisible vanishes."""
    if name.isascii():
        return name
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).lower()


def _with_piped_words(
    command: Command, feeds: Sequence[int], found: Sequence[Act | None]
) -> tuple[Arg, ...]:
    """Words that ``xargs`` and ``parallel`` add from standard input."""
    if not {"xargs", "gxargs", "parallel", "entr"} & set(command.wrappers):
        return command.args
    added: list[Arg] = []
    for feed in feeds[:8]:
        act = found[feed]
        if act is not None and act.program in {"find", "gfind"}:
            added.extend(Arg(path, glob=True) for path in find_targets(act.command.argv))
    extra = added or [Arg("{stdin}", resolved=False)]
    marker = _replaced(command)
    if not marker:
        return (*command.args, *extra)
    args: list[Arg] = []
    for arg in command.args:
        if arg.text == marker:
            args.extend(extra)
        elif marker in arg.text:
            args.append(Arg(arg.text.replace(marker, extra[0].text), resolved=False))
        else:
            args.append(arg)
    return tuple(args)


def _replaced(command: Command) -> str:
    """The marker of ``xargs -I``."""
    for words in command.wrapper_args:
        for index, word in enumerate(words):
            if word == "-I" and index + 1 < len(words):
                return words[index + 1]
            if word.startswith("-I") and len(word) > 2:
                return word[2:]
            if word in {"-i", "--replace"}:
                return "{}"
    return ""


def _stdin(script: Script, command: Command) -> str | None:
    if (given := command.stdin_text) is not None:
        return given.text
    if 0 < len(command.stdin_from) <= 16:
        texts = [printed(script.commands, i, partly=True) for i in command.stdin_from]
        known = [text for text in texts if text is not None]
        return "".join(known) if known and len(known) == len(texts) else None
    return None


def _written(program: str, command: Command, options: Options, stdin: str | None) -> str | None:
    """What ends up in the file, for the ways in which people write one line."""
    if program in {"echo", "printf", "print"}:
        return printed((Command(args=command.args),), 0, partly=True)
    if program.startswith(("python:.write", "code:write", "python:hermes")):
        return options.operands[1].text if len(options.operands) > 1 else None
    return stdin
