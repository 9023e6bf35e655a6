"""One network opinion per message: which tier is asked, and what is remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, Protocol

from ..router.values import Catalog, Opinion, Tier
from .catalogue import Candidate, candidates, catalogue_digest
from .clock import Clock
from .memory import TtlCache
from .outcomes import ASKED_NOBODY
from .ports import StateSanitizer
from .rendering import RenderedRequest

__all__ = ["MESSAGE_MAX_BYTES", "NetworkTiers", "Router"]

MESSAGE_MAX_BYTES: Final = 6000
"""Longer messages are left to the earlier tiers, which read all of them: a part
could read differently from the whole."""
_CACHE_ENTRIES: Final = 256


class Router(Protocol):
    """A network tier."""

    @property
    def tier(self) -> Tier:
        """Its name in decisions."""
        ...

    @property
    def ready(self) -> bool:
        """Whether a message would be sent now."""
        ...

    def route(self, text: str, offered: tuple[Candidate, ...], *, deadline_s: float) -> Opinion:
        """Give an opinion.  Never raises."""
        ...

    def preview(self, text: str, offered: tuple[Candidate, ...]) -> tuple[RenderedRequest, ...]:
        """Render the requests; sends nothing."""
        ...


class NetworkTiers:
    """Asks the first tier that is ready, and only that one."""

    def __init__(
        self,
        routers: Sequence[Router],
        *,
        sanitizer: StateSanitizer,
        clock: Clock,
        cache_s: float = 300.0,
    ) -> None:
        """Prepare.

        Args:
            routers: enabled tiers in the order of preference; empty: nobody is ever asked.
            sanitizer: applied to descriptions; the tiers apply it to the message.
            clock: where time comes from.
            cache_s: seconds for which an opinion on the same message and catalogue counts.
        """
        self._routers = tuple(routers)
        self._sanitizer = sanitizer
        self._cache: TtlCache[Opinion] = TtlCache(
            entries=_CACHE_ENTRIES, ttl_s=cache_s, clock=clock
        )

    def ask(self, text: str, catalog: Catalog, *, deadline_s: float) -> Opinion | None:
        """Ask about one message.  Never raises.

        Args:
            text: what the user wrote; every tier sanitizes it before it is sent.
            catalog: what the session was granted.
            deadline_s: total seconds for everything.

        Returns:
            The opinion of the tier that was asked; its ``failed`` is set if that
            gave nothing usable, which means the full surface (design D7).
            ``None``: nobody was asked, because no tier is ready (breaker open, key
            missing or refused), none was free in time, or the message is too long;
            the earlier tier's result stands.
        """
        router = self._ready()
        offered = candidates(catalog, self._sanitizer) if router else ()
        if router is None or not offered or _too_long(text):
            return None
        key = _cache_key(router.tier, text, offered)
        known = self._cache.get(key)
        if known is not None:
            return known
        opinion = router.route(text, offered, deadline_s=deadline_s)
        if opinion.failed in ASKED_NOBODY:
            return None
        if not opinion.failed:
            self._cache.put(key, opinion)
        return opinion

    def show_request(self, text: str, catalog: Catalog) -> tuple[RenderedRequest, ...]:
        """Render what :meth:`ask` would send, keys masked; empty if it would send nothing.

        Raises:
            NotSentError: the tier is set up in a way that forbids sending; the
                message says what to change.
        """
        router = self._ready() or next(iter(self._routers), None)
        offered = candidates(catalog, self._sanitizer) if router else ()
        if router is None or not offered or _too_long(text):
            return ()
        return router.preview(text, offered)

    def _ready(self) -> Router | None:
        return next((router for router in self._routers if router.ready), None)


def _too_long(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) > MESSAGE_MAX_BYTES


def _cache_key(tier: Tier, text: str, offered: tuple[Candidate, ...]) -> str:
    message = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{tier}/{message}/{catalogue_digest(offered)}"
