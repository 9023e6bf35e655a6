"""Read a shell command and its result as a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..calls.shell import parse
from ..calls.values import Command, Script
from .commands import Check, find_checks
from .outputs import Reading, digest, read_output, written_status
from .tables import Tables
from .values import Kind, Verdict, Verification

__all__ = ["EXCERPT_CHARS", "recognise"]

EXCERPT_CHARS = 1_800
"""Characters of output that are kept as evidence (jev-router reference, coding verification)."""

_NOTHING = Verification(verdict=Verdict.NOT_VERIFICATION, counts={})

_FILTERS = frozenset(("head", "grep", "egrep", "fgrep", "rg", "sed", "awk", "cut", "uniq"))

_Status = Literal["zero", "failed", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One command with everything that decides about it."""

    checks: tuple[Check, ...]
    statuses: tuple[_Status, ...]
    code: int | None
    reading: Reading
    silent: bool
    filtered: bool


def recognise(command: str, exit_code: int | None, output: str, tables: Tables) -> Verification:
    """Say whether a shell command checked something, and how that went.  Never raises.

    Args:
        command: the text that the shell ran.
        exit_code: of the whole command; ``None`` or negative: not known.
        output: standard output and error.
        tables: runners and signals.
    """
    # A lone surrogate cannot reach a shell; no reader has to know what to do with it.
    script = parse(command.encode("utf-8", "replace").decode("utf-8"))
    checks = find_checks(script, tables.runners)
    if not checks:
        return _NOTHING
    code = exit_code if exit_code is not None and exit_code >= 0 else None
    kinds = tuple(dict.fromkeys(check.kind for check in checks))
    reading = read_output(output, frozenset(kinds), tables.signals)
    printed = written_status(_status_texts(script), output)
    verdict, reasons = _verdict(
        _Case(
            checks=checks,
            statuses=tuple(_status(check, script, code, printed, tables) for check in checks),
            code=printed if printed is not None else code,
            reading=reading,
            silent=not output.strip(),
            filtered=_filtered(script, checks),
        ),
        tables,
    )
    return Verification(
        verdict=verdict,
        kinds=kinds,
        runners=tuple(dict.fromkeys(check.runner.id for check in checks)),
        counts={
            name: number
            for name, number in (("passed", reading.passed), ("failed", reading.failed))
            if number
        },
        reasons=reasons,
        excerpt=digest(output, EXCERPT_CHARS),
    )


def _verdict(case: _Case, tables: Tables) -> tuple[Verdict, tuple[str, ...]]:
    """Combine status and output; the first arm that holds decides."""
    reading, checks = case.reading, case.checks
    first = checks[0]
    meaning = first.runner.codes.get(case.code or 0) or tables.runners.codes.get(case.code or 0)
    sure = all(status == "zero" for status in case.statuses)
    if any(check.command.background for check in checks):
        return Verdict.UNKNOWN, ("background",)  # nobody waited for it
    if _nothing_ran(case, meaning, sure=sure):
        return Verdict.NO_TESTS_RAN, (*reading.none, *(("skipped",) if first.skips else ()))
    if meaning == "unknown" and not reading.fails:
        return Verdict.UNKNOWN, (f"status-{case.code}",)
    if reading.unknown and not reading.fails and not (sure and reading.passes):
        return Verdict.UNKNOWN, reading.unknown  # it never started
    failed = _failures(case, sure=sure)
    if failed:
        return Verdict.FAIL, failed
    if sure:
        return _passed_by_status(case)
    if _passes_seen(case):
        return Verdict.PASS, tuple(ident for ident, _ in reading.passes)
    return Verdict.UNKNOWN, ("status-masked",)  # neither status nor output tells


def _nothing_ran(case: _Case, meaning: str | None, *, sure: bool) -> bool:
    if not _runs_tests(case) or case.reading.fails:
        return "make.nothing" in case.reading.none and not case.reading.passes
    if meaning == "none" or case.checks[0].skips:
        return not case.reading.passed
    loud = any(ident == "pytest.none" for ident in case.reading.none)
    tested = [ident for ident, kind in case.reading.passes if kind != Kind.LINT]
    if "make.nothing" in case.reading.none:
        return not tested
    # A build that succeeded around it does not make up for tests that were not there.
    return (
        bool(case.reading.none)
        and (loud or not case.reading.passed)
        and (not any(ident not in {"build.success", "all-passed", "xctest.ok"} for ident in tested))
    )


def _failures(case: _Case, *, sure: bool) -> tuple[str, ...]:
    """Ids of what shows a failure; empty: nothing does."""
    reading = case.reading
    if sure:
        # A status of 0 that is certain is believed, except where a runner's own summary
        # counts failures or an option forces the 0.
        forced = any(check.forced for check in case.checks)
        counted = _runs_tests(case)
        fails = tuple(
            ident
            for ident in reading.fails
            if forced or (counted and ident not in reading.lint_fails)
        )
        listed = any(check.runner.silent for check in case.checks) and not case.silent
        return (*fails, *(("printed-something",) if listed else ()))
    if any(status == "failed" for status in case.statuses):
        return (*reading.fails, *reading.weak_fails, "exit-status")
    return (*reading.fails, *reading.weak_fails)


def _passed_by_status(case: _Case) -> tuple[Verdict, tuple[str, ...]]:
    own = all(check.kind == Kind.SCRIPT for check in case.checks)
    forced = any(check.forced for check in case.checks)
    if (own or forced) and not case.reading.passes:
        # A script may end with 0 whatever happened inside; it has to say so.
        return Verdict.UNKNOWN, ("own-script-silent" if own else "status-forced",)
    if case.reading.weak_fails and not case.reading.passes and _runs_tests(case):
        # A target can hide the status of what it runs; failures without any pass are no pass.
        return Verdict.UNKNOWN, case.reading.weak_fails
    return Verdict.PASS, (*(ident for ident, _ in case.reading.passes), "exit-status")


def _runs_tests(case: _Case) -> bool:
    return any(check.kind in {Kind.TEST, Kind.SCRIPT} for check in case.checks)


def _passes_seen(case: _Case) -> bool:
    """Whether each check whose status is open shows a success of its kind in the output."""
    open_kinds = [
        check.kind
        for check, status in zip(case.checks, case.statuses, strict=True)
        if status == "open"
    ]
    return all(
        case.reading.passes_of(kind, filtered=case.filtered) >= open_kinds.count(kind)
        for kind in dict.fromkeys(open_kinds)
    )


def _filtered(script: Script, checks: tuple[Check, ...]) -> bool:
    """Whether a check is piped into something that drops lines."""
    pipes = {check.command.pipeline for check in checks if check.command.length > 1}
    return any(
        visit.command.pipeline in pipes and visit.command.program in _FILTERS
        for visit in script.walk()
    )


def _status(
    check: Check, script: Script, code: int | None, printed: int | None, tables: Tables
) -> _Status:
    """What is known about one check's own exit status."""
    command = check.command
    if printed is not None and not command.zero_implied:
        return "zero" if printed == 0 else "failed"
    if code is None:
        return "open"
    if code == 0:
        return "zero" if command.zero_implied else "open"
    if _exits_with_it(script):
        return "failed"
    if command.failure_implied:
        return "failed"
    if command.zero_implied and _others_are_trivial(script, tables):
        return "failed"
    return "open"


def _others_are_trivial(script: Script, tables: Tables) -> bool:
    checks = {id(check.command) for check in find_checks(script, tables.runners)}
    return all(
        id(visit.command) in checks
        or not visit.command.args
        or visit.command.program in tables.runners.trivial
        for visit in script.walk()
    )


def _exits_with_it(script: Script) -> bool:
    """Whether the script ends with ``exit ${PIPESTATUS[0]}`` or the like."""
    last = script.commands[-1] if script.commands else None
    return (
        last is not None
        and last.program in {"exit", "return"}
        and any("$" in word for word in last.argv[1:])
    )


def _status_texts(script: Script) -> Sequence[str]:
    """Arguments of commands that print a status."""
    return [
        word
        for visit in script.walk()
        for word in _printed(visit.command)
        if visit.command.program in {"echo", "printf"}
    ]


def _printed(command: Command) -> tuple[str, ...]:
    words = command.argv[1:]
    return (" ".join(words), *words)
