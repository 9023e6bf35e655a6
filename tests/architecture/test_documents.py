"""Documents name what there is: commands, links, hooks, question packs, log fields, rules."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from hermes_tool_router.console.parser import set_up
from hermes_tool_router.intent.compile import compile_book
from hermes_tool_router.registry_adapter.records import (
    CallRecord,
    DecisionRecord,
    GateRecord,
    columns,
)
from hermes_tool_router.registry_adapter.rule_files import LEXICON, sources
from hermes_tool_router.router.errors import SettingsError
from hermes_tool_router.router.settings import Layer, resolve

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skills/**/*.md"))
)
SETTING = "plugins.entries.tool-router.settings.global."
HOST_COMMANDS = {"chat", "config", "plugins", "profile"}
"""Sub-commands of Hermes itself that documents may name (hermes-agent 0.19.0)."""


def text_of(document: str) -> str:
    """A document's text."""
    return (ROOT / document).read_text(encoding="utf-8")


def commands(document: str) -> list[str]:
    """Every whole command: in backticks, indented, or in a fenced shell block."""
    text = text_of(document)
    lines = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)
    for block in re.findall(r"```(?:bash|sh)?\n(.*?)```", text, re.DOTALL):
        lines += block.splitlines()
    whole = [re.sub(r"\s+#.*", "", line).rstrip("\\").strip() for line in lines]
    return [line for line in whole if "…" not in line and not line.endswith(" COMMAND")]


def ours(words: list[str]) -> str:
    """What is wrong with ``hermes tool-router …``; empty if the parser takes it."""
    parser = argparse.ArgumentParser(prog="hermes tool-router", exit_on_error=False)
    set_up(parser)
    try:
        parser.parse_args([word for word in words if word != "--help"] or ["status"])
    except (SystemExit, argparse.ArgumentError) as error:
        return f"the parser says {error}"
    return ""


def host(words: list[str]) -> str:
    """What is wrong with ``hermes …``."""
    if words[:1] == ["-p"]:
        words = words[2:]
    if words[:1] == ["tool-router"]:
        return ours(words[1:])
    if words[:2] == ["config", "set"] and len(words) == 4 and words[2].startswith(SETTING):
        return setting(words[2].removeprefix(SETTING), words[3])
    return "" if words and words[0] in HOST_COMMANDS | {"--help"} else "no such command"


def setting(path: str, value: str) -> str:
    """What is wrong with a setting; empty if the model takes it."""
    data: object = yaml.safe_load(value)
    for key in reversed(path.split(".")):
        data = {key: data}
    try:
        resolve([Layer(name="x", data={"global": data})], profile="default")
    except SettingsError as error:
        return str(error)
    return ""


def make(words: list[str]) -> str:
    """What is wrong with ``make …``."""
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
    unknown = [word for word in words if "=" not in word and word not in targets]
    return f"no target {unknown}" if unknown else ""


def python(words: list[str]) -> str:
    """What is wrong with ``python …``."""
    if words[:2] == ["-m", "pip"] or words[0] == "-c":
        return ""
    if words[:1] == ["-m"]:
        return "" if importlib.util.find_spec(words[1]) else "no such module"
    if not (ROOT / words[0]).is_file():
        return "no such script"
    suite = next((word for word in words[1:] if not word.startswith("-")), "")
    known = not suite or (ROOT / "benchmarks" / f"{suite}_suite.py").is_file()
    return "" if words[0] != "benchmarks/run.py" or known else "no such suite"


def pytest_(words: list[str]) -> str:
    """What is wrong with ``pytest …``."""
    return "" if all((ROOT / word).exists() for word in words) else "no such path"


CHECKS: dict[str, Callable[[list[str]], str]] = {
    "hermes": host,
    "make": make,
    "python": python,
    "PYTHON": python,
    "pytest": pytest_,
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_in_a_document_is_one(document: str) -> None:
    """What people copy is taken by the parser, the Makefile or the file system."""
    wrong = {}

    for line in commands(document):
        program, _, rest = line.partition(" ")
        if rest and program in CHECKS and (fault := CHECKS[program](shlex.split(rest))):
            wrong[line] = fault

    assert wrong == {}


def test_the_check_of_commands_notices_what_is_wrong() -> None:
    """A check that takes everything would be no check."""
    lines = [
        "hermes tool-router expalin x",
        "hermes teleport",
        f"hermes config set {SETTING}verify.mode loud",
        "make coffee",
        "python benchmarks/run.py coffee",
        "python -m hermes_tool_router.coffee",
        "pytest tests/coffee",
    ]

    found = [CHECKS[line.split()[0]](line.split()[1:]) for line in lines]

    assert all(found), found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: str) -> None:
    """Links between files of the tree."""
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text_of(document))

    assert [link for link in links if not ((ROOT / document).parent / link).exists()] == []


def test_every_hook_is_described() -> None:
    """docs/architecture.md lists what plugin.yaml declares, and nothing else."""
    manifest = yaml.safe_load(text_of("plugin.yaml"))
    section = text_of("docs/architecture.md").split("## What is registered")[1].split("\n## ")[0]

    rows = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))

    assert rows == {*manifest["provides_hooks"], *manifest["provides_middleware"]}
    assert all(f"`{tool}`" in section for tool in manifest["provides_tools"])


def test_every_question_pack_is_described() -> None:
    """docs/operations.md lists the files of the packs, with settings that exist."""
    section = text_of("docs/operations.md").split("### Question packs")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \| .+ \| (.+) \|$", section, re.MULTILINE)
    packs = {name for cell, _ in rows for name in re.findall(r"`(\w+)`", cell)}
    switches = {name for _, cell in rows for name in re.findall(r"`([\w.]+)`", cell)}

    assert packs == {path.stem for path in (ROOT / "classifier/data/packs").glob("*.yaml")}
    assert [
        name for name in switches if f"| `{name}` |" not in text_of("docs/configuration.md")
    ] == []


@pytest.mark.parametrize(
    ("log", "record"),
    [("decisions", DecisionRecord), ("calls", CallRecord), ("gate", GateRecord)],
)
def test_every_log_field_is_described(
    log: str, record: type[DecisionRecord | CallRecord | GateRecord]
) -> None:
    """docs/operations.md lists the columns of each log, and nothing else."""
    table = text_of("docs/operations.md").split("<!-- log fields -->")[1].split("<!-- /log")[0]
    rows = re.findall(rf"^\| `{log}` \| (.+?) \|", table, re.MULTILINE)

    described = [name for row in rows for name in re.findall(r"`(\w+)`", row)]

    assert sorted(described) == sorted(columns(record))


def test_the_rule_in_the_document_loads() -> None:
    """Who copies it gets a rule that the loader takes."""
    (block,) = re.findall(r"```yaml\n(toolset:.*?)```", text_of("docs/rules.md"), re.DOTALL)
    shown = yaml.safe_load(block)

    book = compile_book({**sources(), shown["toolset"]: shown}, LEXICON.read_text("utf-8"))

    assert book
