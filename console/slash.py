"""``/router`` inside a session: CLI, TUI and gateway."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..registry_adapter.host import hermes_home
from ..registry_adapter.plugin import Runtime
from ..registry_adapter.session_here import SessionHere
from ..router.session import Phase, SessionState
from .effect import effect, percent
from .output import counted

__all__ = ["HELP", "Slash"]

HELP = """\
/router                what the router does here
/router surface        the tools that this session sends
/router add TOOLSET    bring toolsets back for this session
/router off            send every tool for the rest of this session"""

_PHASES = {
    Phase.WAITING: "no task yet: only the floor is sent",
    Phase.NARROWED: "narrowed",
    Phase.OPEN: "open: every tool is sent",
    Phase.PASS: "not touched: every tool is sent",
}
_UNKNOWN = (
    "Hermes does not say which session this is, or the session has sent nothing yet. "
    "Send a message first."
)


class Slash:
    """Answers ``/router``; the text goes to the chat as it is.

    Args:
        runtime: what the registration made.
        session_here: knows in which session the command was typed.
    """

    def __init__(self, runtime: Runtime, session_here: SessionHere) -> None:
        self._runtime = runtime
        self._session_here = session_here

    def __call__(self, raw: str = "") -> str:
        """The answer to one command.  Never raises."""
        return self._runtime.guard.run(
            "/router",
            lambda: self._answer(raw),
            lambda: "tool-router: that failed; see Hermes' log",
        )

    def _answer(self, raw: str) -> str:
        word, _, rest = raw.strip().partition(" ")
        actions: dict[str, Callable[[str], str]] = {
            "": self._status,
            "status": self._status,
            "surface": self._surface,
            "add": self._add,
            "off": self._off,
            "help": lambda _rest: HELP,
        }
        action = actions.get(word.lower())
        if action is None:
            return f"unknown: {word}\n{HELP}"
        with self._session_here.home():
            return action(rest.strip())

    def _status(self, _rest: str) -> str:
        reading = self._runtime.reading()
        problem = reading.problem or self._runtime.problem
        if problem:
            return f"tool-router: nothing is routed: {problem}"
        seen, mode = effect(self._runtime.stores(hermes_home())), reading.settings.mode
        lines = [f"tool-router: {mode}; {_effect(seen, mode)}"]
        state = self._state()
        if state is not None:
            lines.append(f"this session: {_PHASES[state.phase]} ({state.why})")
        return "\n".join([*lines, *(f"note: {notice}" for notice in reading.notices)])

    def _surface(self, _rest: str) -> str:
        state = self._state()
        if state is None:
            return _UNKNOWN
        lines = [f"{_PHASES[state.phase]} ({state.why})"]
        if state.order and state.phase is not Phase.PASS:
            lines.append(f"tools, in order: {', '.join(state.order)}")
        if state.added:
            lines.append(f"joined later: {', '.join(state.added)}")
        return "\n".join(lines)

    def _add(self, rest: str) -> str:
        names = [name for name in rest.replace(",", " ").split() if name]
        if not names:
            return "which toolset? for example: /router add web"
        state = self._state()
        if state is None:
            return _UNKNOWN
        payload = self._runtime.surfaces.asked(state.session_id, {"toolsets": names})
        return _added(payload)

    def _off(self, _rest: str) -> str:
        session_id = self._session_here()
        state = self._runtime.surfaces.open(session_id) if session_id else None
        if state is None:
            return _UNKNOWN
        return "every tool is sent for the rest of this session"

    def _state(self) -> SessionState | None:
        session_id = self._session_here()
        return self._runtime.surfaces.state(session_id) if session_id else None


def _effect(seen: Mapping[str, Any], mode: str) -> str:
    """What it came to so far, in one phrase."""
    if mode == "shadow":
        return (
            f"would remove {seen['would_remove']:,} tokens in {counted(seen['shadow'], 'decision')}"
        )
    if not seen["enforced"]:
        return "nothing decided yet"
    share = percent(seen["tokens_removed"], seen["tokens_full"])
    decisions = counted(seen["enforced"], "decision")
    return f"{seen['tokens_removed']:,} tokens removed ({share}) in {decisions}"


def _added(payload: Mapping[str, object]) -> str:
    """The reply of ``request_toolset``, in a person's words."""
    lines = [
        f"{words}: {', '.join(map(str, names))}"
        for key, words in (
            ("added_tools", "from the next step on"),
            ("already_available", "there already"),
        )
        if isinstance(names := payload.get(key), list)
    ]
    refused = payload.get("refused")
    if isinstance(refused, Mapping):
        lines += [f"not added: {name}: {reason}" for name, reason in refused.items()]
    return "\n".join(lines) or str(payload.get("note") or payload.get("error") or "nothing to add")
