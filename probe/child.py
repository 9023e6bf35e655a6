"""Runs inside Hermes' Python, by path: ``child.py PLAN.json REPORT.json``.

The plan is a list of operations, run in order:

``{"do": "agent", "agent": NAME, "with": {...}}``
    build an agent as ``hermes -z`` does; ``with`` overrides its arguments.
``{"do": "turn", "agent": NAME, "say": TEXT or PARTS}``
    one turn; the conversation goes on from the agent's last one.
``{"do": "threads", "sessions": [{"agent": NAME, "with": {...}, "say": [TEXT, …]}, …]}``
    one thread each; all take their n-th turn at the same time.
``{"do": "mcp"}``
    connect the MCP servers of the configuration.
``{"do": "config", "set": {KEY: VALUE}}``
    merge top-level blocks into ``config.yaml``.
``{"do": "home", "path": PATH}``
    go on in another home, as a gateway does for a turn of another profile.
``{"do": "rescan"}``
    force Hermes to discover its plugins again.
``{"do": "plugins"}``
    report what Hermes loaded, as facts ``plugins``, ``hooks`` and ``middleware``.
``{"do": "look", "names": ["module:attribute.path", ...]}``
    report which of these Hermes has, as fact ``found``.
``{"do": "registry"}``
    report every registered tool, granted or not, as fact ``registry``.
``{"do": "slash", "name": NAME, "arguments": TEXT}``
    type a plugin's slash command; its answers are the list of fact ``slash``.
``{"do": "estimate", "file": PATH}``
    price requests with Hermes' own estimator; the file holds a list of
    ``{"messages": [...], "tools": [...]}``; fact ``estimates``.

This file imports nothing of ours: what is under test is the copy that Hermes loads.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

_LOCKSTEP_SECONDS = 120


class Caught(contextlib.AbstractContextManager["Caught"]):
    """Keep whatever leaves Hermes as a traceback: here it is the finding."""

    trace = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Note the exception and end the block."""
        if error is not None:
            self.trace = "".join(traceback.format_exception(error))
        return isinstance(error, Exception)


class Stage:
    """The agents of one plan and what became of their turns."""

    def __init__(self) -> None:
        self.agents: dict[str, Any] = {}
        self.histories: dict[str, Any] = {}
        self.turns: list[dict[str, Any]] = []
        self.facts: dict[str, Any] = {}
        self._lock = threading.Lock()

    def agent(self, step: Mapping[str, Any]) -> None:
        """Build an agent the way ``hermes_cli/oneshot.py`` of hermes-agent 0.19.0 does."""
        from hermes_cli.config import load_config
        from hermes_cli.runtime_provider import resolve_runtime_provider
        from hermes_cli.tools_config import _get_platform_tools
        from hermes_state import SessionDB
        from run_agent import AIAgent

        config = load_config()
        runtime = resolve_runtime_provider(requested=None, explicit_base_url=None)
        arguments = {
            "api_key": runtime.get("api_key"),
            "base_url": runtime.get("base_url"),
            "provider": runtime.get("provider"),
            "api_mode": runtime.get("api_mode"),
            "model": config["model"]["default"],
            "enabled_toolsets": sorted(_get_platform_tools(config, "cli")),
            "disabled_toolsets": (config.get("agent") or {}).get("disabled_toolsets") or None,
            "quiet_mode": True,
            "platform": "cli",
            "session_db": SessionDB(),
        }
        agent = AIAgent(**{**arguments, **step.get("with", {})})
        agent.suppress_status_output = True
        self.agents[step["agent"]] = agent

    def turn(self, step: Mapping[str, Any]) -> None:
        """Run one turn and note what came of it."""
        name = step["agent"]
        agent = self.agents[name]
        result: Mapping[str, Any] = {}
        with Caught() as caught:
            history = self.histories.get(name)
            more = {"conversation_history": history} if history else {}
            result = agent.run_conversation(step["say"], **more)
            self.histories[name] = result["messages"]
        with self._lock:
            self.turns.append(
                {
                    "agent": name,
                    "session": agent.session_id,
                    "answer": str(result.get("final_response") or ""),
                    "error": caught.trace,
                    "completed": bool(result.get("completed")),
                    "tools": [tool["function"]["name"] for tool in agent.tools or ()],
                    "valid": sorted(agent.valid_tool_names),
                }
            )

    def threads(self, step: Mapping[str, Any]) -> None:
        """Run several sessions at once, turn by turn."""
        sessions = step["sessions"]
        for session in sessions:
            self.agent(session)
        together = threading.Barrier(len(sessions))

        def run(session: Mapping[str, Any]) -> None:
            for text in session["say"]:
                together.wait(_LOCKSTEP_SECONDS)
                self.turn({"agent": session["agent"], "say": text})

        workers = [threading.Thread(target=run, args=(session,)) for session in sessions]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def mcp(self, step: Mapping[str, Any]) -> None:
        """Connect the configured MCP servers, as the CLI does at its start."""
        import model_tools  # noqa: F401 - registers the built-in tools first
        from tools.mcp_tool import discover_mcp_tools

        discover_mcp_tools()

    def config(self, step: Mapping[str, Any]) -> None:
        """Change the configuration while Hermes runs."""
        path = Path(os.environ["HERMES_HOME"]) / "config.yaml"
        path.write_text(json.dumps({**json.loads(path.read_text()), **step["set"]}, indent=1))

    def home(self, step: Mapping[str, Any]) -> None:
        """Switch the home the way ``gateway/run.py`` of hermes-agent 0.19.0 does."""
        from hermes_constants import set_hermes_home_override

        set_hermes_home_override(step["path"])

    def rescan(self, step: Mapping[str, Any]) -> None:
        """Discover plugins again in the same process."""
        from hermes_cli.plugins import discover_plugins

        discover_plugins(force=True)

    def plugins(self, step: Mapping[str, Any]) -> None:
        """Report what Hermes loaded."""
        import model_tools  # noqa: F401 - discovers the plugins
        from hermes_cli.plugins import get_plugin_manager

        manager = get_plugin_manager()
        self.facts["plugins"] = manager.list_plugins()
        self.facts["hooks"] = {name: len(found) for name, found in manager._hooks.items()}
        self.facts["middleware"] = {name: len(found) for name, found in manager._middleware.items()}

    def look(self, step: Mapping[str, Any]) -> None:
        """Report which modules and attributes are there; what fails to import is not."""
        found: dict[str, bool] = {}
        for name in step["names"]:
            module, _, path = name.partition(":")
            with Caught() as caught:
                node = importlib.import_module(module)
                for part in filter(None, path.split(".")):
                    node = _member(node, part)
            found[name] = not caught.trace
        self.facts["found"] = found

    def registry(self, step: Mapping[str, Any]) -> None:
        """Report every tool that Hermes knows, whether or not a session gets it."""
        import model_tools  # noqa: F401 - registers the built-in tools first
        from tools.registry import registry

        owners = registry.get_tool_to_toolset_map()
        self.facts["registry"] = [
            {"name": name, "toolset": toolset, "schema": registry.get_schema(name)}
            for name, toolset in sorted(owners.items())
        ]

    def slash(self, step: Mapping[str, Any]) -> None:
        """Run a slash command as ``cli.py`` does."""
        from hermes_cli.plugins import get_plugin_command_handler, resolve_plugin_command_result

        handler = get_plugin_command_handler(step["name"])
        answer = resolve_plugin_command_result(handler(step["arguments"])) if handler else None
        self.facts.setdefault("slash", []).append(answer)

    def estimate(self, step: Mapping[str, Any]) -> None:
        """Price requests as Hermes' preflight does."""
        from agent.model_metadata import estimate_request_tokens_rough

        # All lists stay alive while they are priced: the estimator caches by id().
        items = json.loads(Path(step["file"]).read_text(encoding="utf-8"))
        self.facts["estimates"] = [
            estimate_request_tokens_rough(item["messages"], tools=item["tools"]) for item in items
        ]


def _member(node: Any, part: str) -> Any:
    """An attribute, or a member of a collection of names."""
    if isinstance(node, (set, frozenset, tuple, list)):
        if part not in node:
            raise LookupError(part)
        return None
    return getattr(node, part)


Operation = Callable[[Mapping[str, Any]], None]


def main(
    source: Path, target: Path, more: Callable[[Stage], Mapping[str, Operation]] | None = None
) -> None:
    """Run the plan and write the report; never raises for a fault of Hermes.

    Args:
        source: the plan.
        target: where the report goes.
        more: further operations of another script's own.
    """
    stage = Stage()
    operations: dict[str, Operation] = {
        "agent": stage.agent,
        "turn": stage.turn,
        "threads": stage.threads,
        "mcp": stage.mcp,
        "config": stage.config,
        "home": stage.home,
        "rescan": stage.rescan,
        "plugins": stage.plugins,
        "look": stage.look,
        "registry": stage.registry,
        "slash": stage.slash,
        "estimate": stage.estimate,
        **(more(stage) if more else {}),
    }
    with Caught() as caught, contextlib.redirect_stdout(io.StringIO()):
        from hermes_logging import setup_logging

        setup_logging(mode="cli")  # before plugins load, as the CLI does
        for step in json.loads(source.read_text(encoding="utf-8")):
            operations[step["do"]](step)
    report = {"turns": stage.turns, "facts": stage.facts, "fatal": caught.trace}
    part = target.with_suffix(".part")
    part.write_text(json.dumps(report, default=str), encoding="utf-8")
    part.replace(target)
    for agent in stage.agents.values():
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            agent.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # as hermes -z does: worker threads of tools must not hold the process


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
