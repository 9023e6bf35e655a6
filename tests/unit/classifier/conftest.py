"""Loopback servers: real sockets, one per test, closed with it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hermes_tool_router.classifier.ports import SanitizedText, SanitizedValue, StateSanitizer

Respond = Callable[[str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]


@pytest.fixture
def serve_http() -> Iterator[Callable[[Respond], str]]:
    """Start servers that answer each POST with ``respond(path, headers, body)``."""
    with ExitStack() as stack:

        def start(respond: Respond) -> str:
            class Handler(BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def do_POST(self) -> None:
                    body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    status, extra, reply = respond(self.path, headers, body)
                    with suppress(OSError):
                        self.send_response(status)
                        for name, value in extra.items():
                            self.send_header(name, value)
                        self.send_header("Content-Length", str(len(reply)))
                        self.end_headers()
                        self.wfile.write(reply)

                def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                    """Say nothing."""

            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
            thread.start()
            stack.callback(thread.join, 5)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_address[1]}"

        yield start


@pytest.fixture
def serve_raw() -> Iterator[Callable[[Callable[[socket.socket], None]], str]]:
    """Start servers that hand each accepted connection to ``handle`` in a thread."""
    with ExitStack() as stack:

        def start(handle: Callable[[socket.socket], None]) -> str:
            listener = socket.create_server(("127.0.0.1", 0))
            stack.callback(listener.close)

            def one(connection: socket.socket) -> None:
                with connection, suppress(OSError):
                    handle(connection)

            def accept() -> None:
                with suppress(OSError):
                    while True:
                        connection, _ = listener.accept()
                        threading.Thread(target=one, args=(connection,), daemon=True).start()

            thread = threading.Thread(target=accept, daemon=True)
            thread.start()
            stack.callback(thread.join, 5)
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        yield start


class Unchanged:
    """A state as it is, for tests that do not turn on what is removed."""

    def __init__(self, value: object) -> None:
        self.json = json.dumps({"value": value, "input_metadata": {"input_complete": True}})
        self.complete = True


class UnchangedText:
    """The same for a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.complete = True


class KeepsAll:
    """Removes nothing."""

    def text(self, text: str, /) -> SanitizedText:
        """Keep ``text``."""
        return UnchangedText(text)

    def value(self, obj: object, *, max_bytes: int) -> SanitizedValue:
        """Wrap ``obj``."""
        del max_bytes
        return Unchanged(obj)


@pytest.fixture
def sanitizer() -> StateSanitizer:
    """What stands in front of the wire."""
    return KeepsAll()
