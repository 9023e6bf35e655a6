"""The checkout made importable where it is not installed, and loopback servers."""

from __future__ import annotations

import importlib.util
import runpy
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

if importlib.util.find_spec("hermes_tool_router") is None:
    runpy.run_path(str(ROOT / "_checkout.py"))["mount"]()

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
