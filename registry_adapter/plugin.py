"""Wiring: what Hermes calls, and what each call does.

``register()`` may run twice in one process (a forced rescan clears the host's
lists first), so everything it makes hangs on one :class:`Runtime` and nothing
is kept at module level.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..recovery.request import NAME as REQUEST_TOOL
from ..recovery.request import SCHEMA, TOOLSET
from . import tools
from .callbacks import Callbacks
from .catalog import CatalogReader
from .deciding import TieredDecider
from .encoder import Encoder
from .features import Feature
from .gate_feature import GateFeature
from .guard import Guard
from .host import hermes_home, is_registered, owner_of, parent_session
from .models import Models
from .once import Once
from .own_rules import HomeRules
from .places import Places
from .recording import Recorder
from .resources import rule_book, rule_book_problem
from .settings_source import Reading, SettingsSource, hermes_host
from .spans import Spans
from .stores import Stores
from .surfaces import Surfaces
from .tokens import schema_tokens
from .turn_notes import TurnNotes

if TYPE_CHECKING:
    from .thrift import Thrift

__all__ = ["Runtime", "register"]

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Runtime:
    """What one registration made; the commands read it."""

    guard: Guard
    source: SettingsSource
    places: Places
    surfaces: Surfaces
    decider: TieredDecider
    stores: Stores
    models: Models
    encoder: Encoder
    registered: list[str] = field(default_factory=list)
    """Hooks, middleware and tools that were registered, in order."""
    problem: str = ""
    """Why nothing is routed, empty where routing runs."""

    def reading(self, platform: str = "") -> Reading:
        """The settings of the home of the running turn."""
        return self.source(hermes_home(), platform)


def register(ctx: Any) -> Runtime:
    """Register hooks, middleware and tools in a Hermes plugin context.

    Never raises.  Where routing is off or cannot work, nothing that touches a
    request is registered, and :attr:`Runtime.problem` says why.
    """
    runtime = _build(ctx)
    reading = runtime.guard.run(
        "register", runtime.reading, lambda: runtime.source(Path("nowhere"), "")
    )
    runtime.problem = _obstacle(ctx, reading) or rule_book_problem()
    if runtime.problem:
        if reading.on:
            _log.warning("tool-router: nothing is routed: %s", runtime.problem)
        return runtime
    return runtime.guard.run(
        "register", lambda: _register_routing(ctx, runtime, reading), lambda: runtime
    )


def _build(ctx: Any) -> Runtime:
    guard = Guard()
    source = SettingsSource(hermes_host(ctx), guard=guard)
    stores, models = Stores(), Models()
    places = Places(home=hermes_home, settings=source, store=stores)
    encoder = Encoder()
    decider = TieredDecider(
        book=Once(rule_book),
        guard=guard,
        local=encoder,
        network=models.network_tier,
        own_rules=HomeRules(),
        thrift=Once(_thrift),
    )
    surfaces = Surfaces(
        places=places,
        decider=decider,
        reader=CatalogReader(owner_of, schema_tokens),
        is_registered=is_registered,
        parent_of=lambda place, session_id: parent_session(place.home, session_id),
        record=Recorder(guard, Spans()),
    )
    return Runtime(
        guard=guard,
        source=source,
        places=places,
        surfaces=surfaces,
        decider=decider,
        stores=stores,
        models=models,
        encoder=encoder,
    )


def _thrift() -> Thrift:
    from .thrift import Thrift  # noqa: PLC0415 - with the first decision, not with every start

    return Thrift()


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


def _register_routing(ctx: Any, runtime: Runtime, reading: Reading) -> Runtime:
    surfaces, guard = runtime.surfaces, runtime.guard
    if reading.on:
        runtime.encoder.prewarm(reading.settings)  # warm by the time the first message comes

    # In shadow no tool of ours is visible; where another profile may enforce, it is registered
    # all the same and taken out of every request that is not narrowed.
    if reading.settings.mode == "enforce" or _has_other_profiles():
        schema = dict(SCHEMA)
        if not _tool(ctx, runtime, schema, tools.request_handler(guard, surfaces)):
            runtime.problem = f"the host refused the tool {REQUEST_TOOL}, so nothing could be asked"
            _log.warning("tool-router: nothing is routed: %s", runtime.problem)
            return runtime
    if reading.settings.jev_ask.enabled:
        _tool(
            ctx,
            runtime,
            tools.jev_ask_schema(),
            tools.jev_ask_handler(guard, runtime.places, runtime.models),
        )
    notes = TurnNotes()
    features = _features(runtime, reading, notes)
    callbacks = Callbacks(guard, runtime.places, notes, surfaces, features)
    ctx.register_hook("pre_llm_call", callbacks.pre_llm_call)
    ctx.register_middleware("tool_request", callbacks.tool_request)
    ctx.register_middleware("llm_execution", callbacks.llm_execution)
    runtime.registered += ["pre_llm_call", "tool_request", "llm_execution"]
    for feature in features:
        runtime.registered += feature.register(ctx)
    return runtime


def _features(runtime: Runtime, reading: Reading, notes: TurnNotes) -> tuple[Feature, ...]:
    """What is layered on routing under these settings; imported only where it is on."""
    found: list[Feature] = []
    settings = reading.settings
    if settings.turn_classifier.enabled or settings.tool_shaping.enabled:
        from .turn_feature import TurnFeature  # noqa: PLC0415 - only where it is on

        turns = TurnFeature(runtime.models)
        runtime.models.turn_opinion = turns.opinion
        found.append(turns)
    if reading.settings.risk_gate.enabled:
        found.append(GateFeature(runtime.guard, runtime.places, runtime.models, notes))
    if reading.settings.verify.enabled:
        from .verify_feature import VerifyFeature  # noqa: PLC0415 - loads shell grammar and tables

        found.append(VerifyFeature(runtime.guard, runtime.places, runtime.models.completion))
    return tuple(found)


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
