"""Commands to acts: what each one reads, writes, deletes, and who feeds it.

An act is one command with its options sorted out and its files in canonical
form; all acts of a call, those inside other commands included, form one list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .find import find_targets
from .options import Options, grammar_of, reads_what_it_is_given, split_options
from .paths import canonical, classes, looks_like_path
from .printed import printed
from .values import Arg, Command, Language, Script

__all__ = ["Act", "acts_of"]

MAX_ACTS = 2_000
"""Acts of one call that are listed."""

_WRITES = frozenset({">", ">>", "&>", "&>>", ">|", "<>"})
_DIGITS = re.compile(r"\d+-?\Z|-\Z")
_HOST = re.compile(r"(?:[\w.-]+@)?\[?[\w.:-]{1,255}\]?::?(?=[~/.\w]|\Z)")
_BODY = re.compile(r"(?:data|files|content|body|attachment|fileobj)=([~/.\w][^\s{}\[\]⟨]{0,255})\Z")
_FIELD = re.compile(r"[\w.\[\]-]{1,64}:?=?@(.{1,1024})\Z")
_NAMES_OF = re.compile(r"\^?\(?\[[\w-]+\][*+]\)?=?\$?\Z")
_HANDS_ON = frozenset({"sort", "uniq", "cat"})
_KEY = re.compile(r"(\w+)=(.*)\Z", re.DOTALL)
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
    files = _Files(command.cwd, workspace)
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


class _Files:
    """Collects the files of one command."""

    def __init__(self, cwd: str, workspace: str) -> None:
        self._cwd = cwd
        self._workspace = workspace
        self._found: dict[str, list[str]] = {}
        self.wrote = False

    def done(self, kind: str) -> tuple[str, ...]:
        """Paths of one kind, without duplicates, in order."""
        found = self._found.get(kind)
        return tuple(dict.fromkeys(found)) if found else ()

    def _add(self, kind: str, paths: Iterable[str]) -> None:
        for path in paths:
            if path:
                shown = canonical(path, self._cwd, self._workspace)
                self._found.setdefault(kind, []).append(shown)
                self.wrote = self.wrote or kind == "writes"

    def redirects(self, command: Command) -> None:
        """Files that redirections open."""
        for redirect in command.redirects:
            target = redirect.target.text
            if redirect.operator in _WRITES or (
                redirect.operator == ">&" and not _DIGITS.match(target)
            ):
                self._add("writes", (target,))
                if redirect.operator in {">>", "&>>"}:
                    self._add("appends", (target,))
            if redirect.operator in {"<", "<>"} and not _DIGITS.match(target):
                self._add("reads", (target,))

    def operands(self, program: str, options: Options, args: Sequence[Arg]) -> None:
        """Files that the command's own words name."""
        grammar = grammar_of(program)
        entry = grammar.entry
        quiet = not grammar.known and program.startswith(("python:", "code:"))
        words = [arg.text for arg in options.operands]
        if program in {"scp", "rsync", "sftp", "rcp"}:
            # What matters is the folder, on whichever machine.
            words = [_HOST.sub("", word) or "~" for word in words]
        if program in {"find", "gfind"}:
            self._find(args)
        elif entry.get("tar"):
            self._tar(words, options)
        elif not quiet:
            self._listed(entry, words, options)
        else:  # requests.post(…, data=open(path)): the value stands for the file
            bodies = (match[1] for word in words if (match := _BODY.match(word)))
            self._add("reads", (path for path in bodies if looks_like_path(path)))
            if reads_what_it_is_given(program):
                self._add("reads", (word for word in words if self._is_secret(word)))
        if entry.get("at_operands"):
            self._add("reads", (match[1] for word in words if (match := _FIELD.match(word))))
        for option in entry.get("at", ()):
            for value in options.values.get(option, ()):
                if (mark := re.match(r"(?:[^@<=]*=)?[@<](?!-\Z)(.+)\Z", value.text)) is not None:
                    self._add("reads", (mark[1].split(";")[0],))

    def _listed(self, entry: Mapping[str, Any], words: list[str], options: Options) -> None:
        operands = words
        keys = entry.get("keys")
        if isinstance(keys, dict):
            pairs = [match.groups() for word in words if (match := _KEY.match(word))]
            for kind in ("reads", "writes"):
                self._add(kind, (value for key, value in pairs if key in keys.get(kind, ())))
        if entry.get("script") and options.flags & {"-e", "-f", "-E", "--expression", "--regexp"}:
            operands = ["", *words]
        reads = str(entry.get("reads", "all"))
        if self._only_names(entry, options):
            reads = "none"
        mode = words[1] if entry.get("mode") and len(words) > 1 else ""
        if mode and re.fullmatch(r"(?:mode=)?[rbtU]*[wax+][rbt+]*", mode):
            self._add("writes", words[:1])
            if "a" in mode.removeprefix("mode="):
                self._add("appends", words[:1])
        else:
            self._add("reads", (w for w in _pick(operands, reads) if self._names_file(w)))
        for kind in ("writes", "deletes", "changes"):
            wanted = str(entry.get(kind, "none"))
            if kind == "writes" and any(options.value_of(o) for o in entry.get("writes_opt", ())):
                continue
            self._add(kind, _pick(operands, wanted))
        self._from_options(entry, options)
        in_place = entry.get("in_place")
        if isinstance(in_place, list) and any(
            flag == option
            or flag.startswith(f"{option}.")
            or (len(option) == 2 and flag[:2] == option)
            for flag in options.flags
            for option in in_place
        ):
            self._add("writes", _pick(operands, "rest"))

    def _names_file(self, word: str) -> bool:
        """A word that looks like a path, or that names a secret where the command runs."""
        return looks_like_path(word) or self._is_secret(word)

    def _is_secret(self, word: str) -> bool:
        return "secret" in classes(canonical(word, self._cwd, self._workspace))

    @staticmethod
    def _only_names(entry: Mapping[str, Any], options: Options) -> bool:
        names = entry.get("names")
        if isinstance(names, list):
            if options.flags & set(names):
                return True
            # `grep -o '^[A-Z_]*=' .env`
            pattern = options.operands[0].text if options.operands else ""
            if "-o" in options.flags and _NAMES_OF.match(pattern):
                return True
        keys = entry.get("key_names")
        return isinstance(keys, dict) and any(
            value.text == wanted
            for option, wanted in keys.items()
            for value in options.value_of(option)
        )

    def _from_options(self, entry: Mapping[str, Any], options: Options) -> None:
        if not options.values:
            return
        for kind in ("reads", "writes", "deletes"):
            listed = entry.get(f"{kind}_opt")
            if isinstance(listed, list):
                self._add(kind, (arg.text for arg in options.value_of(*listed)))

    def _find(self, args: Sequence[Arg]) -> None:
        words = [arg.text for arg in args]
        if "-delete" in words:
            self._add("deletes", find_targets(words))
        for index, word in enumerate(words[:-1]):
            if word in {"-fprint", "-fprint0", "-fls", "-fprintf"}:
                self._add("writes", (words[index + 1],))

    def _tar(self, words: list[str], options: Options) -> None:
        flags = set(options.flags)
        archives = [arg.text for arg in options.value_of("-f", "--file")]
        operands = list(words)
        if operands and re.fullmatch(r"[A-Za-z]+", operands[0]) and not flags & {"-c", "-x", "-t"}:
            bundle = operands.pop(0)  # `tar czf archive files`
            flags |= {f"-{letter}" for letter in bundle}
            if "f" in bundle and operands:
                archives.append(operands.pop(0))
        real = [name for name in archives if name != "-"]
        if flags & {"-c", "--create", "-r", "-u", "--append", "--update"}:
            self._add("reads", operands)
            self._add("writes", real)
        elif flags & {"-x", "--extract", "--get"}:
            folders = [arg.text for arg in options.value_of("-C", "--directory")]
            self._add("writes", folders)


def _pick(words: Sequence[str], which: str) -> Sequence[str]:
    match which:
        case "all":
            return words
        case "first":
            return words[:1]
        case "last":
            return words[-1:] if len(words) > 1 else ()
        case "init":
            return words[:-1] if len(words) > 1 else words
        case "rest":
            return words[1:]
        case _:
            return ()
