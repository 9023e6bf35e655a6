"""What ``hermes chat`` sends first, stock and routed."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.openers import OPENERS
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene

pytestmark = pytest.mark.hermes


def test_each_opener_sends_what_it_can_need_and_little_else(drive: Scene) -> None:
    """Tool bytes stay under the promised share, needed tools are there, schemas are untouched."""
    drive.fill()
    drive.hermes.chat(OPENERS[0].text)
    stock = drive.model.turns[0]
    schemas = {tool["function"]["name"]: tool for tool in stock.body["tools"]}

    drive.fill(Contents(settings=ENFORCE))
    for opener in OPENERS:
        run = drive.hermes.chat(opener.text)
        assert run.status == 0, run.tail
        (sent,) = drive.model.conversation(opener.text)

        assert opener.share is not None
        assert len(sent.tools_raw) <= opener.share * len(stock.tools_raw), opener.id
        assert opener.needs <= set(sent.tools), opener.id
        assert set(sent.tools) - set(stock.tools) == {"request_toolset"}, opener.id
        kept = {tool["function"]["name"]: tool for tool in sent.body["tools"]}
        del kept["request_toolset"]
        assert kept == {name: schemas[name] for name in kept}, opener.id
