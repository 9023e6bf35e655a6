"""risk_gate.looking: commands that change nothing, whatever the message before them was."""

from __future__ import annotations

import pytest

from hermes_tool_router.calls import grammar
from hermes_tool_router.risk_gate import Facts, ToolCall, only_looks

MODES = [True, False] if grammar.available() else [False]


def looks(command: object, *, use_grammar: bool, tool: str = "terminal") -> bool:
    """The answer about one command."""
    call = ToolCall(tool=tool, args={"command": command})
    return only_looks(call, Facts(workspace="/home/user/shop", use_grammar=use_grammar))


@pytest.mark.parametrize("use_grammar", MODES)
@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git log --oneline -5",
        "git -C lib status --short",
        "cd src && grep -rn 'DROP TABLE' . | head -3",
        "cat notes.txt 2>/dev/null",
        "wc -l *.py; df -h",
    ],
)
def test_reading_is_looking(command: str, *, use_grammar: bool) -> None:
    """Plain words, pipes and lists of them; noise may go nowhere."""
    assert looks(command, use_grammar=use_grammar)


@pytest.mark.parametrize("use_grammar", MODES)
@pytest.mark.parametrize(
    "command",
    [
        "",
        "git push",
        "git branch -D old",
        "git diff --output=patch.txt",
        "git grep -O less TODO",
        "ls > list.txt",
        "cat a.txt | tee b.txt",
        "ls; rm a.txt",
        "cat $(find . -name x)",
        "echo $HOME/* | xargs cat",
        "sudo ls",
        "PAGER=evil git log",
        "sleep 9 &",
        "grep x 'unclosed",
        "python -c 'print(1)'",
        "curl https://example.org",
    ],
)
def test_everything_else_is_not(command: str, *, use_grammar: bool) -> None:
    """Files, programs, wrappers, variables, other machines, and what cannot be read."""
    assert not looks(command, use_grammar=use_grammar)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall(tool="write_file", args={"command": "ls"}), id="another tool"),
        pytest.param(ToolCall(tool="terminal", args=None), id="no arguments"),
        pytest.param(ToolCall(tool="terminal", args={"command": object()}), id="no text"),
    ],
)
def test_in_doubt_it_is_not(call: ToolCall) -> None:
    """Whatever is handed over."""
    assert not only_looks(call, Facts())
