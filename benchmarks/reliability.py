"""Whether a tier's probabilities come true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..router.values import Opinion
from .routing import Case

__all__ = ["Said", "reliability", "said"]

Said = tuple[float, bool]
"""A probability, and whether the toolset was needed."""

# Most probabilities are small, and the cuts that matter lie below 2 %: bins widen upwards.
_EDGES = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def said(case: Case, opinion: Opinion) -> list[Said]:
    """What an opinion said about one case.

    Toolsets that a case accepts, or of which it needs one of several, are left
    out: for them neither answer is wrong.
    """
    needed = set(case["required_toolsets"])
    open_to_both = set(case.get("acceptable_extra") or ()).union(*(case.get("required_any") or ()))
    return [
        (chance, str(name) in needed)
        for name, chance in opinion.probabilities.items()
        if str(name) in needed or str(name) not in open_to_both
    ]


def reliability(pairs: Iterable[Said]) -> dict[str, Any]:
    """Bins of probability with what was said and what came true, and two sums over them.

    Returns:
        ``bins``: those that are not empty, by probability; ``brier``: mean
        squared error; ``gap``: mean distance of said and true, weighted by
        size.  Empty where nothing was said.
    """
    everything = sorted(pairs)
    if not everything:
        return {}
    bins: list[Mapping[str, Any]] = []
    for low, high in pairwise(_EDGES):
        last = high == _EDGES[-1]
        inside = [p for p in everything if low <= p[0] < high or (last and p[0] >= high)]
        if inside:
            bins.append(_bin(low, high, inside))
    size = len(everything)
    return {
        "bins": bins,
        "brier": round(sum((chance - came) ** 2 for chance, came in everything) / size, 5),
        "gap": round(sum(abs(b["said"] - b["true"]) * b["n"] for b in bins) / size, 5),
    }


def _bin(low: float, high: float, inside: Sequence[Said]) -> dict[str, Any]:
    return {
        "from": low,
        "to": high,
        "n": len(inside),
        "said": round(sum(chance for chance, _ in inside) / len(inside), 4),
        "true": round(sum(came for _, came in inside) / len(inside), 4),
    }
