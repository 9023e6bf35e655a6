"""Servers that never finish, and how long a call to each takes."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from ..classifier.packs import load_pack
from ..classifier.presets import Backend, SystemOneConfig
from ..classifier.scrubber import Scrubber
from ..classifier.system_one import SystemOneClient
from ..classifier.transport import Transport

__all__ = ["DEADLINE_S", "measured_faults"]

DEADLINE_S: Final = 1.0
_ROUNDS: Final = 5
_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _hang(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def _drip(beginning: bytes) -> Callable[[socket.socket], None]:
    def handle(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(beginning)
        while True:
            connection.sendall(b" ")
            time.sleep(0.02)

    return handle


def _deaf(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    while connection.recv(16):
        time.sleep(0.02)


_FAULTS: Final = {
    "hangs": _hang,
    "drips its headers": _drip(_HEAD + b"X-Slow:"),
    "drips its body": _drip(_HEAD + b"Content-Length: 100000\r\n\r\n"),
    "stops reading": _deaf,
}


def measured_faults() -> dict[str, float]:
    """Longest of five calls to each server, as a share of the deadline; 1.0 is on time."""
    return {name: max(_calls(handle)) / DEADLINE_S for name, handle in _FAULTS.items()}


def _calls(handle: Callable[[socket.socket], None]) -> Iterator[float]:
    pack = load_pack("completion")
    with _serving(handle) as url:
        transport = Transport()
        config = SystemOneConfig(
            backend=Backend.LOCAL,
            base_url=url,
            state_max_bytes=60_000,
            min_interval_s=0,
            breaker_threshold=100,
        )
        client = SystemOneClient(config, transport, {}, Scrubber({}))
        for number in range(_ROUNDS):
            start = time.perf_counter()
            client.ask(f"{number} {'word ' * 8000}", pack, deadline_s=DEADLINE_S)
            yield time.perf_counter() - start
        transport.close()


@contextmanager
def _serving(handle: Callable[[socket.socket], None]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def one(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                handle(connection)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=one, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
