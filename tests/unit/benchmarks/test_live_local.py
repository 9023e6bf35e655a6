"""The live run with a local model: its server, its clock, its template."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path

import jinja2
import pytest

from hermes_tool_router.benchmarks.live_local import (
    CASES,
    RECORD,
    TASKS,
    TEMPLATE,
    serving,
)
from hermes_tool_router.benchmarks.live_tasks import read_tasks
from hermes_tool_router.benchmarks.options import UsageError
from hermes_tool_router.benchmarks.routing import read_cases
from hermes_tool_router.probe.home import SOURCE

SERVER = """\
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode())
port = int(sys.argv[sys.argv.index("--port") + 1])
HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def test_a_server_runs_for_a_block_and_ends_by_its_pid(tmp_path: Path) -> None:
    """On a free loopback port; its processor time is told and does not go back."""
    with serving([sys.executable, "-c", SERVER], tmp_path / "server.log") as server:
        with urllib.request.urlopen(f"{server.base_url}/models", timeout=5) as answer:
            path = answer.read()
        times = (server.seconds(), server.seconds())

    assert path == b"/v1/models"
    assert 0 < times[0] <= times[1]
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_server_that_ends_at_once_is_said_to_have(tmp_path: Path) -> None:
    """With its log, which has its words."""
    log = tmp_path / "server.log"
    server = serving([sys.executable, "-c", "raise SystemExit('no such model')"], log)

    with pytest.raises(UsageError, match=r"did not start; see .*server\.log"):
        server.__enter__()

    assert "no such model" in log.read_text(encoding="utf-8")


def test_the_template_sends_tools_calls_and_results() -> None:
    """The model's file has none, and the server's own stand-in leaves tools out."""
    tool = {"type": "function", "function": {"name": "terminal", "description": "Runs <it>."}}
    call = {"function": {"name": "terminal", "arguments": {"command": "ls"}}}
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "List."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "a.txt"},
    ]
    environment = jinja2.Environment(autoescape=False)
    environment.filters["tojson"] = json.dumps  # as chat templates have it, not for pages
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))

    text = template.render(messages=messages, tools=[tool], add_generation_prompt=True)

    blocks = text.split("<|im_start|>")
    assert blocks[1].startswith("system\nBe brief.\n\n# Tools")
    assert json.loads(blocks[1].split("<tools>\n")[1].split("\n</tools>")[0])["type"] == "function"
    assert blocks[2] == "user\nList.<|im_end|>\n"
    assert '{"name": "terminal", "arguments": {"command": "ls"}}' in blocks[3]
    assert blocks[4] == "tool\na.txt<|im_end|>\n"
    assert blocks[5] == "assistant\n"
    assert "# Tools" not in template.render(messages=messages, tools=None)


def test_what_is_asked_is_small_and_exists() -> None:
    """A request takes up to a minute there."""
    names = [task.id for task in read_tasks().tasks]

    assert len(read_cases(CASES)) <= 4
    assert all(name in names for name in TASKS.split(","))
    assert len(TASKS.split(",")) <= 4


def test_the_document_has_the_figures_of_the_committed_report() -> None:
    """Tokens and seconds of each routed message, and stock's once."""
    report = json.loads(RECORD.read_text(encoding="utf-8"))
    text = (SOURCE / "docs" / "proof.md").read_text(encoding="utf-8")

    rows = report["first"]["rows"]
    told = [
        f"| {row['routed']['input_tokens']:,} | {row['routed']['first_s']:.0f} s |" for row in rows
    ]
    stock = round(report["first"]["full"]["first_s"])

    assert len(rows) == 3
    assert [line for line in told if line not in text] == []
    assert f"| {stock} s |" in text
