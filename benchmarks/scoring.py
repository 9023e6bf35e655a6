"""Labelled cases and decisions to numbers: hit, saving, excess, and what each rule is worth."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..router.values import Decision, Outcome, Reason
from .routing import FLOOR, Case

__all__ = ["Scored", "bounds", "grouped", "labelled", "rule_table", "summary"]

NEVER_EXCESS = frozenset(("memory", "skills", "session_search", "todo", "clarify"))
"""Cheap or always there: keeping them is no fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One case and what stayed of the surface; ``kept`` is ``None`` for a full one."""

    case: Case
    kept: frozenset[str] | None
    reasons: tuple[Reason, ...] = ()

    @classmethod
    def of(cls, case: Case, decision: Decision) -> Scored:
        """A case with its decision."""
        full = decision.outcome is Outcome.FULL
        kept = None if full else frozenset(str(name) for name in decision.toolsets)
        return cls(case=case, kept=kept, reasons=decision.reasons)

    @property
    def hit(self) -> bool:
        """Whether everything that the case needs is there."""
        if self.kept is None:
            return True
        groups = self.case.get("required_any") or []
        return set(self.case["required_toolsets"]) <= self.kept and all(
            self.kept & set(group) for group in groups
        )

    def saving(self, costs: Mapping[str, int]) -> float:
        """Share of the surface's tokens that are not sent; 0 for a full one."""
        if self.kept is None:
            return 0.0
        return 1 - sum(costs.get(name, 0) for name in self.kept) / sum(costs.values())

    @property
    def excess(self) -> bool:
        """Whether something stayed that the case neither needs nor accepts."""
        if self.kept is None:
            return False
        return bool(self.kept - _useful(self.case) - NEVER_EXCESS)


def _useful(case: Case) -> set[str]:
    useful = set(case["required_toolsets"]) | set(case.get("acceptable_extra") or [])
    return useful.union(*(case.get("required_any") or []))


def labelled(case: Case, costs: Mapping[str, int]) -> bool:
    """Whether a case has labels that this surface can meet."""
    if "required_toolsets" not in case:
        return False
    groups = case.get("required_any") or []
    return set(case["required_toolsets"]) <= set(costs) and all(
        set(group) & set(costs) for group in groups
    )


def summary(items: Sequence[Scored], costs: Mapping[str, int]) -> dict[str, Any]:
    """Shares over the cases, 0 to 1; abstentions count as hits with saving 0."""
    size = len(items)
    narrowed = [item for item in items if item.kept is not None]
    return {
        "n": size,
        "hit": _share(sum(item.hit for item in items), size),
        "miss_when_narrowed": _share(sum(not item.hit for item in narrowed), len(narrowed)),
        "abstention": _share(size - len(narrowed), size),
        "saving": _share(sum(item.saving(costs) for item in items), size),
        "excess": _share(sum(item.excess for item in narrowed), len(narrowed)),
    }


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def grouped(
    items: Sequence[Scored], key: Callable[[Case], str], costs: Mapping[str, int]
) -> dict[str, dict[str, Any]]:
    """The same per group, in the order of the names."""
    groups: defaultdict[str, list[Scored]] = defaultdict(list)
    for item in items:
        groups[key(item.case)].append(item)
    return {name: summary(groups[name], costs) for name in sorted(groups)}


def bounds(items: Sequence[Scored], costs: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """What is possible: the floor alone, and an oracle that adds the cheapest sufficient set."""
    floor = frozenset(str(name) for name in FLOOR)
    return {
        "floor": summary([Scored(case=i.case, kept=floor) for i in items], costs),
        "oracle": summary(
            [Scored(case=i.case, kept=floor | _oracle(i.case, costs)) for i in items], costs
        ),
    }


def _oracle(case: Case, costs: Mapping[str, int]) -> frozenset[str]:
    kept = set(case["required_toolsets"])
    for group in case.get("required_any") or []:
        if not kept & set(group) and not FLOOR & set(group):
            kept.add(min(group, key=lambda name: (costs.get(name, 1 << 30), name)))
    return frozenset(kept)


def rule_table(items: Sequence[Scored], rules: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Coverage, overlap, conflict and accuracy of each rule.

    Coverage is the share of cases on which a rule votes; overlap and conflict
    the shares of those on which another rule votes for the same toolset, with
    or against it; accuracy the share of its votes that the label bears out.
    """
    seen: Counter[str] = Counter()
    overlap: Counter[str] = Counter()
    conflict: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for item in items:
        useful = _useful(item.case)
        votes = [reason for reason in item.reasons if reason.toolset and reason.rule in rules]
        for vote in votes:
            others = [o for o in votes if o is not vote and o.toolset == vote.toolset]
            seen[vote.rule] += 1
            overlap[vote.rule] += any(o.weight * vote.weight > 0 for o in others)
            conflict[vote.rule] += any(o.weight * vote.weight < 0 for o in others)
            right[vote.rule] += (vote.toolset in useful) == (vote.weight > 0)
    return {
        rule: {
            "coverage": _share(seen[rule], len(items)),
            "overlap": _share(overlap[rule], seen[rule]),
            "conflict": _share(conflict[rule], seen[rule]),
            "accuracy": _share(right[rule], seen[rule]),
        }
        for rule in rules
    }
