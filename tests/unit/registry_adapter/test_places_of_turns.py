"""registry_adapter.callbacks: where a turn and each of its requests run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.registry_adapter.callbacks import Callbacks
from hermes_tool_router.registry_adapter.events import RequestEvent, ToolCallEvent
from hermes_tool_router.registry_adapter.features import Silent
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.places import Place, Places
from hermes_tool_router.registry_adapter.settings_source import Reading
from hermes_tool_router.registry_adapter.stores import Stores
from hermes_tool_router.registry_adapter.turn_notes import TurnNotes
from hermes_tool_router.router.settings import Settings

ON = Reading(settings=Settings(enabled=True), active=True)
OFF = Reading(settings=Settings(enabled=False), active=True)


class Ear(Silent):
    """A feature that notes where it was called."""

    name = "ear"

    def __init__(self) -> None:
        self.heard: list[Place] = []

    def response(self, event: RequestEvent, response: object, place: Place) -> None:
        """A request was answered."""
        del event, response
        self.heard.append(place)

    def call(self, event: ToolCallEvent, place: Place) -> None:
        """A tool was called."""
        del event
        self.heard.append(place)


class Gateway:
    """A process that serves several homes; counts what it is asked."""

    def __init__(self, bench: Any, tmp_path: Path) -> None:
        self.home = tmp_path / "one"
        self._bench = bench
        self.readings: dict[str, Reading] = {}
        self.homes_asked = 0
        self.settings_asked = 0
        self.ear, self.guard = Ear(), Guard()
        places = Places(home=self._home, settings=self._settings, store=Stores())
        self.callbacks = Callbacks(self.guard, places, TurnNotes(), bench.surfaces, (self.ear,))

    def _home(self) -> Path:
        self.homes_asked += 1
        return self.home

    def _settings(self, home: Path, platform: str) -> Reading:
        self.settings_asked += 1
        if platform == "broken":
            raise OSError("planted")
        return self.readings.get(home.name, ON)

    def turn(self, turn: str, session: str = "s", platform: str = "cli") -> None:
        """A turn begins."""
        self.callbacks.pre_llm_call(
            {"session_id": session, "turn_id": turn, "platform": platform, "user_message": "x"}
        )

    def request(self, turn: str, session: str = "s", platform: str = "cli") -> Place:
        """A request is sent; where it ran, an error where that was nowhere."""
        ids = {"session_id": session, "turn_id": turn, "platform": platform}
        self.callbacks.llm_execution(self._bench.built(), lambda sent: sent, ids)
        return self.ear.heard.pop()

    def call(self, turn: str, session: str = "s") -> Place:
        """A tool is called; where that ran."""
        ids = {"session_id": session, "turn_id": turn, "tool_name": "terminal"}
        self.callbacks.tool_request(ids)
        return self.ear.heard.pop()


@pytest.fixture
def gateway(bench: Any, tmp_path: Path) -> Gateway:
    """A gateway that runs a turn of the home ``one``."""
    return Gateway(bench, tmp_path)


def test_the_first_request_runs_where_its_turn_began(gateway: Gateway) -> None:
    """Neither home nor settings are looked up twice for it."""
    gateway.turn("t1")

    place = gateway.request("t1")

    assert place.home == gateway.home
    assert (gateway.homes_asked, gateway.settings_asked) == (1, 1)


def test_a_later_request_looks_at_the_settings_of_the_same_home(gateway: Gateway) -> None:
    """The home is the turn's, and settings that were changed hold from the next request on."""
    gateway.turn("t1")
    first = gateway.request("t1")
    gateway.readings["one"] = OFF

    later = gateway.request("t1")

    assert (first.routes, later.routes) == (True, False)
    assert later.home == first.home
    assert (gateway.homes_asked, gateway.settings_asked) == (1, 2)


def test_each_turn_looks_for_its_own_home(gateway: Gateway) -> None:
    """A gateway goes from profile to profile, and one session may be answered in either."""
    gateway.turn("t1")
    one = gateway.request("t1")
    gateway.home = gateway.home.with_name("two")

    gateway.turn("t2")
    two = gateway.request("t2")

    assert (one.home.name, two.home.name) == ("one", "two")


@pytest.mark.parametrize(
    ("turn", "session", "platform"),
    [("t9", "s", "cli"), ("", "s", "cli"), ("t1", "other", "cli"), ("t1", "s", "telegram")],
    ids=["another turn", "no turn", "another session", "another platform"],
)
def test_a_place_is_handed_to_no_other_request(
    gateway: Gateway, turn: str, session: str, platform: str
) -> None:
    """It is looked up, and the turn's own first request still gets its own."""
    gateway.turn("t1")
    asked = gateway.settings_asked

    gateway.request(turn, session, platform)
    looked_up = gateway.settings_asked - asked
    own = gateway.request("t1")

    assert looked_up == 1
    assert gateway.settings_asked - asked == 1
    assert own.home.name == "one"


def test_a_turn_without_an_id_hands_nothing_over(gateway: Gateway) -> None:
    """Nothing says that a request without one belongs to it."""
    gateway.turn("")
    gateway.home = gateway.home.with_name("two")

    place = gateway.request("")

    assert place.home.name == "two"


def test_concurrent_turns_of_two_profiles_keep_their_homes(gateway: Gateway) -> None:
    """Their requests and calls come in any order."""
    gateway.turn("a", session="of one")
    gateway.home = gateway.home.with_name("two")
    gateway.turn("b", session="of two")

    places = [gateway.request("b", "of two"), gateway.request("a", "of one")]
    calls = [gateway.call("a", "of one"), gateway.call("b", "of two")]
    places += [gateway.request("b", "of two"), gateway.request("a", "of one")]

    assert [place.home.name for place in places] == ["two", "one", "two", "one"]
    assert [place.home.name for place in calls] == ["one", "two"]


def test_a_call_of_no_turn_runs_in_the_home_of_the_process(gateway: Gateway) -> None:
    """Calls nested in code carry neither session nor turn."""
    gateway.turn("t1")
    gateway.home = gateway.home.with_name("two")

    assert gateway.call("", "").home.name == "two"


def test_a_turn_whose_place_cannot_be_found_is_left_alone(gateway: Gateway) -> None:
    """Its request looks again, and goes out as it came."""
    ids = {"session_id": "s", "turn_id": "t1", "platform": "broken"}
    request: dict[str, Any] = {"tools": []}
    gateway.turn("t1", platform="broken")

    sent = gateway.callbacks.llm_execution(request, lambda given: given, ids)

    assert sent is request
    assert gateway.guard.faults == {"place": 2}
