"""What one session's tool calls showed, in order and bounded.

A value: :func:`observe` returns a new ledger.  Only changes of files make an
earlier pass stale; reading, listing and searching do not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..calls.shell import parse
from ..calls.values import Script
from .commands import find_checks
from .files import FileTable, covered_by, mutates
from .recognise import recognise
from .tables import Tables
from .values import State, Verdict, Verification

__all__ = [
    "Evidence",
    "Ledger",
    "Standing",
    "ToolResult",
    "last_change",
    "observe",
    "standing",
    "unclear_since",
]

MAX_EVIDENCE = 32
MAX_PATHS = 256
MAX_ACTIONS = 64
_MAX_COMMAND = 400
"""Characters of a command that are kept."""

_OPAQUE_TOOLS = frozenset(("execute_code", "delegate_task", "computer_use"))
"""Tools that may change files without saying which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """One finished tool call (``post_tool_call``).

    Attributes:
        tool: name of the tool.
        args: its arguments; anything but a mapping counts as empty.
        result: the text that the model gets.
        status: the host's word: ``ok``, ``error``, ``blocked`` or ``cancelled``.
        turn: the turn that it belongs to; empty where the host does not say.
    """

    tool: str
    args: object
    result: str
    status: str = "ok"
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One check that ran.

    Attributes:
        at: place in the order of the session's calls.
        command: the command, cut to a readable length.
        exit_code: of the whole command, ``None`` if not known.
        ecosystems: what kinds of files it covers.
    """

    at: int
    command: str
    exit_code: int | None
    found: Verification
    ecosystems: tuple[str, ...]
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The bounded record of a session.

    Attributes:
        clock: number of calls seen.
        evidence: checks, oldest first.
        changed: path → place of its last change.
        opaque: place of the last call that may have changed anything; 0: none.
        delegated: place of the last call whose inner work is not seen (code,
            sub-agents); it may have changed files and it may have checked them.
        actions: tools whose last calls succeeded, with the turn, oldest first.
        waiting: background processes that run a check, id → command.
        turn: the turn of the last call that named one.
        turn_from: place at which that turn began.
    """

    clock: int = 0
    evidence: tuple[Evidence, ...] = ()
    changed: Mapping[str, int] = field(default_factory=dict)
    opaque: int = 0
    delegated: int = 0
    actions: tuple[tuple[str, str], ...] = ()
    waiting: Mapping[str, str] = field(default_factory=dict)
    turn: str = ""
    turn_from: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How the changed files stand.

    Attributes:
        state: see :class:`State`.
        evidence: the check that decided; ``None`` where none did.
        paths: the changed files that no fresh pass covers, sorted.
    """

    state: State
    evidence: Evidence | None
    paths: tuple[str, ...]


def observe(ledger: Ledger, event: ToolResult, tables: Tables, files: FileTable) -> Ledger:
    """The ledger after one more call.  Never raises; what is not understood changes nothing."""
    if event.status in {"blocked", "cancelled"}:
        return ledger
    if event.turn and event.turn != ledger.turn:
        ledger = replace(ledger, turn=event.turn, turn_from=ledger.clock)
    at = ledger.clock + 1
    ledger = replace(ledger, clock=at)
    args = event.args if isinstance(event.args, Mapping) else {}
    result = _json(event.result)
    failed = event.status == "error" or bool(result.get("error"))
    if not failed:
        actions = (*ledger.actions, (event.tool, event.turn))[-MAX_ACTIONS:]
        ledger = replace(ledger, actions=actions)
    if event.tool == "terminal":
        return _terminal(ledger, event, args, result, tables, files)
    if event.tool == "process":
        return _process(ledger, event, args, result, tables)
    if event.tool in {"write_file", "patch"} and not failed:
        return _changed(ledger, _landed(event.tool, args, result))
    if event.tool in _OPAQUE_TOOLS:
        return replace(ledger, opaque=at, delegated=at)
    return ledger


def standing(ledger: Ledger, paths: tuple[str, ...], files: FileTable) -> Standing:
    """How files that this turn changed stand after everything observed.

    Args:
        ledger: the record.
        paths: files that need a check; empty: nothing to stand for.
        files: what covers what.
    """
    told = [e for e in ledger.evidence if e.found.verdict is not Verdict.UNKNOWN]
    last = told[-1] if told and told[-1].at > ledger.turn_from else None
    if last is not None and last.found.verdict is Verdict.FAIL:
        return Standing(state=State.REFUTED, evidence=last, paths=paths)
    passes = [e for e in told if e.found.verdict is Verdict.PASS]
    stale = tuple(path for path in paths if not _fresh(path, passes, ledger, files))
    if stale or not passes:
        return Standing(state=State.UNVERIFIED, evidence=last, paths=tuple(sorted(stale)) or paths)
    # A change that was not observed, or one of unknown files, leaves the freshness open.
    sure = all(_changed_at(path, ledger) for path in paths) and passes[-1].at > ledger.opaque
    return Standing(state=State.VERIFIED if sure else State.OBSERVED, evidence=passes[-1], paths=())


def unclear_since(ledger: Ledger, at: int) -> bool:
    """Whether something ran after a place that may have been a check with another result."""
    silent = any(e.at > at and e.found.verdict is Verdict.UNKNOWN for e in ledger.evidence)
    return silent or ledger.delegated > at or bool(ledger.waiting)


def last_change(ledger: Ledger, paths: tuple[str, ...]) -> int:
    """Place of the last observed change of any of these files; 0: none was observed."""
    return max((_changed_at(path, ledger) for path in paths), default=0)


def _fresh(path: str, passes: list[Evidence], ledger: Ledger, files: FileTable) -> bool:
    changed = _changed_at(path, ledger)
    return any(e.at > changed and covered_by(path, e.ecosystems, files) for e in passes)


def _changed_at(path: str, ledger: Ledger) -> int:
    """Place of the last change; a relative and an absolute form of one path are the same."""
    exact = ledger.changed.get(path, 0)
    tail = "/" + path.lstrip("./")
    others = (
        at
        for known, at in ledger.changed.items()
        if known.endswith(tail) or path.endswith("/" + known.lstrip("./"))
    )
    return max(exact, *others, 0)


def _terminal(
    ledger: Ledger,
    event: ToolResult,
    args: Mapping[str, Any],
    result: Mapping[str, Any],
    tables: Tables,
    files: FileTable,
) -> Ledger:
    command = args.get("command")
    if not isinstance(command, str) or result.get("status") in {"approval_required", "blocked"}:
        return ledger
    if args.get("background") is True:
        process = result.get("session_id")
        if isinstance(process, str) and find_checks(_script(command), tables.runners):
            waiting = {**ledger.waiting, process: command}
            return replace(ledger, waiting=dict(list(waiting.items())[-MAX_EVIDENCE:]))
        return ledger
    script = _script(command)
    before, after = _changes(script, tables, files)
    if before:
        ledger = replace(ledger, opaque=ledger.clock, clock=ledger.clock + 1)
    ledger = _checked(ledger, event.turn, command, result, script, tables)
    if after:
        ledger = replace(ledger, clock=ledger.clock + 1, opaque=ledger.clock + 1)
    return ledger


def _process(
    ledger: Ledger,
    event: ToolResult,
    args: Mapping[str, Any],
    result: Mapping[str, Any],
    tables: Tables,
) -> Ledger:
    """A background check that has ended (``process`` with poll, wait or log)."""
    process = args.get("session_id")
    command = ledger.waiting.get(process) if isinstance(process, str) else None
    if command is None or not isinstance(result.get("exit_code"), int):
        return ledger
    waiting = {key: value for key, value in ledger.waiting.items() if key != process}
    ledger = replace(ledger, waiting=waiting)
    return _checked(ledger, event.turn, command, result, _script(command), tables)


def _checked(
    ledger: Ledger,
    turn: str,
    command: str,
    result: Mapping[str, Any],
    script: Script,
    tables: Tables,
) -> Ledger:
    code = result.get("exit_code")
    output = result.get("output")
    found = recognise(
        command,
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        output if isinstance(output, str) else "",
        tables,
    )
    if found.verdict is Verdict.NOT_VERIFICATION:
        return ledger
    evidence = Evidence(
        at=ledger.clock,
        command=command[:_MAX_COMMAND],
        exit_code=code if isinstance(code, int) else None,
        found=found,
        ecosystems=tuple(
            dict.fromkeys(c.runner.ecosystem for c in find_checks(script, tables.runners))
        ),
        turn=turn,
    )
    return replace(ledger, evidence=(*ledger.evidence, evidence)[-MAX_EVIDENCE:])


def _changes(script: Script, tables: Tables, files: FileTable) -> tuple[bool, bool]:
    """Whether files change before, and whether after, the last check of a command."""
    commands = [visit.command for visit in script.walk() if visit.script.language == "shell"]
    checks = {id(check.command) for check in find_checks(script, tables.runners)}
    last = max((i for i, c in enumerate(commands) if id(c) in checks), default=len(commands))
    changing = [i for i, c in enumerate(commands) if id(c) not in checks and mutates(c, files)]
    return any(i <= last for i in changing), any(i > last for i in changing)


def _changed(ledger: Ledger, paths: list[str]) -> Ledger:
    changed = {**ledger.changed, **dict.fromkeys(paths, ledger.clock)}
    return replace(ledger, changed=dict(list(changed.items())[-MAX_PATHS:]))


def _landed(tool: str, args: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """Files that a write changed (hermes-agent 0.19.0 agent/tool_dispatch_helpers.py:380)."""
    if tool == "write_file" and result and "bytes_written" not in result:
        return []
    if tool == "patch" and result and result.get("success") is False:
        return []
    named = result.get("files_modified")
    if isinstance(named, list) and named:
        return [path for path in named if isinstance(path, str)]
    for value in (result.get("resolved_path"), args.get("path")):
        if isinstance(value, str) and value:
            return [value]
    return []


def _script(command: str) -> Script:
    return parse(command.encode("utf-8", "replace").decode("utf-8"))


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
