"""What the requests of a history cost, stock and routed, as they came in time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..router.cost import Prices
from ..router.fronts import Front, FrontTable, SharedCache
from .history import PastSession

__all__ = ["Spending"]

Tools = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    at: float
    session: str
    stock: Front
    sent: Front
    messages: int
    system: int
    prompt: str


class Spending:
    """Collects sessions of any models, then prices each model's requests in order of time."""

    def __init__(self) -> None:
        self._table = FrontTable()
        self._models: dict[str, Prices] = {}
        self._made: defaultdict[str, list[_Request]] = defaultdict(list)

    def add(
        self, session: PastSession, prices: Prices, stock: Tools, sent: Sequence[Tools]
    ) -> None:
        """Take a session in.

        Args:
            session: with as many requests as ``sent`` has entries.
            prices: of its model.
            stock: names and tokens of what Hermes sends without the plugin.
            sent: the same with the router, for each request.
        """
        self._models[session.model] = prices
        full = self._table.of(stock)
        requests = [request for turn in session.turns for request in turn.requests]
        self._made[session.model] += [
            _Request(
                at=request.at,
                session=session.id,
                stock=full,
                sent=self._table.of(tools),
                messages=request.messages,
                system=session.system,
                prompt=session.prompt,
            )
            for request, tools in zip(requests, sent, strict=True)
        ]

    def totals(self) -> dict[str, tuple[float, float]]:
        """US dollars stock and routed, by session id."""
        found: dict[str, tuple[float, float]] = {}
        for model, made in self._made.items():
            stock, routed = SharedCache(self._models[model]), SharedCache(self._models[model])
            for item in sorted(made, key=lambda item: item.at):
                full, sent = found.get(item.session, (0.0, 0.0))
                full += _paid(stock, item, item.stock)
                sent += _paid(routed, item, item.sent)
                found[item.session] = (full, sent)
        return found


def _paid(cache: SharedCache, item: _Request, front: Front) -> float:
    return cache.pay(
        item.session,
        item.at,
        front,
        system=item.system,
        prompt=item.prompt,
        messages=item.messages,
    )
