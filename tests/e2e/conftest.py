"""Real Hermes for the end-to-end tests.

Each start of Hermes costs 3 to 8 seconds, so a test does as much as it can
with one process.  Every test has its own home and its own model, and may run
beside any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tool_router.probe.scene import Scene, scene


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Scene]:
    """An empty scene: a home to fill, a model to script, Hermes to start."""
    with scene(tmp_path) as made:
        yield made
