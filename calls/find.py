"""What ``find`` picks: paths that stand for the files it would hand on."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["find_targets"]

MAX_TARGETS = 12
"""Root and pattern pairs that are listed; more of them add nothing to a verdict."""


def find_targets(words: Sequence[str]) -> tuple[str, ...]:
    """``root/pattern`` for each root and each positive ``-name`` of a ``find`` command.

    Args:
        words: the command, name included.

    Returns:
        ``root/{}`` where no name narrows it; never empty.
    """
    roots: list[str] = []
    position = 1
    while position < len(words):
        word = words[position]
        if word in {"-H", "-L", "-P"}:
            position += 1
        elif word.startswith(("-", "(", "!", ")")) or word == ",":
            break
        else:
            roots.append(word.rstrip("/") or "/")
            position += 1
    names = _names(words[position:])
    pairs = [f"{root}/{name}" for root in roots or ["."] for name in names or ["{}"]]
    return tuple(pairs[:MAX_TARGETS])


def _names(words: Sequence[str]) -> list[str]:
    names: list[str] = []
    negated = False
    for index, word in enumerate(words):
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            break
        if word in {"-name", "-iname"} and index + 1 < len(words):
            if not negated:
                names.append(words[index + 1])
            negated = False
        elif word in {"-path", "-wholename", "-ipath"} and index + 1 < len(words):
            if not negated:
                names.append(words[index + 1].lstrip("*./") or "{}")
            negated = False
        else:
            negated = word in {"!", "-not"}
    return names
