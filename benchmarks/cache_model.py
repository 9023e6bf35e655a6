"""Sessions over time and what each surface policy pays for their input.

Everything is drawn from one seed: which cases people bring, how many turns a
session has, how long they pause, when the next session begins.  Surfaces are
those that the engine chooses on the authored corpus; a toolset that a case
needs and that is not there is recovered after the turn's first request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ..router.cost import Prices
from ..router.fronts import FrontTable, SharedCache
from ..router.thrift import Traffic, extra_cost
from ..router.values import Catalog, Decision, Outcome
from .gates import Route
from .routing import Case

__all__ = [
    "POLICIES",
    "SCENARIOS",
    "SYSTEM",
    "Needs",
    "Request",
    "Scenario",
    "Thrift",
    "plan",
    "requests",
    "spent",
]

Surface = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """How people use a Hermes; the figures are assumptions, stated in ``docs/cost.md``.

    Attributes:
        sessions: how many begin.
        start_gap_s: mean pause between the beginnings of two sessions, exponential.
        idle_s: median pause of a person between two turns, log-normal.
        turns: mean number of turns a session, geometric.
        stays: chance that a later turn needs nothing new.
        same_system: all sessions share one system prompt, so that the cache reaches behind the
            tools from one session to the next.
    """

    name: str
    sessions: int
    start_gap_s: float
    idle_s: float
    turns: float
    stays: float
    same_system: bool


SCENARIOS = (
    Scenario(
        name="one person",
        sessions=400,
        start_gap_s=2_400,
        idle_s=75,
        turns=5,
        stays=0.8,
        same_system=True,
    ),
    Scenario(
        name="shared gateway",
        sessions=800,
        start_gap_s=25,
        idle_s=120,
        turns=4,
        stays=0.8,
        same_system=False,
    ),
    Scenario(
        name="busy agent",
        sessions=600,
        start_gap_s=120,
        idle_s=75,
        turns=5,
        stays=0.8,
        same_system=True,
    ),
    Scenario(
        name="now and then",
        sessions=200,
        start_gap_s=86_400,
        idle_s=75,
        turns=5,
        stays=0.8,
        same_system=True,
    ),
)

SYSTEM = 4_400
"""o200k tokens of a system prompt: 1,382 of a bare ``hermes chat`` of 0.19.0, as
``benchmarks/run.py tokens`` measures, and 3,000 for memory, skills and project files, assumed."""
_FIRST_MESSAGE, _STEP_MESSAGES = 120, 450
"""Tokens of a user's message with its frame, and of an answer with a tool's result."""
_REQUESTS = (1, 1, 2, 2, 3, 5)
"""Requests a turn, drawn evenly: plain answers and tool loops."""
_REQUEST_S = 9.0
"""Seconds between two requests of a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    at: float
    case: Case | None
    """``None``: it needs nothing new."""
    requests: int


def plan(scenario: Scenario, cases: Sequence[Case], *, seed: int) -> list[list[_Turn]]:
    """Sessions as turns in time, the same for every policy."""
    draw = Random(seed)
    found: list[list[_Turn]] = []
    start = 0.0
    for _ in range(scenario.sessions):
        start += draw.expovariate(1 / scenario.start_gap_s)
        at = start
        turns: list[_Turn] = []
        while True:
            fresh = not turns or draw.random() > scenario.stays
            case = draw.choice(cases) if fresh else None
            turns.append(_Turn(at=at, case=case, requests=draw.choice(_REQUESTS)))
            if draw.random() < 1 / scenario.turns:
                break
            at += turns[-1].requests * _REQUEST_S + draw.lognormvariate(
                math.log(scenario.idle_s), 1.0
            )
        found.append(turns)
    return found


class Needs:
    """What the engine chooses for a case and what the case needs, each decided once."""

    def __init__(self, granted: Catalog, route: Route) -> None:
        self._granted = granted
        self._route = route
        self._known: dict[tuple[str, bool], Decision] = {}
        self._tokens = {str(ts.name): ts.tokens for ts in granted.toolsets}
        self.order: Surface = tuple(str(name) for name in granted.names)
        self.full = granted.tokens

    def tokens(self, surface: Surface) -> int:
        """Tool tokens of a surface."""
        return sum(self._tokens[name] for name in surface)

    def first(self, case: Case) -> frozenset[str] | None:
        """Toolsets of a first message; ``None``: full."""
        decision = self._decision(case, first=True)
        if decision.outcome is Outcome.FULL:
            return None
        return frozenset(str(name) for name in decision.toolsets)

    def later(self, case: Case) -> frozenset[str]:
        """Toolsets that a later message adds."""
        return frozenset(str(name) for name in self._decision(case, first=False).evident)

    def missing(self, case: Case, surface: Surface) -> list[str]:
        """What the model would call and not find, the cheapest member of a group."""
        here = set(surface)
        found = [name for name in case["required_toolsets"] if name in self._tokens]
        for group in case.get("required_any") or []:
            members = [name for name in group if name in self._tokens]
            if members and not here & set(members):
                found.append(min(members, key=lambda name: (self._tokens[name], name)))
        return [name for name in dict.fromkeys(found) if name not in here]

    def _decision(self, case: Case, *, first: bool) -> Decision:
        key = (case["id"], first)
        if key not in self._known:
            self._known[key] = self._route(case["prompt"], self._granted, first)
        return self._known[key]


_FLOOR = ("clarify", "memory", "skills")
_CANONICAL: tuple[Surface, ...] = (
    _FLOOR,
    (*_FLOOR, "web", "vision"),
    (*_FLOOR, "web", "vision", "file", "terminal", "code_execution"),
    (
        *_FLOOR,
        "web",
        "vision",
        "file",
        "terminal",
        "code_execution",
        "todo",
        "session_search",
        "cronjob",
        "browser",
        "delegation",
    ),
)
"""Each is the front of the next, so that any of them warms the shorter ones."""
_GENERALIST = _CANONICAL[2]


def _stock(order: Surface, _wanted: frozenset[str] | None) -> Surface:
    return order


def _exact(order: Surface, wanted: frozenset[str] | None) -> Surface:
    return order if wanted is None else tuple(name for name in order if name in wanted)


def _canonical(order: Surface, wanted: frozenset[str] | None) -> Surface:
    if wanted is None:
        return order
    for fixed in _CANONICAL:
        if wanted <= set(fixed):
            return fixed
    return _extended(order, wanted, _GENERALIST)


def _constant(order: Surface, wanted: frozenset[str] | None) -> Surface:
    return order if wanted is None else _extended(order, wanted, _GENERALIST)


def _extended(order: Surface, wanted: frozenset[str], base: Surface) -> Surface:
    return (*base, *(name for name in order if name in wanted and name not in base))


POLICIES: Mapping[str, Callable[[Surface, frozenset[str] | None], Surface]] = {
    "stock": _stock,
    "exact": _exact,
    "canonical": _canonical,
    "generalist": _constant,
}
"""First surface for the engine's choice; later needs are appended whatever the policy."""


class Thrift:
    """Leaves a session whole where narrowing it would cost more, as the setting does.

    Args:
        prices: of the model that all sessions use.
        own: tokens of our own tool.
        same_system: see :class:`Scenario`.
    """

    def __init__(self, prices: Prices, *, own: int, same_system: bool) -> None:
        self._prices = prices
        self._own = own
        self._same_system = same_system
        self._traffic = Traffic()

    def leaves_whole(self, session: int, at: float, needs: Needs, surface: Surface) -> bool:
        """Whether a session that begins at ``at`` seconds is not narrowed to ``surface``."""
        self._traffic = self._traffic.after(
            at,
            prompt="" if self._same_system else str(session),
            surface=" ".join(surface),
            sent=needs.tokens(surface) + self._own,
            prices=self._prices,
        )
        extra = extra_cost(
            self._prices,
            full=needs.full + self._own,
            system=SYSTEM,
            traffic=self._traffic,
        )
        return extra > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request of one session."""

    session: int
    at: float
    surface: Surface
    messages: int
    stock: bool = False
    """Our own tool is left out too."""


def requests(
    sessions: Sequence[Sequence[_Turn]], needs: Needs, policy: str, thrift: Thrift | None = None
) -> list[Request]:
    """Every request of every session under one policy, in order of time.

    Args:
        sessions: in order of their beginning.
        needs: what the engine chooses.
        policy: one of :data:`POLICIES`.
        thrift: leaves sessions whole; ``None``: none is.
    """
    found: list[Request] = []
    for number, turns in enumerate(sessions):
        surface: Surface = ()
        messages, stock = 0, False
        for turn in turns:
            messages += _FIRST_MESSAGE
            if turn.case is not None:
                fresh = not surface
                surface = _surface(surface, turn.case, needs, policy)
                if fresh and thrift:
                    stock = thrift.leaves_whole(number, turn.at, needs, surface)
                    surface = needs.order if stock else surface
            for index in range(turn.requests):
                found.append(
                    Request(
                        session=number,
                        at=turn.at + index * _REQUEST_S,
                        surface=surface,
                        messages=messages,
                        stock=stock,
                    )
                )
                messages += _STEP_MESSAGES
                if turn.case is not None and surface != needs.order:
                    surface = (*surface, *needs.missing(turn.case, surface))
    return sorted(found, key=lambda request: (request.at, request.session))


def _surface(before: Surface, case: Case, needs: Needs, policy: str) -> Surface:
    if not before:
        return POLICIES[policy](needs.order, needs.first(case))
    if len(before) == len(needs.order):
        return before
    wanted = needs.later(case)
    return (*before, *(name for name in needs.order if name in wanted and name not in before))


def spent(
    made: Sequence[Request],
    prices: Prices,
    tokens: Mapping[str, int],
    *,
    own: int,
    same_system: bool,
) -> float:
    """Cost of the input of requests in order of time, in US dollars.

    Args:
        made: the requests.
        prices: of the tier.
        tokens: of each toolset.
        own: tokens of our own tool, which stands in front; 0: it is not sent.
        same_system: see :class:`Scenario`.
    """
    table, cache = FrontTable(), SharedCache(prices)
    front = {False: [("tool_router", own)] if own else [], True: []}
    return sum(
        cache.pay(
            str(request.session),
            request.at,
            table.of([*front[request.stock], *((name, tokens[name]) for name in request.surface)]),
            system=SYSTEM,
            prompt="" if same_system else str(request.session),
            messages=request.messages,
        )
        for request in made
    )
