"""What a session costs in money, prompt caches included.

A provider reads a request from its front: tools, then the system prompt, then
the messages.  What equals the front of an earlier request, and is not too old,
is billed as cached; what is new is billed as input, with some providers at a
premium for writing the cache.  So a smaller surface saves its difference in
every request, and an expansion pays once for everything behind the tools.

The formula, for request ``j`` with ``t`` tool tokens, ``s`` system tokens and
``h`` tokens of messages, of which ``c`` are still cached::

    cost = c * read + (t + s + h - c) * write

``c`` is everything that the request before held, if the tools did not change
and no more than the cache's lifetime passed; if tools were appended it is the
old tools' tokens where the provider caches any common front, and nothing
where it caches only at marked places; after the lifetime it is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "Prices",
    "Step",
    "Warm",
    "break_even_requests",
    "expansion_cost",
    "request_cost",
    "session_cost",
]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Input prices of one provider and model, in US dollars per million tokens.

    Attributes:
        fresh: input that is not cached.
        read: input that the cache holds.
        write: input that goes into the cache; equals ``fresh`` without a premium.
        lifetime_s: seconds without use after which the cache forgets.
        any_front: any common front counts as cached; otherwise only what ends
            at a marked place, so that a changed tool list loses all of it.
        least_tokens: shortest front that is cached at all.
    """

    name: str
    fresh: float
    read: float
    write: float
    lifetime_s: float
    any_front: bool = True
    least_tokens: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request of a session.

    Attributes:
        gap_s: seconds since the request before; 0 for the first.
        tools: tool-schema tokens.
        messages: tokens of all messages, those of earlier requests included.
    """

    gap_s: float
    tools: int
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Warm:
    """What other sessions left in the cache when this one begins.

    Attributes:
        tools: tool tokens of a front that is still cached; with ``system``
            behind it if it is the whole of our first request's tools.
        system: its system tokens.
    """

    tools: int = 0
    system: int = 0


def session_cost(
    steps: Sequence[Step], prices: Prices, *, system: int, warm: Warm | None = None
) -> float:
    """Cost of the input of a whole session, in US dollars.

    Args:
        steps: requests in order.
        prices: of the provider.
        system: tokens of the system prompt, the same in every request.
        warm: what is cached when the session begins; ``None``: nothing.
    """
    total = 0.0
    before: Step | None = None
    for step in steps:
        total += request_cost(
            step, prices, system=system, before=before, warm=None if before else warm
        )
        before = step
    return total


def request_cost(
    step: Step,
    prices: Prices,
    *,
    system: int,
    before: Step | None = None,
    warm: Warm | None = None,
) -> float:
    """Cost of the input of one request, in US dollars.

    Args:
        step: the request.
        prices: of the provider.
        system: tokens of its system prompt.
        before: the request before it in the same session; ``None``: it is the first.
        warm: what other sessions left in the cache; the longer front counts.
    """
    held = 0
    if before is not None:
        held = _held(before, step, system, prices)
    if warm is not None:
        held = max(held, _first_held(step, system, warm, prices))
    whole = step.tools + system + step.messages
    cached = held if held >= prices.least_tokens else 0
    return (cached * prices.read + (whole - cached) * prices.write) / _MILLION


def _held(before: Step, step: Step, system: int, prices: Prices) -> int:
    if step.gap_s > prices.lifetime_s:
        return 0
    if step.tools == before.tools:
        return before.tools + system + before.messages
    return before.tools if prices.any_front else 0


def _first_held(step: Step, system: int, warm: Warm, prices: Prices) -> int:
    if not prices.any_front:
        # The first mark stands behind the system prompt: without all of it nothing is found.
        whole = warm.tools == step.tools and warm.system >= system
        return step.tools + system if whole else 0
    if warm.tools == step.tools:
        return warm.tools + min(system, warm.system)
    return min(warm.tools, step.tools)


def expansion_cost(before: Step, added: int, prices: Prices, *, system: int) -> float:
    """What appending ``added`` tool tokens costs in the next request, in US dollars.

    The difference between that request with the new tools and the same
    request with the old ones, cache warm.
    """
    after = Step(gap_s=0, tools=before.tools + added, messages=before.messages)
    same = Step(gap_s=0, tools=before.tools, messages=before.messages)
    return request_cost(after, prices, system=system, before=before) - request_cost(
        same, prices, system=system, before=before
    )


def break_even_requests(
    full: int, sent: int, prices: Prices, *, expansions: Iterable[float]
) -> float:
    """Requests after which a narrowed session is cheaper than stock, cold cache at the start.

    Saved in the first request: the difference at the write price.  Saved in
    every later one: the difference at the read price.  Against it stand the
    expansions.

    Args:
        full: tool tokens of the stock surface.
        sent: tool tokens of the narrowed one.
        prices: of the provider.
        expansions: cost of each expansion, in US dollars.

    Returns:
        The least number of requests, 1 or more; infinity where it never pays.
    """
    saved = full - sent
    debt = sum(expansions) - saved * prices.write / _MILLION
    if debt <= 0:
        return 1.0
    per_request = saved * prices.read / _MILLION
    return 1.0 + debt / per_request if per_request > 0 else float("inf")
