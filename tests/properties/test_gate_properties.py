"""The gate is total, deterministic and monotonic, and its work is bounded."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.calls import paths
from hermes_tool_router.calls.acts import acts_of
from hermes_tool_router.calls.paths import canonical, classes
from hermes_tool_router.calls.shell import parse, parse_code
from hermes_tool_router.risk_gate import (
    Context,
    Decision,
    Facts,
    Finding,
    Place,
    ToolCall,
    Verdict,
    argument_digest,
    assess,
    directive,
)
from hermes_tool_router.risk_gate.assess import combine
from hermes_tool_router.risk_gate.rules import shipped
from hermes_tool_router.risk_gate.values import RANK

EXAMPLES = int(os.environ.get("ROUTER_MAX_EXAMPLES", "60"))
quick = settings(max_examples=EXAMPLES, deadline=None, derandomize=True)

CASES = [case for rule in shipped().rules for case in (*rule.match, *rule.no_match)]
NAMES = sorted(
    {part for case in CASES for part in re.split(r"[\s/'\"=:]+", case) if part} | {"~", ".."}
)

TEXT = st.text(st.characters(), max_size=80)  # surrogates included
SHELLISH = st.lists(
    st.sampled_from(
        ["rm", "-rf", "~", "/", "$(", ")", "`", "'", '"', "|", "&&", ";", "<<E\n", "E\n", "${", "}",
         "if", "then", "fi", "for", "in", "do", "done", "{", "(", "x=", "$x", "curl", "sh", "-c",
         "\\", "\n", "*", ">", "/dev/sda", "case", "esac", "[[", "]]", "sudo", "xargs", "find",
         "-exec", "\u202e", "\x00"]
    ),
    max_size=30,
).map(" ".join)  # fmt: skip
SURROGATES = st.lists(
    st.sampled_from(
        ["\ud800", "\udbff", "\udfff", "\ud83d\ude00", "é", "\U0001f600", " ", "'", '"', "`", "$(",
         ")", "${x", "}", "|", ";", "<<E\n", "\nE\n", "<<<", "$'\\ud800'", "[[", "]]", "((", "\\",
         "bash -c", "python3 -c", "base64 -d", "x="]
    ),
    max_size=40,
).map("".join)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
TOOLS = st.sampled_from(
    ["terminal", "execute_code", "write_file", "patch", "read_file", "send_message", "cronjob",
     "mcp_x_delete_y", "process", "unheard_of", ""]
)  # fmt: skip
FINDINGS = st.builds(
    Finding,
    id=st.sampled_from(["a", "b", "c"]),
    risk=st.just("destroy"),
    severity=st.integers(0, 3),
    decision=st.sampled_from([Decision.ASK, Decision.BLOCK]),
    words=st.just("w"),
    evidence=st.just(""),
)


@quick
@given(tool=TOOLS, args=JSON)
def test_any_arguments_get_a_verdict(tool: str, args: object) -> None:
    """No exception, and the same answer twice."""
    first = assess(ToolCall(tool=tool, args=args), Facts())

    assert first == assess(ToolCall(tool=tool, args=args), Facts())
    assert (first.decision is Decision.ALLOW) is (not first.findings)
    assert first.complete or first.decision is not Decision.ALLOW


@quick
@given(text=SHELLISH | TEXT, use_grammar=st.booleans())
def test_any_shell_text_is_read(text: str, use_grammar: bool) -> None:
    """No exception; what is not whole gives a reason and is never clear."""
    script = parse(text, use_grammar=use_grammar)
    acts = acts_of(script)
    call = ToolCall(tool="terminal", args={"command": text})
    verdict = assess(call, Facts(use_grammar=use_grammar))

    assert script.complete is (not script.reasons)
    assert [act.index for act in acts] == list(range(len(acts)))
    assert script.complete or verdict.decision is not Decision.ALLOW


@quick
@given(text=SURROGATES | TEXT, repeat=st.sampled_from([1, 400]))
def test_text_that_cannot_be_encoded_is_read(text: str, repeat: int) -> None:
    """Lone surrogates anywhere, in short texts and in those that are looked over first."""
    text = text * repeat

    exact, rough = parse(text), parse(text, use_grammar=False)
    code = parse_code(text, "python")

    assert exact.complete is (not exact.reasons)
    assert rough.complete is (not rough.reasons)
    assert code.complete is (not code.reasons)


@quick
@given(commands=st.lists(st.sampled_from(CASES) | SHELLISH, min_size=1, max_size=3))
def test_the_index_leaves_no_rule_out(commands: list[str]) -> None:
    """What is found by program, options, paths and literals is what trying every rule finds."""
    tables = shipped()
    acts = acts_of(parse(" ; ".join(commands)))

    found = [{rule.id for rule in tables.speaking(act)} for act in acts]

    assert found == [{rule.id for rule in tables.rules if rule.matches(act)} for act in acts]


@quick
@given(parts=st.lists(st.sampled_from(NAMES), min_size=1, max_size=5), root=st.booleans())
def test_no_class_of_a_path_is_left_out(parts: list[str], root: bool) -> None:
    """Classes found by the literals of their patterns are those that trying every pattern finds."""
    path = canonical(("/" if root else "") + "/".join(parts))

    found = {known.name for known in paths.candidates(path) if known.fits(path)}

    assert found == {known.name for known in paths.patterns() if known.fits(path)}


@quick
@given(text=SHELLISH)
def test_a_command_behind_anything_readable_is_not_lost(text: str) -> None:
    """Whatever stands in front on lines of its own, a deletion of home is not clear."""
    verdict = assess(ToolCall(tool="terminal", args={"command": f"{text}\n\nrm -rf ~"}), Facts())

    swallowed = any(mark in text for mark in ("<<E", "'", '"', "\\", "`", "$(", "${", "#"))
    swallowed = swallowed or text.rstrip().endswith(">")  # the next line is its target
    assert verdict.decision is not Decision.ALLOW or swallowed


@quick
@given(
    text=TEXT,
    language=st.sampled_from(["python", "perl", "javascript", "powershell", "cmd", "other"]),
)
def test_any_code_is_read(text: str, language: str) -> None:
    """No exception in any language."""
    script = parse_code(text, language)

    assert script.complete is (not script.reasons)


@quick
@given(path=TEXT | st.text("/.~*ab", max_size=40), cwd=st.text("/.~a?", max_size=8))
def test_a_canonical_path_is_canonical(path: str, cwd: str) -> None:
    """Reading it again changes nothing, and it always has a place."""
    once = canonical(path, cwd)

    assert canonical(once) in {once, canonical(canonical(once))}
    assert classes(once) == classes(once)


@quick
@given(args=JSON)
def test_a_digest_is_stable(args: object) -> None:
    """Equal arguments, equal digest; plain JSON is always bound."""
    assert argument_digest(args) == argument_digest(args)


@quick
@given(findings=st.lists(FINDINGS, max_size=6), extra=FINDINGS)
def test_another_finding_never_relaxes(findings: list[Finding], extra: Finding) -> None:
    """Adding a rule can only make a verdict stronger; the order of rules does not matter."""
    before, after = combine(findings), combine([*findings, extra])

    rank = max((RANK[f.decision] for f in before), default=0)
    assert max(RANK[f.decision] for f in after) >= rank
    assert {f.id for f in combine(reversed(findings))} == {f.id for f in before}


@quick
@given(
    decision=st.sampled_from(list(Decision)),
    place=st.sampled_from(list(Place)),
    later=st.booleans(),
    finding=FINDINGS,
    reversible=st.booleans(),
    unattended=st.sampled_from(["block_severe", "block_all", "abstain"]),
)
def test_enforce_never_passes_silently(
    decision: Decision,
    place: Place,
    later: bool,
    finding: Finding,
    reversible: bool,
    unattended: str,
) -> None:
    """Every ask or block verdict leaves a trace that says what became of it."""
    findings = () if decision is Decision.ALLOW else (replace(finding, decision=decision),)
    verdict = Verdict(decision=decision, findings=findings, reversible=reversible)

    found = directive(
        verdict,
        Context(place=place, later_hook=later, unattended=unattended),  # type: ignore[arg-type]  # sampled Literal
    )

    assert (found.outcome == "allowed") is (decision is Decision.ALLOW)
    assert decision is not Decision.BLOCK or found.action == "block"


@pytest.mark.parametrize("use_grammar", [True, False])
def test_hostile_shells_stay_within_their_budget(use_grammar: bool) -> None:
    """Work is bounded by commands, nodes and steps, counted and not timed."""
    from hermes_tool_router.benchmarks.hostile import SHELLS
    from hermes_tool_router.calls.frame import MAX_COMMANDS

    for make in SHELLS.values():
        script = parse(make(65_536)[:65_536], use_grammar=use_grammar)

        assert len(acts_of(script)) <= 2 * MAX_COMMANDS
