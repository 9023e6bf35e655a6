"""Which session a slash command was typed in; Hermes does not say (contract §7).

The interactive CLI has one session.  A messaging gateway handles many at once
and runs commands before it binds a session to the task, so the message event
seen by ``pre_gateway_dispatch`` in the same task leads to it.  Elsewhere the
task's own session variables are asked; the process-wide environment variable
is not, where several sessions share it: it is the last writer's.  What is left
is the TUI's server, whose process may route a single session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["SessionHere"]

_Lookup = Callable[[], str]
_Home = Callable[[], object]


class SessionHere:
    """Finds the id of the session that the running command belongs to.

    Args:
        only: the one session that this process routes, empty if there are several or none.
    """

    def __init__(self, only: Callable[[], str] = lambda: "") -> None:
        self._only = only
        self._gateway = False
        self._lookup: ContextVar[_Lookup | None] = ContextVar("tool_router_session", default=None)
        self._home: ContextVar[_Home | None] = ContextVar("tool_router_home", default=None)

    def note_event(self, **kwargs: Any) -> None:
        """Remember, for this task, how to find the session of a gateway's message."""
        self._gateway = True  # from now on one session of this process is never "the" session
        event, gateway = kwargs.get("event"), kwargs.get("gateway")
        store = kwargs.get("session_store")
        home_of = getattr(gateway, "_resolve_profile_home_for_source", None)
        source = getattr(event, "source", None)
        key_of = getattr(gateway, "_session_key_for_source", None)
        peek = getattr(store, "peek_session_id", None)
        if source is None or not callable(key_of) or not callable(peek):
            self._lookup.set(None)
            self._home.set(None)
            return
        self._lookup.set(lambda: _text(peek(key_of(source))))
        self._home.set((lambda: home_of(source)) if callable(home_of) else None)

    @contextmanager
    def home(self) -> Iterator[None]:
        """Run in the home of the profile that the message belongs to.

        A gateway that serves several profiles enters it only when it starts
        the turn (gateway/run.py:18768), which is after commands ran.
        """
        home_of = self._home.get()
        if home_of is None:
            yield
            return
        from hermes_constants import (  # noqa: PLC0415 - host import
            reset_hermes_home_override,
            set_hermes_home_override,
        )

        token = set_hermes_home_override(str(home_of()))
        try:
            yield
        finally:
            reset_hermes_home_override(token)

    def __call__(self) -> str:
        """The session's id, empty if it cannot be told."""
        lookup = self._lookup.get()
        if lookup is not None:
            return lookup()
        return _of_terminal() or _of_task() or ("" if self._gateway else self._only())


def _of_terminal() -> str:
    """The interactive CLI's own session (cli.py:13098)."""
    from hermes_cli.plugins import get_plugin_manager  # noqa: PLC0415 - host import

    terminal = getattr(get_plugin_manager(), "_cli_ref", None)
    return _text(getattr(terminal, "session_id", ""))


def _of_task() -> str:
    """The session bound to this task, or of a process that has only one (session_context.py)."""
    from gateway import session_context  # noqa: PLC0415 - host import

    bound = getattr(session_context, "_SESSION_ID", None)
    value = bound.get() if isinstance(bound, ContextVar) else ""
    if isinstance(value, str):
        return value
    if getattr(session_context, "_session_context_engaged", True):
        return ""
    return _text(session_context.get_session_env("HERMES_SESSION_ID", ""))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
