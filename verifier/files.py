"""Which files need a check, which checks cover them, and which commands change files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from ..calls.values import Command
from ..router.errors import RuleError

__all__ = ["FileTable", "covered_by", "file_table_from_bytes", "mutates", "needs_check"]

_WRITES = frozenset((">", ">>", "&>", "&>>", ">|"))
_SCRATCH = ("/tmp/", "/dev/", "/var/tmp/", "/proc/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    endings: frozenset[str]
    names: frozenset[str]
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mutator:
    programs: frozenset[str]
    subcommands: frozenset[str]
    needs: frozenset[str]
    unless: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """``data/files.yaml``."""

    quiet: tuple[_Group, ...]
    covers: Mapping[str, frozenset[str]]
    mutators: Mapping[str, tuple[_Mutator, ...]]


def file_table_from_bytes(data: bytes) -> FileTable:
    """Read ``data/files.yaml``.

    Raises:
        RuleError: the file does not validate.
    """
    try:
        book = yaml.safe_load(data)
        mutators = [_mutator(row) for row in book["mutators"]]
        return FileTable(
            quiet=tuple(_group(book[name]) for name in ("docs", "config")),
            covers={name: frozenset(text.split()) for name, text in book["covers"].items()},
            mutators={
                program: tuple(m for m in mutators if program in m.programs)
                for m in mutators
                for program in m.programs
            },
        )
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise RuleError(
            f"files.yaml: expected docs, config, covers and mutators: {error}"
        ) from error


def _group(row: Mapping[str, str]) -> _Group:
    return _Group(
        endings=frozenset(row["endings"].split()),
        names=frozenset(row["names"].split()),
        folders=tuple(row["folders"].split()),
    )


def _mutator(row: Mapping[str, Any]) -> _Mutator:
    programs, _, subcommands = row["run"].partition(" ")
    return _Mutator(
        programs=frozenset(programs.split("|")),
        subcommands=frozenset(subcommands.split("|")) - {""},
        needs=frozenset(row.get("needs", ())),
        unless=frozenset(row.get("unless", ())),
    )


def needs_check(path: str, table: FileTable) -> bool:
    """Whether an edit of this file asks for a check: code does, documents and settings do not."""
    base, ending, lowered = _parts(path)
    for group in table.quiet:
        if ending in group.endings or base in group.names or base.split(".")[0] in group.names:
            return False
        if any(f"/{folder}/" in f"/{lowered}" for folder in group.folders):
            return False
    return True


def covered_by(path: str, ecosystems: Sequence[str], table: FileTable) -> bool:
    """Whether a check of these ecosystems looks at this file; unknown endings count as covered."""
    ending = _parts(path)[1]
    if not any(ending in endings for endings in table.covers.values()):
        return True
    return any(
        ecosystem not in table.covers or ending in table.covers[ecosystem]
        for ecosystem in ecosystems
    )


def _parts(path: str) -> tuple[str, str, str]:
    lowered = path.replace("\\", "/").lower()
    base = lowered.rsplit("/", 1)[-1]
    ending = base.rsplit(".", 1)[-1] if "." in base else ""
    return base, ending, lowered


def mutates(command: Command, table: FileTable) -> bool:
    """Whether a shell command changes files other than scratch ones."""
    if any(
        redirect.operator in _WRITES and not redirect.target.text.startswith(_SCRATCH)
        for redirect in command.redirects
    ):
        # A log that is written beside a check is no edit; anything with a code ending is.
        targets = [r.target.text for r in command.redirects if r.operator in _WRITES]
        if any(needs_check(target, table) and "." in target for target in targets):
            return True
    words = frozenset(command.argv[1:])
    return any(
        (not rule.subcommands or words & rule.subcommands)
        and (not rule.needs or words & rule.needs)
        and not words & rule.unless
        and not _scratch_only(command)
        for rule in table.mutators.get(command.program, ())
    )


def _scratch_only(command: Command) -> bool:
    operands = [word for word in command.argv[1:] if not word.startswith("-")]
    return bool(operands) and all(word.startswith(_SCRATCH) for word in operands)
