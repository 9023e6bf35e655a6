"""The reference server of the decision protocol, which others wrote."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from jevcompat.mock import MockConfig, make_server


@pytest.fixture
def mock_server() -> Iterator[Callable[..., str]]:
    """The reference server, with faults or a key."""
    with ExitStack() as stack:

        def start(**settings: Any) -> str:
            server = make_server(MockConfig(**settings))
            thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
            thread.start()
            stack.callback(thread.join, 5)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_address[1]}"

        yield start
