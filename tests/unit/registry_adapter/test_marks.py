"""A turn after a pause asks the file system, and the host only where something changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.marks import SETTLED_NS, marks
from hermes_tool_router.registry_adapter.settings_source import (
    ASK_S,
    MANAGED,
    SHIPPED,
    SettingsSource,
    hermes_host,
)

OLD = 1_000_000_000


class Host:
    """A host that counts how often it is asked; its settings come from files, or from nowhere."""

    def __init__(self, home: Path, *, by_file: bool = True) -> None:
        self.by_file = by_file
        self.answer: object = {"enabled": False}
        self.asked = 0
        self.own = (f"{home}/config.yaml", f"{home}/managed/config.yaml")

    def settings(self) -> object:
        """The answer set by the test."""
        self.asked += 1
        return self.answer

    def files(self, home: str) -> tuple[str, ...] | None:
        """The two files of the test."""
        return self.own if self.by_file else None

    def profile(self) -> str:
        """One profile."""
        return "default"

    def has_profile(self, name: str) -> bool:
        """One profile."""
        return name == "default"


class Turns:
    """Turns in one home, a minute apart or as far as told."""

    def __init__(self, home: Path, host: Host, shipped: Path = SHIPPED) -> None:
        self.home, self.host = home, host
        self.now = 100.0
        self.environ: dict[str, str] = {}
        self.source = SettingsSource(
            host, guard=Guard(), shipped=shipped, environ=self.environ, clock=lambda: self.now
        )

    def next(self, pause: float = 20.0) -> bool:
        """Whether routing is on in the next turn."""
        self.now += pause
        return self.source(self.home).on


def write(path: Path, text: str = "a: 1", tick: int = OLD) -> None:
    """A file as old as told."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(tick, tick))


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """A file of our own that is old."""
    write(tmp_path / "shipped.yaml", "{}")
    return tmp_path / "shipped.yaml"


@pytest.fixture
def turns(tmp_path: Path, shipped: Path) -> Turns:
    """Turns in a home whose file is old, the first of them played."""
    write(tmp_path / "config.yaml", "key: ${ROUTER_TEST_KEY}")
    found = Turns(tmp_path, Host(tmp_path), shipped)
    found.next()
    return found


def test_turns_after_pauses_ask_the_host_once(turns: Turns) -> None:
    """Nothing changed, so nothing is asked."""
    assert [turns.next() for _ in range(5)] == [False] * 5
    assert turns.host.asked == 1


def test_home_without_any_file_is_asked_once(tmp_path: Path, shipped: Path) -> None:
    """Hermes merges its defaults afresh for such a home, which takes it milliseconds."""
    turns = Turns(tmp_path, Host(tmp_path), shipped)

    assert [turns.next() for _ in range(3)] == [False] * 3
    assert turns.host.asked == 1


def _replaced(home: Path) -> None:
    write(home / "new.yaml", "key: ${ROUTER_TEST_KEX}")
    (home / "new.yaml").replace(home / "config.yaml")


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda home: write(home / "config.yaml", "key: 2", OLD + 1),
    "same size, same time, another file": _replaced,
    "gone": lambda home: (home / "config.yaml").unlink(),
    "administrator's appears": lambda home: write(home / "managed" / "config.yaml"),
    "shipped file edited": lambda home: write(home / "shipped.yaml", "{}", OLD + 1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_changed_file_counts_at_the_next_turn(
    turns: Turns, change: Callable[[Path], object]
) -> None:
    """Whichever file it is, and whether or not its size and time tell."""
    turns.next()
    turns.host.answer = {"enabled": True}

    change(turns.home)

    assert [turns.next(), turns.next()] == [True, True]
    assert turns.host.asked == 2


def test_administrators_file_that_vanishes_counts(turns: Turns) -> None:
    """What it had pinned holds no longer."""
    write(turns.home / "managed" / "config.yaml")
    turns.next()
    (turns.home / "managed" / "config.yaml").unlink()
    turns.host.answer = {"enabled": True}

    assert turns.next()


@pytest.mark.parametrize("name", ["ROUTER_TEST_KEY", MANAGED])
def test_changed_variable_counts_at_the_next_turn(
    turns: Turns, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Those that a file names, and the one that says where the administrator's file is."""
    turns.next()
    turns.host.answer = {"enabled": True}

    monkeypatch.setenv(name, "another")

    assert turns.next()


def test_kill_switch_counts_after_a_pause(turns: Turns) -> None:
    """It is no mark of the host's answer, and is looked at all the same."""
    turns.host.answer = {"enabled": True}
    write(turns.home / "config.yaml", "b: 1", OLD + 1)
    before = turns.next()

    turns.environ["HERMES_TOOL_ROUTER"] = "off"

    assert (before, turns.next()) == (True, False)


def test_file_written_a_moment_ago_is_not_trusted(tmp_path: Path, shipped: Path) -> None:
    """A second edit of the same size might have the same time."""
    (tmp_path / "config.yaml").write_text("a: 1", encoding="utf-8")
    turns = Turns(tmp_path, Host(tmp_path), shipped)
    turns.next()
    turns.host.answer = {"enabled": True}

    assert turns.next()


def test_file_is_settled_once_its_clock_has_moved_on(tmp_path: Path) -> None:
    """Two seconds are the coarsest grain."""
    write(tmp_path / "config.yaml")
    files = [str(tmp_path / "config.yaml")]

    seen = [marks(files, now_ns=OLD + age).settled for age in (0, SETTLED_NS - 1, SETTLED_NS)]

    assert seen == [False, False, True]


def test_change_that_no_mark_shows_is_seen_in_the_end(turns: Turns) -> None:
    """The host is asked every few minutes whatever the marks say."""
    turns.host.answer = {"enabled": True}

    assert (turns.next(), turns.next(ASK_S)) == (False, True)


def test_host_that_keeps_settings_outside_of_files_is_asked(tmp_path: Path) -> None:
    """Each turn after a pause, as no mark can tell."""
    turns = Turns(tmp_path, Host(tmp_path, by_file=False))
    turns.next()
    turns.host.answer = {"enabled": True}

    assert turns.next()


def test_which_files_the_host_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The administrator's stands where a variable says; a newer context has more than files."""

    class Newer:
        def get_config(self, key: str, default: object) -> object:
            return default

    monkeypatch.delenv(MANAGED, raising=False)
    plain = hermes_host().files("/home")
    monkeypatch.setenv(MANAGED, " /pinned ")

    assert plain == ("/home/config.yaml", "/etc/hermes/config.yaml")
    assert hermes_host().files("/home") == ("/home/config.yaml", "/pinned/config.yaml")
    assert hermes_host(Newer()).files("/home") is None
