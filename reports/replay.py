"""What the router would have sent over a history that happened without it.

The same reducers run as in a live session, so the figures are those that live
routing of the same messages would have given, as far as a history tells:
which tools were granted then is not stored, and is taken from now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ..recovery.expansion import recover
from ..router import session as sessions
from ..router.session import Phase, SessionState
from ..router.values import Catalog, Decision, Message, ToolName
from .history import PastSession, PastTurn

__all__ = ["Recovery", "Replay", "Route", "SessionReplay", "replay"]

Route = Callable[[Message, Catalog, bool, bool], Decision]
"""``route(message, catalog, first_contact, later_turn)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A call that would have brought its toolset back."""

    session: str
    turn: int
    """Counted from 0."""
    toolset: str
    tool: str
    message: str
    """The user's text of that turn; shown only where people ask for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReplay:
    """One session's figures.

    Attributes:
        tokens_full: tool-schema tokens that stock Hermes sent, over all requests.
        tokens_sent: the same with the router.
        first_full: tool-schema tokens of the first request, stock.
        first_sent: the same with the router.
        moves: requests whose tools differ from those of the request before.
        outside: calls of tools that the platform is not granted today.
    """

    session: str
    platform: str
    model: str
    turns: int
    requests: int
    phase: str
    tokens_full: int
    tokens_sent: int
    first_full: int
    first_sent: int
    moves: int
    recoveries: tuple[Recovery, ...]
    outside: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All sessions together."""

    sessions: tuple[SessionReplay, ...]

    @property
    def tokens_full(self) -> int:
        """Tool-schema tokens over all requests, stock."""
        return sum(item.tokens_full for item in self.sessions)

    @property
    def tokens_sent(self) -> int:
        """Tool-schema tokens over all requests, with the router."""
        return sum(item.tokens_sent for item in self.sessions)

    @property
    def missing(self) -> Mapping[str, int]:
        """Recoveries by toolset, most frequent first."""
        found = Counter(r.toolset for item in self.sessions for r in item.recoveries)
        return dict(found.most_common())

    def pins(self, *, at_least: int = 3, share: float = 0.1) -> tuple[str, ...]:
        """Toolsets worth pinning in ``floor_toolsets``.

        Args:
            at_least: fewest sessions that recovered the toolset.
            share: least share of all sessions, 0 to 1.
        """
        found = Counter(
            name for item in self.sessions for name in {r.toolset for r in item.recoveries}
        )
        least = max(at_least, share * len(self.sessions))
        return tuple(sorted(name for name, number in found.items() if number >= least))


def replay(
    past: Iterable[PastSession],
    *,
    catalog_of: Callable[[str], Catalog | None],
    route: Route,
    seen: Callable[[], None] = lambda: None,
) -> Replay:
    """Route every session again.

    Args:
        past: sessions in any order.
        catalog_of: what a platform is granted; ``None``: unknown, the session is left out.
        route: decides one message.
        seen: called after each session, for a progress bar.
    """
    done: list[SessionReplay] = []
    for session in past:
        catalog = catalog_of(session.platform)
        if catalog is not None and session.turns:
            done.append(_Run(session, catalog, route).go())
        seen()
    return Replay(sessions=tuple(done))


class _Run:
    """One session in the making."""

    def __init__(self, session: PastSession, catalog: Catalog, route: Route) -> None:
        self._session = session
        self._catalog = catalog
        self._route = route
        self._costs = {spec.name: spec.tokens for ts in catalog.toolsets for spec in ts.tools}
        self._owners = {spec.name: ts.name for ts in catalog.toolsets for spec in ts.tools}
        self._sent: list[tuple[ToolName, ...]] = []
        self._recoveries: list[Recovery] = []
        self._outside = 0

    def go(self) -> SessionReplay:
        """Run all turns."""
        state: SessionState | None = None
        for number, turn in enumerate(self._session.turns):
            state = self._decided(state, turn)
            for reply in turn.replies:
                names = sessions.sent_names(state, self._catalog.order)
                self._sent.append(self._catalog.order if names is None else names)
                for tool in reply:
                    state = self._called(state, ToolName(tool), turn, number)
        costs = [sum(self._costs[name] for name in names) for names in self._sent]
        return SessionReplay(
            session=self._session.id,
            platform=self._session.platform,
            model=self._session.model,
            turns=len(self._session.turns),
            requests=len(costs),
            phase=state.phase.value if state else "",
            tokens_full=self._catalog.tokens * len(costs),
            tokens_sent=sum(costs),
            first_full=self._catalog.tokens,
            first_sent=costs[0],
            moves=sum(1 for before, after in pairwise(self._sent) if before != after),
            recoveries=tuple(self._recoveries),
            outside=self._outside,
        )

    def _decided(self, state: SessionState | None, turn: PastTurn) -> SessionState:
        if state is None:
            decision = self._route(turn.message, self._catalog, True, False)
            return sessions.start(self._session.id, decision, self._catalog, menu="")
        if state.phase is Phase.PASS:
            return state
        decision = self._route(turn.message, self._catalog, False, True)
        return sessions.settle(sessions.expand(state, decision, self._catalog), self._catalog.order)

    def _called(
        self, state: SessionState, tool: ToolName, turn: PastTurn, number: int
    ) -> SessionState:
        owner = self._owners.get(tool)
        if owner is None:
            self._outside += 1
            return state
        grown = recover(state, tool, self._catalog)
        if grown is not state:
            self._recoveries.append(
                Recovery(
                    session=self._session.id,
                    turn=number,
                    toolset=str(owner),
                    tool=str(tool),
                    message=turn.message.text,
                )
            )
        return grown
