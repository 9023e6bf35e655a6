"""What the local head learns from: rows, the toolsets they teach, what each row weighs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from .options import UsageError

__all__ = [
    "OURS",
    "OWN",
    "PICK",
    "STAND_INS",
    "TRAIN_SHA256",
    "Row",
    "digest",
    "gather",
    "own_rows",
]

TRAIN_SHA256 = "00082cbf9e6b21a5ae42af6f349e0fc632bef45fa4d964256bdbc50325a3b27e"
"""Of the ``train.jsonl`` that the committed head was trained on."""
OWN = "own-prompts"
"""Source name of ``benchmarks/training/prompts.yaml``."""
OWN_WEIGHT = 2.0
"""Copies that a row written for this project counts for: there are few, each of another kind."""
LEFT_OUT = frozenset(["swebench-lite"])
"""Issue titles belong to the users who wrote them; nothing that ships learns from them."""

UNTAUGHT = frozenset(["unknown_language"])
"""Kinds without a right answer: what is needed is not known, so nothing is learned."""
OURS = frozenset([OWN, "authored-routes"])
"""Sources written for this project, which are held out together."""

PICK: dict[frozenset[str], tuple[str, ...]] = {
    # A need that several toolsets can meet is learned for the one that does it best.
    frozenset(("browser", "web")): ("web",),
    frozenset(("code_execution", "terminal")): ("terminal",),
    frozenset(("homeassistant", "spotify")): ("homeassistant", "spotify"),
    frozenset(("code_execution", "file", "terminal")): ("file",),
    frozenset(("file", "terminal")): ("file",),
    frozenset(("code_execution", "computer_use", "terminal")): ("terminal",),
    frozenset(("memory", "session_search")): ("session_search",),
    frozenset(("browser", "computer_use")): ("browser",),
    frozenset(("browser", "web", "x_search")): ("web", "x_search"),
    frozenset(("computer_use", "terminal")): ("terminal",),
    frozenset(("computer_use", "file", "terminal")): ("terminal",),
    frozenset(("code_execution", "file")): ("file",),
}
"""Shared with the lexicon: two tiers that learned different answers would dilute each other."""

STAND_INS: dict[str, tuple[str, ...]] = {
    # Who answers the same need on a surface without the one that was learned.
    "web": ("browser",),
    "terminal": ("code_execution",),
    "file": ("terminal", "code_execution"),
    "browser": ("computer_use",),
    "session_search": ("memory",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One training message.

    Attributes:
        needs: toolsets that it teaches, :data:`PICK` applied.
        weight: how often it counts, 1 for a row of a public corpus.
        kind: ``vague`` for a message that names nothing; else empty.
    """

    text: str
    source: str
    lang: str
    needs: frozenset[str]
    weight: float = 1.0
    kind: str = ""


def digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _needs(required: Iterable[str], groups: Iterable[Sequence[str]]) -> frozenset[str]:
    wanted = set(required)
    for group in groups:
        if not wanted & set(group):
            wanted.update(PICK.get(frozenset(group), tuple(group[:1])))
    return frozenset(wanted)


def read_rows(path: Path, *, weight: float = 1.0, split: str | None = None) -> list[Row]:
    """Rows of a JSON Lines file in the form of ``train.jsonl``.

    Args:
        path: the file.
        weight: of each row.
        split: keep the rows of this split alone; ``None``: all.

    Raises:
        UsageError: the file cannot be read or a line is not a row.
    """
    try:
        # Not splitlines(): a prompt may hold U+2028, which ends no line of JSON.
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        found = [json.loads(line) for line in lines]
        return [
            Row(
                text=row["prompt"],
                source=row["source"],
                lang=row["lang"],
                needs=_needs(row.get("required_toolsets") or [], row.get("required_any") or []),
                weight=weight,
            )
            for row in found
            if row["source"] not in LEFT_OUT
            and row["kind"] not in UNTAUGHT
            and split in (None, row.get("split"))
        ]
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (KeyError, ValueError) as error:
        raise UsageError(f"{path}: not training rows: {error}") from error


def own_rows(path: Path) -> list[Row]:
    """Rows of ``benchmarks/training/*.yaml``; ``prompts.yaml`` says how it is laid out."""
    groups = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        Row(
            text=prompt,
            source=OWN,
            lang=lang,
            needs=_needs(group.get("need") or [], group.get("any") or []),
            weight=OWN_WEIGHT,
            kind=group.get("kind", ""),
        )
        for group in groups
        for lang, prompts in group["prompts"].items()
        for prompt in prompts
    ]


def gather(train: Path, cases: Path, prompts: Path) -> list[Row]:
    """All training rows: public corpora, the train split of the authored cases, our prompts.

    A message that also stands in the test split of the cases trains nothing, whatever
    file it comes from.
    """
    rows = [
        *read_rows(train),
        *own_rows(prompts),
        *read_rows(cases, weight=OWN_WEIGHT, split="train"),
    ]
    tested = {_plain(row.text) for row in read_rows(cases, split="test")}
    return [row for row in rows if _plain(row.text) not in tested]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!?。？！")
