"""The authored secrets cases: templates to texts, with what must go and what must stay."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from ..sanitizer.book import expanded

__all__ = ["FILE", "SecretCase", "authored"]

FILE = Path(__file__).resolve().parent / "cases" / "secrets.yaml"
_WORDS = ("Falcon", "Ember", "Quartz", "river", "Lantern", "Maple")
_MARKS = re.compile("[«»]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretCase:
    """One text; ``secrets`` empty: nothing in it may change."""

    id: str
    kind: str
    text: str
    secrets: tuple[str, ...]
    keep: tuple[str, ...]


def authored(seed: int = 1) -> list[SecretCase]:
    """Return the authored cases, their random parts filled from ``seed``."""
    document = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    cases: list[SecretCase] = []
    for section in ("removed", "kept"):
        for kind, templates in document[section].items():
            cases += [
                _case(f"{section}.{kind}.{number}", kind, template, seed)
                for number, template in enumerate(templates)
            ]
    return cases


def _case(name: str, kind: str, template: str, seed: int) -> SecretCase:
    source = random.Random(f"{seed} {name}")
    password = f"{source.choice(_WORDS)}{{A6}}{source.randint(10, 99)}"
    parts = _MARKS.split(expanded(template.replace("{W}", password), source.choice))
    return SecretCase(
        id=name,
        kind=kind,
        text="".join(parts),
        secrets=tuple(parts[1::2]),
        keep=tuple(kept for part in parts[0::2] if (kept := part.strip(" \"'`;,).\n"))),
    )
