"""The file of a live run: what was asked under which conditions, a row a result.

JSON Lines; the first line names the run, so that a stopped one is gone on with
only under the same conditions.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import yaml

from ..probe.home import SOURCE
from .live_endpoint import Endpoint
from .options import UsageError

__all__ = ["SCHEMA", "Journal", "Run", "version"]

SCHEMA = 2
"""Of the journal's rows and of the report; 1 had first requests alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What must not change between two parts of a run.

    Attributes:
        endpoint: its host name; a whole URL may hold a key.
        plugin: our version.
        host: Hermes' version.
        tasks: digest of the tasks file.
        steps: most requests of one task.
        reference: the model plays the authored solutions.
    """

    schema: int
    model: str
    endpoint: str
    plugin: str
    host: str
    tasks: str
    steps: int
    max_output: int
    temperature: float | None
    reference: bool = False

    @classmethod
    def of(cls, endpoint: Endpoint, *, tasks: str, steps: int, reference: bool) -> Self:
        """The run that would be made here and now."""
        return cls(
            schema=SCHEMA,
            model=endpoint.model,
            endpoint=urlsplit(endpoint.base_url).hostname or "",
            plugin=version(),
            host=metadata.version("hermes-agent"),
            tasks=tasks,
            steps=steps,
            max_output=endpoint.max_output,
            temperature=endpoint.temperature,
            reference=reference,
        )


class Journal:
    """The rows of one run, in the file as soon as they are made.

    Attributes:
        run: its conditions.
        rows: results, oldest first, failed ones included.
        notes: the conditions of each part that asked something, in the user's words.
        started: when the first part began, ISO 8601 in UTC.
    """

    def __init__(self, path: Path, run: Run, note: str = "") -> None:
        """Open or begin a journal.

        Args:
            path: the file.
            run: its conditions.
            note: of this part; kept with its first result.

        Raises:
            UsageError: the file is none, or one of other conditions.
        """
        self.run = run
        self.started = _now()
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._note = note
        self._path = path
        if path.exists():
            self._go_on()
        else:
            self._write({"row": "run", **asdict(run), "started": self.started, **_machine()})

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a result."""
        if self._note:
            self._write({"row": "part", "note": self._note})
            self.notes.append(self._note)
            self._note = ""
        made = {**row, "at": _now()}
        self._write(made)
        self.rows.append(made)

    @property
    def finished(self) -> str:
        """When the last result came."""
        return str(self.rows[-1]["at"]) if self.rows else self.started

    def _write(self, row: Mapping[str, Any]) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UsageError(f"cannot write {self._path}: {error.strerror}") from error

    def _go_on(self) -> None:
        try:
            text = self._path.read_bytes()
            whole = text[: text.rfind(b"\n") + 1]  # a killed run may leave half a line
            head, *rows = [json.loads(line) for line in whole.splitlines()]
            before = {name: head[name] for name in asdict(self.run)}
            self.started = head["started"]
            self.notes = [row["note"] for row in rows if row["row"] == "part"]
            self.rows = [dict(row) for row in rows if row["row"] != "part"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{self._path} is no live run of schema {SCHEMA}; choose another --out"
            ) from error
        now = asdict(self.run)
        if differing := [name for name in now if now[name] != before[name]]:
            name = differing[0]
            raise UsageError(
                f"{self._path} was made with {name} {before[name]!r}, not {now[name]!r}; "
                "choose another --out"
            )
        if len(whole) < len(text):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))


def version() -> str:
    """Our version, as the manifest has it."""
    manifest = yaml.safe_load((SOURCE / "plugin.yaml").read_text(encoding="utf-8"))
    return str(manifest["version"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _machine() -> dict[str, str]:
    return {"python": platform.python_version(), "machine": platform.machine()}
