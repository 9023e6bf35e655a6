"""The doctor looks at everything of Hermes that the code uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import yaml

from hermes_tool_router.probe.contract import RELIANCES

ROOT = Path(__file__).resolve().parents[2]
HOST_ROOTS = frozenset(
    [
        "agent",
        "gateway",
        "hermes_cli",
        "hermes_constants",
        "hermes_state",
        "model_tools",
        "tools",
        "toolsets",
    ]
)
STAND_ALONE = {"probe/child.py", "benchmarks/evaluate_child.py", "benchmarks/latency_child.py"}
"""Scripts that run inside Hermes to measure it; the plugin does not need what they use."""


def _host_names() -> Iterator[tuple[str, str]]:
    """(file, what it imports of Hermes), as the doctor writes names."""
    for path in sorted(ROOT.rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name.startswith(("tests/", ".", "build/", "docs/")) or name in STAND_ALONE:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            module = getattr(node, "module", None) or ""
            if (
                isinstance(node, ast.ImportFrom)
                and not node.level
                and module.split(".")[0] in HOST_ROOTS
            ):
                yield from ((name, f"{module}:{item.name}") for item in node.names)


def _is_looked_at(name: str) -> bool:
    """Whether a reliance is this name, or lies inside it."""
    inside = (f"{name}.", f"{name.replace(':', '.')}:")
    return any(item.name == name or item.name.startswith(inside) for item in RELIANCES)


def test_every_import_of_hermes_is_looked_at() -> None:
    """A name that we import and the doctor does not look up would fail without a word."""
    used = set(_host_names())

    assert len(used) > 10
    assert {(file, name) for file, name in used if not _is_looked_at(name)} == set()


def test_every_hook_and_middleware_of_the_manifest_is_looked_at() -> None:
    """What the manifest says we register, the doctor looks for."""
    manifest = yaml.safe_load((ROOT / "plugin.yaml").read_text("utf-8"))
    known = {item.name for item in RELIANCES}

    hooks = {f"hermes_cli.plugins:VALID_HOOKS.{name}" for name in manifest["provides_hooks"]}
    kinds = {
        f"hermes_cli.middleware:VALID_MIDDLEWARE.{name}" for name in manifest["provides_middleware"]
    }

    assert hooks | kinds <= known
