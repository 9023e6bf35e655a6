"""The files that the words and redirections of one command name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .find import find_targets
from .options import Options, grammar_of, reads_what_it_is_given
from .paths import canonical, classes, looks_like_path
from .values import Arg, Command

__all__ = ["Files"]

_WRITES = frozenset({">", ">>", "&>", "&>>", ">|", "<>"})
_DIGITS = re.compile(r"\d+-?\Z|-\Z")
_HOST = re.compile(r"(?:[\w.-]+@)?\[?[\w.:-]{1,255}\]?::?(?=[~/.\w]|\Z)")
_BODY = re.compile(r"(?:data|files|content|body|attachment|fileobj)=([~/.\w][^\s{}\[\]⟨]{0,255})\Z")
_FIELD = re.compile(r"[\w.\[\]-]{1,64}:?=?@(.{1,1024})\Z")
_NAMES_OF = re.compile(r"\^?\(?\[[\w-]+\][*+]\)?=?\$?\Z")
_KEY = re.compile(r"(\w+)=(.*)\Z", re.DOTALL)
_FILE = re.compile(r"(?:[^@<=]*=)?[@<](?!-\Z)(.+)\Z")
_ENCODED_FILE = re.compile(r"[\w.-]{0,64}=?[@<](?!-\Z)(.+)\Z")
_SOCAT = re.compile(r"(?i:file|open|gopen|create|fd):([^,]{1,1024})")


class Files:
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
        self._marked(entry, words, options)

    def _marked(self, entry: Mapping[str, Any], words: Sequence[str], options: Options) -> None:
        """Files behind a mark: ``@file``, ``field=@file``, ``FILE:file``."""
        for key, form in (("at_operands", _FIELD), ("addresses", _SOCAT)):
            if entry.get(key):
                self._add("reads", (match[1] for word in words if (match := form.match(word))))
        for option in entry.get("at", ()):
            for value in options.values.get(option, ()):
                form = _ENCODED_FILE if option == "--data-urlencode" else _FILE
                if (mark := form.match(value.text)) is not None:
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
