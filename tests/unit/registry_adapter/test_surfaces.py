"""registry_adapter.surfaces: one surface per session, with the real rule book and store."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.recovery.request import NAME as REQUEST_TOOL
from hermes_tool_router.registry_adapter.catalog import CatalogReader
from hermes_tool_router.registry_adapter.deciding import TieredDecider
from hermes_tool_router.registry_adapter.events import RequestEvent, ToolCallEvent, TurnEvent
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.host import Owner
from hermes_tool_router.registry_adapter.places import Place
from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.registry_adapter.surfaces import Record, Surfaces
from hermes_tool_router.router.session import Phase
from hermes_tool_router.router.settings import Settings
from hermes_tool_router.router.values import Origin, ToolName, ToolsetName

OWNERS = {
    "clarify": "clarify",
    "memory": "memory",
    "patch": "file",
    "process": "terminal",
    "read_file": "file",
    "search_files": "file",
    "skill_view": "skills",
    "terminal": "terminal",
    "web_search": "web",
    "write_file": "file",
}
GRANTED = (*sorted([*OWNERS, REQUEST_TOOL]), "provider_tool")
TASK = "run pytest in ~/src/app and fix the test that fails in tests/test_cart.py"
BOOK = rule_book()
QUESTION = "what is the difference between a fruit and a vegetable?"


def _owner(name: ToolName) -> Owner:
    if name == REQUEST_TOOL:
        return Owner(toolset=ToolsetName("tool_router"), origin=Origin.OWN, description="")
    if name.startswith("mcp__"):
        return Owner(toolset=ToolsetName("mcp-crm"), origin=Origin.MCP, description="")
    if name not in OWNERS:
        return Owner(toolset=ToolsetName(name), origin=Origin.UNREGISTERED, description="")
    return Owner(toolset=ToolsetName(OWNERS[name]), origin=Origin.BUILTIN, description="")


def _request(*names: str, messages: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "model": "m",
        "messages": messages or [{"role": "user", "content": "x"}],
        "tools": [
            {"type": "function", "function": {"name": name, "description": name, "parameters": {}}}
            for name in names or GRANTED
        ],
    }


def _names(request: Mapping[str, Any]) -> list[str]:
    return [item["function"]["name"] for item in request["tools"]]


class Bench:
    """Surfaces of one home, driven as Hermes drives them."""

    def __init__(
        self, home: Path, parents: Mapping[str, str] | None = None, **settings: Any
    ) -> None:
        guard = Guard()
        self.settings = Settings(enabled=True, **settings)
        self.store = StateStore(home)
        self.place = Place(home=home, settings=self.settings, store=self.store, routes=True)
        self.records: list[Record] = []
        self.surfaces = Surfaces(
            places=lambda platform: self.place,
            decider=TieredDecider(book=BOOK, guard=guard, environ={}),
            reader=CatalogReader(_owner, lambda schema: 900),
            is_registered=lambda name: name in OWNERS or name == REQUEST_TOOL,
            parent_of=lambda place, session_id: (parents or {}).get(session_id, ""),
            record=lambda place, record: self.records.append(record),
        )
        self._turns = 0

    def turn(
        self,
        text: object,
        *,
        session: str = "s",
        first: bool = False,
        origin: str = "",
        platform: str = "cli",
        request: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any]:
        """Announce a turn and send its first request."""
        self._turns += 1
        turn_id = f"{origin or session}:task:{self._turns:08x}"
        self.surfaces.begin_turn(
            TurnEvent.read(
                {
                    "session_id": session,
                    "turn_id": turn_id,
                    "platform": platform,
                    "user_message": text,
                    "is_first_turn": first,
                }
            )
        )
        return self.request(session=session, turn_id=turn_id, platform=platform, request=request)

    def request(
        self,
        *,
        session: str = "s",
        turn_id: str = "later",
        platform: str = "cli",
        request: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any]:
        """Send a request that begins no turn."""
        event = RequestEvent.read(
            {
                "session_id": session,
                "turn_id": turn_id,
                "platform": platform,
                "api_mode": "chat_completions",
            }
        )
        return self.surfaces.narrow(event, request if request is not None else _request())

    def call(self, tool: str, *, session: str = "s") -> None:
        """Let the model call a tool."""
        self.surfaces.called(ToolCallEvent.read({"session_id": session, "tool_name": tool}))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A home with routing in enforce mode."""
    return Bench(tmp_path)


class TestFirstTurn:
    def test_a_task_gets_its_tools_and_the_floor(self, bench: Bench) -> None:
        """What the message needs is there, and what nothing can know about stays."""
        live = _request()
        before = copy.deepcopy(live)

        sent = _names(bench.turn(TASK, first=True, request=live))

        assert {"terminal", "read_file", "patch", "memory", REQUEST_TOOL, "provider_tool"} <= set(
            sent
        )
        assert "web_search" not in sent
        assert live == before

    def test_the_menu_reaches_the_model(self, bench: Bench) -> None:
        """request_toolset says what is held back, in the request itself."""
        sent = bench.turn(QUESTION, first=True)

        own = next(t for t in sent["tools"] if t["function"]["name"] == REQUEST_TOOL)
        assert "terminal (shell commands)" in own["function"]["description"]

    def test_without_a_way_to_ask_nothing_is_narrowed(self, bench: Bench) -> None:
        """An explicit toolset list leaves out our tool, so it keeps the whole request."""
        request = _request("memory", "terminal", "web_search")

        assert bench.turn(QUESTION, first=True, request=request) is request
        assert bench.records[-1].state.why == "host.no_request_toolset"

    def test_a_bridge_is_a_way_to_ask(self, bench: Bench) -> None:
        """With Tool Search on, request_toolset is behind tool_call."""
        request = _request("memory", "terminal", "tool_call", "web_search")

        assert "terminal" not in _names(bench.turn(QUESTION, first=True, request=request))

    @pytest.mark.parametrize("platform", ["subagent", "curator"])
    def test_an_agent_with_a_grant_of_its_own_keeps_it(self, bench: Bench, platform: str) -> None:
        """Sub-agents and the curator are not narrowed by default."""
        request = _request()

        assert bench.turn(QUESTION, first=True, platform=platform, request=request) is request

    def test_a_history_that_was_not_seen_is_not_narrowed(self, bench: Bench) -> None:
        """The plugin may be enabled in the middle of a conversation."""
        request = _request()

        assert bench.turn(TASK, request=request) is request
        assert bench.turn(QUESTION, request=request) is request

    def test_an_unreadable_message_keeps_everything(self, bench: Bench) -> None:
        """Content of a shape that nobody knows is no reason to prune."""
        request = _request()

        assert bench.turn([{"type": "hologram"}], first=True, request=request) is request

    def test_a_request_that_no_turn_announced_is_left_alone(self, bench: Bench) -> None:
        """Auxiliary requests of an unknown session pass."""
        request = _request()

        assert bench.request(session="other", request=request) is request


class TestLaterTurns:
    def test_the_same_need_sends_the_same_bytes(self, bench: Bench) -> None:
        """A turn without a new need must not touch the prefix."""
        first = bench.turn(TASK, first=True)

        assert bench.turn("thanks")["tools"] == first["tools"]
        assert bench.request()["tools"] == first["tools"]

    def test_a_plain_new_need_is_appended(self, bench: Bench) -> None:
        """The tool is there in that turn's first request, behind what was sent before."""
        first = _names(bench.turn(TASK, first=True))

        later = _names(bench.turn("now search the web for the changelog of that library"))

        assert later[: len(first)] == first
        assert "web_search" in later

    def test_later_growth_can_be_switched_off(self, tmp_path: Path) -> None:
        """expand_on_later_turns: false leaves growth to the model's own calls."""
        bench = Bench(tmp_path, expand_on_later_turns=False)
        first = _names(bench.turn(TASK, first=True))

        assert _names(bench.turn("now search the web for the changelog")) == first

    def test_a_greeting_does_not_use_up_the_first_turn(self, bench: Bench) -> None:
        """The floor goes out with the greeting, the task's tools with the task."""
        greeted = _names(bench.turn("hi", first=True))

        worked = _names(bench.turn(TASK))

        assert "terminal" not in greeted
        assert worked[: len(greeted)] == greeted
        assert {"terminal", "read_file"} <= set(worked)


class TestGrowth:
    def test_a_called_tool_joins_with_its_toolset(self, bench: Bench) -> None:
        """The call runs in its step; the next request carries the schema."""
        first = _names(bench.turn(QUESTION, first=True))

        bench.call("terminal")

        grown = _names(bench.request())
        assert grown[: len(first)] == first
        assert grown[len(first) :] == ["process", "terminal"]

    def test_a_request_for_a_toolset_is_answered(self, bench: Bench) -> None:
        """The visible way to ask works by session id."""
        bench.turn(QUESTION, first=True)

        reply = bench.surfaces.asked("s", {"toolsets": ["web"]})

        assert reply["added_tools"] == ["web_search"]
        assert _names(bench.request())[-1] == "web_search"

    def test_a_session_that_is_not_narrowed_has_nothing_to_add(self, bench: Bench) -> None:
        """The answer tells the model to go on."""
        assert "nothing is held back" in str(bench.surfaces.asked("other", {"tools": ["terminal"]}))

    def test_a_tool_that_the_history_used_is_visible(self, bench: Bench) -> None:
        """Whatever the state says, a call in the history has its schema."""
        bench.turn(QUESTION, first=True)
        history = [{"role": "assistant", "tool_calls": [{"function": {"name": "web_search"}}]}]

        assert "web_search" in _names(bench.request(request=_request(messages=history)))

    def test_a_forced_tool_is_visible(self, bench: Bench) -> None:
        """A request that forces a tool it does not carry would be refused."""
        bench.turn(QUESTION, first=True)
        request = _request()
        request["tool_choice"] = {"type": "function", "function": {"name": "terminal"}}

        assert "terminal" in _names(bench.request(request=request))

    def test_a_late_server_is_held_back_until_it_is_called(self, bench: Bench) -> None:
        """The prefix stays, and the tool comes the moment it is used."""
        first = _names(bench.turn(QUESTION, first=True))
        late = _request("mcp__crm__find", *GRANTED)

        assert _names(bench.request(request=late)) == first
        bench.call("mcp__crm__find")
        assert _names(bench.request(request=late)) == [*first, "mcp__crm__find"]

    def test_a_nested_call_changes_nothing(self, bench: Bench) -> None:
        """Calls of execute_code carry no session."""
        first = _names(bench.turn(QUESTION, first=True))

        bench.call("terminal", session="")

        assert _names(bench.request()) == first


class TestReview:
    def test_a_background_review_sends_its_parents_bytes(self, bench: Bench) -> None:
        """The fork shares the session id; it neither decides nor grows."""
        first = bench.turn(QUESTION, first=True)
        seen: list[Mapping[str, Any]] = []

        def fork() -> None:
            seen.append(bench.turn("Review the conversation above and save what matters"))
            bench.call("terminal")
            seen.append(bench.request())

        thread = threading.Thread(target=fork, name="bg-review")
        thread.start()
        thread.join()

        assert [sent["tools"] for sent in seen] == [first["tools"], first["tools"]]


class TestKinship:
    def test_a_rotated_session_carries_its_parents_surface(self, bench: Bench) -> None:
        """After a rotation the turn id still names the old session."""
        parent = bench.turn(QUESTION, first=True, session="old")

        child = bench.turn(TASK, first=True, session="new", origin="old")

        assert child["tools"] == parent["tools"]

    def test_a_branch_carries_its_parents_surface(self, tmp_path: Path) -> None:
        """Hermes knows the parent of a session with a copied history."""
        bench = Bench(tmp_path, parents={"branch": "s"})
        parent = bench.turn(QUESTION, first=True)

        child = bench.turn("and in French?", session="branch")

        assert child["tools"] == parent["tools"]

    def test_an_identical_opener_starts_anew(self, bench: Bench) -> None:
        """The API server derives its ids from openers: additions must not pile up."""
        first = bench.turn(QUESTION, first=True)
        bench.call("terminal")

        again = bench.turn(QUESTION, first=True)

        assert again["tools"] == first["tools"]

    def test_a_new_process_goes_on_with_the_same_bytes(self, tmp_path: Path) -> None:
        """What was sent is on disk before it is sent."""
        before = Bench(tmp_path)
        before.turn(QUESTION, first=True)
        before.call("terminal")
        sent = before.request()

        after = Bench(tmp_path)

        assert after.turn("go on")["tools"] == sent["tools"]


class TestModes:
    def test_shadow_decides_and_changes_nothing(self, tmp_path: Path) -> None:
        """Requests are the host's own objects, and the record says what would have gone out."""
        bench = Bench(tmp_path, mode="shadow")
        request = _request("clarify", "memory", "terminal", "web_search")

        assert bench.turn(QUESTION, first=True, request=request) is request
        record = bench.records[-1]
        assert (record.shadow, record.tokens_full, record.tokens_sent) == (True, 3600, 1800)
        assert bench.store.get("s") is None

    def test_where_routing_is_off_our_own_tool_is_taken_out(self, tmp_path: Path) -> None:
        """Another profile of the same process may have it on."""
        bench = Bench(tmp_path)
        bench.place = Place(home=tmp_path, settings=Settings(), store=bench.store, routes=False)

        sent = bench.turn(QUESTION, first=True, request=_request("memory", REQUEST_TOOL))

        assert _names(sent) == ["memory"]

    def test_a_session_can_be_opened_for_good(self, bench: Bench) -> None:
        """`/router off`: everything is sent, what was sent before stays in front."""
        first = _names(bench.turn(QUESTION, first=True))

        bench.surfaces.open("s")

        sent = _names(bench.request())
        assert sent[: len(first)] == first
        assert set(sent) == set(GRANTED)

    def test_pinned_tools_are_sent(self, tmp_path: Path) -> None:
        """floor_tools keeps single tools of a toolset."""
        bench = Bench(tmp_path, floor_tools=("process",))

        sent = _names(bench.turn(QUESTION, first=True))

        assert "process" in sent
        assert "terminal" not in sent


def test_eight_sessions_in_threads_do_not_mix(bench: Bench) -> None:
    """Each session ends with the surface that it would have alone."""
    tools = ["terminal", "web_search", "read_file", "patch"] * 2
    sent: dict[int, list[str]] = {}

    def drive(index: int) -> None:
        session = f"s{index}"
        bench.turn(QUESTION, first=True, session=session)
        bench.call(tools[index], session=session)
        sent[index] = _names(bench.request(session=session))

    threads = [threading.Thread(target=drive, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(sent) == list(range(8))
    assert all(tools[index] in names for index, names in sent.items())
    assert all(
        ("terminal" in names) == (tools[index] == "terminal") for index, names in sent.items()
    )
    state = bench.store.get("s0")
    assert state is not None
    assert state.phase is Phase.NARROWED
