r"""Paths in one canonical form, and what they stand for.

Canonical: back slashes are slashes, a drive is ``/c:``, ``.`` and ``..`` are
resolved, a home folder (``/home/x``, ``/Users/x``, ``/root``, ``C:\Users\x``)
is ``~``, and a path inside the workspace is relative to it (``.`` is the
workspace itself).  Nothing is looked up on the disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from urllib.parse import unquote

from .literals import LiteralIndex, needed_by
from .tables import literals, table

__all__ = [
    "PathClass",
    "candidates",
    "canonical",
    "classes",
    "group",
    "looks_like_path",
    "patterns",
]

MAX_PATH = 4_096
"""Characters of a path that are looked at (PATH_MAX of Linux)."""

_HOME = re.compile(
    r"/(?:home|Users|export/home|usr/home)/(?!Shared(?:/|\Z))[^/*]+(?=/|\Z)|/(?:var/)?root(?=/|\Z)"
)
_DRIVE = re.compile(r"([A-Za-z]):(?=/|\Z)")
_WINDOWS_HOME = re.compile(r"/c:/Users/[^/*]+(?=/|\Z)", re.IGNORECASE)
_GLOB = re.compile(r"[*?\[]")
_ESCAPES = re.compile(r"[\x00-\x1f]")


@lru_cache(maxsize=4_096)
def canonical(path: str, cwd: str = "", workspace: str = "") -> str:
    """A path in its canonical form; never raises, an empty path stays empty.

    Args:
        path: as written, after shell expansion.
        cwd: folder it is relative to, as ``Command.cwd``: empty is the
            workspace, ``?`` unknown.
        workspace: absolute path of the workspace, empty if unknown.
    """
    text = path[:MAX_PATH]
    if text.startswith("file:"):
        text = unquote(text[5:].removeprefix("//").partition("?")[0])
    text = _ESCAPES.sub("", text).replace("\\", "/")
    if (drive := _DRIVE.match(text)) is not None:
        text = f"/{drive[1].lower()}:{text[2:]}"
    if text and cwd and not text.startswith(("/", "~", "$", "%")):
        text = f"{cwd}/{text}" if cwd != "?" else text
        text = text.replace("\\", "/")
    text = _resolved(text)
    if workspace:
        base = _resolved(workspace.replace("\\", "/"))
        if text == base:
            return "."
        if base not in {"", "/"} and text.startswith(f"{base}/"):
            return text[len(base) + 1 :]
    text = _WINDOWS_HOME.sub("~", text, count=1)
    if (home := _HOME.match(text)) is not None:
        text = f"~{text[home.end() :]}"
    return text


def _resolved(text: str) -> str:
    """Without doubled slashes, ``.`` and ``..``; a climb out of the start keeps its ``..``."""
    if not text:
        return ""
    absolute = text.startswith("/")
    parts: list[str] = []
    for part in text.split("/"):
        if part in {"", "."}:
            continue
        if part == ".." and parts and parts[-1] != "..":
            if parts[-1].startswith("~") and len(parts) == 1:
                parts = ["home"]
                absolute = True
            parts.pop()
        elif part != ".." or not absolute:
            parts.append(part)
    joined = "/".join(parts)
    return f"/{joined}" if absolute else joined or "."


@dataclass(frozen=True, slots=True, eq=False)
class PathClass:
    """Patterns of one class, by the first character that a path needs for them."""

    name: str
    absolute: re.Pattern[str] | None
    home: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None

    def fits(self, path: str) -> bool:
        """A canonical path, not empty, is of this class."""
        first = self.absolute if path[0] == "/" else self.home if path[0] == "~" else None
        return bool(
            (first is not None and first.search(path))
            or (self.anywhere is not None and self.anywhere.search(path))
        )


@cache
def patterns() -> tuple[PathClass, ...]:
    """All classes."""
    raw: Mapping[str, list[str]] = table("paths")["classes"]
    return tuple(
        PathClass(
            name=name,
            absolute=_joined([pattern for pattern in listed if pattern.startswith("^/")]),
            home=_joined([pattern for pattern in listed if pattern.startswith("^~")]),
            anywhere=_joined([p for p in listed if not p.startswith(("^/", "^~"))]),
        )
        for name, listed in raw.items()
    )


def _joined(patterns: list[str]) -> re.Pattern[str] | None:
    if not patterns:
        return None
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


@cache
def _index() -> tuple[tuple[PathClass, ...], LiteralIndex[PathClass]]:
    """Classes that any path may have, and the others by the literals that their patterns need."""
    raw: Mapping[str, list[str]] = table("paths")["classes"]
    needed = {known: needed_by(raw[known.name], literals()) for known in patterns()}
    return (
        tuple(known for known, listed in needed.items() if listed is None),
        LiteralIndex((text, known) for known, listed in needed.items() for text in listed or ()),
    )


def candidates(path: str) -> Iterable[PathClass]:
    """Classes that a path may have; a superset of those that it has."""
    if not LiteralIndex.readable(path):
        return patterns()
    always, index = _index()
    return {*always, *index.found_in(path)}


@lru_cache(maxsize=4_096)
def classes(path: str) -> frozenset[str]:
    """Classes of a canonical path, ``inside`` or ``outside`` (of the workspace) among them.

    Temporary and cache folders are neither.  Empty for an empty path.
    """
    if not path:
        return frozenset()
    found = {known.name for known in candidates(path) if known.fits(path)}
    if path.startswith(("/", "~", "..", "$", "%")):
        if not found & {"temp", "cache", "harmless_device"}:
            found.add("outside")
    else:
        found.add("inside")
    if "build" in found and path.startswith(("/", "~")) and path.count("/") < 3:
        found.discard("build")  # `/data/logs`, `~/out` are somebody's data, not build output
    if found & group("secret") or _may_be_secret(path):
        found.add("secret")
    if found & group("persistent"):
        found.add("persistent")
    return frozenset(found)


def _may_be_secret(path: str) -> bool:
    """A pattern such as ``~/.s*h/id_*`` that a well-known secret file fits."""
    if not _GLOB.search(path):
        return False
    parts = path.split("/")
    return any(
        len(parts) == len(known)
        and all(
            fnmatchcase(name, part) and (name[:1] != "." or part[:1] == ".")
            for name, part in zip(known, parts, strict=True)
        )
        for known in _secret_files()
    )


@cache
def _secret_files() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(path.split("/")) for path in table("paths")["secret_files"])


@cache
def group(name: str) -> frozenset[str]:
    """A named group of classes (``secret``, ``persistent``, ``routine``)."""
    return frozenset(table("paths")[name])


_PATH_LIKE = re.compile(r"[~/\\.]|^\$|:$")


def looks_like_path(text: str) -> bool:
    """A word that may name a file: holds a slash, a dot, a tilde or a drive."""
    return bool(_PATH_LIKE.search(text)) and "://" not in text and len(text) <= MAX_PATH
