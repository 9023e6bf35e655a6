"""Runs inside Hermes' Python, by path: ``latency_child.py REPORT.json ROUNDS``.

Calls Hermes' own dispatch functions the way its turn loop does
(hermes-agent 0.19.0 agent/conversation_loop.py:1304-1472), with its real tool
schemas and with whatever plugins the home enables.  Run once without our plugin and once
with it, the difference is what we cost, the copies that the host makes for us included.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

_SYSTEM = "You are Hermes Agent, an assistant. " * 180  # as long as the real prompt, 6.6 kB
_OPENERS = (
    "What is the difference between a mutex and a semaphore?",
    "Fix the failing test in tests/test_parser.py and run pytest until it passes.",
    "Search the web for the release date of Python 3.15.",
    "Busca en mis archivos dónde se define la clase Invoice y cámbiale el nombre.",
    "Summarise the notes in meeting.txt and draft a reply to the last point.",
    "Erkläre mir bitte, wie ein Regenbogen entsteht.",
    "Remind me every Monday at nine to send the report.",
    "请把 data.csv 转换成 JSON 格式并保存到同一个文件夹。",
)
_LATER = (
    "Now also search the web for what changed in release {n}.",
    "Also run the tests of module {n} and tell me which of them fail.",
    "What does paragraph {n} of that text mean?",
    "Und jetzt leg bitte eine Datei notiz{n}.md mit der Zusammenfassung an.",
    "Remind me on the {n}. to look at this again.",
    "Abre también la página del pedido {n} y dime el precio.",
)
"""Later messages that say something of their own; no two of a run are alike."""
_MANY = 80


class Spent(NamedTuple):
    """Microseconds by the clock, and those in which this thread ran."""

    wall: float
    cpu: float

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(self.wall + other.wall, self.cpu + other.cpu)


def _timed(action: Callable[[], object]) -> Spent:
    cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
    action()
    ended = time.perf_counter_ns()
    return Spent((ended - wall) / 1000, (time.thread_time_ns() - cpu) / 1000)


class _Clock:
    """A monotonic clock that can be put forward, so that a pause takes no time."""

    def __init__(self) -> None:
        self._clock = time.monotonic
        self._ahead = 0.0

    def __call__(self) -> float:
        return self._clock() + self._ahead

    def pause(self) -> None:
        """Longer than settings are taken as they were, shorter than a person pauses."""
        self._ahead += 1.5


class Turns:
    """Plays turns through the host's dispatch and notes microseconds by what was done."""

    def __init__(
        self,
        tools: list[Mapping[str, Any]],
        many: list[Mapping[str, Any]],
        idle: Callable[[], None],
    ) -> None:
        self._tools = tools
        self._many = many
        self._idle = idle
        self.micros: dict[str, list[Spent]] = {}

    def play(self, number: int) -> None:
        """One session of four turns on the usual tools, and one on eighty."""
        text = _OPENERS[number % len(_OPENERS)]
        session = f"latency-{number}"
        first = [{"role": "user", "content": text}]
        self._note("first turn", self._turn(session, "t1", text, first, self._tools))
        self._note("later request", self._request(session, "t1", first, self._tools))
        self._note("tool call", self._call(session, "t1"))
        later = [*first, {"role": "assistant", "content": "Done."}]
        later.append({"role": "user", "content": "Thanks, go on."})
        self._note("later turn", self._turn(session, "t2", "Thanks, go on.", later, self._tools))
        more = _LATER[number % len(_LATER)].format(n=number)
        later += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": more}]
        self._note("later turn, new text", self._turn(session, "t3", more, later, self._tools))
        later += [{"role": "assistant", "content": "Done."}]
        later.append({"role": "user", "content": "Thanks, go on."})
        self._idle()
        idle = self._turn(session, "t4", "Thanks, go on.", later, self._tools)
        self._note("later turn, after a pause", idle)
        crowd = f"crowd-{number}"
        self._turn(crowd, "t1", text, first, self._many)
        self._note(f"request, {_MANY} tools", self._request(crowd, "t1", first, self._many))
        self._note("policy hook, 2 kB", self._policy(crowd, "t1", number))

    def _note(self, name: str, micros: Spent) -> None:
        self.micros.setdefault(name, []).append(micros)

    def _turn(
        self,
        session: str,
        turn: str,
        text: str,
        messages: list[dict[str, Any]],
        tools: list[Mapping[str, Any]],
    ) -> Spent:
        """The hook at the turn's start and its first request."""
        from hermes_cli.plugins import invoke_hook

        history = list(messages)
        hook = _timed(
            lambda: invoke_hook(
                "pre_llm_call",
                session_id=session,
                task_id="task",
                turn_id=f"{session}:task:{turn}",
                user_message=text,
                conversation_history=history,
                is_first_turn=len(history) == 1,
                model="stub-model",
                platform="cli",
                sender_id="",
            )
        )
        return hook.plus(self._request(session, turn, messages, tools))

    def _request(
        self,
        session: str,
        turn: str,
        messages: list[dict[str, Any]],
        tools: list[Mapping[str, Any]],
    ) -> Spent:
        from hermes_cli.middleware import apply_llm_request_middleware, run_llm_execution_middleware

        context = {
            "task_id": "task",
            "turn_id": f"{session}:task:{turn}",
            "api_request_id": f"{session}:{turn}:1",
            "session_id": session,
            "platform": "cli",
            "model": "stub-model",
            "provider": "custom",
            "base_url": "http://127.0.0.1:9/v1",
            "api_mode": "chat_completions",
            "api_call_count": 1,
        }
        request = {
            "model": "stub-model",
            "messages": [{"role": "system", "content": _SYSTEM}, *messages],
            "tools": tools,
        }

        def both() -> None:
            applied = apply_llm_request_middleware(request, **context)
            run_llm_execution_middleware(
                applied.payload,
                lambda sent: sent,
                original_request=applied.original_payload,
                middleware_trace=list(applied.trace),
                **context,
            )

        return _timed(both)

    @staticmethod
    def _call(session: str, turn: str) -> Spent:
        """The middleware and hooks around the call of a tool that every surface has."""
        from hermes_cli.middleware import apply_tool_request_middleware
        from hermes_cli.plugins import invoke_hook

        ids = _call_ids(session, turn)
        name, args = "skills_list", {"category": "any"}

        def around() -> None:
            apply_tool_request_middleware(name, args, **ids)
            invoke_hook("pre_tool_call", tool_name=name, args=args, middleware_trace=[], **ids)
            invoke_hook(
                "post_tool_call",
                tool_name=name,
                args=args,
                result="{}",
                duration_ms=1,
                status="ok",
                error_type=None,
                error_message=None,
                middleware_trace=[],
                **ids,
            )

        return _timed(around)

    @staticmethod
    def _policy(session: str, turn: str, number: int) -> Spent:
        """The hook alone that decides on a long command, which was judged before it."""
        from hermes_cli.middleware import apply_tool_request_middleware
        from hermes_cli.plugins import invoke_hook

        ids = _call_ids(session, turn)
        args = {"command": f"ls -l run-{number} " + "reports/summary.txt " * 100}
        apply_tool_request_middleware("terminal", args, **ids)
        return _timed(
            lambda: invoke_hook(
                "pre_tool_call", tool_name="terminal", args=args, middleware_trace=[], **ids
            )
        )


def _call_ids(session: str, turn: str) -> dict[str, str]:
    return {
        "task_id": "task",
        "session_id": session,
        "tool_call_id": "call-1",
        "turn_id": f"{session}:task:{turn}",
        "api_request_id": f"{session}:{turn}:1",
    }


def _load_plugins() -> Spent:
    """Load Hermes without plugins, then its plugins; what ours took."""
    os.environ["HERMES_SAFE_MODE"] = "1"
    import hermes_cli.commands  # noqa: F401 - loaded by the CLI and the gateway
    import model_tools  # noqa: F401 - registers the tools
    import openai  # noqa: F401 - loaded by the first agent of every Hermes process
    import run_agent  # noqa: F401
    from hermes_cli.plugins import PluginManager, discover_plugins

    del os.environ["HERMES_SAFE_MODE"]
    spent = Spent(0.0, 0.0)
    load = PluginManager._load_plugin

    def timed(manager: Any, manifest: Any) -> None:
        nonlocal spent
        micros = _timed(lambda: load(manager, manifest))
        if manifest.name == "tool-router":
            spent = spent.plus(micros)

    PluginManager._load_plugin = timed
    discover_plugins(force=True)
    return spent


def main(target: Path, rounds: int) -> None:
    """Measure and write the report."""
    # A file beside this one, which has the first place in the path.
    yardstick = importlib.import_module("yardstick")
    clock = _Clock()
    time.monotonic = clock  # before the plugins are loaded, which keep what they find
    with contextlib.redirect_stdout(io.StringIO()):
        load = _load_plugins()
        from hermes_cli.config import load_config
        from hermes_cli.tools_config import _get_platform_tools
        from model_tools import get_tool_definitions
        from tools.registry import registry

        granted = sorted(_get_platform_tools(load_config(), "cli"))
        tools = list(get_tool_definitions(enabled_toolsets=granted, quiet_mode=True))
        known = {tool["function"]["name"] for tool in tools}
        others = [
            {"type": "function", "function": {"name": name, **(registry.get_schema(name) or {})}}
            for name in sorted(registry.get_tool_to_toolset_map())
            if name not in known
        ]
        turns = Turns(tools, [*tools, *others][:_MANY], clock.pause)
        turns.play(0)  # loads what is loaded at the first decision
        cold = turns.micros["first turn"]
        turns.micros = {}
        before = yardstick.yardstick()
        for number in range(1, rounds + 1):
            turns.play(number)
        unit = yardstick.compared(before, yardstick.yardstick())
        turns.micros["first turn, cold"] = cold
    report = {"load": load, "tools": len(tools), "micros": turns.micros, "yardstick": unit}
    target.write_text(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
