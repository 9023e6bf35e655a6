"""Whether narrowed sessions cost more than whole ones, and the decision that follows.

Where a provider keeps the front of a request for hours at a small part of its
price, the stock surface costs next to nothing to send again, while a surface
that nobody sent before is paid for in full.  The break-even, in tokens and
prices of :mod:`.cost`, of sessions narrowed from ``full`` to ``sent`` tool
tokens with a system prompt of ``s`` tokens; ``d = write - read``::

    extra = (1 + late) * begin - (requests - late) * (full - sent) * read + moves
    begin = sent * (write - again * d) - full * (write - warm * d) + lost * d
    moves = changes * (added * write + behind * d)

``warm`` is the share of sessions that would find the stock surface in the cache,
``again`` the share that would find their narrowed one, as the latest sessions of
this home tell (:class:`Traffic`).  ``lost`` is what the stock surface brings along
of the system prompt behind it and the narrowed one does not, ``late`` the pauses
after which a session begins anew, and ``behind`` what a changed tool list pays for
again.  How often things happen is :data:`HABITS`.

All of it is about sessions in general, not about the one that begins: a surface
stays in the cache only if most sessions send it, and a home that leaves some
sessions whole and narrows the others pays for both
(docs/adr/0015-refrain-where-dearer.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import erfc, isfinite, log, sqrt
from typing import Any

from .cost import Prices
from .session import DEARER
from .values import Catalog, Decision, Grade, Outcome, Reason

__all__ = ["DEARER", "HABITS", "Habits", "Traffic", "extra_cost", "refrain", "sent_tokens"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What a session is taken to be like; the means of ``benchmarks/run.py cache``.

    Attributes:
        requests: requests after the first.
        lasts_s: seconds from its first request to its last.
        pauses: pauses between two messages of the user.
        pause_s: median of them, log-normal with a deviation of one.
        changes: tool lists that change within a session.
        added: tokens that a change adds.
        messages: tokens of messages that stand there when it does.
    """

    requests: float = 10.7
    lasts_s: float = 600.0
    pauses: float = 4.0
    pause_s: float = 75.0
    changes: float = 0.4
    added: float = 1_350.0
    messages: float = 5_000.0


HABITS = Habits()


_LATEST = 20
"""Sessions that the shares are about; older ones fade."""
_REMEMBERED = 64
"""System prompts and surfaces that are remembered, the latest of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """How the sessions of one home that use one price tier follow each other.

    Attributes:
        sessions: seen so far, counted up to the number that the shares are about.
        sent: mean tool tokens that they were narrowed to, or would have been.
        tools: share that began while the cache held what any other had sent, 0 to 1.
        prompt: share that began while it held one with the same system prompt.
        again: share whose narrowed surface had been sent by then, if all were narrowed.
        last: Unix seconds at which the latest began.
        prompts: the same by digest of the system prompt.
        surfaces: the same by digest of the narrowed surface and what stands before it.
    """

    sessions: int = 0
    sent: float = 0.0
    tools: float = 0.0
    prompt: float = 0.0
    again: float = 0.0
    last: float = 0.0
    prompts: Mapping[str, float] = field(default_factory=dict)
    surfaces: Mapping[str, float] = field(default_factory=dict)

    def after(self, at: float, *, prompt: str, surface: str, sent: int, prices: Prices) -> Traffic:
        """The traffic once one more session has begun.

        Args:
            at: Unix seconds.
            prompt: digest of its system prompt.
            surface: digest of the toolsets that it is narrowed to.
            sent: tool tokens that it is narrowed to.
            prices: of its model.
        """
        kept_s = prices.lifetime_s + HABITS.lasts_s if prices.lifetime_s > 0 else 0.0
        oldest = at - kept_s if kept_s else at + 1
        front = surface if _shares_tools(prices) else f"{prompt}.{surface}"
        number = min(_LATEST, self.sessions + 1)

        def mean(before: float, latest: float) -> float:
            return before + (latest - before) / number

        return Traffic(
            sessions=number,
            sent=mean(self.sent, sent),
            tools=mean(self.tools, self.sessions > 0 and self.last >= oldest),
            prompt=mean(self.prompt, self.prompts.get(prompt, oldest - 1) >= oldest),
            again=mean(self.again, self.surfaces.get(front, oldest - 1) >= oldest),
            last=at,
            prompts=_latest(self.prompts, prompt, at),
            surfaces=_latest(self.surfaces, front, at),
        )

    def to_json(self) -> str:
        """One line that :meth:`from_json` reads back."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Traffic:
        """Read traffic back; a text that does not read is no traffic."""
        try:
            data: Any = json.loads(text)
            numbers = {name: float(data[name]) for name in ("sent", "last", *_SHARES)}
            prompts, surfaces = (
                {str(name): float(at) for name, at in data[kind].items()}
                for kind in ("prompts", "surfaces")
            )
            sessions = int(data["sessions"])
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            return cls()
        times = (numbers["sent"], numbers["last"], *prompts.values(), *surfaces.values())
        shares = all(0.0 <= numbers[name] <= 1.0 for name in _SHARES)
        if not (shares and 0 <= sessions <= _LATEST and all(map(isfinite, times))):
            return cls()
        return cls(sessions=sessions, prompts=prompts, surfaces=surfaces, **numbers)


_SHARES = ("tools", "prompt", "again")


def _shares_tools(prices: Prices) -> bool:
    """Whether sessions with different system prompts find each other's tools."""
    return prices.any_front and prices.tools_first


def _latest(known: Mapping[str, float], name: str, at: float) -> dict[str, float]:
    """What is known with one more time, bounded to the latest."""
    found = sorted({**known, name: at}.items(), key=lambda item: item[1])
    return dict(found[-_REMEMBERED:])


def extra_cost(
    prices: Prices,
    *,
    full: int,
    system: int,
    traffic: Traffic,
    habits: Habits = HABITS,
) -> float:
    """What a session costs more, on average, if all are narrowed than if none is, in US dollars.

    Args:
        prices: of the session's model.
        full: tool tokens of the whole surface.
        system: tokens of the system prompt.
        traffic: how sessions follow each other, this one included.
        habits: what a session is taken to be like.

    Returns:
        Below zero where narrowing saves.
    """
    premium = prices.write - prices.read
    sent = traffic.sent
    warm = traffic.tools if _shares_tools(prices) else traffic.prompt
    lost = system * traffic.prompt * (1 - traffic.again) if prices.tools_first else 0.0
    begin = (
        sent * (prices.write - traffic.again * premium)
        - full * (prices.write - warm * premium)
        + lost * premium
    )
    late = habits.pauses * _longer(prices.lifetime_s, habits.pause_s)
    stay = (habits.requests - late) * (full - sent) * prices.read
    behind = habits.messages + (system if prices.tools_first else 0)
    if not prices.any_front or prices.sightings > 1:
        behind += sent
    moves = habits.changes * (habits.added * prices.write + behind * premium)
    return ((1 + late) * begin - stay + moves) / _MILLION


def refrain(
    decision: Decision, catalog: Catalog, prices: Prices, *, system: int, traffic: Traffic
) -> Decision:
    """The decision about a first message, or a full one where narrowing would cost more.

    Args:
        decision: what the engine decided.
        catalog: what is granted.
        prices: of the session's model.
        system: tokens of the system prompt.
        traffic: how sessions follow each other, this one included.
    """
    if decision.outcome is not Outcome.NARROWED:
        return decision
    if extra_cost(prices, full=catalog.tokens, system=system, traffic=traffic) <= 0:
        return decision
    return replace(
        decision,
        outcome=Outcome.FULL,
        grade=Grade.FULL,
        toolsets=catalog.names,
        substantive=True,
        reasons=(Reason(rule=DEARER), *decision.reasons),
    )


def sent_tokens(decision: Decision, catalog: Catalog) -> int:
    """Tool tokens of a decision."""
    kept = frozenset(decision.toolsets)
    return sum(toolset.tokens for toolset in catalog.toolsets if toolset.name in kept)


def _longer(lifetime_s: float, pause_s: float) -> float:
    """Chance that a pause outlives the cache, 0 to 1."""
    if lifetime_s <= 0:
        return 1.0
    return 0.5 * erfc(log(lifetime_s / pause_s) / sqrt(2))
