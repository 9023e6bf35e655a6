"""One task in one start of real Hermes: tools run, in a scratch folder with a scratch home.

Hermes talks to a loopback server of ours, which sends every request of a
user's turn on to the endpoint and notes what came of it.  Titles, summaries
and background reviews are answered at once: they are no part of a task.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..probe import wire
from ..probe.dialects import call_id
from ..probe.home import ENFORCE, STOCK, Contents
from ..probe.scene import Scene, scratch_scene
from ..probe.script import Request, Step, say
from ..probe.turns import Driven
from .live_endpoint import Caller, Reply, TroubleError
from .live_tasks import Seen, Task, Turn, prepare
from .scoring import NEVER_EXCESS

__all__ = ["ARMS", "OWN", "Exchange", "Relay", "play", "result_failed"]

_NARROWED = {"global": {**ENFORCE["global"], "refrain_where_dearer": False}}
"""What narrowing does is measured, whatever the model's prices say about it."""
ARMS: Mapping[str, Contents] = {"full": STOCK, "routed": Contents(settings=_NARROWED)}
OWN = "request_toolset"
_OWN_TOOLSET = "tool_router"
_TASK_S = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer.

    Attributes:
        turn: the user's turn, from 0; ``None`` in a conversation of a sub-agent.
    """

    turn: int | None
    request: Request
    reply: Reply


class Relay:
    """The loopback server's script: sends each request on and notes the answer.

    Args:
        task: whose turns the requests belong to.
        caller: asks the endpoint.
        steps: most requests of the task; a further one is told to stop.
    """

    def __init__(self, task: Task, caller: Caller, steps: int) -> None:
        self._task = task
        self._caller = caller
        self._left = steps
        self._lock = threading.Lock()
        self.exchanges: list[Exchange] = []
        self.last: Request | None = None
        """The user's conversation as it was last sent, answered or not."""
        self.error = ""
        """The trouble that ended the task, empty if there was none."""
        self.capped = False

    def __call__(self, request: Request) -> Step:
        """Ask the endpoint, or end the turn with a text."""
        turn = self._turn(request)
        with self._lock:
            if turn is not None:
                self.last = request
            if self.error or self._left <= 0:
                self.capped = not self.error
                return say("The evaluation ends here.")
            self._left -= 1
        try:
            reply = self._caller.ask(request)
        except TroubleError as trouble:
            with self._lock:
                self.error = trouble.reason
            return say("The evaluation ends here.")
        with self._lock:
            self.exchanges.append(Exchange(turn=turn, request=request, reply=reply))
        return Step(text=reply.text, calls=reply.calls)

    def _turn(self, request: Request) -> int | None:
        if request.opener != self._task.opener:
            return None
        said = set(request.user_texts)
        return max(place for place, turn in enumerate(self._task.turns) if turn.say in said)


def play(task: Task, arm: str, caller: Caller, *, steps: int) -> dict[str, Any]:
    """Play a task and return its row, without what names the run.

    The row's ``error`` is empty if every turn ended; only then does it count.
    """
    relay = Relay(task, caller, steps)
    plan: list[Mapping[str, Any]] = [{"do": "agent", "agent": "user"}]
    plan += [{"do": "turn", "agent": "user", "say": turn.say} for turn in task.turns]
    with scratch_scene() as scene:
        prepare(task, scene.home.work)
        scene.fill(ARMS[arm], relay)
        driven = scene.hermes.drive([*plan, {"do": "registry"}], timeout_s=_TASK_S)
        return _row(task, relay, driven, scene)


def _row(task: Task, relay: Relay, driven: Driven, scene: Scene) -> dict[str, Any]:
    owners = {item["name"]: str(item["toolset"]) for item in driven.facts.get("registry", ())}
    ran = _ran(relay)
    succeeded = frozenset(name for name, _, worked in ran if worked)
    seen = Seen(
        work=scene.home.work,
        home=scene.home.home,
        answers=[turn.answer for turn in driven.turns],
        succeeded=succeeded,
    )
    replies = [item.reply for item in relay.exchanges]
    checks = [seen.holds(check) for check in task.checks]
    granted = set(driven.turns[0].tools) if driven.turns else set()
    held_back = [worked for name, offered, worked in ran if name in granted and not offered]
    return {
        "turns": _turns(task, relay, owners),
        "requests": len(replies),
        "input_tokens": sum(reply.input_tokens for reply in replies),
        "cached_tokens": sum(reply.cached_tokens for reply in replies),
        "output_tokens": sum(reply.output_tokens for reply in replies),
        "calls": len(ran),
        "calls_succeeded": sum(worked for _, _, worked in ran),
        "called": [name for name, _, _ in ran],
        "held_back": len(held_back),
        "recovered": sum(held_back),
        "asked_for_more": sum(name == OWN for name, _, _ in ran),
        "checks": checks,
        "solved": all(checks),
        "capped": relay.capped,
        "seconds": round(driven.run.seconds, 1),
        "error": relay.error or _fault(task, driven),
    }


def _fault(task: Task, driven: Driven) -> str:
    """What Hermes did not do; no text of it, which may hold anything."""
    if driven.run.timed_out:
        return "the task took too long"
    if driven.fatal or len(driven.turns) < len(task.turns):
        return "Hermes ended early"
    return "an exception left Hermes" if any(turn.error for turn in driven.turns) else ""


def _turns(task: Task, relay: Relay, owners: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each turn's first request: what was offered, met and in excess."""
    rows: list[dict[str, Any]] = []
    useful: frozenset[str] = frozenset()
    for place, turn in enumerate(task.turns):
        useful |= turn.useful  # a session's surface never shrinks
        first = next((item for item in relay.exchanges if item.turn == place), None)
        if first is None:
            break
        offered = {owners.get(name, name) for name in first.request.tools}
        rows.append(
            {
                "offered": sorted(offered),
                **_route(turn, offered, useful),
                "first_s": first.reply.first_s,
                "input_tokens": first.reply.input_tokens,
            }
        )
    return rows


def _route(turn: Turn, offered: set[str], useful: frozenset[str]) -> dict[str, Any]:
    met = sum(bool(need & offered) for need in turn.requirements)
    excess = offered - useful - NEVER_EXCESS - {_OWN_TOOLSET}
    return {
        "needed": len(turn.requirements),
        "met": met,
        "exact": met == len(turn.requirements) and not excess,
    }


def _ran(relay: Relay) -> list[tuple[str, bool, bool]]:
    """(tool, offered, succeeded) of each call of the user's conversation whose result was sent."""
    results = _results(relay.last.messages if relay.last else ())
    return [
        (call.name, call.name in item.request.tools, not result_failed(results[key]))
        for item in relay.exchanges
        if item.turn is not None
        for place, call in enumerate(item.reply.calls)
        if (key := call_id(item.request, place)) in results
    ]


def _results(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {
        str(message.get("tool_call_id")): wire.text_of(message.get("content"))
        for message in messages
        if message.get("role") == "tool"
    }


def result_failed(text: str) -> bool:
    """Whether a tool's result says that the call failed.

    hermes-agent 0.19.0: tools answer a JSON object with ``error``, ``success``
    or ``status``; what it refuses itself, unknown names among them, is plain
    text.  A command that ends with a status other than 0 is no failed call.
    """
    try:
        found = json.loads(text)
    except ValueError:
        return text.startswith(("Tool '", "Error", "Invalid", "Skipped"))
    if not isinstance(found, dict):
        return False
    refused = found.get("success") is False or found.get("status") in {"error", "blocked"}
    return bool(found.get("error")) or refused
