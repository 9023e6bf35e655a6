"""Ask the tiers in their order (D7).

The embedded encoder is asked on every first turn, a network model only where the
decision is still open (docs/adr/0010-encoder-on-every-first-turn.md).

The engine is imported with the first decision: starting Hermes does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ..router.floor import floor_toolsets
from ..router.settings import Settings
from ..router.values import Catalog, Decision, Grade, Opinion, Outcome, Reason, ToolsetName
from .events import TurnEvent
from .guard import Guard
from .host import is_kanban_worker
from .places import Place

if TYPE_CHECKING:
    from ..intent.rulebook import RuleBook
    from .thrift import Thrift

__all__ = ["LocalTier", "NetworkTier", "TieredDecider"]

LocalTier = Callable[[str, Catalog], Opinion | None]
"""The embedded encoder: an opinion, or ``None`` where it abstains."""
NetworkTier = Callable[[TurnEvent, Catalog, Place, float], Opinion | None]
"""One network classifier: an opinion, a failed one, or ``None`` where it was not asked.

It is told how many seconds it has.
"""
_LEAST_WAIT = 0.25
"""Share of the deadline that it has in any case, however long the first start took."""


class TieredDecider:
    """Rules first, then the encoder, then one network model.

    Args:
        book: gives the compiled rule book, the same one each time; a plugin that is
            switched off never asks for it.
        guard: turns a fault into a full decision.
        local: the encoder of a place, ``None`` where there is none.
        network: the network classifier of a place, ``None`` where none is enabled.
        own_rules: the book with the rules that the user wrote for a home.
        thrift: gives who looks at first decisions for their price; ``None``: nobody does.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        *,
        book: Callable[[], RuleBook],
        guard: Guard,
        local: Callable[[Place], LocalTier | None] = lambda place: None,
        network: Callable[[Place], NetworkTier | None] = lambda place: None,
        own_rules: Callable[[Path, RuleBook], RuleBook] = lambda home, book: book,
        environ: Mapping[str, str] | None = None,
        thrift: Callable[[], Thrift] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._book = book
        self._guard = guard
        self._local = local
        self._network = network
        self._own_rules = own_rules
        self._environ = environ
        self._thrift = thrift
        self._clock = clock
        self._known_floor: tuple[Catalog, Settings, frozenset[ToolsetName]] | None = None

    def trying(self, change: Callable[[RuleBook], RuleBook]) -> TieredDecider:
        """The same with another book: for what-if questions."""
        own_rules = self._own_rules
        other = copy(self)
        other._own_rules = lambda home, book: change(own_rules(home, book))
        return other

    def decide(
        self,
        turn: TurnEvent,
        catalog: Catalog,
        place: Place,
        *,
        later_turn: bool,
        ask_network: bool = True,
    ) -> Decision:
        """A decision; any fault on the way makes it a full one.  Never raises.

        Without ``ask_network`` it is what stands before a network tier is asked,
        which happens where it is ``undecided``.
        """
        decision = self._guard.run(
            "decide",
            lambda: self._decide(
                turn, catalog, place, later_turn=later_turn, ask_network=ask_network
            ),
            lambda: Decision(
                outcome=Outcome.FULL,
                grade=Grade.FULL,
                toolsets=catalog.names,
                reasons=(Reason(rule="engine.error"),),
                errors=("the decision failed",),
            ),
        )
        thrift = None if later_turn else self._thrift
        if thrift is None or turn.sending is None:
            return decision
        return self._guard.run(
            "thrift", lambda: thrift()(decision, turn, catalog, place), lambda: decision
        )

    def _decide(
        self,
        turn: TurnEvent,
        catalog: Catalog,
        place: Place,
        *,
        later_turn: bool,
        ask_network: bool,
    ) -> Decision:
        began = self._clock()
        decide, own_words = _engine()
        book = self._own_rules(place.home, self._book())
        floor = self._floor(catalog, place.settings)

        def with_opinions(*opinions: Opinion) -> Decision:
            return decide(
                turn.message,
                catalog,
                floor=floor,
                book=book,
                later_turn=later_turn,
                use_rules=place.settings.deterministic_rules_enabled,
                opinions=opinions,
                confidence_threshold=place.settings.confidence_threshold,
            )

        decision = with_opinions()
        if later_turn or not decision.substantive or decision.errors:
            return decision  # a later turn adds strong evidence only: no model is asked
        opinions: tuple[Opinion, ...] = ()
        local = self._local(place)
        opinion = local(own_words(turn.message.text, book), catalog) if local else None
        if opinion is not None:
            opinions, before = (opinion,), decision
            decision = _compared(before, with_opinions(*opinions))
        network = self._network(place) if ask_network else None
        if network is None or not decision.undecided:
            return decision
        # The user waits for all of it, the first start of the encoder included.
        whole = place.settings.router_hard_timeout_ms / 1000
        left = max(whole - (self._clock() - began), whole * _LEAST_WAIT)
        opinion = network(turn, catalog, place, left)
        return (
            decision if opinion is None else _compared(decision, with_opinions(*opinions, opinion))
        )

    def _floor(self, catalog: Catalog, settings: Settings) -> frozenset[ToolsetName]:
        """What always stays; worked out once for as long as sessions have the same tools.

        A process that works on a kanban task was started for it.
        """
        known = self._known_floor
        if known is None or known[0] is not catalog or known[1] is not settings:
            floor = floor_toolsets(
                catalog,
                configured=settings.floor_toolsets,
                kanban_worker=is_kanban_worker(self._environ),
            )
            known = self._known_floor = catalog, settings, floor
        return known[2]


@cache
def _engine() -> tuple[Callable[..., Decision], Callable[[str, RuleBook], str]]:
    from ..intent.reading import own_words  # noqa: PLC0415 - see the module docstring
    from ..router.engine import decide  # noqa: PLC0415

    return decide, own_words


def _compared(before: Decision, after: Decision) -> Decision:
    """The decision with a word on what the tiers before it would have kept (``report``)."""
    one, two = frozenset(before.toolsets), frozenset(after.toolsets)
    relation = "same" if one == two else "more" if one > two else "fewer" if one < two else "other"
    earlier = [reason for reason in before.reasons if "-alone-" in reason.rule]
    reason = Reason(rule=f"engine.{before.tier.value}-alone-{relation}")
    return replace(after, reasons=(*after.reasons, *earlier, reason))
