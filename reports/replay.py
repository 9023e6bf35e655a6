"""What the router would have sent over a history that happened without it.

The same reducers run as in a live session, so the figures are those that live
routing of the same messages would have given, as far as a history tells:
which tools were granted then is not stored, and is taken from now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import pairwise

from ..recovery.expansion import recover
from ..recovery.request import answer, menu
from ..recovery.schema import NAME as REQUEST_TOOL
from ..router import session as sessions
from ..router.cost import Prices
from ..router.floor import pinned_tools
from ..router.session import DEARER, Phase, SessionState
from ..router.thrift import Traffic, refrain, sent_tokens
from ..router.values import Catalog, Decision, Message, Origin, ToolName
from .history import PastCall, PastSession, PastTurn
from .spending import Spending
from .suggest import Seen, votes_of

__all__ = ["Grant", "Recovery", "Replay", "Route", "SessionReplay", "replay"]

Route = Callable[[str, Message, Catalog, bool], Decision]
"""``route(platform, message, catalog, first)``; ``first``: the session's first message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the sessions of one platform run with.

    Attributes:
        catalog: every granted tool, ``request_toolset`` with the menu that a session sends.
        untouched: schema tokens of a request that the router leaves alone.
        pinned: single tools that the settings keep.
        expands: later messages may add toolsets.
        refrains: a session is left whole where its model's prices make narrowing dearer.
        passes: why no session of the platform is narrowed, empty where they are.
    """

    catalog: Catalog
    untouched: int
    pinned: tuple[str, ...] = ()
    expands: bool = True
    refrains: bool = False
    passes: str = ""

    @property
    def stock(self) -> int:
        """Schema tokens that Hermes sends without this plugin."""
        return sum(tokens for _, tokens in self.stock_tools)

    @property
    def stock_tools(self) -> list[tuple[str, int]]:
        """Names and tokens of what Hermes sends without this plugin, in its order."""
        tokens = {
            spec.name: spec.tokens
            for ts in self.catalog.toolsets
            if ts.origin is not Origin.OWN
            for spec in ts.tools
        }
        return [(str(name), tokens[name]) for name in self.catalog.order if name in tokens]


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
        phase: where the session ended, see :class:`..router.session.Phase`.
        stock: tool-schema tokens of one request without the plugin.
        sent: the same with the router, for each request in order.
        moves: requests whose tools differ from those of the request before.
        outside: calls of tools that the platform is not granted today.
        cost_full: US dollars for the input of all requests, stock; ``None``: no price is known.
        cost_sent: the same with the router.
    """

    session: str
    platform: str
    model: str
    started_at: float
    turns: int
    phase: str
    stock: int
    sent: tuple[int, ...]
    moves: int
    recoveries: tuple[Recovery, ...]
    outside: int
    cost_full: float | None = None
    cost_sent: float | None = None

    @property
    def tokens_full(self) -> int:
        """Tool-schema tokens over all requests, stock."""
        return self.stock * len(self.sent)

    @property
    def tokens_sent(self) -> int:
        """Tool-schema tokens over all requests, with the router."""
        return sum(self.sent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All sessions together.

    Attributes:
        left_out: sessions that say nothing: no user message, or a platform that grants no tools.
    """

    sessions: tuple[SessionReplay, ...]
    left_out: int = 0

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

    @property
    def costs(self) -> tuple[float, float] | None:
        """US dollars stock and sent, over the sessions whose model has a known price."""
        priced = [
            (item.cost_full, item.cost_sent)
            for item in self.sessions
            if item.cost_full is not None and item.cost_sent is not None
        ]
        return (
            (sum(full for full, _ in priced), sum(sent for _, sent in priced)) if priced else None
        )

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
    grant_of: Callable[[str], Grant | None],
    route: Route,
    prices_of: Callable[[str], Prices | None] = lambda model: None,
    seen: Callable[[], None] = lambda: None,
    observe: Callable[[Seen], None] = lambda message: None,
    priced: bool = True,
) -> Replay:
    """Route every session again.

    Args:
        past: sessions, a parent before those that continue it.
        grant_of: what a platform is granted; ``None``: nothing, the session is left out.
        route: decides one message.
        prices_of: prices of a model; ``None``: not known.
        seen: called after each session, for a progress bar.
        observe: called with each message, for suggestions.
        priced: work out what the requests cost.
    """
    done: list[SessionReplay] = []
    states: dict[str, SessionState] = {}
    spending = Spending()
    thrift = _Thrift()
    left_out = 0
    for session in past:
        grant = grant_of(session.platform)
        if grant is None or not session.turns:
            left_out += 1
        else:
            prices = prices_of(session.model)
            run = _Run(
                session,
                grant,
                route,
                states.get(session.parent),
                thrift.of(session, grant, prices),
                observe,
            )
            done.append(run.go())
            if prices is not None and priced:
                spending.add(session, prices, grant.stock_tools, run.sent)
            if run.state is not None:
                states[session.id] = run.state
        seen()
    costs = spending.totals()
    return Replay(sessions=tuple(_priced(item, costs) for item in done), left_out=left_out)


def _priced(item: SessionReplay, costs: Mapping[str, tuple[float, float]]) -> SessionReplay:
    found = costs.get(item.session)
    return changed(item, cost_full=found[0], cost_sent=found[1]) if found else item


class _Thrift:
    """What the setting ``refrain_where_dearer`` does to first decisions, over a whole history."""

    def __init__(self) -> None:
        self._traffic: dict[str, Traffic] = {}

    def of(
        self, session: PastSession, grant: Grant, prices: Prices | None
    ) -> Callable[[Decision], Decision]:
        """What becomes of the first decision of a session."""
        if prices is None or not (grant.refrains and session.system):
            return lambda decision: decision

        def look(decision: Decision) -> Decision:
            known = self._traffic.get(prices.name, Traffic())
            sent = sent_tokens(decision, grant.catalog)
            traffic = known.after(
                session.started_at,
                prompt=session.prompt,
                surface=" ".join(decision.toolsets),
                sent=sent,
                prices=prices,
            )
            self._traffic[prices.name] = traffic
            return refrain(decision, grant.catalog, prices, system=session.system, traffic=traffic)

        return look


class _Run:
    """One session in the making."""

    def __init__(
        self,
        session: PastSession,
        grant: Grant,
        route: Route,
        parent: SessionState | None,
        thrift: Callable[[Decision], Decision],
        observe: Callable[[Seen], None],
    ) -> None:
        self._session = session
        self._grant = grant
        self._catalog = grant.catalog
        self._route = route
        self._thrift = thrift
        self._observe = observe
        self._latest: Decision | None = None
        self._costs = {spec.name: spec.tokens for ts in self._catalog.toolsets for spec in ts.tools}
        self._owners = {spec.name: ts.name for ts in self._catalog.toolsets for spec in ts.tools}
        self._stock = tuple(ToolName(name) for name, _ in grant.stock_tools)
        self._sent: list[tuple[ToolName, ...] | None] = []
        self._recoveries: list[Recovery] = []
        self._outside = 0
        self.state = sessions.inherit(parent, session.id) if parent else None
        if grant.passes:
            self.state = sessions.pass_through(session.id, why=grant.passes)

    def go(self) -> SessionReplay:
        """Run all turns."""
        state = self.state
        for number, turn in enumerate(self._session.turns):
            fresh = state is None
            self._latest = None
            state = self._decided(state, turn)
            visible, missed = self._visible(state), len(self._recoveries)
            for request in turn.requests:
                self._sent.append(self._request(state))
                for call in request.calls:
                    state = self._called(state, call, turn, number)
            self._observe(
                Seen(
                    session=self._session.id,
                    later=not fresh,
                    text=turn.message.text,
                    visible=visible,
                    votes=votes_of(self._latest),
                    called=frozenset(
                        str(owner)
                        for request in turn.requests
                        for call in request.calls
                        if (owner := self._owners.get(ToolName(call.tool)))
                    ),
                    missed=frozenset(found.toolset for found in self._recoveries[missed:]),
                )
            )
        self.state = state
        sent = tuple(sum(tokens for _, tokens in tools) for tools in self.sent)
        return SessionReplay(
            session=self._session.id,
            platform=self._session.platform,
            model=self._session.model,
            started_at=self._session.started_at,
            turns=len(self._session.turns),
            phase=state.phase.value if state else "",
            stock=self._grant.stock,
            sent=sent,
            moves=sum(1 for before, after in pairwise(self._sent) if before != after),
            recoveries=tuple(self._recoveries),
            outside=self._outside,
        )

    @property
    def sent(self) -> list[list[tuple[str, int]]]:
        """Names and tokens of each request's tools, in order."""
        own = self._grant.untouched - self._grant.stock
        untouched = [*self._grant.stock_tools, *([(REQUEST_TOOL, own)] if own else [])]
        spelled: dict[tuple[ToolName, ...] | None, list[tuple[str, int]]] = {None: untouched}
        for names in self._sent:
            if names is not None and names not in spelled:
                spelled[names] = [(str(name), self._costs[name]) for name in names]
        return [spelled[names] for names in self._sent]

    def _visible(self, state: SessionState) -> frozenset[str]:
        names = self._request(state)
        sent = self._catalog.order if names is None else names
        return frozenset(str(self._owners[name]) for name in sent)

    def _request(self, state: SessionState) -> tuple[ToolName, ...] | None:
        """Names to send; ``None``: the request is left alone."""
        if state.why == DEARER:
            return self._stock
        return sessions.sent_names(state, self._catalog.order) or None

    def _decided(self, state: SessionState | None, turn: PastTurn) -> SessionState:
        platform = self._session.platform
        if state is None:
            decision = self._thrift(self._route(platform, turn.message, self._catalog, True))
            self._latest = decision
            state = sessions.start(
                self._session.id, decision, self._catalog, menu=menu(self._catalog)
            )
            return sessions.append(state, pinned_tools(self._catalog, self._grant.pinned))
        if state.phase is not Phase.PASS and self._grant.expands:
            decision = self._route(platform, turn.message, self._catalog, False)
            self._latest = decision
            state = sessions.expand(state, decision, self._catalog)
        return sessions.settle(state, self._catalog.order)

    def _called(
        self, state: SessionState, call: PastCall, turn: PastTurn, number: int
    ) -> SessionState:
        if call.tool == REQUEST_TOOL:
            return answer(state, call.arguments, self._catalog).state
        tool = ToolName(call.tool)
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
                    tool=call.tool,
                    message=turn.message.text,
                )
            )
        return grown
