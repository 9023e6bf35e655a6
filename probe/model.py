"""A scripted model on a loopback port, in the wire formats of :mod:`.dialects`.

It stands where a provider would, so that a real Hermes can be driven offline,
and it keeps every request byte for byte.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from . import dialects, wire
from .script import Kind, Reply, Request, Script, Step, say

__all__ = ["MODEL", "StubModel"]

MODEL = dialects.MODEL
# A Hermes request with every tool and a long session is some 1 MB; more than this is a runaway.
_MAX_BODY = 32 * 1024 * 1024
_MAX_REQUESTS = 2000
_SOCKET_TIMEOUT_S = 60.0


@dataclass(slots=True)
class _Tape:
    """What was asked, and how far each conversation's script is."""

    script: Script = ()
    requests: list[Request] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def next_reply(self, request: Request) -> Reply:
        if callable(self.script):
            return self.script
        place = self.taken.get(request.opener, 0)
        self.taken[request.opener] = place + 1
        return self.script[place] if place < len(self.script) else say("Done.")


class StubModel:
    """The server; use it as a context manager.

    Not a fake of any provider's judgement: it says what its script says.  Safe
    for requests in parallel.
    """

    def __init__(self, script: Script = ()) -> None:
        self._lock = threading.Lock()
        self._tape = _Tape(script=script)
        self._stop = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        )
        self._thread.start()

    def __enter__(self) -> Self:
        """Return the running server."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving."""
        self.close()

    def close(self) -> None:
        """Stop serving and free the port; answers that wait are cut short."""
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    @property
    def base_url(self) -> str:
        """What Hermes is given as ``model.base_url``."""
        return f"{self._root}/v1"

    @property
    def anthropic_url(self) -> str:
        """The same where the Messages API is to be spoken: Hermes goes by the path."""
        return f"{self._root}/anthropic"

    @property
    def _root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every completion request since the last :meth:`load`, in order of arrival."""
        with self._lock:
            return tuple(self._tape.requests)

    @property
    def turns(self) -> tuple[Request, ...]:
        """The requests that belong to a user's turn."""
        return tuple(request for request in self.requests if request.kind is Kind.TURN)

    def conversation(self, opener: str) -> tuple[Request, ...]:
        """The requests of the conversation that began with ``opener``."""
        return tuple(request for request in self.turns if request.opener == opener)

    @property
    def errors(self) -> tuple[str, ...]:
        """What script functions raised: faults of the script, not of Hermes."""
        with self._lock:
            return tuple(self._tape.errors)

    def load(self, script: Script = ()) -> None:
        """Forget what was recorded and answer from ``script``; when it is used up, say "Done."."""
        with self._lock:
            self._tape = _Tape(script=script)

    def answer(self, raw: bytes, dialect: dialects.Dialect) -> tuple[Request, Step]:
        """Record a request body and return it with the answer.

        Raises:
            ValueError: the body is no JSON object.
        """
        tools_raw = wire.member_bytes(raw, "tools")
        body = dialect.read(json.loads(raw))
        with self._lock:
            tape = self._tape
            if len(tape.requests) >= _MAX_REQUESTS:
                return Request(index=-1, raw=raw, body=body, tools_raw=tools_raw), Step(status=503)
            request = Request(index=len(tape.requests), raw=raw, body=body, tools_raw=tools_raw)
            tape.requests.append(request)
            if request.kind is Kind.REVIEW:
                return request, say("Nothing to save.")
            if request.kind is Kind.AUXILIARY:
                return request, say("Untitled session")
            reply = tape.next_reply(request)
        try:
            return request, reply if isinstance(reply, Step) else reply(request)
        except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A fault of the script must not look like a fault of the host.
            with self._lock:
                tape.errors.append(repr(error))
            return request, say(f"script error: {error!r}")

    def pause(self, seconds: float) -> None:
        """Wait before an answer; ends early when the server stops."""
        self._stop.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, model: StubModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a Hermes that is killed resets its connections."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SOCKET_TIMEOUT_S
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it so
        """Stay silent on stderr, which belongs to whoever runs us."""

    def do_GET(self) -> None:
        """Answer the model list that Hermes may ask for."""
        entry = {"id": MODEL, "object": "model", "owned_by": "stub", "context_length": 200_000}
        self._send(200, {"object": "list", "data": [entry]})

    def do_POST(self) -> None:
        """Answer a completion."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > _MAX_BODY:
            self.close_connection = True
            self._refuse(413, "the body is too large")
            return
        raw = self.rfile.read(length)
        dialect = dialects.of_path(self.path)
        if dialect is None:
            self._refuse(404, f"no such path: {self.path}")
            return
        try:
            request, step = self.server.model.answer(raw, dialect)
        except ValueError as error:
            self._refuse(400, str(error))
            return
        self._play(request, step, dialect)

    def _play(self, request: Request, step: Step, dialect: dialects.Dialect) -> None:
        if step.delay_s:
            self.server.model.pause(step.delay_s)
        if step.status != 200:
            self._refuse(step.status, "scripted error")
            return
        whole = dialect.answer(request, step)
        if request.body.get("stream"):
            self._send_bytes(200, "text/event-stream", dialect.events(whole))
        else:
            self._send(200, whole)

    def _refuse(self, status: int, message: str) -> None:
        self._send(status, {"error": {"message": message, "type": "stub"}})

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        self._send_bytes(status, "application/json", json.dumps(body).encode())

    def _send_bytes(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
