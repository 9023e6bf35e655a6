"""Leave a session whole where its model's prices make narrowing dearer.

Known at a session's first request: the model, its address and the system prompt;
the price file knows what they cost, the home's notes how sessions follow each
other.  Whatever is not known leaves the decision as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ..router.thrift import Traffic, refrain, sent_tokens
from ..router.values import Catalog, Decision
from .events import Sending, TurnEvent
from .places import Place
from .prices import Tier, tier_of
from .tokens import text_tokens

__all__ = ["Thrift"]


class Thrift:
    """Looks at first decisions.

    Args:
        tier_of: the price tier of a model at an address; ``None``: not known.
        clock: Unix seconds.
    """

    def __init__(
        self,
        tier_of: Callable[[str, str], Tier | None] = tier_of,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._tier_of = tier_of
        self._clock = clock

    def __call__(
        self, decision: Decision, turn: TurnEvent, catalog: Catalog, place: Place
    ) -> Decision:
        """The decision, or a full one for its price."""
        sending = turn.sending
        if sending is None or not sending.system or not place.settings.refrain_where_dearer:
            return decision
        tier = self._tier_of(sending.model, sending.base_url)
        if tier is None:
            return decision
        return refrain(
            decision,
            catalog,
            tier.prices,
            system=text_tokens(sending.system),
            traffic=self._traffic(place, sending, tier, decision, catalog),
        )

    def _traffic(
        self, place: Place, sending: Sending, tier: Tier, decision: Decision, catalog: Catalog
    ) -> Traffic:
        notes, name = place.store.notes, f"traffic.{tier.id}"
        if not sending.begins:
            return Traffic.from_json(notes.get(name))
        at, digest = self._clock(), place.store.digest
        prompt, surface = digest(sending.system), digest(" ".join(decision.toolsets))
        sent = sent_tokens(decision, catalog)

        def revised(text: str) -> str:
            known = Traffic.from_json(text)
            return known.after(
                at, prompt=prompt, surface=surface, sent=sent, prices=tier.prices
            ).to_json()

        return Traffic.from_json(notes.revise(name, revised))
