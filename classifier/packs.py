"""The question packs that ship with the plugin."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..router.errors import RuleError
from ..router.packs import packs_from_yaml_text
from ..router.questions import QuestionPack

__all__ = ["PACK_FOLDER", "load_pack", "pack_names"]

PACK_FOLDER = Path(__file__).parent / "data" / "packs"


def pack_names() -> tuple[str, ...]:
    """Ids of the shipped packs, sorted."""
    return tuple(sorted(path.stem for path in PACK_FOLDER.glob("*.yaml")))


@cache
def load_pack(name: str) -> QuestionPack:
    """Read one shipped pack; read once per process.

    Args:
        name: its id, which is also the name of its file.

    Raises:
        RuleError: no such pack, or one that does not validate.
    """
    path = PACK_FOLDER / f"{name}.yaml"
    if name not in pack_names():
        raise RuleError(f"no question pack {name!r}; expected one of {list(pack_names())!r}")
    packs = packs_from_yaml_text(path.read_text("utf-8"), file=path.name)
    if len(packs) != 1 or packs[0].id != name:
        raise RuleError(f"{path.name}: holds {[pack.id for pack in packs]!r}; expected {name!r}")
    return packs[0]
