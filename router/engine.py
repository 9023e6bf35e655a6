"""Evidence and state to a decision: pure, total, deterministic."""

from __future__ import annotations

from .values import Catalog, Decision, Grade, Message, Outcome, Reason, ToolsetName

__all__ = ["decide"]


def decide(message: Message, catalog: Catalog, *, floor: frozenset[ToolsetName]) -> Decision:
    """Choose the toolsets for one message.  Never raises."""
    del message, floor
    return Decision(
        outcome=Outcome.FULL,
        grade=Grade.FULL,
        toolsets=catalog.names,
        reasons=(Reason(rule="engine.no_rule_book"),),
    )
