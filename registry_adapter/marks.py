"""Whether anything changed that an answer was made from, asked of the file system alone.

Hermes 0.19.0 keeps its merged configuration by the modification time and size
of the user's file and the administrator's, and by the variables that they name
(hermes_cli/config.py:7293-7345).  The same marks show a change without the host's
locks and checks, and an inode shows a file that was put in the place of another.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Marks", "Signature", "marks", "signature"]

Signature = tuple[int, int, int] | None
"""Modification time, size and inode; ``None`` where there is no such file."""

SETTLED_NS = 2_000_000_000
"""Age from which a file's modification time tells all: the coarsest clock of a file system."""

_REFERENCE = re.compile(rb"\$\{([^}]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What files and variables were like at one instant."""

    files: tuple[tuple[str, Signature], ...]
    variables: tuple[tuple[str, str | None], ...]
    """Those that the files name, and those named by the caller."""
    settled: bool
    """Every file is older than the grain of its clock, so that a later edit shows."""

    def hold(self) -> bool:
        """Whether everything is as it was, and would not be if somebody had changed it."""
        if not self.settled:
            return False
        for name, was in self.variables:
            if os.environ.get(name) != was:
                return False
        return all(signature(path) == was for path, was in self.files)


def marks(
    files: Sequence[str], variables: Sequence[str] = (), *, now_ns: int | None = None
) -> Marks:
    """Look at files, then at the variables they name.

    Take the marks before the answer is made: a change in between then shows later.

    Args:
        files: paths, whether or not anything is there.
        variables: names that the answer depends on beside those in the files.
        now_ns: the time of day, in nanoseconds.
    """
    found = tuple((path, signature(path)) for path in files)
    names = {*variables, *(name for path in files for name in _named(path))}
    now = time.time_ns() if now_ns is None else now_ns
    return Marks(
        files=found,
        variables=tuple((name, os.environ.get(name)) for name in sorted(names)),
        settled=all(seen is None or seen[0] <= now - SETTLED_NS for _, seen in found),
    )


def signature(path: str | Path) -> Signature:
    """What a change of a file shows in."""
    try:
        found = os.stat(path)  # noqa: PTH116 - at every call; a third of Path.stat's time
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _named(path: str) -> Mapping[str, None]:
    """Variables that a file refers to; none where it cannot be read."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return {}
    return dict.fromkeys(os.fsdecode(name) for name in _REFERENCE.findall(content))
