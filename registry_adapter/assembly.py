"""What stands behind the callbacks, put together when Hermes first calls one of them.

Most processes that load the plugin never run a turn, so starting Hermes pays for nothing of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..router.settings import Settings
from .callbacks import Callbacks
from .catalog import CatalogReader
from .deciding import TieredDecider
from .encoder import Encoder
from .features import Feature
from .gate_feature import GateFeature
from .guard import Guard
from .host import hermes_home, is_registered, parent_session
from .models import Models
from .once import Once
from .own_rules import HomeRules
from .owners import owner_of
from .places import Places
from .recording import Recorder
from .resources import rule_book
from .settings_source import SettingsSource
from .spans import Spans
from .stores import Stores
from .surfaces import Surfaces
from .tokens import schema_tokens
from .turn_notes import TurnNotes

if TYPE_CHECKING:
    from .thrift import Thrift

__all__ = ["Parts", "assemble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that decides and remembers, for all homes of this process."""

    places: Places
    surfaces: Surfaces
    decider: TieredDecider
    stores: Stores
    models: Models
    callbacks: Callbacks
    hooks: Mapping[str, Mapping[str, Callable[..., Any]]]
    """Callbacks of the features, by feature and hook."""


def assemble(
    guard: Guard,
    source: SettingsSource,
    encoder: Encoder,
    settings: Settings,
    policy: Callable[..., object],
) -> Parts:
    """Put the parts together.

    Args:
        guard: catches the faults of all of them.
        source: the settings in force.
        encoder: the embedded encoder of this process.
        settings: what held at registration; it says which features listen.
        policy: the gate's ``pre_tool_call`` callback as Hermes holds it.
    """
    stores, models, notes = Stores(), Models(), TurnNotes()
    places = Places(home=hermes_home, settings=source, store=stores)
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
    features: list[Feature] = []
    if settings.turn_classifier.enabled or settings.tool_shaping.enabled:
        from .turn_feature import TurnFeature  # noqa: PLC0415 - only where it is on

        turns = TurnFeature(models)
        models.turn_opinion = turns.opinion
        features.append(turns)
    if settings.risk_gate.enabled:
        features.append(GateFeature(guard, places, models, notes, policy))
    if settings.verify.enabled:
        from .verify_feature import VerifyFeature  # noqa: PLC0415 - loads shell grammar and tables

        features.append(VerifyFeature(guard, places, models.completion))
    return Parts(
        places=places,
        surfaces=surfaces,
        decider=decider,
        stores=stores,
        models=models,
        callbacks=Callbacks(guard, places, notes, surfaces, tuple(features)),
        hooks={feature.name: feature.hooks for feature in features},
    )


def _thrift() -> Thrift:
    from .thrift import Thrift  # noqa: PLC0415 - with the first decision only

    return Thrift()
