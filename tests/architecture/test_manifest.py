"""plugin.yaml declares what the code registers, no more and no less."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def registered(method: str) -> set[str]:
    """Names that the code passes to ``ctx.<method>`` as literals."""
    found: set[str] = set()
    for folder in ("console", "registry_adapter"):
        for path in (ROOT / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == method
                    and node.args
                    and isinstance(node.args[0], ast.Constant)
                ):
                    found.add(str(node.args[0].value))
    return found


@pytest.mark.parametrize(
    ("key", "method"),
    [("provides_hooks", "register_hook"), ("provides_middleware", "register_middleware")],
)
def test_manifest_lists_what_is_registered(key: str, method: str) -> None:
    """Newer hosts check the declaration; a hook that is added belongs into plugin.yaml."""
    manifest = yaml.safe_load((ROOT / "plugin.yaml").read_text(encoding="utf-8"))

    assert set(manifest[key]) == registered(method)


def test_manifest_says_what_the_loader_needs() -> None:
    """Without a kind Hermes 0.19.0 guesses one from the source."""
    manifest = yaml.safe_load((ROOT / "plugin.yaml").read_text(encoding="utf-8"))

    assert (manifest["name"], manifest["kind"]) == ("tool-router", "standalone")
    assert manifest["manifest_version"] == 1
