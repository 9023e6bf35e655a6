"""What conditions look at: bounded texts, classes of paths, deletions of whole folders."""

from __future__ import annotations

import re
from functools import lru_cache

from ..calls.acts import Act
from ..calls.paths import classes

__all__ = ["is_broad", "is_recursive", "path_classes", "scanned"]

MAX_SCANNED = 16_384
"""Characters of one text that patterns look at; head and tail of a longer one."""

_BROAD = re.compile(r"[*?\[]|\{\}|\{stdin\}|\$|`|⟨")


def scanned(text: str) -> str:
    """A text short enough for patterns: head and tail of a long one."""
    if len(text) <= MAX_SCANNED:
        return text
    half = MAX_SCANNED // 2
    return f"{text[:half]}\n{text[-half:]}"


def is_broad(path: str) -> bool:
    """A path that stands for files nobody named one by one."""
    return bool(_BROAD.search(path))


@lru_cache(maxsize=4_096)
def path_classes(path: str) -> frozenset[str]:
    """Classes of a canonical path, ``broad`` and ``*`` (any path) among them."""
    found = classes(path)
    return found | ({"*", "broad"} if is_broad(path) else {"*"})


def is_recursive(act: Act) -> bool:
    """A deletion that takes whole folders."""
    flags = act.options.flags
    if act.program in _TREE:
        return act.program not in {"rd", "rmdir", "del", "erase"} or "/s" in flags
    return bool(flags & _RECURSIVE) or any(
        arg.text.lower().startswith("recursive") for arg in act.options.operands[1:]
    )


_TREE = frozenset(
    {
        "python:shutil.rmtree", "python:os.removedirs", "code:rm_rf", "code:rm_r", "code:rmtree",
        "code:remove_tree", "code:rmsync", "code:rmdirsync", "code:removesync",
        "code:emptydirsync", "rd", "rmdir", "del", "erase",
    }
)  # fmt: skip
_RECURSIVE = frozenset({"-r", "-R", "--recursive", "-recurse", "-Recurse", "/s", "-rf", "-fr"})
