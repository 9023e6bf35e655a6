"""Verdicts and what became of them, written when the call has ended."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ..risk_gate import Context, Directive, Proposal
from ..router.settings_model import Thresholds
from .events import ToolCallEvent
from .places import Place
from .records import GateRecord

__all__ = ["GateLog", "Judged"]

_OPEN = 512
"""Calls that wait for their end; the oldest is written without it."""


_NESTED = "nested:"
"""Calls of ``execute_code`` have no id; theirs begin with this."""


class Judged(NamedTuple):
    """One verdict, before it is known how the call ended.  Never holds the call itself."""

    place: Place
    session_id: str
    call_id: str
    tool: str
    proposal: Proposal
    what: Directive
    context: Context | None
    """Who could have answered; ``None`` where nobody had to be asked."""
    micros: int

    @classmethod
    def of(
        cls,
        event: ToolCallEvent,
        place: Place,
        proposal: Proposal,
        what: Directive,
        context: Context | None,
        micros: int,
    ) -> Judged:
        """Keep what the log may know."""
        return cls(
            place=place,
            session_id=event.session_id,
            call_id=event.call_id or f"{_NESTED}{id(proposal):x}",
            tool=event.tool,
            proposal=proposal,
            what=what,
            context=context,
            micros=micros,
        )

    def record(self, choice: str) -> GateRecord:
        """The row of the log."""
        verdict = self.proposal.verdict
        store = self.place.store
        return GateRecord(
            session=store.digest(self.session_id) if self.session_id else "",
            tool=self.tool,
            verdict=verdict.decision.value,
            outcome=self.what.outcome,
            findings=tuple(finding.id for finding in verdict.findings),
            tier=self.proposal.tier,
            severity=verdict.severity,
            context=self.context.place.value if self.context else "",
            thresholds=_in_words(self.place.settings.risk_gate.thresholds),
            call=store.digest(self.proposal.rule_key),
            choice=choice,
            micros=self.micros,
            mode=self.place.settings.risk_gate.mode,
        )


@lru_cache(maxsize=16)
def _in_words(limits: Thresholds) -> str:
    """Thresholds as the log has them; they change with the settings only."""
    return ",".join(f"{name}={value}" for name, value in sorted(dict(limits).items()))


class GateLog:
    """Keeps verdicts until their call has ended, then writes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Judged] = OrderedDict()
        self._chosen: OrderedDict[str, str] = OrderedDict()

    def note(self, judged: Judged) -> None:
        """Keep a verdict; writes only what no longer fits."""
        with self._lock:
            self._open[judged.call_id] = judged
            late = self._open.popitem(last=False)[1] if len(self._open) > _OPEN else None
        if late is not None:
            _write(late, "")

    def answered(self, kwargs: Mapping[str, object]) -> None:
        """Remember what a human chose (``post_approval_response``; not fired by the CLI)."""
        key, choice = kwargs.get("pattern_key"), kwargs.get("choice")
        if isinstance(key, str) and isinstance(choice, str):
            with self._lock:
                self._chosen[key.removeprefix("plugin_rule:")] = choice
                while len(self._chosen) > _OPEN:
                    self._chosen.popitem(last=False)

    def ended(self, kwargs: Mapping[str, object]) -> None:
        """Write the verdict of a call that has ended (``post_tool_call``, blocked calls too)."""
        call_id, status = kwargs.get("tool_call_id"), kwargs.get("status")
        with self._lock:
            judged = self._open.pop(call_id, None) if isinstance(call_id, str) else None
            nested = [key for key in self._open if key.startswith(_NESTED)]
            others = [self._open.pop(key) for key in nested]
            choice = self._chosen.pop(judged.proposal.rule_key, "") if judged else ""
        for other in others:
            _write(other, "")
        if judged is None:
            return
        if not choice and judged.what.outcome == "asked":
            choice = "denied" if status == "blocked" else "approved"
        _write(judged, choice)

    def flush(self) -> None:
        """Write everything that still waits."""
        with self._lock:
            waiting, self._open = list(self._open.values()), OrderedDict()
        for judged in waiting:
            _write(judged, "")


def _write(judged: Judged, choice: str) -> None:
    if not judged.place.settings.telemetry.enabled:
        return
    store = judged.place.store
    store.log(judged.record(choice))
    if judged.what.outcome != "allowed":
        store.count(f"gate_{judged.what.outcome}")
