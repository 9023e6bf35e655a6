"""What our transport adds to a bare round trip, and what it makes of a crowd of callers."""

from __future__ import annotations

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..classifier.outcomes import CallRecord
from ..classifier.packs import load_pack
from ..classifier.presets import Backend, SystemOneConfig
from ..classifier.scrubber import Scrubber
from ..classifier.system_one import SystemOneClient
from ..classifier.transport import Transport
from .options import Options
from .output import emit
from .transport_faults import DEADLINE_S, measured_faults

__all__ = ["run"]

Call = Callable[[int], object]

_BARE: Final = "http.client, kept alive"
_OURS: Final = "ours, kept alive"
_COLUMNS: Final = ("p50", "p95", "p99", "cpu_p50", "cpu_p10")
_ROUNDS: Final = 400
_WARM_UP: Final = 20
_CROWD: Final = 64
_LIMIT_MS: Final = 2.0
_SHARE_LIMIT: Final = 1.1
_DEADLINE_S: Final = 5.0
_STATE: Final = {
    "message": "Make the failing test in the parser pass and tell me what was wrong.",
    "final_answer": "The parser read one token too many; the test passes now. " * 4,
    "observations": [
        {"tool": "terminal", "command": "pytest tests/test_parser.py", "exit_code": 0}
    ],
}


class _Times(NamedTuple):
    elapsed: list[float]
    cpu: list[float]


def run(options: Options) -> int:
    """Measure; 1 if the overhead or a deadline is missed, or a caller is lost, else 0."""
    pack = load_pack("completion")
    records: list[CallRecord] = []
    with _server() as url, ExitStack() as stack:
        client = _client(url, stack, records)
        body = client.preview(_STATE, pack)[0].body.encode()
        scrubber = Scrubber(os.environ)
        times = _interleaved(
            {
                _BARE: _bare(url, body, stack),
                "httpx, kept alive": _plain(url, body, stack),
                "httpx, new connection": _fresh(url, body),
                _OURS: lambda n: client.ask({**_STATE, "n": n}, pack, deadline_s=_DEADLINE_S),
                "of which sanitizing": lambda _: scrubber.value(_STATE, max_bytes=8000),
            }
        )
        records.clear()
        caching = _client(url, stack, records, cache_s=300)
        same = _together(lambda _: caching.ask("same", pack, deadline_s=_DEADLINE_S).outcome)
        requests = sum(record.attempts for record in records)
        different = _together(lambda n: client.ask(n, pack, deadline_s=_DEADLINE_S).outcome)
    faults = measured_faults()
    rows = {name: _figures(values) for name, values in times.items()}
    # On a machine with other work, elapsed time measures that work, and the median of
    # processor time the caches that it empties.
    overhead = rows[_OURS]["cpu_p10"] - rows[_BARE]["cpu_p10"]
    lost = _CROWD - sum(different.values())
    report = {
        "rounds": _ROUNDS,
        "ms": rows,
        "overhead_ms": overhead,
        "overhead_elapsed_ms_p50": rows[_OURS]["p50"] - rows[_BARE]["p50"],
        "limit_ms": _LIMIT_MS,
        "same": dict(same),
        "requests": requests,
        "different": dict(different),
        "lost": lost,
        "share_of_deadline": faults,
        "share_limit": _SHARE_LIMIT,
    }
    emit(options, report, [_table(report), _fault_table(report)])
    late = max(faults.values()) > _SHARE_LIMIT
    return 1 if overhead > _LIMIT_MS or lost or late else 0


@contextmanager
def _server() -> Iterator[str]:
    """The fixed server in a process of its own."""
    script = Path(__file__).with_name("transport_server.py")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def _client(
    url: str, stack: ExitStack, records: list[CallRecord], cache_s: float = 0
) -> SystemOneClient:
    """A client without pacing, which would hide what is measured."""
    transport = Transport()
    stack.callback(transport.close)
    config = SystemOneConfig(
        backend=Backend.LOCAL, base_url=url, cache_seconds=cache_s, min_interval_s=0
    )
    scrubber = Scrubber(os.environ)
    return SystemOneClient(config, transport, {}, scrubber, records.append)


def _bare(url: str, body: bytes, stack: ExitStack) -> Call:
    """The least that Python can do: one kept-alive connection of the standard library."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    stack.callback(connection.close)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(_: int) -> None:
        connection.request("POST", "/v1/systemone", body, {"Content-Type": "application/json"})
        json.loads(connection.getresponse().read())

    return call


def _plain(url: str, body: bytes, stack: ExitStack) -> Call:
    """Httpx as its documentation shows it."""
    client = stack.enter_context(httpx.Client(trust_env=False))

    def call(_: int) -> None:
        client.post(f"{url}/v1/systemone", content=body).json()

    return call


def _fresh(url: str, body: bytes) -> Call:
    """A new httpx client each time, as plugins that call ``httpx.post`` do."""

    def call(_: int) -> None:
        httpx.post(f"{url}/v1/systemone", content=body, trust_env=False).json()

    return call


def _interleaved(calls: Mapping[str, Call]) -> dict[str, _Times]:
    """Milliseconds of each: elapsed, and of this thread's processor time.

    Taken in turn, so that a busy moment of the machine falls on all alike.
    """
    times: dict[str, _Times] = {name: _Times([], []) for name in calls}
    for number in range(-_WARM_UP, _ROUNDS):
        for name, call in calls.items():
            start, worked = time.perf_counter(), time.thread_time()
            call(number)
            if number >= 0:
                times[name].cpu.append((time.thread_time() - worked) * 1000)
                times[name].elapsed.append((time.perf_counter() - start) * 1000)
    return times


def _together(call: Callable[[int], str]) -> Counter[str]:
    """Outcomes of callers that start at the same moment."""
    outcomes: list[str] = []
    barrier = threading.Barrier(_CROWD)

    def one(number: int) -> None:
        barrier.wait()
        outcomes.append(str(call(number)))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(_CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(outcomes)


def _figures(times: _Times) -> dict[str, float]:
    cuts = statistics.quantiles(times.elapsed, n=100)
    return {
        "p50": cuts[49],
        "p95": cuts[94],
        "p99": cuts[98],
        "cpu_p50": statistics.median(times.cpu),
        "cpu_p10": statistics.quantiles(times.cpu, n=10)[0],
    }


def _table(report: Mapping[str, Any]) -> Table:
    table = Table(
        title=f"One decision on this machine, {report['rounds']} rounds each, ms",
        box=SIMPLE_HEAD,
        caption=(
            f"overhead: {report['overhead_ms']:.2f} ms of processor time "
            f"(limit {report['limit_ms']:.1f}), {report['overhead_elapsed_ms_p50']:.2f} ms "
            f"elapsed at the median\n{_CROWD} identical callers: "
            f"{report['same']}, requests sent: {report['requests']}\n"
            f"{_CROWD} different callers: {report['different']}, lost: {report['lost']}"
        ),
    )
    table.add_column("")
    for column in _COLUMNS:
        table.add_column(column.replace("_", " "), justify="right")
    for name, row in report["ms"].items():
        table.add_row(name, *(f"{row[column]:.2f}" for column in _COLUMNS))
    return table


def _fault_table(report: Mapping[str, Any]) -> Table:
    table = Table(
        title=f"Longest call to a server that never finishes, deadline {DEADLINE_S:.1f} s",
        box=SIMPLE_HEAD,
        caption=f"limit {report['share_limit']:.2f} of the deadline",
    )
    table.add_column("")
    table.add_column("share of the deadline", justify="right")
    for name, share in report["share_of_deadline"].items():
        table.add_row(name, f"{share:.3f}")
    return table
