"""One provider's prompt cache over many sessions.

:mod:`.cost` prices a request, given what is cached.  This module knows what
is: every request leaves its whole front behind, and any later request of any
session finds the longest part of it that is still alive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .cost import Prices, Step, request_cost

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


_Place = tuple[str | None, int]
"""A system prompt that stands in the front, ``None`` without one, and the last tool of it."""


@dataclass(slots=True)
class _Use:
    """The latest use of a front: when, by whom, and by how many sessions so far."""

    at: float
    session: str
    seen: int


class SharedCache:
    """Adds up requests in order of time.

    Args:
        prices: of the provider and model that all of them go to.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._used: dict[_Place, _Use] = {}
        self._known: dict[tuple[tuple[int, ...], int, str], list[tuple[_Place, int]]] = {}
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
        key = (front.nodes, system, prompt)
        places = self._known.get(key)
        if places is None:
            places = self._known[key] = self._places(front, system, prompt)
        cost = request_cost(
            step,
            self._prices,
            system=system,
            before=before[1] if before else None,
            warm=self._warm(places, at),
        )
        self._sessions[session] = (at, step)
        self._mark(places, session, at)
        return cost

    def _mark(self, places: list[tuple[_Place, int]], session: str, at: float) -> None:
        """Remember that a session used these fronts; one that had died counts anew."""
        used, oldest = self._used, at - self._prices.lifetime_s
        for place, _ in places:
            use = used.get(place)
            if use is None:
                used[place] = _Use(at, session, 1)
                continue
            if use.at < oldest:
                use.seen = 1
            elif use.session != session:
                use.seen += 1
            use.at, use.session = at, session

    def _places(self, front: Front, system: int, prompt: str) -> list[tuple[_Place, int]]:
        """Where a cached front of a request may end, with its tokens, the shortest first."""
        if not front.nodes:
            return []
        tools = list(zip(front.nodes, front.sums, strict=True))
        if not self._prices.tools_first:
            behind = [((prompt, node), system + tokens) for node, tokens in tools]
            found: list[tuple[_Place, int]] = [((prompt, -1), system), *behind]
        else:
            whole = ((prompt, front.nodes[-1]), front.tokens + system)
            found = [*(((None, node), tokens) for node, tokens in tools), whole]
        # The first mark stands behind both: without all of it nothing is found.
        return found if self._prices.any_front else found[-1:]

    def _warm(self, places: list[tuple[_Place, int]], at: float) -> int:
        oldest, sightings = at - self._prices.lifetime_s, self._prices.sightings
        for place, tokens in reversed(places):
            use = self._used.get(place)
            if use is not None and use.seen >= sightings and use.at >= oldest:
                return tokens
        return 0
