"""Our client and the servers that others wrote; the official SDK and the server that we wrote."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import httpx
import pytest
from jevcompat.mock import FAULTS
from typesafe_sdk import Noul, TypeSafeClient

from hermes_tool_router.classifier.packs import load_pack
from hermes_tool_router.classifier.presets import Backend, SystemOneConfig
from hermes_tool_router.classifier.scrubber import Scrubber
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import Transport
from hermes_tool_router.router.questions import NoulAnswer, Question, QuestionPack

PACK = QuestionPack(
    id="probe",
    version="1",
    fingerprint="f",
    questions=(
        Question(id="a noul", kind="noul", instructions="Urgent?", criteria={"true": "now"}),
        Question(
            id="choice",
            kind="choice",
            instructions="Which?",
            criteria={"Café": "a place", "Tea": "a drink", "None": "none of these"},
        ),
        Question(
            id="score", kind="score", instructions="How bad?", criteria={"0": "no", "1": "some"}
        ),
    ),
)

ALL = ("a noul", "choice", "score")
EXPECTED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    # Faults under which something is lost: outcome, and the questions without an answer.
    "wrong-route": ("http_error", ALL),
    "xssi-200": ("malformed", ALL),
    "reject-jev-latest": ("http_error", ALL),
    "noul-two-sided": ("http_error", ALL),
    "strict-ids": ("http_error", ALL),
    "first-question-only": ("ok", ("choice", "score")),
    "noul-range": ("ok", ("a noul",)),
    "choice-key-case": ("ok", ("choice",)),
    "choice-sum": ("ok", ("choice",)),
    "choice-second": ("ok", ("choice",)),
    "score-keys-1-based": ("ok", ("score",)),
    "score-sum": ("ok", ("score",)),
}

Build = Callable[..., SystemOneClient]


@pytest.fixture
def build() -> Iterator[Build]:
    """Clients for a local server."""
    with ExitStack() as stack:

        def start(url: str, environ: Mapping[str, str] | None = None) -> SystemOneClient:
            transport = Transport()
            stack.callback(transport.close)
            config = SystemOneConfig(
                backend=Backend.LOCAL,
                base_url=url,
                api_key_env="LOCAL_KEY" if environ else "",
                min_interval_s=0,
            )
            return SystemOneClient(config, transport, environ or {}, Scrubber({}))

        yield start


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_reference_server_with_the_fault(
    build: Build, mock_server: Callable[..., str], fault: str
) -> None:
    """Every fault ends in a defined outcome, and costs only what it must."""
    url = mock_server(faults=frozenset({fault}))

    answers = build(url).ask("some state", PACK, deadline_s=5)

    assert (answers.outcome, answers.missing) == EXPECTED.get(fault, ("ok", ()))


def test_reference_server_with_a_key(build: Build, mock_server: Callable[..., str]) -> None:
    """The key that it wants is sent."""
    url = mock_server(key="k-local")

    right = build(url, {"LOCAL_KEY": "k-local"}).ask("some state", PACK, deadline_s=5)
    wrong = build(url, {"LOCAL_KEY": "k-other"}).ask("some state", PACK, deadline_s=5)
    none = build(url).ask("some state", PACK, deadline_s=5)

    assert (right.outcome, right.missing) == ("ok", ())
    assert (wrong.outcome, none.outcome) == ("auth", "auth")


def test_reference_server_that_is_busy_now_and_then(
    build: Build, mock_server: Callable[..., str]
) -> None:
    """Every second request gets 429 with ``Retry-After: 0``; nobody notices."""
    client = build(mock_server(busy_every=2))

    outcomes = [client.ask(f"state {n}", PACK, deadline_s=5).outcome for n in range(4)]

    assert outcomes == ["ok"] * 4


def test_official_sdk_reads_what_our_test_server_serves(
    serve_http: Callable[[Callable[..., tuple[int, Mapping[str, str], bytes]]], str], build: Build
) -> None:
    """So our stub is a fair stand-in; our client reads the same from it."""
    served = {
        "model": "jev-1.13.0",
        "answers": {"urgent": {"type": "noul", "noul": 0.8}},
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }
    reply = json.dumps(served).encode()
    headers = {"Content-Type": "application/json", "x-typesafe-request-id": "req_1"}
    url = serve_http(lambda *_: (200, headers, reply))
    question = Question(id="urgent", kind="noul", instructions="Urgent?", criteria={})
    pack = QuestionPack(id="p", version="1", questions=(question,), fingerprint="f")

    with TypeSafeClient(api_key="k", base_url=url) as sdk:
        theirs = sdk.system_one(
            state="s", questions={"urgent": Noul(instructions="Urgent?")}, model="jev-latest"
        )
    ours = build(url).ask("s", pack, deadline_s=5)

    assert theirs.nouls["urgent"].noul == 0.8
    assert ours.by_id == {"urgent": NoulAnswer(probability=0.8)}


@pytest.fixture(scope="module")
def sparrow() -> Iterator[str]:
    """A real decision model in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with httpx.Client(trust_env=False) as probe, ExitStack() as stack:
        process = subprocess.Popen(
            [sys.executable, "-m", "sparrow_decider.cli", "serve", "--port", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait, 10)
        stack.callback(process.kill)
        url = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                probe.get(url)
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield url


@pytest.mark.parametrize("pack", ["completion", "gate_v1", "gate_v2", "risk_assessment", "turn"])
def test_a_real_local_model_answers_every_shipped_pack(
    build: Build, sparrow: str, pack: str
) -> None:
    """No stub: every question has a usable answer."""
    state = {"tool": "terminal", "command": "ls -la", "message": "Show me the files here."}

    answers = build(sparrow).ask(state, load_pack(pack), deadline_s=10)

    assert (answers.outcome, answers.missing) == ("ok", ())
