"""A System One server on loopback that answers as it is told, and counts who asks.

Not a judge of anything: it stands where a decision model would, so that what the
plugin makes of an answer can be seen.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Decisions", "Opinion", "decision_server"]

Says = float | str
"""Probability of a noul, level of a score, option of a choice."""

_CALM: Mapping[str, Says] = {
    "requested": 0.97,
    "changes_state": 0.9,
    "claims_completion": 0.97,
    "has_evidence": 0.97,
    "intent": "coding",
    "complexity": "moderate",
    "side_effects": "possible",
}
"""A model that sees nothing wrong; what is not named is unlikely."""
_UNLIKELY = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What the server says during one turn.

    Attributes:
        says: by question id, on top of a model that sees nothing wrong.
        fault: ``status`` answers 500, ``truncated`` half a body, empty all of it.
    """

    says: Mapping[str, Says] = field(default_factory=dict)
    fault: str = ""


class Decisions:
    """The server's side of a run.

    Attributes:
        url: where it listens.
        asked: requests that arrived, by turn.
    """

    def __init__(self, opinions: Mapping[str, Opinion]) -> None:
        self.url = ""
        self.asked: Counter[str] = Counter()
        self._opinions = opinions
        self._turn = ""
        self._lock = threading.Lock()

    def begin(self, turn: str) -> None:
        """What arrives from here on belongs to this turn."""
        with self._lock:
            self._turn = turn

    def answer(self, raw: bytes) -> tuple[int, bytes]:
        """Status and body for one request."""
        with self._lock:
            opinion = self._opinions.get(self._turn, Opinion())
            self.asked[self._turn] += 1
        if opinion.fault == "status":
            return 500, b"{}"
        says = {**_CALM, **opinion.says}
        answers = {
            name: _answer(question, says.get(name))
            for name, question in json.loads(raw)["questions"].items()
        }
        body = json.dumps({"model": "as-told", "answers": answers}).encode()
        return 200, body[: len(body) // 2] if opinion.fault == "truncated" else body


@contextmanager
def decision_server(opinions: Mapping[str, Opinion]) -> Iterator[Decisions]:
    """Serve until the block ends.

    ``POST /turn`` with a turn's key begins it; every other POST is a question.
    """
    decisions = Decisions(opinions)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, body = 200, b"{}"
            if self.path == "/turn":
                decisions.begin(raw.decode())
            else:
                status, body = decisions.answer(raw)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    decisions.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield decisions
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _answer(question: Mapping[str, Any], said: Says | None) -> dict[str, Any]:
    kind = question["type"]
    if kind == "choice":
        return {"type": kind, "choice": said, "probabilities": {said: 1.0}}
    value = float(said) if isinstance(said, int | float) else _UNLIKELY
    if kind == "score":
        low = min(int(value), len(question["criteria"]) - 1)
        spread = {str(level): 0.0 for level in range(len(question["criteria"]))}
        spread[str(low)] = 1.0 - (value - low)
        if value > low:
            spread[str(low + 1)] = value - low
        return {"type": kind, "score": value, "probabilities": spread}
    return {"type": kind, "noul": value}
