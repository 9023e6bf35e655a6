"""What a decision model says about public examples: ``python benchmarks/demo.py --live``.

Four first messages, a hypothetical deletion and a synthetic failed test go to the
model through the plugin's own client, packs and decisions.  Nothing is executed,
no Hermes is started, and without a key nothing is sent.  Calls may cost money.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ..classifier.errors import NotSentError
from ..classifier.outcomes import CallOutcome
from ..classifier.packs import load_pack
from ..classifier.presets import Backend, SystemOneConfig
from ..classifier.scrubber import Scrubber
from ..classifier.system_one import SystemOneClient
from ..classifier.targets import Target, resolve
from ..classifier.transport import Transport
from ..registry_adapter.judging import CallJudge
from ..registry_adapter.responses import SeenCall
from ..registry_adapter.turn_classifier import TurnClassifier, TurnFacts
from ..registry_adapter.verify_resources import claim_table, file_table, verify_tables
from ..risk_gate import Facts, Thresholds, ToolCall, Verdict, assess, climb
from ..router.questions import Answers, ChoiceAnswer, NoulAnswer, QuestionPack, ScoreAnswer
from ..router.settings_model import RiskGate
from ..verifier.judge import Ask, Attempt, judge
from ..verifier.ledger import Ledger, ToolResult, observe
from .openers import OPENERS

__all__ = ["run"]

_DEADLINE_S = 10.0
"""Of one call; what the settings allow at most."""
_DELETION = ToolCall(tool="terminal", args={"command": "rm -rf build"})
_REQUEST = "The build is stale. Remove the build directory and build again."
_SOURCE = "shop/discount.py"
_ANSWER = "Orders above the limit get ten percent off, as you asked."
"""Says nothing that the rules know as a claim, so that the model is asked."""
_FAILED = (
    "FAILED tests/test_discount.py::test_limit - assert 90 == 100\n1 failed, 4 passed in 0.21s"
)


@dataclass(slots=True, kw_only=True)
class _Model:
    """The client, with a tally of what it was asked.

    Attributes:
        faults: what went wrong, a line each.
    """

    client: SystemOneClient
    faults: list[str] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)

    def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
        """Ask, and note what failed."""
        found = self.client.ask(state, pack, deadline_s=deadline_s)
        self.answers.append(found)
        if found.outcome != CallOutcome.OK:
            note = f": {found.note}" if found.note else ""
            self.faults.append(f"{pack.id}: {found.outcome}{note}")
        elif found.missing:
            self.faults.append(f"{pack.id}: no usable answer to {', '.join(found.missing)}")
        return found


def run(console: Console, environ: Mapping[str, str], *, base_url: str = "", key: str = "") -> int:
    """Ask and print; 0: everything was answered or nothing was asked, 1: something failed.

    Args:
        console: where to print.
        environ: holds the key of a vendor (``docs/configuration.md``, ``system_one``).
        base_url: a server that speaks System One instead of a vendor; empty: the
            first vendor with a key.
        key: name of the variable with that server's key; empty: it wants none.
    """
    config = SystemOneConfig()
    if base_url:
        config = SystemOneConfig(backend=Backend.CUSTOM, base_url=base_url, api_key_env=key)
    try:
        target = resolve(config, environ)
    except NotSentError as error:
        skipped = error.outcome is CallOutcome.NO_KEY
        console.print(f"{'skipped, nothing was sent' if skipped else 'failed'}: {error}")
        return 0 if skipped else 1
    with _model(config, environ, key) as model:
        console.print(_lead(target))
        _prompts(console, model)
        _deletion(console, model)
        _failed_test(console, model)
    return _closing(console, model)


@contextmanager
def _model(config: SystemOneConfig, environ: Mapping[str, str], key: str) -> Iterator[_Model]:
    transport = Transport()
    scrubber = Scrubber(environ, key_names=[key] if key else ())
    try:
        yield _Model(client=SystemOneClient(config, transport, environ, scrubber))
    finally:
        transport.close()


def _lead(target: Target) -> str:
    return f"Asking {target.model} at {target.host}; nothing below is executed."


def _prompts(console: Console, model: _Model) -> None:
    """Four first messages, as the turn classifier asks about them."""
    table = _table("Four messages: what does the turn need?", "message", "kind of work", "needs")
    classifier = TurnClassifier(
        model, load_pack("turn"), time.monotonic, deadline_s=_DEADLINE_S, max_turns=8, ttl_s=600
    )
    for opener in OPENERS:
        found = classifier.classify(
            TurnFacts(session=opener.id, turn="1", message=opener.text, platform="cli")
        )
        if found is None or not found.by_id:
            table.add_row(opener.text, "no answer", "")
            continue
        chosen = [
            f"{name}: {answer.choice} {answer.confidence:.2f}"
            for name, answer in found.by_id.items()
            if isinstance(answer, ChoiceAnswer)
        ]
        table.add_row(opener.text, "\n".join(chosen), _numbers(found, prefix="needs_"))
    console.print(table)


def _deletion(console: Console, model: _Model) -> None:
    """A call that nobody makes, judged as the gate judges it."""
    settings = RiskGate()
    verdict = assess(_DELETION, Facts(workspace="/home/user/shop"))
    calls = (SeenCall(call_id="1", tool=_DELETION.tool, args=_DELETION.args),)
    pool = CallJudge(
        lambda state, pack, deadline_s: model.ask(state, pack, deadline_s=deadline_s),
        load_pack,
        workers=1,
        budget_s=_DEADLINE_S,
    )
    pool.begin("demo", calls, settings, _REQUEST)
    answers = pool.answers("demo", "1", _DELETION.args)
    pool.close()
    both = climb(verdict, answers, Thresholds()).verdict
    table = _table("Hypothetical, never run: rm -rf build", "who", "says", "verdict")
    table.add_row("rules", "", _verdict(verdict))
    for pack, found in answers.items():
        table.add_row(f"model ({pack})", _numbers(found), "")
    table.add_row("both", "", _verdict(both))
    console.print(table)


def _failed_test(console: Console, model: _Model) -> None:
    """A made-up record of a failed test, and an answer that passes over it."""
    files, claims, tables = file_table(), claim_table(), verify_tables()
    written = json.dumps({"bytes_written": 10, "resolved_path": _SOURCE})
    failed = json.dumps({"output": _FAILED, "exit_code": 1, "error": None})
    ledger = Ledger()
    for event in (
        ToolResult(tool="write_file", args={"path": _SOURCE}, result=written),
        ToolResult(tool="terminal", args={"command": "pytest -q"}, result=failed),
    ):
        ledger = observe(ledger, event, tables, files)
    attempt = Attempt(answer=_ANSWER, changed_paths=(_SOURCE,), use_model=True)
    open_question = judge(ledger, attempt, files, claims)
    if not isinstance(open_question, Ask):
        model.faults.append("completion: the rules decided alone, so nothing was asked")
        return
    found = model.ask(open_question.state, load_pack(open_question.pack), deadline_s=_DEADLINE_S)
    nudge = judge(ledger, attempt, files, claims, found)
    table = _table("A synthetic failed test, nothing ran: pytest -q, 1 failed", "who", "says")
    table.add_row("answer", _ANSWER)
    table.add_row("rules", "no plain contradiction, so the model is asked")
    table.add_row(f"model ({open_question.pack})", _numbers(found))
    table.add_row("both", "the turn may end" if nudge is None else getattr(nudge, "message", ""))
    console.print(table)


def _closing(console: Console, model: _Model) -> int:
    times = sorted(found.latency_ms for found in model.answers if found.outcome == CallOutcome.OK)
    tokens = sum(found.input_tokens or 0 for found in model.answers)
    cost = sum(found.cost_usd or 0.0 for found in model.answers)
    if times:
        billed = f", {cost:.6f} US dollars" if cost else ""
        console.print(
            f"{len(times)} of {len(model.answers)} calls answered, {times[0]:.0f} to "
            f"{times[-1]:.0f} ms, {tokens:,} input tokens{billed}."
        )
    for fault in dict.fromkeys(model.faults):
        console.print(f"failed: {fault}", markup=False)
    return 1 if model.faults else 0


def _numbers(found: Answers, *, prefix: str = "") -> str:
    """Probabilities and levels, one a line; what is missing is named."""
    lines = [
        f"{name.removeprefix(prefix)} {value:.2f}"
        for name, answer in found.by_id.items()
        if (value := _number(answer)) is not None
    ]
    return "\n".join([*lines, *(f"{name}: no answer" for name in found.missing)])


def _number(answer: object) -> float | None:
    if isinstance(answer, NoulAnswer):
        return answer.probability
    return answer.score if isinstance(answer, ScoreAnswer) else None


def _verdict(verdict: Verdict) -> str:
    return "\n".join((verdict.decision.value, *(found.id for found in verdict.findings)))


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    return table
