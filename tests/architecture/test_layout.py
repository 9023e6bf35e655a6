"""The shape of the tree: what ships, what may not be shadowed, how large a room may be."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "hermes_tool_router"
MAX_LINES = 400
NOT_SHIPPED = {"build", "dist", "docs", "skills", "tests"}

# hermes-agent 0.19.0, top_level.txt of its wheel
HOST_MODULES = frozenset(
    [
        "acp_adapter",
        "agent",
        "batch_runner",
        "cli",
        "cron",
        "gateway",
        "hermes_bootstrap",
        "hermes_cli",
        "hermes_constants",
        "hermes_logging",
        "hermes_state",
        "hermes_time",
        "mcp_serve",
        "model_tools",
        "plugins",
        "providers",
        "run_agent",
        "tools",
        "toolset_distributions",
        "toolsets",
        "trajectory_compressor",
        "tui_gateway",
        "utils",
    ]
)
MAY_CATCH_ALL = frozenset(
    {
        "registry_adapter/guard.py",
        # A model's arguments can be objects whose methods raise anything; each fault asks.
        "risk_gate/arguments.py",
        "risk_gate/digest.py",
        "risk_gate/gate.py",
    }
)


def _modules() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        and path.relative_to(ROOT).parts[0] not in NOT_SHIPPED - {"tests"}
    ]


def _shipped() -> list[Path]:
    return [path for path in _modules() if path.relative_to(ROOT).parts[0] != "tests"]


def test_every_package_folder_is_in_the_wheel() -> None:
    """A package folder that pyproject forgets would be missing from the wheel."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]

    found = {
        ".".join((PACKAGE, *path.parent.relative_to(ROOT).parts))
        for path in _shipped()
        if path.name == "__init__.py"
    }

    assert set(listed["packages"]) == found


def test_no_root_name_shadows_python_or_the_host() -> None:
    """A script at the root has the root first on sys.path."""
    names = {path.stem for path in ROOT.glob("*.py")}
    # A folder that a rename left behind may still hold bytecode; Python finds nothing in it.
    names |= {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))}

    shadowed = names & (sys.stdlib_module_names | HOST_MODULES)

    assert shadowed == set()


def test_no_benchmark_module_shadows_python() -> None:
    """benchmarks/run.py has its own folder first on sys.path."""
    names = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}

    assert names & sys.stdlib_module_names == set()


def test_no_module_is_too_large_to_know_by_heart() -> None:
    """A room that outgrows the limit is split."""
    sizes = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for path in _modules()
    }

    assert {name: size for name, size in sizes.items() if size > MAX_LINES} == {}


def test_public_names_are_sorted_and_exist() -> None:
    """`__all__` lists what a module offers, in order, and nothing that is not there."""
    faults = []

    for path in _shipped():
        tree = ast.parse(path.read_text("utf-8"))
        names = _exported(tree)
        defined = _defined(tree)
        if list(names) != sorted(names, key=_isort_key) or not set(names) <= defined:
            faults.append((str(path.relative_to(ROOT)), sorted(set(names) - defined)))

    assert faults == []


def test_only_the_guard_catches_everything() -> None:
    """A bare `except Exception` hides faults; it stands in few named places (style 14)."""
    found = {
        str(path.relative_to(ROOT))
        for path in _shipped()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler) and _catches_all(node)
    }

    assert found - MAY_CATCH_ALL == set()


@pytest.mark.parametrize("script", ["benchmarks/run.py --help", "diagnostics.py --help"])
@pytest.mark.parametrize("folder", [ROOT, Path("/")], ids=["checkout", "elsewhere"])
def test_a_script_runs_by_path_without_an_install(script: str, folder: Path) -> None:
    """With -I nothing but the file's own place can help it to its package."""
    path, argument = script.split()

    run = subprocess.run(
        [sys.executable, "-I", str(ROOT / path), argument],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert "Traceback" not in run.stderr
    assert run.returncode in {0, 2}


def _exported(tree: ast.Module) -> tuple[str, ...]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            return tuple(ast.literal_eval(node.value))
    return ()


def _defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def _isort_key(name: str) -> tuple[int, str]:
    """Ruff's order: CONSTANTS, Classes, functions."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


def _catches_all(node: ast.ExceptHandler) -> bool:
    types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(
        item is None or (isinstance(item, ast.Name) and item.id in {"Exception", "BaseException"})
        for item in types
    )
