"""A log file with one JSON object a line, for people who pipe logs elsewhere.

The state store keeps the same rows; this is its mirror (``system_one.log_path``).
Several processes may write one file: each line is one ``write`` at the end.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from .records import Record

__all__ = ["JsonLines", "as_row"]

KEPT = 3
"""Rotated files beside the current one: ``.1`` is the latest."""

_log = logging.getLogger(__name__)


def as_row(record: Record, *, at: float) -> dict[str, object]:
    """A record as one object of the log; ``at`` in Unix seconds becomes ISO 8601 in UTC."""
    stamp = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return {"at": stamp, **asdict(record)}


class JsonLines:
    """Appends rows and rotates by size and age.  Never raises."""

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int,
        days: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._days = days
        self._clock = clock
        self._lock = threading.Lock()
        self._warned = False

    def write(self, row: Mapping[str, object]) -> bool:
        """Append one row; false if it could not be written."""
        line = json.dumps(row, ensure_ascii=True, default=str, separators=(",", ":")) + "\n"
        with self._lock:
            try:
                self._append(line.encode())
            except OSError as error:
                self._warn(error)
                return False
            return True

    def _append(self, line: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._drop_old()
        self._make_room(len(line))
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.fstat(descriptor).st_mode & 0o077:
                self.path.chmod(0o600)
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def _make_room(self, needed: int) -> None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return
        if found.st_size and found.st_size + needed > self._max_bytes:
            self._rotate(found.st_ino)

    def _rotate(self, inode: int) -> None:
        """Shift the files by one, unless another process did it meanwhile."""
        if self.path.stat().st_ino != inode:
            return
        for number in range(KEPT - 1, 0, -1):
            older = self._numbered(number)
            if older.exists():
                older.replace(self._numbered(number + 1))
        self.path.replace(self._numbered(1))

    def _drop_old(self) -> None:
        """Rotated files go at the age of retention; so does the current one when it is that old."""
        oldest = self._clock() - self._days * 86400
        for path in (self.path, *(self._numbered(number) for number in range(1, KEPT + 1))):
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink()
            except FileNotFoundError:
                continue

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")

    def _warn(self, error: OSError) -> None:
        if not self._warned:
            self._warned = True
            reason = os.strerror(error.errno) if error.errno else type(error).__name__
            _log.warning("tool-router: log file cannot be written path=%s (%s)", self.path, reason)
