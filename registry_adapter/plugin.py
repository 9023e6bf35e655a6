"""Wiring: what Hermes calls, and what each call does.

``register()`` may run twice in one process (a forced rescan clears the host's
lists first), so everything it makes hangs on one :class:`Runtime` and nothing
is kept at module level.  Every start of Hermes runs it, so it reads the
settings, hands out callbacks, and leaves the rest to their first call
(:mod:`.assembly`).
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..recovery.schema import NAME as REQUEST_TOOL
from ..recovery.schema import SCHEMA, TOOLSET
from ..router.settings import Settings
from . import tools
from .encoder import Encoder
from .guard import Guard
from .host import hermes_home, is_registered
from .late import Late
from .once import Once
from .resources import rule_book_problem
from .settings_source import Reading, SettingsSource, hermes_host

if TYPE_CHECKING:
    from .assembly import Parts
    from .deciding import TieredDecider
    from .models import Models
    from .places import Places
    from .stores import Stores
    from .surfaces import Surfaces

__all__ = ["Runtime", "register"]

_log = logging.getLogger(__name__)


class Runtime:
    """What one registration made; the commands read it.

    Attributes:
        guard: catches what our code raises.
        source: the settings in force.
        encoder: the embedded encoder of this process.
        parts: makes everything else when it is first asked for.
        late: the callbacks that Hermes holds.
        registered: hooks, middleware and tools that were registered, in order.
        problem: why nothing is routed, empty where routing runs.
    """

    def __init__(self, ctx: Any) -> None:
        self.guard = Guard()
        self.source = SettingsSource(hermes_host(ctx), guard=self.guard)
        self.encoder = Encoder()
        self.settings = Settings.model_construct()
        self.parts = Once(self._assembled)
        self.late = Late(self.guard, self.parts, self._gate_enforces)
        self.registered: list[str] = []
        self.problem = ""

    def reading(self, platform: str = "") -> Reading:
        """The settings of the home of the running turn."""
        return self.source(hermes_home(), platform)

    @property
    def places(self) -> Places:
        """Home, settings and store of the turn that runs now."""
        return self.parts().places

    @property
    def surfaces(self) -> Surfaces:
        """The surfaces of all sessions."""
        return self.parts().surfaces

    @property
    def decider(self) -> TieredDecider:
        """Chooses toolsets."""
        return self.parts().decider

    @property
    def stores(self) -> Stores:
        """The state files, by home."""
        return self.parts().stores

    @property
    def models(self) -> Models:
        """The clients that ask models."""
        return self.parts().models

    def _assembled(self) -> Parts:
        from .assembly import assemble  # noqa: PLC0415 - see the module docstring

        return assemble(
            self.guard, self.source, self.encoder, self.settings, self.late.pre_tool_call
        )

    def _gate_enforces(self) -> bool:
        return self.reading().settings.risk_gate.mode == "enforce"


def register(ctx: Any) -> Runtime:
    """Register hooks, middleware and tools in a Hermes plugin context.

    Never raises.  Where routing is off or cannot work, nothing that touches a
    request is registered, and :attr:`Runtime.problem` says why.
    """
    runtime = Runtime(ctx)
    reading = runtime.guard.run(
        "register", runtime.reading, lambda: runtime.source(Path("nowhere"), "")
    )
    runtime.settings = reading.settings
    runtime.problem = _obstacle(ctx, reading) or rule_book_problem()
    if runtime.problem:
        if reading.on:
            _log.warning("tool-router: nothing is routed: %s", runtime.problem)
        return runtime
    runtime.guard.run("register", lambda: _register_routing(ctx, runtime, reading), lambda: None)
    return runtime


def _obstacle(ctx: Any, reading: Reading) -> str:
    """Why this process routes nothing, empty where it does."""
    if not callable(getattr(ctx, "register_middleware", None)):
        return "this Hermes has no middleware; 0.18.1 or newer is needed"
    if reading.problem:
        return reading.problem
    if not (reading.settings.enabled_anywhere or _serves_many_profiles()):
        return "switched off: set global.enabled to true"
    return ""


def _serves_many_profiles() -> bool:
    """A gateway may serve a profile that has the router on beside one that has not."""
    return "gateway" in sys.argv[1:3] or bool(os.environ.get("HERMES_GATEWAY_SESSION"))


def _has_other_profiles() -> bool:
    """Whether this gateway may run turns in homes whose settings differ from its own."""
    return _serves_many_profiles() and any((hermes_home() / "profiles").glob("*/config.yaml"))


def _register_routing(ctx: Any, runtime: Runtime, reading: Reading) -> None:
    settings, late = reading.settings, runtime.late
    if reading.on:
        runtime.encoder.prewarm(settings)  # warm by the time the first message comes

    # In shadow no tool of ours is visible; where another profile may enforce, it is registered
    # all the same and taken out of every request that is not narrowed.
    if settings.mode == "enforce" or _has_other_profiles():
        handler = tools.request_handler(runtime.guard, lambda: runtime.surfaces)
        if not _tool(ctx, runtime, dict(SCHEMA), handler):
            runtime.problem = f"the host refused the tool {REQUEST_TOOL}, so nothing could be asked"
            _log.warning("tool-router: nothing is routed: %s", runtime.problem)
            return
    if settings.jev_ask.enabled:
        _tool(
            ctx,
            runtime,
            tools.jev_ask_schema(),
            tools.jev_ask_handler(runtime.guard, runtime.parts),
        )
    ctx.register_hook("pre_llm_call", late.pre_llm_call)
    ctx.register_middleware("tool_request", late.tool_request)
    ctx.register_middleware("llm_execution", late.llm_execution)
    runtime.registered += ["pre_llm_call", "tool_request", "llm_execution"]
    _register_features(ctx, runtime, settings)


def _register_features(ctx: Any, runtime: Runtime, settings: Settings) -> None:
    """The hooks of what is layered on routing under these settings."""
    late = runtime.late
    if settings.turn_classifier.enabled or settings.tool_shaping.enabled:
        ctx.register_hook("on_session_end", late.hook("turn", "on_session_end"))
        runtime.registered += ["on_session_end"]
    if settings.risk_gate.enabled:
        ctx.register_hook("pre_tool_call", late.pre_tool_call)
        ctx.register_hook("post_tool_call", late.hook("gate", "post_tool_call"))
        ctx.register_hook("post_approval_response", late.hook("gate", "post_approval_response"))
        runtime.registered += ["pre_tool_call", "post_tool_call", "post_approval_response"]
    if settings.verify.enabled:
        ctx.register_hook("post_tool_call", late.hook("verify", "post_tool_call"))
        ctx.register_hook("pre_verify", late.hook("verify", "pre_verify"))
        ctx.register_hook("transform_llm_output", late.hook("verify", "transform_llm_output"))
        ctx.register_hook("on_session_end", late.hook("verify", "on_session_end"))
        runtime.registered += [
            "post_tool_call", "pre_verify", "transform_llm_output", "on_session_end",
        ]  # fmt: skip


def _tool(ctx: Any, runtime: Runtime, schema: dict[str, Any], handler: tools.Handler) -> bool:
    """Register a tool of ours; false if the host did not take it."""
    name = str(schema["name"])
    ctx.register_tool(
        name=name,
        toolset=TOOLSET,
        schema=schema,
        handler=handler,
        description=str(schema["description"]),
    )
    if not is_registered(name):
        return False
    runtime.registered.append(name)
    return True
