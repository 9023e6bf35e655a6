"""recovery.expansion and recovery.request."""

from __future__ import annotations

from hermes_tool_router.recovery import request
from hermes_tool_router.recovery.expansion import LARGE_MCP_TOOLS, recover
from hermes_tool_router.router import session
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Grade,
    Origin,
    Outcome,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)


def _toolset(name: str, tools: list[str], origin: Origin = Origin.BUILTIN) -> Toolset:
    return Toolset(
        name=ToolsetName(name),
        origin=origin,
        description="",
        tools=tuple(
            ToolSpec(name=ToolName(tool), toolset=ToolsetName(name), description="", tokens=50)
            for tool in tools
        ),
    )


LARGE = [f"mcp__crm__op{index:02}" for index in range(LARGE_MCP_TOOLS + 1)]
TOOLSETS = (
    _toolset("memory", ["memory"]),
    _toolset("file", ["patch", "read_file"]),
    _toolset("mcp-crm", LARGE, Origin.MCP),
    _toolset("mcp-small", ["mcp__small__a", "mcp__small__b"], Origin.MCP),
)
CATALOG = Catalog(
    toolsets=TOOLSETS,
    order=tuple(tool.name for toolset in TOOLSETS for tool in toolset.tools),
)


def _state() -> session.SessionState:
    decision = Decision(
        outcome=Outcome.NARROWED, grade=Grade.TIGHT, toolsets=(ToolsetName("memory"),)
    )
    return session.start("s", decision, CATALOG, menu="")


class TestRecover:
    def test_a_called_tool_brings_its_toolset(self) -> None:
        """A file is read before it is patched: siblings come along."""
        state = recover(_state(), ToolName("read_file"), CATALOG)

        assert state.order == ("memory", "patch", "read_file")
        assert state.added == ("file",)

    def test_a_large_server_comes_back_one_tool_at_a_time(self) -> None:
        """Forty operations cost more than the rest of the request."""
        state = recover(_state(), ToolName(LARGE[3]), CATALOG)

        assert state.order == ("memory", LARGE[3])

    def test_a_second_tool_of_a_large_server_brings_the_rest(self) -> None:
        """Two different calls say that the server is in use."""
        state = recover(_state(), ToolName(LARGE[3]), CATALOG)

        state = recover(state, ToolName(LARGE[5]), CATALOG)

        assert set(state.order) == {"memory", *LARGE}
        assert state.order[:2] == ("memory", LARGE[3])

    def test_a_small_server_comes_back_whole(self) -> None:
        """Below the bound a server is like any toolset."""
        state = recover(_state(), ToolName("mcp__small__b"), CATALOG)

        assert state.order == ("memory", "mcp__small__a", "mcp__small__b")

    def test_a_tool_outside_the_grant_changes_nothing(self) -> None:
        """Recovery never adds what the operator withheld."""
        state = _state()

        assert recover(state, ToolName("terminal"), CATALOG) is state


class TestRequest:
    def test_several_toolsets_and_tools_join_in_one_call(self) -> None:
        """One call may ask for all that a task needs."""
        reply = request.answer(
            _state(), {"toolsets": ["file"], "tools": ["mcp__small__a"]}, CATALOG
        )

        assert reply.payload["added_tools"] == ["patch", "read_file", "mcp__small__a"]

    def test_names_come_in_the_shapes_that_models_write(self) -> None:
        """Text with commas, other case, a server without its prefix, a toolset among the tools."""
        reply = request.answer(_state(), {"toolsets": "File, small", "tools": ["crm"]}, CATALOG)

        assert reply.state.toolsets == ("memory", "file", "mcp-small", "mcp-crm")

    def test_a_withheld_toolset_is_refused_in_plain_words(self) -> None:
        """The model learns that asking again is of no use."""
        state = _state()

        reply = request.answer(state, {"toolsets": ["terminal"]}, CATALOG)

        assert reply.state is state
        assert reply.payload["success"] is False
        assert "not granted" in str(reply.payload["refused"])

    def test_a_near_miss_gets_suggestions(self) -> None:
        """A typo costs one step, not the task."""
        reply = request.answer(_state(), {"tools": ["read_fil"]}, CATALOG)

        assert "read_file" in str(reply.payload["refused"])

    def test_an_empty_request_says_what_to_pass(self) -> None:
        """The answer names the arguments and the toolsets."""
        reply = request.answer(_state(), {}, CATALOG)

        assert "toolsets" in str(reply.payload["error"])
        assert reply.payload["toolsets"] == ["memory", "file", "mcp-crm", "mcp-small"]

    def test_asking_for_what_is_there_says_so(self) -> None:
        """Nothing changes, and the model is told to go on."""
        state = _state()

        reply = request.answer(state, {"tools": ["memory"]}, CATALOG)

        assert reply.state is state
        assert reply.payload["already_available"] == ["memory"]

    def test_the_menu_is_the_same_for_every_route(self) -> None:
        """The description depends on the grant alone, so that its bytes are shared."""
        text = request.menu(CATALOG)

        assert all(name in text for name in ("memory", "file", "mcp-crm", "mcp-small"))
        assert text == request.menu(CATALOG)

    def test_a_long_menu_falls_back_to_names(self) -> None:
        """Many servers must not make the tool itself a burden."""
        many = tuple(
            _toolset(f"mcp-server-{index}", [f"mcp__{index}__x"], Origin.MCP)
            for index in range(200)
        )
        catalog = Catalog(toolsets=(*TOOLSETS, *many), order=CATALOG.order)

        text = request.menu(catalog)

        assert len(text) < 1500
        assert "mcp-server-3," in text
        assert text.endswith(" more.")
