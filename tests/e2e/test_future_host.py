"""What newer Hermes builds are known to do, put over 0.19.0 by another plugin.

The shim loads before ours and changes the host the way its development
version does: settings through ``ctx.get_config``, a public snapshot of hook
callbacks, hooks on worker threads with a timeout, arguments narrowed to what a
callback declares, and Tool Search on for every plugin tool with core tools
deferred too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tool_router.probe import plan
from hermes_tool_router.probe.home import ENFORCE, Contents
from hermes_tool_router.probe.scene import Scene
from hermes_tool_router.probe.script import Request, Step, call, say

pytestmark = pytest.mark.hermes

QUESTION = "What is the capital of Portugal?"
LATER = "And please run the tests of this project."

SHIM = """
import contextvars
import inspect
import threading

from hermes_cli import plugins

WORKER = {"pre_llm_call", "post_llm_call", "on_session_start", "on_session_end", "pre_verify"}
SETTINGS = __SETTINGS__


def get_config(self, key, default=None):
    if self.manifest.name != "tool-router":
        return default
    return SETTINGS.get(key, default)


def iter_hook_callbacks(name):
    return tuple(plugins.get_plugin_manager()._hooks.get(name, ()))


def narrowed(callback, kwargs):
    parameters = inspect.signature(callback).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return kwargs
    return {p.name: kwargs[p.name] for p in parameters if p.name in kwargs}


def invoke_hook(self, hook_name, **kwargs):
    results = []
    for callback in tuple(self._hooks.get(hook_name, ())):
        found = []
        def run(callback=callback):
            found.append(callback(**narrowed(callback, kwargs)))
        if hook_name in WORKER:
            context = contextvars.copy_context()
            thread = threading.Thread(target=context.run, args=(run,), daemon=True, name="hook")
            thread.start()
            thread.join(30)
        else:
            try:
                run()
            except Exception as error:
                if hook_name == "pre_tool_call":
                    found.append({"action": "block", "message": f"hook failed: {error}"})
        results += [item for item in found if item is not None]
    return results


def register(ctx):
    plugins.PluginContext.get_config = get_config
    plugins.iter_hook_callbacks = iter_hook_callbacks
    plugins.PluginManager.invoke_hook = invoke_hook
"""


@pytest.fixture
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shim as a plugin that loads first."""
    folder = tmp_path_factory.mktemp("shim") / "aaa-future"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: aaa-future\nversion: 1.0.0\nkind: standalone\n")
    (folder / "__init__.py").write_text(SHIM.replace("__SETTINGS__", repr(dict(ENFORCE))))
    return folder


def _scripted(request: Request) -> Step:
    if request.user_texts[-1] == LATER and not request.results:
        return call("terminal", command="echo ran-on-the-future-host")
    return say("Done.")


def test_routing_and_recovery_hold_on_a_newer_host(drive: Scene, shim: Path) -> None:
    """Settings come from get_config, hooks run on workers, and the surface is the same."""
    drive.fill()
    drive.hermes.drive([plan.agent("stock"), plan.turn("stock", QUESTION)])
    (stock,) = drive.model.turns
    drive.fill(Contents(settings={}, others=(shim,)), _scripted)

    driven = drive.hermes.drive(
        [plan.agent("a"), plan.turn("a", QUESTION), plan.turn("a", LATER)], timeout_s=120
    )

    assert not driven.fatal
    first, *later = drive.model.turns
    assert set(first.tools) - {"request_toolset"} < set(stock.tools)
    assert "terminal" not in first.tools
    assert any("ran-on-the-future-host" in text for _, text in later[-1].results)
    assert all(request.tools[: len(first.tools)] == first.tools for request in later)
    assert "raised" not in drive.hermes.log("errors.log")


def test_a_deferred_request_tool_is_reached_through_the_bridge(drive: Scene, shim: Path) -> None:
    """Newer hosts put every plugin tool behind Tool Search: the bridge is the way to ask."""
    ask = {"name": "request_toolset", "arguments": {"toolsets": ["terminal"]}}

    def scripted(request: Request) -> Step:
        return say("Done.") if request.results else call("tool_call", **ask)

    config = {"tools": {"tool_search": {"enabled": "on"}}}
    drive.fill(Contents(settings={}, others=(shim,), config=config), scripted)

    driven = drive.hermes.drive([plan.agent("a"), plan.turn("a", QUESTION)], timeout_s=120)

    assert not driven.fatal
    first, second = drive.model.turns
    assert "tool_call" in first.tools
    assert "request_toolset" not in first.tools
    assert "terminal" not in first.tools
    assert "terminal" in second.tools
