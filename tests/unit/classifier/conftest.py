"""Clients, and the network that they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import respx

from hermes_tool_router.classifier.outcomes import CallRecord
from hermes_tool_router.classifier.ports import StateSanitizer
from hermes_tool_router.classifier.presets import SystemOneConfig
from hermes_tool_router.classifier.scrubber import Scrubber
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import Transport


@pytest.fixture
def sanitizer() -> StateSanitizer:
    """The real one, in an empty environment."""
    return Scrubber({})


Client = Callable[..., SystemOneClient]


@pytest.fixture
def records() -> list[CallRecord]:
    """What the log is told."""
    return []


@pytest.fixture
def client(sanitizer: StateSanitizer, records: list[CallRecord]) -> Iterator[Client]:
    """Build clients from settings and an environment."""
    transport = Transport()

    def build(environ: Mapping[str, str], **settings: Any) -> SystemOneClient:
        config = SystemOneConfig(**{"min_interval_s": 0, **settings})
        return SystemOneClient(config, transport, environ, sanitizer, records.append)

    yield build
    transport.close()


@pytest.fixture
def wire() -> Iterator[respx.MockRouter]:
    """The network; every route must be called, and nothing else may be."""
    with respx.mock(assert_all_called=True) as router:
        yield router
