"""The clients that ask models: built when a feature first needs one, rebuilt when settings change.

No network feature is on by default, so this file imports the classifier and the
sanitizer only inside functions: a plugin that asks nobody must not pay for an HTTP
stack, nor for compiling the patterns of secrets.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..router.settings import Settings
from ..router.values import Catalog, Opinion
from .events import TurnEvent
from .log import JsonLines, as_row
from .places import Place
from .records import CallRecord

if TYPE_CHECKING:
    from ..classifier.assembly import Classifiers
    from ..classifier.outcomes import CallRecord as Call
    from ..classifier.rendering import RenderedRequest
    from ..classifier.scrubber import Scrubber
    from ..router.questions import Answers
    from .judging import CallJudge

__all__ = ["Models", "jev_ask_payload", "network_enabled"]


def network_enabled(settings: Settings) -> bool:
    """Whether any feature that asks a model is on; all are off by default."""
    return (
        settings.classifier.enabled
        or settings.turn_classifier.enabled
        or settings.jev_ask.enabled
        or (settings.risk_gate.enabled and settings.risk_gate.use_model)
        or (settings.verify.enabled and settings.verify.use_model)
    )


class Models:
    """One set of clients per home; none is open until it is asked."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._lock = threading.Lock()
        self._by_home: dict[Path, tuple[Settings, Classifiers]] = {}
        self._judges: dict[Path, tuple[Classifiers, CallJudge]] = {}
        self._sanitizer: Scrubber | None = None
        self.turn_opinion: Callable[[TurnEvent, Place], Opinion | None] = lambda turn, place: None
        """What the turn classifier already said about a turn; it saves routing a request."""

    @property
    def sanitizer(self) -> Scrubber:
        """The sanitizer in front of every text that people are shown."""
        if self._sanitizer is None:
            from ..classifier.scrubber import Scrubber  # noqa: PLC0415 - see the module docstring

            self._sanitizer = Scrubber(self._environ)
        return self._sanitizer

    def at(self, place: Place) -> Classifiers | None:
        """The clients of a place, ``None`` where no feature may ask a model."""
        if not (place.routes and network_enabled(place.settings)):
            return None
        with self._lock:
            known = self._by_home.get(place.home)
            if known is not None and (known[0] is place.settings or known[0] == place.settings):
                return known[1]
            fresh = self._assembled(place)
            self._by_home[place.home] = (place.settings, fresh)
        if known is not None:
            known[1].transport.close()
        return fresh

    def network_tier(self, place: Place) -> _Network | None:
        """The network tier of routing, ``None`` where none is enabled."""
        settings = place.settings
        if not (settings.classifier.enabled or settings.turn_classifier.enabled):
            return None
        clients = self.at(place)
        return None if clients is None else _Network(clients, self.turn_opinion)

    def requests(
        self, text: str, catalog: Catalog, place: Place
    ) -> tuple[RenderedRequest, ...] | None:
        """What a network tier would be sent about a message, keys masked; sends nothing.

        Returns:
            The requests; empty for a message that is too long to be sent;
            ``None`` where no network tier is enabled.

        Raises:
            ClassifierError: the tier is set up in a way that forbids sending.
        """
        settings = place.settings
        if not (settings.classifier.enabled or settings.turn_classifier.enabled):
            return None
        clients = self.at(place)
        return None if clients is None else clients.tiers.show_request(text, catalog)

    @staticmethod
    def asks_about_calls(place: Place) -> bool:
        """Whether a model is asked about tool calls here."""
        gate = place.settings.risk_gate
        return place.routes and gate.enabled and gate.use_model

    def call_judge(self, place: Place) -> CallJudge | None:
        """Who is asked about tool calls, ``None`` where no model may be."""
        settings = place.settings
        if not (settings.risk_gate.enabled and settings.risk_gate.use_model):
            return None
        clients = self.at(place)
        if clients is None:
            return None
        with self._lock:
            known = self._judges.get(place.home)
            if known is None or known[0] is not clients:
                if known is not None:
                    known[1].close()
                known = self._judges[place.home] = (clients, _judge(clients, settings))
            return known[1]

    def completion(self, place: Place, pack: str, state: object) -> Answers | None:
        """Ask about a completion claim; ``None`` where no model may be asked."""
        settings = place.settings
        if not (settings.verify.enabled and settings.verify.use_model):
            return None
        clients = self.at(place)
        if clients is None:
            return None
        from ..classifier.packs import load_pack  # noqa: PLC0415 - see the module docstring

        return clients.system_one.ask(
            state, load_pack(pack), deadline_s=settings.system_one.timeout_s
        )

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            kept, self._by_home = list(self._by_home.values()), {}
        for _, clients in kept:
            clients.transport.close()

    def _assembled(self, place: Place) -> Classifiers:
        from ..classifier.assembly import assemble  # noqa: PLC0415 - see the module docstring

        return assemble(
            place.settings,
            environ=self._environ,
            on_call=_Observer(place),
        )


def _judge(clients: Classifiers, settings: Settings) -> CallJudge:
    from ..classifier.packs import load_pack  # noqa: PLC0415 - see the module docstring
    from .judging import CallJudge  # noqa: PLC0415 - loads the gate

    return CallJudge(
        lambda state, pack, deadline_s: clients.system_one.ask(state, pack, deadline_s=deadline_s),
        load_pack,
        workers=settings.system_one.max_workers,
        budget_s=settings.system_one.timeout_s,
    )


class _Network:
    """One network opinion, within a deadline."""

    def __init__(
        self, clients: Classifiers, known: Callable[[TurnEvent, Place], Opinion | None]
    ) -> None:
        self._clients = clients
        self._known = known

    def __call__(
        self, turn: TurnEvent, catalog: Catalog, place: Place, deadline_s: float
    ) -> Opinion | None:
        """Ask; ``None`` where nobody was asked and the earlier tier stands."""
        known = self._known(turn, place)
        if known is not None:
            return known  # the turn classifier was asked about this turn already
        return self._clients.tiers.ask(turn.message.text, catalog, deadline_s=deadline_s)


class _Observer:
    """Writes one row per call, and its mirror where the user wants one."""

    def __init__(self, place: Place) -> None:
        self._store = place.store
        retention = place.settings.retention
        path = place.settings.system_one.log_path
        self._mirror = (
            JsonLines(Path(path).expanduser(), max_bytes=retention.log_bytes, days=retention.days)
            if path
            else None
        )
        self._enabled = place.settings.telemetry.enabled

    def __call__(self, call: Call) -> None:
        """Keep one call; never a body, a header or a key."""
        record = CallRecord(
            purpose=_PURPOSES.get(call.purpose.partition(".")[0].partition("_")[0], call.purpose),
            backend=call.backend,
            outcome=call.outcome.value,
            model=call.model,
            pack=call.purpose,
            latency_ms=call.ms,
            input_tokens=call.input_tokens,
            output_tokens=call.output_tokens,
            cached=call.cached,
            sent_bytes=call.sent_bytes,
        )
        if self._enabled:
            self._store.log(record)
        if self._mirror is not None:
            self._mirror.write(as_row(record, at=time.time()))


_PURPOSES = {
    "chat": "route",
    "routing": "route",
    "turn": "turn",
    "gate": "gate",
    "verify": "verify",
}


def jev_ask_payload(
    clients: Classifiers, settings: Settings, session: str, args: Any
) -> Mapping[str, object]:
    """Run ``jev_ask`` for one session."""
    from ..classifier.jev_ask import JevAskLimits, run  # noqa: PLC0415 - see the module docstring

    limits = JevAskLimits(
        clients.budgets,
        session,
        state_max_bytes=settings.jev_ask.state_max_bytes,
        deadline_s=settings.system_one.timeout_s,
    )
    return run(
        args if isinstance(args, Mapping) else {}, clients.system_one, clients.sanitizer, limits
    )
