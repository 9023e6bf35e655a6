"""Pattern sources (YAML) to the compiled table, and their cases to texts.

Not needed at run time: the compiled form is committed, and a test proves that
it equals what the sources compile to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import yaml

from .errors import PatternError
from .fold import folded
from .load import FORMAT
from .names import words_of
from .runs import sure_run

__all__ = ["Case", "compiled", "expanded", "read_cases"]

_SHAPE_FIELDS = {
    "id",
    "keywords",
    "pattern",
    "source",
    "match",
    "no_match",
    "random",
    "nocase",
    "kind",
    "unless",
}
_COMMAND_FIELDS = {"names", "flags", "attached", "pairs", "source"}
_PIECE = re.compile(r"\{([^{}]+)\}")
_CLASS = re.compile(r"([aAdhlUwbz])(\d{1,4})|(u)")
_BRACES = {"lbrace": "{", "rbrace": "}", "bar": "|"}
_ALPHABETS = {
    "a": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "d": "0123456789",
    "h": "0123456789abcdef",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "U": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "z": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
_ALPHABETS["A"] = _ALPHABETS["a"] + _ALPHABETS["d"]
_ALPHABETS["w"] = _ALPHABETS["A"] + "_-"
_ALPHABETS["b"] = _ALPHABETS["A"] + "+/"


class Case:
    """One case of a shape.

    Attributes:
        shape: id of the shape.
        template: as written.
        secret: something must be removed; else nothing may.
    """

    __slots__ = ("secret", "shape", "template")

    def __init__(self, shape: str, template: str, *, secret: bool) -> None:
        self.shape = shape
        self.template = template
        self.secret = secret


def expanded(template: str, choose: Callable[[str], str]) -> str:
    """Return the text of a case.

    Args:
        template: ``{A36}`` stands for 36 random characters of a class, ``{u}`` for a
            UUID, any other ``{x}`` for ``x``.
        choose: picks one character of an alphabet, such as ``Random(1).choice``.
    """

    def fill(found: re.Match[str]) -> str:
        known = _CLASS.fullmatch(found[1])
        if known is None:
            return _BRACES.get(found[1], found[1])
        if known[3]:
            return "-".join(
                "".join(choose(_ALPHABETS["h"]) for _ in range(n)) for n in (8, 4, 4, 4, 12)
            )
        return "".join(choose(_ALPHABETS[known[1]]) for _ in range(int(known[2])))

    return _PIECE.sub(fill, template)


def read_cases(sources: Mapping[str, str]) -> Iterator[Case]:
    """Yield the cases of every shape; ``sources`` is file name to YAML text."""
    for name, text in sources.items():
        for shape in _document(name, text).get("shapes", []):
            for secret, field in ((True, "match"), (False, "no_match")):
                for template in shape[field]:
                    yield Case(shape["id"], template, secret=secret)


def compiled(sources: Mapping[str, str]) -> bytes:
    """Return the compiled table.

    Args:
        sources: file name to YAML text, in the order in which shapes are tried.

    Raises:
        PatternError: an entry does not validate.
    """
    shapes: list[dict[str, Any]] = []
    commands: list[dict[str, Any]] = []
    labels: dict[str, Any] = {}
    for name, text in sources.items():
        document = _document(name, text)
        shapes += [_shape(name, raw) for raw in document.get("shapes", [])]
        commands += [_command(name, raw) for raw in document.get("commands", [])]
        if "nouns" in document:
            labels = _labels(document)
    seen: set[str] = set()
    for shape in shapes:
        if shape["id"] in seen:
            raise PatternError(f"shape {shape['id']!r} is defined twice; ids are unique")
        seen.add(shape["id"])
    prefixes = sorted(
        {
            k
            for s in shapes
            for k in s["keywords"]
            if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{2,20}", k)
            and not s["nocase"]
            and (k[-1] in "-_." or k.isupper())
        }
    )
    table = {
        "format": FORMAT,
        "shapes": shapes,
        "labels": labels,
        "commands": commands,
        "prefixes": prefixes,
    }
    return (json.dumps(table, ensure_ascii=False, sort_keys=True, indent=0) + "\n").encode()


def _document(name: str, text: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PatternError(f"{name}: not YAML: {error}") from error
    if not isinstance(document, dict):
        raise PatternError(
            f"{name}: expected a mapping at the top, found {type(document).__name__}"
        )
    return document


def _shape(name: str, raw: dict[str, Any]) -> dict[str, Any]:
    where = f"{name}: shape {raw.get('id')!r}"
    unknown = set(raw) - _SHAPE_FIELDS
    if unknown:
        raise PatternError(
            f"{where}: unknown field {min(unknown)!r}; allowed: {sorted(_SHAPE_FIELDS)}"
        )
    for field in ("id", "keywords", "pattern", "source", "match", "no_match"):
        if not raw.get(field):
            raise PatternError(f"{where}: {field!r} is missing or empty")
    if not re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+", raw["id"]):
        raise PatternError(f"{where}: an id is vendor.pattern-name in lower case")
    nocase = raw.get("nocase", False)
    unless = raw.get("unless", "")
    if nocase and any(k != k.lower() for k in raw["keywords"]):
        raise PatternError(f"{where}: keywords of a nocase shape are lower case")
    try:
        pattern = re.compile(raw["pattern"])
    except re.error as error:
        raise PatternError(f"{where}: pattern: {error}") from error
    try:
        re.compile(unless)
    except re.error as error:
        raise PatternError(f"{where}: unless: {error}") from error
    if unless and not unless.endswith("$"):
        raise PatternError(f"{where}: unless ends in '$', where the match begins")
    if pattern.groups > 2:
        raise PatternError(
            f"{where}: pattern has {pattern.groups} groups; group 1 is what is removed"
        )
    return {
        "id": raw["id"],
        "kind": raw.get("kind", raw["id"].split(".")[0]),
        "keywords": raw["keywords"],
        "pattern": raw["pattern"],
        "random": raw.get("random", True),
        "anchored": _anchored(raw, pattern, nocase=nocase),
        "nocase": nocase,
        "unless": unless,
        "run": sure_run(raw["pattern"]),
    }


_BEFORE_ANCHOR = re.compile(r"^(?:\(\?[a-z]+\)|\(\?<[!=][^)]*\)|\\b)*")
_OPEN_START = re.compile(r"\[\^?[^\]]{4,}\]|\^|\\[wdSbB]|\.")


def _anchored(raw: dict[str, Any], pattern: re.Pattern[str], *, nocase: bool) -> bool:
    """Whether every match begins with a keyword, told from the pattern and the cases.

    A pattern of several alternatives, or one that begins with a class of characters,
    is not anchored, whatever its cases do.
    """
    first = _BEFORE_ANCHOR.sub("", raw["pattern"])
    if _OPEN_START.match(first) or _has_alternatives(first):
        return False
    for template in raw["match"]:
        for start in range(4):
            text = expanded(template, _in_turn(start))
            found = pattern.search(text)
            begin = text[found.start() :] if found else ""
            if not (begin.lower() if nocase else begin).startswith(tuple(raw["keywords"])):
                return False
    return True


def _in_turn(start: int) -> Callable[[str], str]:
    """Return a choice that takes the characters of an alphabet in a fixed, mixed order."""
    turns = count(start)
    return lambda alphabet: alphabet[next(turns) * 7 % len(alphabet)]


def _has_alternatives(pattern: str) -> bool:
    """Whether a ``|`` stands outside every group and class."""
    bare = re.sub(r"\\.|\[\^?\]?[^\]]*\]", "", pattern)
    depth = 0
    for char in bare:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            return True
    return False


def _command(name: str, raw: dict[str, Any]) -> dict[str, Any]:
    unknown = set(raw) - _COMMAND_FIELDS
    if unknown or not raw.get("names") or not raw.get("source"):
        raise PatternError(
            f"{name}: command {raw.get('names')!r}: needs names and source;"
            f" allowed: {sorted(_COMMAND_FIELDS)}"
        )
    return {field: raw.get(field, []) for field in ("names", "flags", "attached", "pairs")}


def _labels(document: dict[str, Any]) -> dict[str, Any]:
    nouns = {
        " ".join(words_of(_fold(word))) or _fold(word): family
        for family, words in document["nouns"].items()
        for word in words
    }
    strange = next((noun for noun in (*nouns, *document["endings"]) if not noun.isascii()), None)
    if strange is not None:
        raise PatternError(f"labels: noun {strange!r} is not Latin; other scripts go to 'phrases'")
    phrases = {
        _fold(phrase): family for family, words in document["phrases"].items() for phrase in words
    }
    return {
        "nouns": nouns,
        "phrases": phrases,
        **{
            field: sorted({_fold(str(word)) for word in document[field]})
            for field in ("not_ending", "trailing", "about", "before", "links", "plain")
        },
        "endings": document["endings"],
    }


def _fold(text: str) -> str:
    return folded(text.lower()).text.lower()
