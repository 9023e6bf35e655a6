"""Names of the logs, for the store and for the command line, which must not load the store."""

from __future__ import annotations

from typing import Literal

__all__ = ["LogName"]

LogName = Literal["decisions", "calls", "gate"]
