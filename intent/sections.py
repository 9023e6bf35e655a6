"""Several pieces of data in one file, each behind its length."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["join", "split"]

_SIZE = 4
"""Bytes of a length, big-endian."""


def join(sections: Iterable[bytes]) -> bytes:
    """The sections one behind the other."""
    return b"".join([len(section).to_bytes(_SIZE, "big") + section for section in sections])


def split(data: bytes, start: int, count: int) -> list[bytes]:
    """Sections that :func:`join` wrote, from a position to the end.

    Raises:
        ValueError: there are not ``count`` of them, or something is left over.
    """
    found: list[bytes] = []
    at = start
    while at < len(data):
        size = int.from_bytes(data[at : at + _SIZE], "big")
        at += _SIZE + size
        found.append(data[at - size : at])
    if at != len(data) or len(found) != count:
        raise ValueError(f"damaged: expected {count} whole sections, found {len(found)}")
    return found
