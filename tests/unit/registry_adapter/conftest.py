"""A home with real rules, settings and store, driven as Hermes drives the plugin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.recovery.schema import NAME as REQUEST_TOOL
from hermes_tool_router.registry_adapter.catalog import CatalogReader
from hermes_tool_router.registry_adapter.deciding import TieredDecider
from hermes_tool_router.registry_adapter.events import RequestEvent, ToolCallEvent, TurnEvent
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.owners import Owner
from hermes_tool_router.registry_adapter.places import Place
from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.registry_adapter.surfaces import Record, Surfaces
from hermes_tool_router.registry_adapter.thrift import Thrift
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
BOOK = rule_book()
THRIFT = Thrift()


def _owner(name: ToolName) -> Owner:
    if name == REQUEST_TOOL:
        return Owner(toolset=ToolsetName("tool_router"), origin=Origin.OWN, description="")
    if name.startswith("mcp__"):
        return Owner(toolset=ToolsetName("mcp-crm"), origin=Origin.MCP, description="")
    if name not in OWNERS:
        return Owner(toolset=ToolsetName(name), origin=Origin.UNREGISTERED, description="")
    return Owner(toolset=ToolsetName(OWNERS[name]), origin=Origin.BUILTIN, description="")


class Bench:
    """Surfaces of one home, driven as Hermes drives them."""

    granted = GRANTED
    address: Mapping[str, str] = {}
    """Model and address of the requests, where a test has them."""

    @staticmethod
    def built(*names: str, messages: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """A request as the host builds it; without names: everything that was granted."""
        tools = [
            {"type": "function", "function": {"name": name, "description": name, "parameters": {}}}
            for name in names or GRANTED
        ]
        rows = messages or [{"role": "user", "content": "x"}]
        return {"model": "m", "messages": rows, "tools": tools}

    @staticmethod
    def names(request: Mapping[str, Any]) -> list[str]:
        """Names of a request's tools, in order."""
        return [item["function"]["name"] for item in request["tools"]]

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
            decider=TieredDecider(
                book=lambda: BOOK, guard=guard, environ={}, thrift=lambda: THRIFT
            ),
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
            ),
            self.place,
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
                **self.address,
            }
        )
        return self.surfaces.narrow(
            event, request if request is not None else self.built(), self.place
        )

    def call(self, tool: str, *, session: str = "s") -> None:
        """Let the model call a tool."""
        event = ToolCallEvent.read({"session_id": session, "tool_name": tool})
        self.surfaces.called(event, self.place)


MakeBench = Callable[..., Bench]


@pytest.fixture
def make_bench(tmp_path: Path) -> MakeBench:
    """Make benches of one home: a second one is a second process."""
    return lambda **settings: Bench(tmp_path, **settings)


@pytest.fixture
def bench(make_bench: MakeBench) -> Bench:
    """A home with routing in enforce mode."""
    return make_bench()
