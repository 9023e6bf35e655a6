"""Errors of this package.  The sanitizer itself never raises."""

from __future__ import annotations

__all__ = ["PatternError"]


class PatternError(Exception):
    """A pattern file does not validate; the message names file, id and what is allowed."""
