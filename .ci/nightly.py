"""Run the contract tests on each supported Hermes, in an environment of its own.

``nightly.py FOLDER [VERSION …]`` makes ``FOLDER/VERSION``, installs exactly that
hermes-agent there, and runs the tests below with that Python.  A wrong version,
a failure, a skip, or fewer tests than expected is an error: a matrix that
tested nothing must not be green.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("0.18.1", "0.18.2", "0.19.0")
TESTS = (
    "tests/contract/test_session_here.py",
    "tests/contract/test_settings_in_hermes.py",
    "tests/contract/test_writing_settings.py",
    "tests/e2e/test_commands.py::test_a_day_from_off_to_enforce_and_back",
    "tests/e2e/test_first_requests.py",
    "tests/e2e/test_pruned_calls.py",
    "tests/e2e/test_replay.py::test_replay_tells_what_live_routing_of_the_same_messages_sent",
    "tests/e2e/test_restarts.py",
    "tests/e2e/test_two_profiles.py",
)
LEAST = 33
"""Tests in these files; the report must hold as many, so that a lost file is noticed."""
# What the tests import, and what Hermes needs for its web and MCP tools and its API server.
PACKAGES = (
    *("pytest>=8.4", "pytest-timeout>=2.3", "hypothesis>=6.120", "respx>=0.22"),
    *("openai>=2.24,<3", "aiohttp", "ddgs", "mcp==1.26.0"),
)
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")


def bare(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a test may see of the caller's environment: no key, no opt-in."""
    kept = {name: environment[name] for name in _KEPT if name in environment}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "HERMES_DISABLE_LAZY_INSTALLS": "1"}


def faults(report: str, least: int = LEAST) -> list[str]:
    """Return what is wrong with a JUnit report; empty means that it proves something.

    Args:
        report: the XML text.
        least: how many tests it must hold.
    """
    suites = list(ElementTree.fromstring(report).iter("testsuite"))
    counts = {
        name: sum(int(suite.get(name, "0")) for suite in suites)
        for name in ("tests", "failures", "errors", "skipped")
    }
    found = [f"{counts[name]} {name}" for name in ("failures", "errors", "skipped") if counts[name]]
    if counts["tests"] < least:
        found.append(f"{counts['tests']} tests where at least {least} were expected")
    return found


def environment(folder: Path, version: str) -> Path:
    """Make the environment of a version, or take the one that is there; return its Python.

    Raises:
        RuntimeError: another version is in it.
        subprocess.CalledProcessError: pip failed.
    """
    python = folder / version / "bin" / "python"
    ready = folder / version / ".ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / version)], check=True)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, f"hermes-agent=={version}", *PACKAGES], check=True)
        ready.touch()
    code = "from importlib.metadata import version; print(version('hermes-agent'))"
    run = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True)
    if run.stdout.strip() != version:
        raise RuntimeError(f"{python} has hermes-agent {run.stdout.strip()}, wanted {version}")
    return python


def check(folder: Path, version: str) -> list[str]:
    """Run the tests on one version and return what is wrong."""
    python = environment(folder, version)
    report = folder / f"{version}.xml"
    report.unlink(missing_ok=True)
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    run = subprocess.run([*command, *TESTS], cwd=ROOT, env=bare(os.environ), check=False)
    if not report.exists():
        return [f"pytest ended with {run.returncode} and no report"]
    return faults(report.read_text("utf-8"))


def main(arguments: Sequence[str]) -> int:
    """Run every version, print one line each as JSON, and return 1 if any has a fault."""
    folder = Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found = {version: check(folder, version) for version in arguments[1:] or VERSIONS}
    for version, wrong in found.items():
        print(json.dumps({"hermes-agent": version, "ok": not wrong, "faults": wrong}))
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
