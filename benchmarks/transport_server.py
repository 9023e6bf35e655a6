"""A System One server for measurements: one connection a thread, a fixed answer at once.

Run by path in a process of its own, so that client and server do not share an
interpreter lock.  It prints its port and serves until it is killed.
"""

from __future__ import annotations

import json
import socket
import threading
from typing import Final

__all__ = ["REPLY", "serve"]

REPLY: Final = json.dumps(
    {
        "model": "fixed",
        "answers": {
            "claims_completion": {"type": "noul", "noul": 0.9},
            "has_evidence": {"type": "noul", "noul": 0.1},
            "inconsistent": {"type": "noul", "noul": 0.2},
            "needs_iteration": {"type": "noul", "noul": 0.3},
        },
        "usage": {"input_tokens": 300, "output_tokens": 8},
    }
).encode()


def serve(server: socket.socket) -> None:
    """Answer every request on every connection."""
    while True:
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_converse, args=(connection,), daemon=True).start()


def _converse(connection: socket.socket) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(REPLY)}"
    reply = head.encode() + b"\r\n\r\n" + REPLY
    with connection, connection.makefile("rb") as lines:
        while True:
            length = 0
            while (line := lines.readline()) not in {b"\r\n", b""}:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return
            lines.read(length)
            connection.sendall(reply)


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        serve(listening)
