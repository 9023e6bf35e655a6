"""The gate's tables: their inline cases, their compiled copies, their loader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from hermes_tool_router.calls import grammar
from hermes_tool_router.calls.acts import acts_of
from hermes_tool_router.calls.paths import canonical, classes
from hermes_tool_router.calls.shell import parse
from hermes_tool_router.console.gate_tables import CALLS, GATE, build_calls, build_gate
from hermes_tool_router.risk_gate import Facts, ToolCall, assess
from hermes_tool_router.risk_gate.rules import Rule, load, shipped
from hermes_tool_router.risk_gate.sources import read_yaml
from hermes_tool_router.risk_gate.tool_rules import ToolRule, load_tools, shipped_tools
from hermes_tool_router.router.errors import RuleError


def _modes() -> list[bool]:
    return [True, False] if grammar.available() else [False]


def _speaks(rule: Rule, command: str, use_grammar: bool) -> bool:
    return any(rule.matches(act) for act in acts_of(parse(command, use_grammar=use_grammar)))


def _cases(kind: str) -> list[object]:
    return [
        pytest.param(rule, command, id=f"{rule.id}: {command[:40]!r}")
        for rule in shipped().rules
        for command in getattr(rule, kind)
    ]


@pytest.mark.parametrize(("rule", "command"), _cases("match"))
def test_a_rule_speaks_of_its_match_cases(rule: Rule, command: str) -> None:
    """Every ``match`` case, with and without the grammar."""
    heard = [_speaks(rule, command, mode) for mode in _modes()]

    assert all(heard)


@pytest.mark.parametrize(("rule", "command"), _cases("no_match"))
def test_a_rule_is_silent_on_its_near_misses(rule: Rule, command: str) -> None:
    """Every ``no_match`` case, with and without the grammar."""
    heard = [_speaks(rule, command, mode) for mode in _modes()]

    assert not any(heard)


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.id) for r in shipped_tools().rules])
def test_a_tool_rule_keeps_its_cases(rule: ToolRule) -> None:
    """Rules about other tools speak of their matches and of nothing else listed."""
    found = [
        rule.id in {f.id for f in assess(ToolCall(**case), Facts()).findings}
        for case in (*rule.match, *rule.no_match)
    ]

    assert found == [True] * len(rule.match) + [False] * len(rule.no_match)


def test_the_compiled_tables_equal_their_sources() -> None:
    """Folder installs have no build step; ``python -m hermes_tool_router.console.gate_tables``."""
    assert CALLS.read_bytes() == build_calls()
    assert GATE.read_bytes() == build_gate()


def test_no_program_family_is_unknown() -> None:
    """A reference such as ``@cloud`` names a family that exists."""
    sources = read_yaml()
    families = sources["families"]["families"]

    used = {
        name[1:]
        for name in _strings({k: v for k, v in sources.items() if k not in {"families", "tools"}})
        if name.startswith("@") and name[1:].replace("_", "").isalpha()
    }

    assert used - set(families) == set()


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in {"programs", "except_programs"} or not isinstance(item, str):
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"severity": 9}, "severity 9", id="severity out of range"),
        pytest.param({"decision": "deny"}, "'ask' nor 'block'", id="unknown decision"),
        pytest.param({"class": "bad"}, "is not one of", id="unknown class"),
        pytest.param({"match": []}, "at least one match", id="no match case"),
        pytest.param({"colour": "red"}, "'colour' is not known", id="unknown key"),
        pytest.param({"when": {"programz": ["x"]}}, "'programz' is not known", id="condition"),
        pytest.param({"when": {"arg": ["("]}}, "malformed", id="broken pattern"),
    ],
)
def test_a_bad_rule_is_refused_by_name(change: dict[str, Any], says: str) -> None:
    """The loader rejects, never repairs, and says which file and rule."""
    sources = deepcopy(json.loads(GATE.read_bytes()))
    sources["disrupt"]["rules"][0] |= change

    with pytest.raises(RuleError, match=r"disrupt\.yaml: rule 'disrupt\.power'") as error:
        load(sources)

    assert says in str(error.value)


def test_a_bad_tool_rule_is_refused_by_name() -> None:
    """The loader of tool rules names the rule as well."""
    raw = deepcopy(json.loads(GATE.read_bytes())["tools"])
    del raw["rules"][0]["words"]

    with pytest.raises(
        RuleError, match=r"tools\.yaml: rule 'tool\.destructive-verb' has no 'words'"
    ):
        load_tools(raw)


@pytest.mark.parametrize(
    ("path", "wanted", "unwanted"),
    [
        pytest.param("/tmp/../etc", {"top"}, {"temp"}, id="a climb out of /tmp"),
        pytest.param("/home/ann", {"home_root"}, set(), id="anybody's home"),
        pytest.param("C:\\Users\\ann\\.ssh\\id_rsa", {"ssh_key", "secret"}, set(), id="windows"),
        pytest.param("~/.ssh/id_rsa.pub", set(), {"secret"}, id="a public key"),
        pytest.param(".env.example", set(), {"secret"}, id="an example"),
        pytest.param("app/.env.production", {"env_file"}, set(), id="a real one"),
        pytest.param("web/node_modules", {"cache", "inside"}, {"outside"}, id="dependencies"),
        pytest.param("/data/logs", {"outside"}, {"build"}, id="somebody's data"),
        pytest.param("/dev/null", {"harmless_device"}, {"device", "outside"}, id="nowhere"),
    ],
)
def test_a_path_has_the_classes_of_what_it_stands_for(
    path: str, wanted: set[str], unwanted: set[str]
) -> None:
    """Canonical form first, then classes."""
    found = classes(canonical(path))

    assert wanted <= found
    assert not unwanted & found


def test_the_workspace_is_inside() -> None:
    """An absolute path below the workspace counts as relative to it."""
    assert canonical("/w/app/src/a.py", "", "/w/app") == "src/a.py"
    assert "inside" in classes(canonical("/w/app/x", "", "/w/app"))
