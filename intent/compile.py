"""YAML sources to the compiled rule book; raises on anything that is not allowed.

The parsed sources come in as plain values, so that this module needs neither
the file system nor a YAML parser.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from struct import pack
from typing import Any

from .concepts import pack as pack_concepts
from .features import head
from .lexicon import OFFSET
from .magic import MAGIC
from .sections import join
from .tokens import fold, tokenise

__all__ = [
    "MAGIC",
    "BookError",
    "compile_book",
    "concept_rows",
    "elements",
    "language_rows",
    "patterns_of",
    "rule_row",
]

FLAGS = frozenset(("", "follow_up", "negation", "vague"))
_RULE_KEYS = frozenset(
    (
        "id",
        "any",
        "not",
        "weight",
        "strength",
        "flag",
        "stage",
        "source",
        "since",
        "match",
        "no_match",
    )
)
_ELEMENT = re.compile(
    r"\s*(?:(?P<gap>\.{2,3})(?=\s|$)|(?P<start>\^)|(?P<end>\$)|\{(?P<name>[\w-]+)\}"
    r"|\((?P<any>[^()]+)\)|\[(?P<maybe>[^\[\]]+)\]|(?P<word>[^\s(){}\[\]|]+))"
)
_REACH = {"..": 3, "...": 8}


class BookError(ValueError):
    """A source does not validate; the message names file, id, what and what is allowed."""


def _units(phrase: str, where: str) -> list[str]:
    """Units of one phrase of a pattern."""
    units: list[str] = []
    for piece in phrase.split():
        if re.fullmatch(r"<[a-z]+(:\w+)?>|@[a-z]+", piece):
            units.append(piece)
        elif piece.endswith("*"):
            stem = fold(piece[:-1]).text
            if len(stem) < 3:
                raise BookError(
                    f"{where}: {piece!r} is too short; a stem has three letters or more"
                )
            units.append(stem + "*")
        else:
            units.extend(token.text for token in tokenise(fold(piece).text))
    if not units:
        raise BookError(f"{where}: empty phrase in a pattern")
    return units


def elements(pattern: str, snippets: Mapping[str, Sequence[str]], where: str) -> list[list[Any]]:
    """Compile one pattern to plain lists: ``[kind, phrases, reach]``."""
    row: list[list[Any]] = []
    at = 0
    text = pattern.rstrip()
    while at < len(text):
        match = _ELEMENT.match(text, at)
        if match is None:
            raise BookError(f"{where}: cannot read {text[at:]!r} in pattern {pattern!r}")
        at = match.end()
        kind = str(match.lastgroup)
        body = match.group(kind)
        if kind in {"start", "end"}:
            row.append([kind, [], 0])
        elif kind == "gap":
            row.append(["gap", [], _REACH[body]])
        else:
            options = [body] if kind == "word" else body.split("|")
            if kind == "name":
                if body not in snippets:
                    raise BookError(
                        f"{where}: no snippet {body!r}; known: {', '.join(sorted(snippets))}"
                    )
                options = list(snippets[body])
            phrases = [_units(option, where) for option in options]
            row.append(["maybe" if kind == "maybe" else "any", phrases, 0])
    lead = next((part[0] for part in row if part[0] != "start"), "")
    if lead != "any":
        raise BookError(
            f"{where}: pattern {pattern!r} must begin with a word, not {lead or 'nothing'!r}"
        )
    return row


def patterns_of(
    rule: Mapping[str, Any], key: str, snippets: Mapping[str, Sequence[str]], where: str
) -> list[list[list[Any]]]:
    """Compiled patterns under ``any`` or ``not`` of a rule."""
    values = rule.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BookError(f"{where}: {key!r} must be a list of quoted strings")
    return [elements(value, snippets, where) for value in values]


def _text(rule: Mapping[str, Any], where: str) -> None:
    """Check the parts of a rule that are for people."""
    unknown = sorted(set(rule) - _RULE_KEYS)
    if unknown:
        allowed = ", ".join(sorted(_RULE_KEYS))
        raise BookError(f"{where}: unknown key {unknown[0]!r}; allowed: {allowed}")
    for key in ("source", "since"):
        if not isinstance(rule.get(key), str):
            raise BookError(f"{where}: {key!r} is missing")
    for key in ("match", "no_match"):
        cases = rule.get(key, [])
        if len(cases) < 2 or not all(isinstance(case, str) for case in cases):
            raise BookError(f"{where}: {key!r} needs two quoted cases or more")


def _choice(rule: Mapping[str, Any], key: str, allowed: frozenset[str], where: str) -> str:
    value = rule.get(key, min(allowed, key=len) if "" in allowed else "weak")
    if value not in allowed:
        raise BookError(f"{where}: {key} {value!r} is unknown; allowed: {sorted(allowed)}")
    return str(value)


def rule_row(
    rule: Mapping[str, Any], toolset: str, file: str, snippets: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """One rule as the compiled book holds it.

    Raises:
        BookError: something in it is not allowed.
    """
    ident = rule.get("id")
    where = f"{file}: rule {ident!r}"
    if not isinstance(ident, str) or not re.fullmatch(r"[a-z_]+\.[a-z0-9-]+", ident):
        raise BookError(f"{where}: an id is 'toolset.pattern-name' in lower case")
    _text(rule, where)
    weight = rule.get("weight", 0.0)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not -12 <= weight <= 12:
        raise BookError(f"{where}: weight must be a number from -12 to 12, not {weight!r}")
    patterns = patterns_of(rule, "any", snippets, where)
    if not patterns:
        raise BookError(f"{where}: 'any' has no pattern")
    return {
        "id": ident,
        "toolset": toolset,
        "weight": float(weight),
        "strong": _choice(rule, "strength", frozenset(("weak", "strong")), where) == "strong",
        "flag": _choice(rule, "flag", FLAGS, where),
        "any": patterns,
        "not": patterns_of(rule, "not", snippets, where),
    }


def compile_book(
    sources: Mapping[str, Mapping[str, Any]], lexicon: str, *, only: frozenset[str] | None = None
) -> bytes:
    """Compile sources to the bytes that ``book_from_bytes`` reads.

    Args:
        sources: file name to its parsed content; ``snippets``, ``frames``,
            ``languages``, ``policy`` and one file per toolset.
        lexicon: the learned table as text, see ``lexicon_rows``.
        only: keep these rules alone; ``None``: all that are live (used by ablation).

    Raises:
        BookError: something is not allowed.
    """
    snippets = sources["snippets"]["snippets"]
    rules: list[dict[str, Any]] = []
    seen: set[str] = set()
    for file in sorted(sources):
        content = sources[file]
        if "rules" not in content:
            continue
        for rule in content["rules"]:
            if rule.get("stage", "live") == "shadow":
                continue
            row = rule_row(rule, content.get("toolset", ""), file, snippets)
            if row["id"] in seen:
                raise BookError(f"{file}: rule {row['id']!r} stands twice")
            seen.add(row["id"])
            if only is None or row["id"] in only:
                rules.append(row)
    body = {
        "rules": rules,
        "concepts": pack_concepts(concept_rows(sources["concepts"]["concepts"])),
        "frames": sources["frames"]["frames"],
        "suspects": sources["frames"]["suspects"],
        "languages": language_rows(sources["languages"]["languages"]),
        "policy": sources["policy"]["policy"],
    }
    rows = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(rows + lexicon.encode()).hexdigest()[:16].encode()
    # Not compressed: that would be a fifth of the time that loading takes.
    return MAGIC + join([digest, rows, *_pack(lexicon)])


def language_rows(languages: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Folded function words by language."""
    return {
        code: {
            "covered": bool(entry["covered"]),
            "words": " ".join(sorted(set(fold(entry["words"]).text.split()))),
        }
        for code, entry in languages.items()
    }


def concept_rows(languages: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    """Rows of kind, folded form, concept and languages for :func:`.concepts.pack`, sorted.

    Raises:
        BookError: a form is empty or a stem too short to mean anything.
    """
    rows: dict[tuple[str, str, str], set[str]] = {}
    for language, entries in languages.items():
        for concept, forms in entries.items():
            for form in forms.split():
                kind, folded = _form(form, f"concepts.yaml: {language} {concept}")
                rows.setdefault((kind, folded, f"@{concept}"), set()).add(language)
    return [[*row, " ".join(sorted(rows[row]))] for row in sorted(rows)]


def _form(form: str, where: str) -> tuple[str, str]:
    stem = form.endswith("*")
    folded = fold(form.rstrip("*").replace("_", " ")).text
    tokens = tokenise(folded)
    if not tokens or (stem and len(folded) < 2):
        raise BookError(f"{where}: {form!r} has no letters to go by")
    if tokens[0].kind in {"cjk", "sea"}:
        return "run", folded
    if len(tokens) > 1:
        return "phrase", " ".join(token.text for token in tokens)
    return ("stem" if stem else "word"), folded


def _pack(lexicon: str) -> list[bytes]:
    """The learned table as sections that load fast.

    Header; keys of one unit; first units of longer keys; for each of those how they go on, as
    ``rest TAB number``; numbers of the rows of the keys of one unit (32 bits, little-endian);
    and the distinct rows, one byte a weight.
    """
    lines = lexicon.splitlines()
    header = json.loads(lines[0])
    lanes = len(header["lanes"])
    rows: dict[bytes, int] = {}
    numbers: dict[str, int] = {}
    chains: dict[str, list[str]] = {}
    for line in lines[1:]:
        key, _, rest = line.partition("\t")
        row = bytearray([OFFSET]) * lanes
        for cell in rest.split():
            lane, _, weight = cell.partition(":")
            row[int(lane)] = OFFSET + int(weight)
        number = rows.setdefault(bytes(row), len(rows))
        first = head(key)
        if first == key:
            numbers[key] = number
        else:
            chains.setdefault(first, []).append(f"{key[len(first) :]}\t{number}")
    return [
        json.dumps(header, sort_keys=True, separators=(",", ":")).encode(),
        "\n".join(numbers).encode(),
        "\n".join(chains).encode(),
        "\n".join("\t".join(pairs) for pairs in chains.values()).encode(),
        pack(f"<{len(numbers)}I", *numbers.values()),
        b"".join(rows),
    ]
