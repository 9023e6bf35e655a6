"""What holds for the verifier and the follow-up recogniser whatever they are given."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.intent.followups import is_greeting, recognise
from hermes_tool_router.intent.phrases import phrase_tokens
from hermes_tool_router.registry_adapter.resources import phrase_table
from hermes_tool_router.registry_adapter.verify_resources import (
    claim_table,
    file_table,
    verify_tables,
)
from hermes_tool_router.verifier.claims import read_claims
from hermes_tool_router.verifier.judge import Attempt, Nudge, judge
from hermes_tool_router.verifier.ledger import Ledger, ToolResult, observe, standing
from hermes_tool_router.verifier.recognise import recognise as read_check
from hermes_tool_router.verifier.values import State, Verdict

PHRASES, TABLES, FILES, CLAIMS = phrase_table(), verify_tables(), file_table(), claim_table()
EXAMPLES = int(os.environ.get("ROUTER_MAX_EXAMPLES", "40"))

quick = settings(max_examples=EXAMPLES, deadline=None, derandomize=True)

WORDS = st.sampled_from(
    [
        "yes",
        "ok",
        "undo",
        "it",
        "the",
        "tests",
        "hello",
        "danke",
        "好",
        "はい",
        "2",
        "👍",
        "a.py",
        ",",
    ]
)
COMMANDS = st.sampled_from(
    [
        "pytest -q",
        "make test",
        "ruff check .",
        "cd a &&",
        "|| true",
        "; true",
        "| tail -1",
        "ls",
        "&",
    ]
)
OUTPUTS = st.sampled_from(
    [
        "1 failed, 2 passed in 1s",
        "3 passed in 1s",
        "no tests ran",
        "",
        "make: *** [x] Error 1",
        "ok",
    ]
)
EVENTS = st.one_of(
    st.builds(
        lambda command, code, output: ToolResult(
            tool="terminal",
            args={"command": command},
            result=f'{{"output": "{output}", "exit_code": {code}}}',
            turn="t",
        ),
        st.sampled_from(["pytest", "ls", "sed -i s/a/b/ a.py", "pytest | tail -1"]),
        st.integers(0, 2),
        OUTPUTS,
    ),
    st.builds(
        lambda path: ToolResult(
            tool="write_file", args={"path": path}, result='{"bytes_written": 1}', turn="t"
        ),
        st.sampled_from(["a.py", "b.py", "README.md"]),
    ),
    st.builds(
        ToolResult,
        tool=st.sampled_from(["read_file", "terminal", "process", "execute_code"]),
        args=st.one_of(st.none(), st.text(), st.dictionaries(st.text(), st.text())),
        result=st.text(),
    ),
)


@quick
@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_a_text_is_a_follow_up_or_a_greeting_or_neither(text: str) -> None:
    """Never raises; a greeting that says hello is no follow-up; punctuation does not matter."""
    found = recognise(text, PHRASES)

    assert found.is_follow_up == (found.kind != "none")
    assert 0 <= found.span[0] <= found.span[1] <= len(text)
    if is_greeting(text, PHRASES) and found.is_follow_up:
        assert found.kind == "confirm"  # "tak": thanks in one language, yes in another
    assert recognise(f"  {text}!", PHRASES).kind == found.kind or len(text) > 150


@quick
@given(st.text())
def test_tokens_are_stable(text: str) -> None:
    """Tokens of tokens are the same tokens."""
    once = phrase_tokens(text)

    assert phrase_tokens(" ".join(once)) == once


@quick
@given(st.lists(COMMANDS).map(" ".join), st.integers(-1, 255), st.lists(OUTPUTS).map("\n".join))
def test_reading_a_check_never_raises_and_never_turns_a_failure_into_a_pass(
    command: str, code: int, output: str
) -> None:
    """A summary that counts failures, or a status that is not 0 alone, is never a pass."""
    found = read_check(command, code, output, TABLES)

    if found.verdict is Verdict.PASS:
        assert "failed" not in found.counts
    if found.verdict is not Verdict.NOT_VERIFICATION:
        assert found.runners


@quick
@given(st.lists(EVENTS, max_size=12))
def test_a_ledger_takes_any_events_and_looking_changes_nothing(events: list[ToolResult]) -> None:
    """Never raises, stays in order, and a read at the end leaves every standing as it was."""
    ledger = Ledger()
    for event in events:
        ledger = observe(ledger, event, TABLES, FILES)
    after = observe(ledger, ToolResult(tool="read_file", args={}, result=""), TABLES, FILES)

    assert [e.at for e in ledger.evidence] == sorted(e.at for e in ledger.evidence)
    assert standing(ledger, ("a.py",), FILES) == standing(after, ("a.py",), FILES)


@quick
@given(st.lists(EVENTS, max_size=12), st.text(), st.integers(0, 4))
def test_nudges_are_bounded_and_never_without_an_edit(
    events: list[ToolResult], answer: str, number: int
) -> None:
    """At most ``max_nudges``, none without changed code, none where all is verified."""
    ledger = Ledger()
    for event in events:
        ledger = observe(ledger, event, TABLES, FILES)
    said = f"{answer}. All tests pass."

    found = judge(
        ledger, Attempt(answer=said, changed_paths=("a.py",), number=number), FILES, CLAIMS
    )
    idle = judge(ledger, Attempt(answer=said, changed_paths=("README.md",)), FILES, CLAIMS)

    assert idle is None
    if number >= 2 or standing(ledger, ("a.py",), FILES).state is State.VERIFIED:
        assert found is None
    if isinstance(found, Nudge):
        assert "\n" not in found.message


@quick
@given(st.text(max_size=400))
def test_claims_of_any_text_are_read(text: str) -> None:
    """Never raises; a question mark at the end takes a claim back."""
    read_claims(text, CLAIMS)

    assert not read_claims("All tests pass?", CLAIMS).kinds
