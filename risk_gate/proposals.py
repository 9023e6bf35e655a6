"""Verdicts that wait for the policy hook: single-use, short-lived, bound to one exact call.

Not thread-safe: the caller holds a lock, and a hook that cannot take it at
once judges inline instead of waiting.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from .digest import Digest
from .values import Verdict

__all__ = ["LIFETIME_S", "MAX_PROPOSALS", "Proposal", "ProposalBook", "ProposalKey"]

LIFETIME_S = 10.0
"""Seconds a proposal can be used (seed jev-router, "Additive risk gate")."""
MAX_PROPOSALS = 256
"""Proposals kept at most: ``cache.max_turns`` of the seed."""


class ProposalKey(NamedTuple):
    """The one call a proposal is about; any difference is no match."""

    session: str
    turn: str
    call: str
    tool: str
    digest: str

    @classmethod
    def of(
        cls, *, session: str, turn: str, call: str, tool: str, digest: Digest
    ) -> ProposalKey | None:
        """A key, ``None`` where an id is missing or the arguments cannot be bound."""
        if not (session and turn and call and tool and digest.bound):
            return None
        return cls(session=session, turn=turn, call=call, tool=tool, digest=digest.hex)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What was found before the hook is asked.

    Attributes:
        verdict: rules and, where it was asked, the model.
        message: approval text or reason, ready to be shown.
        rule_key: under which the host remembers an answer.
        tier: who spoke last, for the log.
        made_at: seconds on the clock that the book is given.
    """

    verdict: Verdict
    message: str
    rule_key: str
    tier: str
    made_at: float


class _Timed(Protocol):
    @property
    def made_at(self) -> float: ...


_P = TypeVar("_P", bound=_Timed)


class ProposalBook(Generic[_P]):
    """Bounded, in order of arrival; every time is given, none is read.

    Holds proposals, or what has one in it and tells when it was made.
    """

    def __init__(
        self, *, lifetime_s: float = LIFETIME_S, max_proposals: int = MAX_PROPOSALS
    ) -> None:
        self._lifetime = lifetime_s
        self._max = max_proposals
        self._kept: OrderedDict[ProposalKey, _P] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, key: ProposalKey, proposal: _P, now: float) -> None:
        """Keep a proposal; a newer one for the same call replaces it, the oldest makes room."""
        self._drop_expired(now)
        self._kept.pop(key, None)
        self._kept[key] = proposal
        while len(self._kept) > self._max:
            self._kept.popitem(last=False)

    def take(self, key: ProposalKey, now: float) -> _P | None:
        """The proposal for exactly this call, once; ``None`` when there is none that is fresh."""
        proposal = self._kept.pop(key, None)
        if proposal is None or not self._fresh(proposal, now):
            return None
        return proposal

    def _fresh(self, proposal: _P, now: float) -> bool:
        return 0.0 <= now - proposal.made_at <= self._lifetime

    def _drop_expired(self, now: float) -> None:
        for key in [key for key, kept in self._kept.items() if not self._fresh(kept, now)]:
            del self._kept[key]
