"""registry_adapter.late: callbacks whose parts are made with the first call."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from hermes_tool_router.registry_adapter.assembly import Parts, assemble
from hermes_tool_router.registry_adapter.encoder import Encoder
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.late import Late
from hermes_tool_router.registry_adapter.once import Once
from hermes_tool_router.registry_adapter.plugin import Runtime, _register_features
from hermes_tool_router.registry_adapter.resources import ROOT
from hermes_tool_router.registry_adapter.settings_source import SettingsSource, hermes_host
from hermes_tool_router.router.settings import Settings
from hermes_tool_router.router.settings_model import RiskGate, TurnClassifier, Verify

LOADED = f"""
import runpy, sys
runpy.run_path({str(ROOT / "_checkout.py")!r})["mount"]()
from hermes_tool_router.registry_adapter import plugin
plugin.Runtime(None)
heavy = ("assembly", "surfaces", "store", "models", "events", "owners")
print([name for name in heavy if f"hermes_tool_router.registry_adapter.{{name}}" in sys.modules])
"""

FIRST_TURN = f"""
import runpy, sys
runpy.run_path({str(ROOT / "_checkout.py")!r})["mount"]()
from hermes_tool_router.registry_adapter import plugin
before = {{name.partition(".")[0] for name in sys.modules}}
runtime = plugin.Runtime(None)
parts = runtime.parts()
parts.hooks["gate"]["post_tool_call"]()
from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.router.engine import decide
rule_book()
loaded = {{name.partition(".")[0] for name in sys.modules}} - before
print(sorted(loaded - sys.stdlib_module_names))
"""


class Context:
    """Takes what is registered."""

    def __init__(self) -> None:
        self.hooks: dict[str, list[Any]] = {}

    def register_hook(self, name: str, callback: Any) -> None:
        """Keep a callback."""
        self.hooks.setdefault(name, []).append(callback)


def broken() -> Parts:
    """Parts of an installation that misses a file."""
    raise ImportError("planted")


def test_starting_hermes_loads_nothing_that_decides() -> None:
    """Most processes that load the plugin never run a turn."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "[]"


def test_a_first_turn_loads_our_own_modules_and_pythons() -> None:
    """The gate warms in a thread, beside a host that loads its own modules meanwhile."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_TURN], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "[]"


def test_every_feature_has_the_hooks_that_are_registered_for_it() -> None:
    """What Hermes calls is there, and nothing that it would never call."""
    settings = Settings(
        enabled=True,
        risk_gate=RiskGate(enabled=True),
        verify=Verify(enabled=True),
        turn_classifier=TurnClassifier(enabled=True),
    )
    context, runtime = Context(), Runtime(None)
    _register_features(context, runtime, settings)
    source = SettingsSource(hermes_host(), guard=Guard())

    parts = assemble(Guard(), source, Encoder(), settings, lambda: None)

    registered = sorted(name for name, found in context.hooks.items() for _ in found)
    assert sorted(name for hooks in parts.hooks.values() for name in hooks) == registered
    assert sorted(runtime.registered) == registered


def test_parts_that_cannot_be_made_leave_the_request_alone() -> None:
    """The turn goes on as if the plugin were not there."""
    late = Late(Guard(), Once(broken), lambda: False)
    request: dict[str, Any] = {"tools": []}

    late.pre_llm_call(session_id="s", user_message="x")
    late.tool_request(session_id="s", tool_name="terminal", args={})
    sent = late.llm_execution(request=request, next_call=lambda given: given, session_id="s")

    assert sent is request
    assert late.hook("gate", "post_tool_call")(session_id="s") is None


@pytest.mark.parametrize(("enforces", "action"), [(True, "block"), (False, None)])
def test_parts_that_cannot_be_made_do_not_open_an_enforcing_gate(
    enforces: bool, action: str | None
) -> None:
    """Hermes lets a call pass where a hook says nothing."""
    late = Late(Guard(), Once(broken), lambda: enforces)

    assert (late.pre_tool_call(tool_name="terminal", args={}) or {}).get("action") == action
