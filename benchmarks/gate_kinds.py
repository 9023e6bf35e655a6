"""How much each kind of message must be narrowed: ``data/gate_kinds.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .options import UsageError

__all__ = ["KINDS", "SURFACES", "Kinds", "read_kinds"]

KINDS = Path(__file__).resolve().parent / "data" / "gate_kinds.yaml"
SURFACES = ("reference", "cli")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Least median reduction by kind and surface, shares of the stock schemas.

    Attributes:
        promised: by surface, for every kind that is not among ``others``.
        others: by kind; no entry for a surface: nothing is asked of it there.
        why: the reason that a kind is among them.
    """

    promised: Mapping[str, float]
    others: Mapping[str, Mapping[str, float]]
    why: Mapping[str, str]

    def bound(self, kind: str, surface: str) -> float | None:
        """Least median reduction; ``None``: nothing is asked of this kind."""
        return self.others.get(kind, self.promised).get(surface)

    def below(self, medians: Mapping[str, float], surface: str) -> tuple[str, ...]:
        """Kinds that miss their bound on a surface, sorted.

        Args:
            medians: reduction by kind.
            surface: one of ``SURFACES``.
        """
        bounds = {kind: self.bound(kind, surface) for kind in sorted(medians)}
        return tuple(
            kind for kind, least in bounds.items() if least is not None and medians[kind] < least
        )


def read_kinds(path: Path = KINDS) -> Kinds:
    """Read the bounds.

    Raises:
        UsageError: a kind has no reason, or a bound is no share of a known surface.
    """
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    others: dict[str, dict[str, Any]] = found["others"]
    for kind, entry in others.items():
        if not str(entry.get("why", "")).strip():
            raise UsageError(f"{path.name}: {kind}: needs a reason under 'why'")
    bounds = {kind: dict(entry.get("bounds", {})) for kind, entry in others.items()}
    for kind, each in {"promised": found["promised"], **bounds}.items():
        for surface, least in each.items():
            if surface not in SURFACES or not 0 < least < 1:
                raise UsageError(
                    f"{path.name}: {kind}: {surface}: {least}: expected a share between 0 and 1 "
                    f"for one of {', '.join(SURFACES)}"
                )
    return Kinds(
        promised=found["promised"],
        others=bounds,
        why={kind: str(entry["why"]) for kind, entry in others.items()},
    )
