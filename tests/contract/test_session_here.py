"""The session of a slash command, found the way each front end allows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("gateway.session")

from hermes_tool_router.registry_adapter.session_here import SessionHere


@pytest.fixture(autouse=True)
def quiet_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A scratch home, no session in the environment, no terminal."""
    from gateway import session_context
    from hermes_cli.plugins import get_plugin_manager

    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_SESSION_ID", raising=False)
    monkeypatch.setattr(session_context, "_session_context_engaged", False)
    monkeypatch.setattr(get_plugin_manager(), "_cli_ref", None)
    session_context.reset_session_vars()
    yield
    session_context.reset_session_vars()


def gateway(tmp_path: Path) -> tuple[Any, Any]:
    """The parts of a gateway that the hook hands out: Hermes' own session store."""
    from gateway.config import GatewayConfig
    from gateway.session import SessionStore, build_session_key

    store = SessionStore(tmp_path / "sessions", GatewayConfig())
    return SimpleNamespace(_session_key_for_source=build_session_key), store


def source(chat: str) -> Any:
    """Where a message came from."""
    from gateway.config import Platform
    from gateway.session import SessionSource

    return SessionSource(platform=Platform.TELEGRAM, chat_id=chat, user_id=chat, chat_type="dm")


def test_each_chat_of_a_gateway_gets_its_own_session(tmp_path: Path) -> None:
    """Two messages handled at the same time do not see each other's."""
    runner, store = gateway(tmp_path)
    expected = {chat: store.get_or_create_session(source(chat)).session_id for chat in "ab"}
    here = SessionHere()

    async def message(chat: str) -> str:
        event = SimpleNamespace(source=source(chat))
        here.note_event(event=event, gateway=runner, session_store=store)
        await asyncio.sleep(0.01)
        return here()

    async def both() -> list[str]:
        return list(await asyncio.gather(message("a"), message("b")))

    assert asyncio.run(both()) == [expected["a"], expected["b"]]


def test_chat_without_a_session_is_unknown(tmp_path: Path) -> None:
    """The first thing typed in a chat is the command."""
    runner, store = gateway(tmp_path)
    here = SessionHere()

    here.note_event(
        event=SimpleNamespace(source=source("new")), gateway=runner, session_store=store
    )

    assert here() == ""


def test_terminal_has_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interactive CLI's own, also after /new."""
    from hermes_cli.plugins import get_plugin_manager

    terminal = SimpleNamespace(session_id="first")
    monkeypatch.setattr(get_plugin_manager(), "_cli_ref", terminal)
    here = SessionHere()
    before = here()
    terminal.session_id = "second"

    assert (before, here()) == ("first", "second")


def test_environment_counts_only_where_it_can_mean_one_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a process with many sessions it is the last writer's, maybe somebody else's."""
    from gateway import session_context

    monkeypatch.setenv("HERMES_SESSION_ID", "someone")
    here = SessionHere()
    single = here()
    monkeypatch.setattr(session_context, "_session_context_engaged", True)
    many = here()

    assert (single, many) == ("someone", "")


def test_command_runs_in_the_home_of_its_chat(tmp_path: Path) -> None:
    """One gateway, two profiles: the chat's, and back again afterwards."""
    from hermes_constants import get_hermes_home

    runner, store = gateway(tmp_path)
    runner._resolve_profile_home_for_source = lambda source: tmp_path / source.chat_id
    here = SessionHere()

    here.note_event(
        event=SimpleNamespace(source=source("work")), gateway=runner, session_store=store
    )
    with here.home():
        inside = get_hermes_home()

    assert (inside, get_hermes_home()) == (tmp_path / "work", tmp_path)


def test_process_with_one_routed_session_means_that_one() -> None:
    """The TUI's server: no terminal, nothing bound, one agent."""
    assert SessionHere(lambda: "routed")() == "routed"


def test_gateway_never_guesses(tmp_path: Path) -> None:
    """Whoever types a command in a new chat must not reach into somebody else's session."""
    runner, store = gateway(tmp_path)
    here = SessionHere(lambda: "somebody else's")

    here.note_event(
        event=SimpleNamespace(source=source("new")), gateway=runner, session_store=store
    )
    known_event = here()
    here.note_event()

    assert (known_event, here()) == ("", "")


@pytest.mark.parametrize("kwargs", [{}, {"event": None}, {"event": object(), "gateway": object()}])
def test_odd_event_is_no_session(kwargs: dict[str, object]) -> None:
    """Other versions hand out other things."""
    here = SessionHere()

    here.note_event(**kwargs)

    assert here() == ""
