"""Keep our own requests out of the wire logs of httpx, httpcore and openai.

Their debug logs hold URLs, headers and, in openai's case, whole prompts.  The
filter drops a record only while one of our calls runs in the same context, so
every other client in the process logs as before.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["WireSilence"]

_LIBRARIES = ("httpx", "httpcore", "openai")


class WireSilence:
    """Filter for the loggers of the HTTP libraries; one per transport."""

    def __init__(self) -> None:
        self._active: ContextVar[bool] = ContextVar("tool_router_wire_silence", default=False)
        self._known = -1

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether ``record`` may be logged: not while one of our calls runs."""
        del record
        return not self._active.get()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Silence the libraries in this context until the block ends."""
        self._attach()
        token = self._active.set(True)
        try:
            yield
        finally:
            self._active.reset(token)

    def _attach(self) -> None:
        """Reach loggers that were created since the last call.

        A filter on ``httpcore`` does not see records of ``httpcore.http11``, and
        the libraries create loggers as their modules are first imported.
        """
        known = logging.Logger.manager.loggerDict
        if len(known) == self._known:
            return
        self._known = len(known)
        for name in (*_LIBRARIES, *list(known)):
            if name.partition(".")[0] in _LIBRARIES:
                logging.getLogger(name).addFilter(self)  # does nothing the second time
