"""What the operator withheld stays withheld; what another plugin does stays done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tool_router.probe import plan, wire
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, ToolCall, call, say

pytestmark = pytest.mark.hermes

RECOVERED = {"id": "1", "content": "recovered", "status": "pending"}
FILES_ONLY = "Run the whole test suite of this project."
WITH_OURS = "Please run the test suite of this project."
RUN = ToolCall(name="terminal", arguments={"command": "touch it-ran"})
ASK = ToolCall(name="request_toolset", arguments={"toolsets": ["terminal"]})

OTHER = """
import copy


def register(ctx):
    def llm_request(**payload):
        request = copy.deepcopy(payload["request"])
        request["user"] = (request.get("user") or "") + "MARK"
        return {"request": request}

    ctx.register_middleware("llm_request", llm_request)
"""


def test_a_withheld_tool_cannot_be_brought_back(drive: Scene) -> None:
    """With only file tools granted, a terminal call and a request for it are refused."""
    attempt = [Step(calls=(RUN,)), Step(calls=(ASK,)), Step(calls=(RUN,)), say("Done.")]
    drive.fill(Contents(settings=ENFORCE), attempt)

    driven = drive.hermes.drive(
        [
            plan.agent("bare", enabled_toolsets=["file"]),
            plan.turn("bare", FILES_ONLY),
            plan.agent("ours", enabled_toolsets=["file", "tool_router"]),
            plan.turn("ours", WITH_OURS),
        ]
    )

    assert not driven.fatal
    assert not (drive.home.work / "it-ran").exists()
    bare = drive.model.conversation(FILES_ONLY)
    assert {"read_file", "write_file", "patch", "search_files"} == set(bare[0].tools)
    assert len({request.tools_raw for request in bare}) == 1
    ours = drive.model.conversation(WITH_OURS)
    assert len({request.tools_raw for request in ours}) == 1
    assert all("terminal" not in turn.valid for turn in driven.turns)
    answers = [text for name, text in ours[-1].results if name == "request_toolset"]
    assert len(answers) == 1
    assert "terminal" in json.dumps(json.loads(answers[0]))


@pytest.fixture
def others(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Two plugins that return a copied request, one loaded before ours and one after."""
    root = tmp_path_factory.mktemp("others")
    made = []
    for name in ("aaa-other", "zzz-other"):
        folder = root / name
        folder.mkdir()
        (folder / "plugin.yaml").write_text(f"name: {name}\nversion: 1.0.0\nkind: standalone\n")
        (folder / "__init__.py").write_text(OTHER.replace("MARK", name[0]))
        made.append(folder)
    return tuple(made)


def test_narrowing_holds_beside_plugins_that_copy_the_request(
    drive: Scene, others: tuple[Path, ...]
) -> None:
    """Their change arrives, our surface holds, and a pruned call recovers."""
    opener = "Who invented the printing press?"
    drive.fill(
        Contents(settings=ENFORCE, others=others),
        [call("todo", todos=[RECOVERED]), say("Done.")],
    )

    driven = drive.hermes.drive([plan.agent("a"), plan.turn("a", opener)])

    assert not driven.fatal
    first, after = drive.model.conversation(opener)
    assert "todo" not in first.tools
    assert wire.is_append(first.tools_raw, after.tools_raw)
    assert "recovered" in after.results[-1][1]
    assert _marks(first) == "z"  # the host lets the last returned copy win


def _marks(request: Request) -> str:
    return str(request.body.get("user", ""))
