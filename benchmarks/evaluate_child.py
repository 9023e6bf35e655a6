"""Runs inside Hermes' Python, by path: ``evaluate_child.py PLAN.json REPORT.json``.

The plan's operations are those of ``probe/child.py`` and two more:

``{"do": "watch", "plugin": NAME, "decisions": URL}``
    before anything loads plugins: time that plugin's callbacks, answer approval
    questions, note finished calls, and let no command of the terminal tool run.
``{"do": "case", "turn": KEY, "answer": "once" or "deny", "prints": {COMMAND: [TEXT, STATUS]},
"policy": "", "before" or "after", "marker": TEXT}``
    what follows belongs to this turn; another plugin's policy hook, before or
    after every other one, blocks calls that hold the marker.

Everything of Hermes is real but three things that lie outside of it: the
human, who answers as the turn says; the shell, which prints what the turn says;
and the clock of the plugin's callbacks.  Hermes' own approval detection runs.
"""

from __future__ import annotations

import functools
import json
import runpy
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_PROBE = Path(__file__).resolve().parents[1] / "probe" / "child.py"
_POLICY = "pre_tool_call"


class Timed:
    """A callback of the plugin, timed; equal to the callback itself, which looks itself up.

    What a middleware passes on to (``next_call``) is not counted.
    """

    def __init__(self, callback: Callable[..., Any], note: Callable[[int, int], None]) -> None:
        functools.update_wrapper(self, callback)
        self._callback = callback
        self._note = note

    def __eq__(self, other: object) -> bool:
        return other is self or other == self._callback

    def __hash__(self) -> int:
        return hash(self._callback)

    def __call__(self, **kwargs: Any) -> Any:
        """Call it."""
        outside = [0, 0]
        if "next_call" in kwargs:
            kwargs["next_call"] = self._apart(kwargs["next_call"], outside)
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        try:
            return self._callback(**kwargs)
        finally:
            spent = time.perf_counter_ns() - wall - outside[0]
            self._note(spent, time.thread_time_ns() - cpu - outside[1])

    @staticmethod
    def _apart(call: Callable[[Any], Any], outside: list[int]) -> Callable[[Any], Any]:
        def passed_on(payload: Any) -> Any:
            wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
            try:
                return call(payload)
            finally:
                outside[0] += time.perf_counter_ns() - wall
                outside[1] += time.thread_time_ns() - cpu

        return passed_on


class Witness:
    """Notes what becomes of each turn.

    Args:
        facts: of the report; every note goes there, with the turn's key first.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.notes: dict[str, list[Any]] = {"asked": [], "ended": [], "ran": [], "spent": []}
        facts.update(self.notes)
        self.now: Mapping[str, Any] = {"turn": "", "answer": "deny", "prints": {}}
        self._decisions = ""

    def watch(self, step: Mapping[str, Any]) -> None:
        """Take the places of the human, of the shell and of the clock."""
        self._decisions = step["decisions"]
        self._time_callbacks(step["plugin"])
        import model_tools  # noqa: F401 - registers the tools and loads the plugins
        from tools.environments.base import BaseEnvironment
        from tools.terminal_tool import set_approval_callback

        set_approval_callback(self._answered)
        self._hooks("post_tool_call").append(self._ended)
        execute = BaseEnvironment.execute

        def printed(environment: Any, command: str, cwd: str = "", **options: Any) -> Any:
            if not options.get("bounded_capture"):  # Hermes' file tools; only these run
                return execute(environment, command, cwd, **options)
            self.notes["ran"].append([self.now["turn"], command])
            text, status = self.now["prints"].get(command, ["", 0])
            return {"output": text, "returncode": status}

        BaseEnvironment.execute = printed

    def case(self, step: Mapping[str, Any]) -> None:
        """Begin a turn."""
        self.now = step
        hooks = self._hooks(_POLICY)
        while self._policy in hooks:
            hooks.remove(self._policy)
        if step["policy"]:
            hooks.insert(0 if step["policy"] == "before" else len(hooks), self._policy)
        request = urllib.request.Request(f"{self._decisions}/turn", data=step["turn"].encode())
        urllib.request.urlopen(request, timeout=30).close()

    @staticmethod
    def _hooks(name: str) -> list[Any]:
        from hermes_cli.plugins import get_plugin_manager

        found: list[Any] = get_plugin_manager()._hooks.setdefault(name, [])
        return found

    def _time_callbacks(self, plugin: str) -> None:
        from hermes_cli.plugins import PluginContext

        def timing(register: Any) -> Callable[[Any, str, Any], None]:
            def registered(context: Any, name: str, callback: Any) -> None:
                ours = context.manifest.name == plugin
                register(context, name, Timed(callback, self._spent) if ours else callback)

            return registered

        PluginContext.register_hook = timing(PluginContext.register_hook)
        PluginContext.register_middleware = timing(PluginContext.register_middleware)

    def _spent(self, wall: int, cpu: int) -> None:
        self.notes["spent"].append([self.now["turn"], wall / 1000, cpu / 1000])

    def _answered(self, command: str, description: str, **_: Any) -> str:
        """The human at the terminal."""
        self.notes["asked"].append([self.now["turn"], command, description])
        return str(self.now["answer"])

    def _policy(self, **kwargs: Any) -> dict[str, str] | None:
        """Another plugin's deterministic policy."""
        if self.now["marker"] not in json.dumps(kwargs.get("args")):
            return None
        return {"action": "block", "message": "the house policy forbids this"}

    def _ended(self, **kwargs: Any) -> None:
        """A call has ended; how many questions it took shows in how many there were."""
        result = kwargs.get("result")
        self.notes["ended"].append(
            [
                self.now["turn"],
                kwargs.get("tool_call_id"),
                kwargs.get("status"),
                result if isinstance(result, str) else json.dumps(result),
                len(self.notes["asked"]),
                len(self.notes["ran"]),
            ]
        )


if __name__ == "__main__":

    def more(stage: Any) -> Mapping[str, Callable[[Mapping[str, Any]], None]]:
        """The two operations of this script."""
        witness = Witness(stage.facts)
        return {"watch": witness.watch, "case": witness.case}

    runpy.run_path(str(_PROBE))["main"](Path(sys.argv[1]), Path(sys.argv[2]), more)
