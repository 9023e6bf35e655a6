"""Look at Hermes, this home and these files, and say whether routing works."""

from __future__ import annotations

import importlib.util
import logging
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path

from ..registry_adapter import guard
from .copies import describe, look, stranded, stranded_text
from .findings import Finding, Level, Report, note, ok, problem
from .home import PLUGIN, SOURCE

__all__ = ["examine"]

_HOST = "hermes-agent"
_NEEDED = ("pydantic", "yaml")
"""Third-party packages that the settings need; Hermes brings both."""
_Step = Callable[[], tuple[Finding, ...]]


def examine(progress: Callable[[str], None] = lambda text: None) -> Report:
    """Make every check that still makes sense after the ones before it.

    Never raises; what a check raises becomes a problem of its own.

    Args:
        progress: is told what comes next, for people who wait.
    """
    faults = _Faults()
    logging.getLogger(guard.__name__).addHandler(faults)
    runner = guard.Guard()
    findings: list[Finding] = []
    for name, step in _steps():
        progress(name)
        findings += runner.run(name, step, partial(_failed, name, faults))
        if name == "the host" and any(item.level is Level.PROBLEM for item in findings):
            break
    return Report(findings=tuple(findings))


class _Faults(logging.Handler):
    """Keeps the last fault that the guard logged; without a handler Python would print it."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Note the exception of a record."""
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            self.last = f"{type(error).__name__}: {error}".splitlines()[0][:300]


def _steps() -> Iterator[tuple[str, _Step]]:
    yield "the host", _host
    yield "the copies", _copies
    yield "the settings", _settings
    yield "the rule book", _rules
    yield "the state", _state
    yield "a real turn in a scratch home", _turn


def _failed(name: str, faults: _Faults) -> tuple[Finding, ...]:
    text = f"looking at {name} failed with {faults.last or 'an unknown fault'}"
    return (problem("doctor.fault", text, check=name),)


def _host() -> tuple[Finding, ...]:
    python = f"Python {sys.version.split()[0]}"
    if importlib.util.find_spec("hermes_cli") is None:
        return (
            problem(
                "host.version", f"{_HOST} is not in this {python} ({sys.executable}); {_which()}"
            ),
        )
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return (problem("host.packages", f"{python} lacks {', '.join(missing)}"),)
    version = _version()
    return (
        ok("host.version", f"{_HOST} {version}, {python}", hermes=version, python=sys.executable),
    )


def _which() -> str:
    """Name Hermes' own Python where a ``hermes`` command is at hand."""
    command = shutil.which("hermes")
    if command is None:
        return "run this with the Python that Hermes runs on"
    with Path(command).open("rb") as file:
        line = file.readline(300).decode(errors="replace").strip()
    interpreter = line.removeprefix("#!").strip() if line.startswith("#!") else ""
    return (
        f"run this with {interpreter or 'the Python of'} {'' if interpreter else command}".strip()
    )


def _version() -> str:
    try:
        return metadata.version(_HOST)
    except metadata.PackageNotFoundError:
        return "of unknown version"


def _home() -> Path | None:
    """The home that Hermes would use; ``None`` where it does not exist yet.

    Hermes makes it when it reads its configuration, and a doctor leaves no trace.
    """
    from ..registry_adapter.host import hermes_home  # noqa: PLC0415 - needs the host

    home = hermes_home()
    return home if home.is_dir() else None


def _copies() -> tuple[Finding, ...]:
    home = _home()
    if home is None:
        return (note("copy.live", "no Hermes home yet; what follows is about these files"),)
    from hermes_cli.config import load_config_readonly  # noqa: PLC0415 - host import

    live = describe(look(home, load_config_readonly()), SOURCE)
    others = stranded(home)
    if not others:
        return (live,)
    return (live, note("copy.profiles", stranded_text(others), profiles=list(others)))


def _settings() -> tuple[Finding, ...]:
    home = _home()
    if home is None:
        return ()
    from .settings_report import settings_findings  # noqa: PLC0415 - needs pydantic

    return settings_findings(home)


def _rules() -> tuple[Finding, ...]:
    from ..registry_adapter.resources import rule_book  # noqa: PLC0415 - reads a file

    try:
        book = rule_book()
    except (OSError, ValueError) as error:
        return (problem("rules.valid", f"the rule book does not load: {error}"),)
    toolsets = sorted({rule.toolset for rule in book.rules if rule.toolset})
    return (
        ok(
            "rules.valid",
            f"the rule book loads: {len(book.rules)} rules on {len(toolsets)} toolsets",
            version=book.version,
            rules=len(book.rules),
            toolsets=toolsets,
        ),
    )


def _state() -> tuple[Finding, ...]:
    from ..registry_adapter.store import StateStore  # noqa: PLC0415 - opens a database

    home = _home()
    if home is None or not (home / PLUGIN).exists():
        return (ok("state.store", "no state yet: no session was routed in this home"),)
    store = StateStore(home)
    try:
        health = store.health()
    finally:
        store.close()
    data = {
        "path": str(health.path),
        "bytes": health.bytes,
        "rows": dict(health.rows),
        "set_aside": [str(path) for path in health.set_aside],
    }
    if health.problem or not health.intact:
        why = health.problem or "SQLite's own check found damage"
        return (note("state.store", f"not in use, sessions live in memory only: {why}", **data),)
    if health.set_aside:
        return (note("state.store", "in order; a damaged file was set aside earlier", **data),)
    sessions = health.rows.get("surfaces", 0)
    return (ok("state.store", f"in order: {sessions} sessions, {health.bytes:,} bytes", **data),)


def _turn() -> tuple[Finding, ...]:
    from .selftest import examine as examine_turn  # noqa: PLC0415 - needs the host

    return examine_turn(_version(), Path(sys.executable))
