"""Name resolution, the one step without a timeout of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import httpcore
import pytest

from hermes_tool_router.classifier.resolver import Resolver

Answer = list[tuple[object, ...]]


@pytest.fixture
def resolver() -> Iterator[Callable[..., Resolver]]:
    """Resolvers over a given lookup."""
    made: list[Resolver] = []

    def build(lookup: Callable[..., Answer]) -> Resolver:
        made.append(Resolver(lookup))
        return made[-1]

    yield build
    for one in made:
        one.close()


def found(*addresses: str) -> Answer:
    """What ``getaddrinfo`` returns."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]


def test_addresses_keep_the_order_of_the_system(resolver: Callable[..., Resolver]) -> None:
    """Each once."""
    one = resolver(lambda *_, **__: found("192.0.2.2", "192.0.2.1", "192.0.2.2"))

    assert one.addresses("host.example", 443, timeout_s=5) == ("192.0.2.2", "192.0.2.1")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "192.0.2.7", "2001:db8::1", "localhost"])
def test_an_address_is_not_looked_up(resolver: Callable[..., Resolver], host: str) -> None:
    """Nothing is asked and no thread starts."""

    def lookup(*_: object, **__: object) -> Answer:
        raise AssertionError("asked")

    assert resolver(lookup).addresses(host, 80, timeout_s=5) == (host,)


def test_a_name_that_does_not_resolve_is_a_connect_error(
    resolver: Callable[..., Resolver],
) -> None:
    """As if nobody listened."""

    def lookup(*_: object, **__: object) -> Answer:
        raise socket.gaierror("no such host")

    with pytest.raises(httpcore.ConnectError):
        resolver(lookup).addresses("host.example", 443, timeout_s=5)


def test_a_resolver_that_hangs_costs_the_deadline_only(resolver: Callable[..., Resolver]) -> None:
    """And once all its threads hang, nobody waits behind them for longer."""
    release = threading.Event()

    def lookup(*_: object, **__: object) -> Answer:
        release.wait(30)
        return found("192.0.2.1")

    one = resolver(lookup)

    for _ in range(6):
        with pytest.raises(httpcore.ConnectTimeout):
            one.addresses("host.example", 443, timeout_s=0.05)
    release.set()

    assert one.addresses("host.example", 443, timeout_s=5) == ("192.0.2.1",)
