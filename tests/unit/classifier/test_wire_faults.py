"""Servers that misbehave: every call ends in a defined outcome, nothing raises."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import pytest

from hermes_tool_router.classifier.outcomes import CallOutcome
from hermes_tool_router.classifier.packs import load_pack
from hermes_tool_router.classifier.ports import StateSanitizer
from hermes_tool_router.classifier.presets import Backend, SystemOneConfig
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import Transport
from hermes_tool_router.router.questions import Answers

Respond = Callable[[str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]
PACK = load_pack("completion")
GOOD = json.dumps(
    {"answers": {question.id: {"type": "noul", "noul": 0.5} for question in PACK.questions}}
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def ask(sanitizer: StateSanitizer) -> Iterator[Callable[..., Answers]]:
    """Ask the pack at a URL."""
    with ExitStack() as stack:

        def call(url: str, deadline_s: float = 20) -> Answers:
            transport = Transport(max_workers=2)
            stack.callback(transport.close)
            config = SystemOneConfig(backend=Backend.LOCAL, base_url=url, min_interval_s=0)
            client = SystemOneClient(config, transport, {}, sanitizer)
            return client.ask("state", PACK, deadline_s=deadline_s)

        yield call


def read_request(connection: socket.socket) -> None:
    """Read until the request is whole."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)


def hang(connection: socket.socket) -> None:
    """Accept and never answer."""
    connection.settimeout(5)
    read_request(connection)
    while connection.recv(65536):
        pass


def drip_body(connection: socket.socket) -> None:
    """Send a byte of the body now and then, each within any read timeout."""
    read_request(connection)
    connection.sendall(HEAD + b"Content-Length: 5000\r\n\r\n")
    for _ in range(100):
        connection.sendall(b" ")
        time.sleep(0.05)


def drip_headers(connection: socket.socket) -> None:
    """The same with a header that never ends."""
    read_request(connection)
    connection.sendall(HEAD + b"X-Slow: ")
    for _ in range(100):
        connection.sendall(b"a")
        time.sleep(0.05)


def reset(connection: socket.socket) -> None:
    """Close with a reset before answering."""
    read_request(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


def cut_short(connection: socket.socket) -> None:
    """Promise more than comes."""
    read_request(connection)
    connection.sendall(HEAD + b"Content-Length: 5000\r\n\r\n{")


def endless(connection: socket.socket) -> None:
    """30 MB without a length."""
    read_request(connection)
    connection.sendall(HEAD + b"Connection: close\r\n\r\n")
    for _ in range(480):
        connection.sendall(b"[" * 65536)


def not_http(connection: socket.socket) -> None:
    """Speak another protocol."""
    read_request(connection)
    connection.sendall(b"220 mail.example ESMTP\r\n" * 3)


@pytest.mark.parametrize(
    ("handle", "outcome"),
    [
        pytest.param(hang, CallOutcome.TIMEOUT, id="hangs"),
        pytest.param(drip_body, CallOutcome.TIMEOUT, id="drips its body"),
        pytest.param(drip_headers, CallOutcome.TIMEOUT, id="drips its headers"),
        pytest.param(reset, CallOutcome.UNREACHABLE, id="resets"),
        pytest.param(cut_short, CallOutcome.UNREACHABLE, id="is cut short"),
        pytest.param(endless, CallOutcome.RESPONSE_TOO_LARGE, id="sends 30 MB"),
        pytest.param(not_http, CallOutcome.UNREACHABLE, id="is no HTTP server"),
    ],
)
def test_a_server_that(
    serve_raw: Callable[[Callable[[socket.socket], None]], str],
    ask: Callable[..., Answers],
    handle: Callable[[socket.socket], None],
    outcome: CallOutcome,
) -> None:
    """Broken on the level of the connection."""
    answers = ask(serve_raw(handle), deadline_s=0.5 if outcome is CallOutcome.TIMEOUT else 20)

    assert answers.outcome == outcome
    assert answers.by_id == {}
    assert len(answers.missing) == 4


def test_nobody_listening_is_unreachable(ask: Callable[..., Answers]) -> None:
    """A refused connection."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    answers = ask(f"http://127.0.0.1:{port}")

    assert answers.outcome == CallOutcome.UNREACHABLE


BOMB = gzip.compress(b"[" * 3_000_000)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        pytest.param((200, {}, b"<html>Sign in</html>"), CallOutcome.MALFORMED, id="HTML"),
        pytest.param((200, {}, b""), CallOutcome.MALFORMED, id="nothing"),
        pytest.param((200, {}, b")]}'\n" + GOOD), CallOutcome.MALFORMED, id="a JSON prefix"),
        pytest.param((200, {}, b"[" * 100_000), CallOutcome.MALFORMED, id="deep JSON"),
        pytest.param((200, {}, b"null"), CallOutcome.MALFORMED, id="null"),
        pytest.param((200, {}, b"\xff\xfe"), CallOutcome.MALFORMED, id="no UTF-8"),
        pytest.param(
            (200, {}, b'{"error": {"message": "overloaded"}}'),
            CallOutcome.HTTP_ERROR,
            id="200 with an error",
        ),
        pytest.param(
            (200, {"Content-Encoding": "gzip"}, BOMB),
            CallOutcome.RESPONSE_TOO_LARGE,
            id="a gzip bomb",
        ),
        pytest.param(
            (200, {"Content-Encoding": "gzip"}, b"plain"), CallOutcome.MALFORMED, id="false gzip"
        ),
        pytest.param(
            (200, {"Content-Encoding": "br"}, GOOD), CallOutcome.MALFORMED, id="a foreign coding"
        ),
        pytest.param(
            (302, {"Location": "https://elsewhere.example/"}, b""),
            CallOutcome.REDIRECTED,
            id="a redirect",
        ),
        pytest.param(
            (307, {"Location": "/v1/other"}, b""), CallOutcome.REDIRECTED, id="a redirect at home"
        ),
        pytest.param((204, {}, b""), CallOutcome.HTTP_ERROR, id="no content"),
        pytest.param((402, {}, b""), CallOutcome.CREDIT, id="no credit"),
        pytest.param((401, {}, b"<p>who?</p>"), CallOutcome.AUTH, id="a refused key"),
        pytest.param((403, {}, b""), CallOutcome.AUTH, id="a missing key"),
        pytest.param((422, {}, b'{"detail": [{"msg": "x"}]}'), CallOutcome.HTTP_ERROR, id="422"),
        pytest.param((500, {}, b"boom"), CallOutcome.HTTP_ERROR, id="a server fault"),
        pytest.param((529, {}, b""), CallOutcome.RATE_LIMITED, id="overload"),
    ],
)
def test_an_answer_that_is(
    serve_http: Callable[[Respond], str],
    ask: Callable[..., Answers],
    reply: tuple[int, Mapping[str, str], bytes],
    outcome: CallOutcome,
) -> None:
    """Broken on the level of the answer."""
    answers = ask(serve_http(lambda *_: reply), deadline_s=20)

    assert answers.outcome == outcome
    assert answers.by_id == {}


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param((200, {"Content-Encoding": "gzip"}, gzip.compress(GOOD)), id="gzip"),
        pytest.param((200, {"Content-Type": "text/plain"}, b"\xef\xbb\xbf" + GOOD), id="a mark"),
    ],
)
def test_unusual_but_readable_answers_are_read(
    serve_http: Callable[[Respond], str],
    ask: Callable[..., Answers],
    reply: tuple[int, Mapping[str, str], bytes],
) -> None:
    """Compression that nobody asked for, a byte order mark, a wrong media type."""
    answers = ask(serve_http(lambda *_: reply), deadline_s=20)

    assert answers.outcome == CallOutcome.OK
    assert answers.missing == ()


def test_a_server_that_stops_reading_costs_the_deadline_only(
    serve_raw: Callable[[Callable[[socket.socket], None]], str], sanitizer: StateSanitizer
) -> None:
    """A body that fills every buffer on the way is bounded as well."""

    def deaf(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        for _ in range(60):
            connection.recv(64)
            time.sleep(0.05)

    transport = Transport()
    config = SystemOneConfig(
        backend=Backend.LOCAL, base_url=serve_raw(deaf), min_interval_s=0, state_max_bytes=60_000
    )
    client = SystemOneClient(config, transport, {}, sanitizer)

    answers = client.ask("word " * 11_000, PACK, deadline_s=0.5)
    transport.close()

    assert answers.outcome == CallOutcome.TIMEOUT
