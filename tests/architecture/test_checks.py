"""What runs before a commit and in CI."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = runpy.run_path(str(ROOT / ".ci" / "files.py"))


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("a.md", b"# A\n", []),
        ("a.md", b"", []),
        ("a.md", b"# A", ["must end in one newline"]),
        ("a.md", b"# A\n\n", ["must end in one newline"]),
        ("a.md", b"# A \n", ["line 1 ends in blanks"]),
        ("a.tsv", b"a\t\n", []),
        ("a.bin", b"\xff\xfe ", []),
        ("a.yaml", b"a: [\n", ["does not parse"]),
        ("a.toml", b"a = \n", ["line 1 ends in blanks", "does not parse"]),
    ],
)
def test_a_faulty_file_is_told(tmp_path: Path, name: str, content: bytes, wrong: list[str]) -> None:
    """Blanks, ends and syntax; binary files are left alone."""
    path = tmp_path / name
    path.write_bytes(content)

    found = list(FILES["faults"](path))

    assert [fault.split(":")[0] for fault in found] == wrong


def test_the_tree_is_tidy() -> None:
    """The same check over every file of the tree that people edit."""
    kinds = {".md", ".py", ".yaml", ".yml", ".toml"}
    paths = [
        path
        for path in ROOT.rglob("*")
        if path.suffix in kinds
        and path.is_file()
        and not {".venv", ".cache", ".git", "build"} & set(path.relative_to(ROOT).parts)
    ]

    found = {
        str(path.relative_to(ROOT)): faults
        for path in paths
        if (faults := [*FILES["faults"](path)])
    }

    assert found == {}


def test_workflows_have_no_permission_and_no_moving_action() -> None:
    """Nothing is granted for the whole file, and every action is pinned by its commit."""
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        flow = yaml.safe_load(path.read_text(encoding="utf-8"))
        steps = [step for job in flow["jobs"].values() for step in job["steps"]]
        used = [step["uses"] for step in steps if "uses" in step]

        assert flow["permissions"] == {}
        assert all(job["permissions"] == {"contents": "read"} for job in flow["jobs"].values())
        assert used
        assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


def test_ci_runs_what_people_run() -> None:
    """The workflow calls the script, the script calls make, and make lists the target."""
    flow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    pythons = flow["jobs"]["check"]["strategy"]["matrix"]["python"]
    commands = [
        step["run"] for job in flow["jobs"].values() for step in job["steps"] if "run" in step
    ]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    entries = [hook["entry"] for repo in hooks for hook in repo["hooks"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    called = [words[-1] for line in (*commands, *entries) if (words := line.split())[0] == "make"]

    assert pythons == ["3.11", "3.12", "3.13"]
    assert ".ci/run" in commands
    assert "make check" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert called
    assert [
        target for target in called if not re.search(rf"^{target}:", makefile, re.MULTILINE)
    ] == []
    assert all(repo["repo"] == "local" for repo in hooks)
