"""What a session costs in money, prompt caches included.

A provider reads a request from its front: tools, system prompt and messages, or
the system prompt before the tools.  What equals the front of an earlier request,
and is not too old, is billed as cached; what is new is billed as input, with some
providers at a premium for writing the cache.  So a smaller surface saves its
difference in every request, and an expansion pays once for everything behind the
tools.

The formula, for request ``j`` with ``t`` tool tokens, ``s`` system tokens and
``h`` tokens of messages, of which ``c`` are still cached::

    cost = c * read + (t + s + h - c) * write

``c`` is everything that the request before held, if the tools did not change
and no more than the cache's lifetime passed; if tools were appended it is the
old tools' tokens (and the system prompt, where that stands before them) if the
provider caches any common front, and nothing where it caches only at marked
places or keeps a front only once it was seen twice; after the lifetime it is
nothing.  What other sessions left in the cache is worked out in :mod:`.fronts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "Prices",
    "Step",
    "break_even_requests",
    "expansion_cost",
    "request_cost",
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
        tools_first: the tools stand before the system prompt, otherwise behind it.
        sightings: sessions that must have sent a common front before another finds it.
    """

    name: str
    fresh: float
    read: float
    write: float
    lifetime_s: float
    any_front: bool = True
    least_tokens: int = 1024
    tools_first: bool = True
    sightings: int = 1


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


def request_cost(
    step: Step,
    prices: Prices,
    *,
    system: int,
    before: Step | None = None,
    warm: int = 0,
) -> float:
    """Cost of the input of one request, in US dollars.

    Args:
        step: the request.
        prices: of the provider.
        system: tokens of its system prompt.
        before: the request before it in the same session; ``None``: it is the first.
        warm: tokens of its front that other sessions left in the cache; the longer front counts.
    """
    held = max(warm, 0 if before is None else _held(before, step, system, prices))
    whole = step.tools + system + step.messages
    cached = held if held >= prices.least_tokens else 0
    return (cached * prices.read + (whole - cached) * prices.write) / _MILLION


def _held(before: Step, step: Step, system: int, prices: Prices) -> int:
    if step.gap_s > prices.lifetime_s:
        return 0
    if step.tools == before.tools:
        return before.tools + system + before.messages
    if not prices.any_front or prices.sightings > 1:
        return 0
    return before.tools + (0 if prices.tools_first else system)


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
