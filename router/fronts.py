"""One provider's prompt cache over many sessions.

:mod:`.cost` prices a request, given what is cached.  This module knows what
is: every request leaves its whole front behind, tools first, and any later
request of any session finds the longest part of it that is still alive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .cost import Prices, Step, Warm, request_cost

__all__ = ["Front", "FrontTable", "SharedCache"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """A tool list as the cache sees it.

    Attributes:
        nodes: an id for each beginning of the list, the shortest first; two
            lists share the ids of what they have in common.
        sums: tokens of each beginning.
    """

    nodes: tuple[int, ...]
    sums: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Tokens of the whole list."""
        return self.sums[-1] if self.sums else 0


class FrontTable:
    """Makes fronts; each list is worked out once."""

    def __init__(self) -> None:
        self._ids: dict[tuple[int, str, int], int] = {}
        self._known: dict[tuple[tuple[str, int], ...], Front] = {}

    def of(self, tools: Iterable[tuple[str, int]]) -> Front:
        """The front of names with their tokens, in the order in which they are sent."""
        key = tuple(tools)
        found = self._known.get(key)
        if found is None:
            nodes: list[int] = []
            sums: list[int] = []
            for name, tokens in key:
                step = (nodes[-1] if nodes else -1, name, tokens)
                nodes.append(self._ids.setdefault(step, len(self._ids)))
                sums.append((sums[-1] if sums else 0) + tokens)
            found = self._known[key] = Front(nodes=tuple(nodes), sums=tuple(sums))
        return found


class SharedCache:
    """Adds up requests in order of time.

    Args:
        prices: of the provider and model that all of them go to.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._used: dict[int, float] = {}
        self._whole: dict[tuple[int, str], float] = {}
        self._sessions: dict[str, tuple[float, Step]] = {}

    def pay(
        self, session: str, at: float, front: Front, *, system: int, prompt: str, messages: int
    ) -> float:
        """Cost of the input of one request, in US dollars, which is remembered.

        Args:
            session: its id.
            at: seconds; not before any earlier request.
            front: its tools.
            system: tokens of its system prompt.
            prompt: tells system prompts apart.
            messages: tokens of its messages, those of earlier requests included.
        """
        before = self._sessions.get(session)
        gap = at - before[0] if before else 0.0
        step = Step(gap_s=gap, tools=front.tokens, messages=messages)
        cost = request_cost(
            step,
            self._prices,
            system=system,
            before=before[1] if before else None,
            warm=self._warm(front, at, system, prompt),
        )
        self._sessions[session] = (at, step)
        self._used.update(dict.fromkeys(front.nodes, at))
        if front.nodes:
            self._whole[front.nodes[-1], prompt] = at
        return cost

    def _warm(self, front: Front, at: float, system: int, prompt: str) -> Warm:
        oldest = at - self._prices.lifetime_s
        if not front.nodes:
            return Warm()
        if self._whole.get((front.nodes[-1], prompt), oldest - 1) >= oldest:
            return Warm(tools=front.tokens, system=system)
        for node, tokens in zip(reversed(front.nodes), reversed(front.sums), strict=True):
            if self._used.get(node, oldest - 1) >= oldest:
                return Warm(tools=tokens)
        return Warm()
