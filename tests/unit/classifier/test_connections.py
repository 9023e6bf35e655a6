"""Connections: kept, renewed, encrypted, and never through a proxy."""

from __future__ import annotations

import datetime
import ipaddress
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from hermes_tool_router.classifier.errors import DeadlineError, NotSentError, UnreachableError
from hermes_tool_router.classifier.presets import Backend
from hermes_tool_router.classifier.resolver import Resolver
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.wire import OneOriginTransport, deadline
from hermes_tool_router.router.questions import Question, QuestionPack

Serve = Callable[[Callable[[socket.socket], None]], str]

REPLY = b'{"answers": {"q": {"noul": 0.5}}}'
HTTP = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: %d\r\n\r\n%s" % (len(REPLY), REPLY)
PACK = QuestionPack(
    id="p",
    version="1",
    fingerprint="f",
    questions=(Question(id="q", kind="noul", instructions="?", criteria={}),),
)


def read_request(connection: socket.socket) -> bytes:
    """One whole request; empty at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head


def test_a_connection_is_kept(serve_raw: Serve, client: Callable[..., SystemOneClient]) -> None:
    """Three questions, one connection, no cookie sent back."""
    connections: list[int] = []
    heads: list[bytes] = []

    def handle(connection: socket.socket) -> None:
        connections.append(1)
        while head := read_request(connection):
            heads.append(head)
            connection.sendall(HTTP)

    asking = client({}, backend=Backend.LOCAL, base_url=serve_raw(handle))

    outcomes = [asking.ask(n, PACK, deadline_s=5).outcome for n in range(3)]

    assert outcomes == ["ok"] * 3
    assert len(connections) == 1
    assert all(b"cookie" not in head.lower() for head in heads)


def test_a_connection_that_the_server_dropped_is_renewed(
    serve_raw: Serve, client: Callable[..., SystemOneClient]
) -> None:
    """It says nothing and closes after each answer, as an idle timeout does."""

    def handle(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(HTTP)

    asking = client({}, backend=Backend.LOCAL, base_url=serve_raw(handle))

    outcomes = [asking.ask(n, PACK, deadline_s=5).outcome for n in range(5)]

    assert outcomes == ["ok"] * 5


def test_proxy_variables_are_ignored(
    serve_raw: Serve,
    client: Callable[..., SystemOneClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A decision goes where the settings say, not where a shell says."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    def handle(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(HTTP)

    asking = client({}, backend=Backend.LOCAL, base_url=serve_raw(handle))

    assert asking.ask("s", PACK, deadline_s=5).outcome == "ok"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for localhost, with its key in the same file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


@pytest.fixture
def https(serve_raw: Serve, certificate: Path) -> str:
    """A TLS server on this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            while read_request(secure):
                secure.sendall(HTTP)

    return serve_raw(handle).replace("http://", "https://")


@pytest.fixture
def over_tls(https: str, certificate: Path) -> Iterator[Callable[..., httpx.Client]]:
    """Clients for that server, trusting what they are told to."""
    resolver = Resolver()
    made: list[httpx.Client] = []

    def build(*, trusting: bool) -> httpx.Client:
        def authorities() -> ssl.SSLContext:
            return ssl.create_default_context(cafile=certificate if trusting else None)

        transport = OneOriginTransport(
            httpx.URL(https), max_connections=1, resolver=resolver, authorities=authorities
        )
        made.append(httpx.Client(transport=transport, base_url=https))
        return made[-1]

    yield build
    for client in made:
        client.close()
    resolver.close()


def test_tls_works_with_a_certificate_that_is_trusted(
    over_tls: Callable[..., httpx.Client],
) -> None:
    """Twice over one connection, with the deadline on every operation."""
    client = over_tls(trusting=True)

    with deadline(5):
        first = client.post("/v1/systemone", json={"a": "b" * 30_000})
        second = client.post("/v1/systemone", json={})

    assert (first.json(), second.json()) == (json.loads(REPLY), json.loads(REPLY))


def test_tls_fails_with_a_certificate_that_is_not(over_tls: Callable[..., httpx.Client]) -> None:
    """Nobody in the middle."""
    with deadline(5), pytest.raises(UnreachableError):
        over_tls(trusting=False).post("/v1/systemone", json={})


def test_a_handshake_that_never_comes_costs_the_deadline_only(serve_raw: Serve) -> None:
    """A plain server behind an https address."""

    def handle(connection: socket.socket) -> None:
        while connection.recv(65536):
            pass

    url = httpx.URL(serve_raw(handle).replace("http://", "https://"))
    resolver = Resolver()
    transport = OneOriginTransport(url, max_connections=1, resolver=resolver)

    with httpx.Client(transport=transport) as client, deadline(0.3), pytest.raises(DeadlineError):
        client.post(url, json={})
    resolver.close()


def test_another_origin_is_refused_by_the_connection_itself() -> None:
    """Whatever a redirect or a mistake of ours may ask for."""
    resolver = Resolver()
    transport = OneOriginTransport(
        httpx.URL("https://api.typesafe.ai"), max_connections=1, resolver=resolver
    )

    with httpx.Client(transport=transport) as client:
        for other in (
            "http://api.typesafe.ai/",
            "https://api.typesafe.ai:444/",
            "https://api.typesafe.ai.example/",
        ):
            with pytest.raises(NotSentError):
                client.post(other, json={})
    resolver.close()
