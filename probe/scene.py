"""Model, home and Hermes together: what every drive needs."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .home import STOCK, Contents, ScratchHome
from .model import StubModel
from .script import Script
from .turns import Hermes

__all__ = ["Scene", "scene", "scratch_scene"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A scratch home, the model it talks to, and Hermes in it."""

    home: ScratchHome
    model: StubModel
    hermes: Hermes

    def fill(self, contents: Contents = STOCK, script: Script = ()) -> None:
        """Make the home afresh and load the model's script."""
        self.home.fill(self.model.base_url, contents)
        self.model.load(script)


@contextlib.contextmanager
def scene(root: Path, *, python: Path | None = None) -> Iterator[Scene]:
    """Set a scene in ``root``, which stays the caller's to remove.

    Args:
        root: an empty folder.
        python: Hermes' interpreter; ``None``: the running one.
    """
    with StubModel() as model:
        home = ScratchHome(root)
        yield Scene(home=home, model=model, hermes=Hermes(home, python=python))


@contextlib.contextmanager
def scratch_scene(*, python: Path | None = None) -> Iterator[Scene]:
    """Set a scene in a temporary folder that is removed afterwards."""
    # Removed by hand: a tool of Hermes may still be writing when its process group has ended.
    root = Path(tempfile.mkdtemp(prefix="tool-router-"))
    try:
        with scene(root, python=python) as made:
            yield made
    finally:
        shutil.rmtree(root, ignore_errors=True)
