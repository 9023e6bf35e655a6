"""router.session: the ways in which a surface may change."""

from __future__ import annotations

import pytest

from hermes_tool_router.router import session
from hermes_tool_router.router.errors import StateError
from hermes_tool_router.router.session import Phase
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


def _toolset(name: str, *tools: str) -> Toolset:
    specs = tuple(
        ToolSpec(name=ToolName(tool), toolset=ToolsetName(name), description="", tokens=100)
        for tool in tools
    )
    return Toolset(name=ToolsetName(name), origin=Origin.BUILTIN, description="", tools=specs)


def _names(*names: str) -> tuple[ToolName, ...]:
    return tuple(ToolName(name) for name in names)


def _toolsets(*names: str) -> tuple[ToolsetName, ...]:
    return tuple(ToolsetName(name) for name in names)


CATALOG = Catalog(
    toolsets=(
        _toolset("memory", "memory"),
        _toolset("file", "patch", "read_file"),
        _toolset("terminal", "process", "terminal"),
        _toolset("web", "web_search"),
    ),
    order=_names("memory", "patch", "process", "read_file", "terminal", "web_search"),
)


def _decision(
    *kept: str, evident: tuple[str, ...] = (), substantive: bool = True, full: bool = False
) -> Decision:
    return Decision(
        outcome=Outcome.FULL if full else Outcome.NARROWED,
        grade=Grade.FULL if full else Grade.TIGHT,
        toolsets=_toolsets(*kept),
        evident=frozenset(_toolsets(*evident)),
        substantive=substantive,
    )


def _started(*kept: str, substantive: bool = True) -> session.SessionState:
    return session.start("s", _decision(*kept, substantive=substantive), CATALOG, menu="m")


class TestStart:
    def test_a_narrow_decision_sends_its_tools_in_the_hosts_order(self) -> None:
        """Toolsets interleave in the host's array, and their order there is kept."""
        state = _started("memory", "terminal", "file")

        assert state.order == _names("memory", "patch", "process", "read_file", "terminal")
        assert state.phase is Phase.NARROWED

    def test_a_full_decision_leaves_requests_alone(self) -> None:
        """A pass-through session has no names of its own."""
        state = session.start("s", _decision(full=True), CATALOG, menu="m")

        assert state.phase is Phase.PASS
        assert session.sent_names(state, CATALOG.order) is None

    def test_a_greeting_leaves_the_session_waiting(self) -> None:
        """A message that is no task does not use up the first turn."""
        assert _started("memory", substantive=False).phase is Phase.WAITING


class TestExpand:
    def test_the_first_task_after_a_greeting_appends_its_whole_decision(self) -> None:
        """The floor keeps its bytes, what the task needs comes behind it."""
        waiting = _started("memory", substantive=False)

        state = session.expand(waiting, _decision("memory", "file"), CATALOG)

        assert state.order == _names("memory", "patch", "read_file")
        assert state.phase is Phase.NARROWED
        assert state.added == ()

    def test_a_full_decision_after_a_greeting_opens_the_session(self) -> None:
        """Everything is sent, and the floor stays in front."""
        waiting = _started("memory", substantive=False)

        state = session.expand(waiting, _decision(full=True), CATALOG)

        assert session.sent_names(state, _names("patch", "memory")) == _names("memory", "patch")

    def test_a_later_turn_adds_only_what_is_evident(self) -> None:
        """A broad guess on a later turn is not worth a new prefix."""
        state = _started("memory")

        state = session.expand(state, _decision("file", "web", evident=("web",)), CATALOG)

        assert state.order == _names("memory", "web_search")
        assert state.added == ("web",)

    def test_nothing_new_returns_the_same_state(self) -> None:
        """Callers tell a change by identity."""
        state = _started("memory", "web")

        assert session.expand(state, _decision("web", evident=("web",)), CATALOG) is state


class TestSentNames:
    def test_what_the_host_withdraws_returns_to_its_old_place(self) -> None:
        """An availability check that flaps must not reorder the prefix."""
        state = session.grow(_started("memory", "file"), _toolsets("web"), CATALOG)
        without_patch = _names("memory", "read_file", "web_search")

        absent = session.sent_names(state, without_patch)
        present = session.sent_names(state, CATALOG.order)

        assert absent == without_patch
        assert present == _names("memory", "patch", "read_file", "web_search")

    def test_a_late_tool_is_held_back(self) -> None:
        """A server that connects late must not move the prefix."""
        state = _started("memory")

        sent = session.sent_names(state, _names("mcp__a__b", "memory"))

        assert sent == _names("memory")

    def test_a_late_tool_joins_the_end_of_an_open_session(self) -> None:
        """An open session sends everything, and still only appends."""
        state = session.settle(session.open_up(_started("memory")), _names("memory", "patch"))

        state = session.settle(state, _names("aaa", "memory", "patch"))

        assert state.order == _names("memory", "patch", "aaa")


def test_a_child_carries_its_parents_bytes() -> None:
    """A rotated or branched session sends what its parent sent."""
    parent = session.append(_started("memory"), _names("web_search"))

    child = session.inherit(parent, "child")

    assert child.session_id == "child"
    assert (child.order, child.menu) == (parent.order, parent.menu)


class TestJson:
    def test_a_state_survives_the_round_trip(self) -> None:
        """What is stored is what was meant, names in any script included."""
        state = session.append(_started("memory", "file"), _names("mcp__почта__отправить"))

        assert session.from_json(session.to_json(state)) == state

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("", id="nothing"),
            pytest.param("[]", id="a list"),
            pytest.param('{"version": 99}', id="another version"),
            pytest.param('{"version": 1}', id="fields missing"),
            pytest.param(
                '{"version":1,"session_id":"s","phase":"narrowed","order":"memory",'
                '"toolsets":[],"added":[],"menu":"","why":""}',
                id="text where names belong",
            ),
            pytest.param(
                '{"version":1,"session_id":"s","phase":"wide","order":[],'
                '"toolsets":[],"added":[],"menu":"","why":""}',
                id="a phase that does not exist",
            ),
        ],
    )
    def test_anything_else_is_refused(self, text: str) -> None:
        """A damaged row must not become a surface."""
        with pytest.raises(StateError):
            session.from_json(text)
