"""registry_adapter.thrift: known prices, this home's traffic, and sessions that are left whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_tool_router.console.effect import effect
from hermes_tool_router.recovery.schema import NAME as REQUEST_TOOL
from hermes_tool_router.registry_adapter.guard import Guard
from hermes_tool_router.registry_adapter.recording import Recorder
from hermes_tool_router.registry_adapter.spans import Spans
from hermes_tool_router.registry_adapter.store import StateStore
from hermes_tool_router.router.thrift import DEARER, Traffic

QUESTION = "tell me a riddle about the sea"
PROMPT = "You are Hermes. " * 1_000
DEEPSEEK = {"model": "deepseek-chat", "base_url": "https://api.deepseek.com/v1"}


def begin(bench: Any, number: int, *, system: str = PROMPT, text: str = QUESTION) -> bool:
    """Begin a session; whether its request carries what stock Hermes sends."""
    rows = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    request = bench.built(messages=rows)
    sent = bench.turn(text, session=f"s{number}", first=True, request=request)
    names: list[str] = bench.names(sent)
    return names == [name for name in bench.granted if name != REQUEST_TOOL]


def test_a_home_that_keeps_the_stock_surface_warm_is_left_whole(bench: Any) -> None:
    """The first session begins cold; once most begin warm, narrowing costs more there."""
    bench.address = DEEPSEEK

    whole = [begin(bench, number) for number in range(20)]

    assert not whole[0]
    assert whole[-1]
    assert whole == sorted(whole)
    assert bench.store.get("s19").why == DEARER
    assert bench.records[-1].decision.reasons[0].rule == DEARER


@pytest.mark.parametrize(
    "address",
    [
        pytest.param({}, id="nothing is known"),
        pytest.param({**DEEPSEEK, "base_url": "http://127.0.0.1:8080"}, id="another address"),
        pytest.param({**DEEPSEEK, "model": "my-model"}, id="another model"),
        pytest.param(
            {
                "model": "gemini-2.0-flash",
                "base_url": "https://generativelanguage.googleapis.com/v1beta",
            },
            id="a price at which narrowing always pays",
        ),
    ],
)
def test_elsewhere_every_session_is_narrowed(bench: Any, address: dict[str, str]) -> None:
    """An unknown price is no reason to send more."""
    bench.address = address

    assert not any(begin(bench, number) for number in range(20))


def test_people_with_prompts_of_their_own_are_narrowed(bench: Any) -> None:
    """A gateway's sessions find nothing of each other behind different prompts."""
    bench.address = DEEPSEEK

    assert not any(begin(bench, n, system=f"{n} {PROMPT}") for n in range(20))


def test_the_setting_switches_it_off(make_bench: Any) -> None:
    """And then nothing is noted either."""
    bench = make_bench(refrain_where_dearer=False)
    bench.address = DEEPSEEK

    assert not any(begin(bench, number) for number in range(20))
    assert bench.store.notes.get("traffic.deepseek.v4-flash") == ""


def test_a_session_goes_on_as_it_began(bench: Any) -> None:
    """What later ones do changes neither a whole session nor a narrowed one."""
    bench.address = DEEPSEEK
    for number in range(20):
        begin(bench, number)

    first, last = bench.request(session="s0"), bench.request(session="s19")

    assert len(first["tools"]) < len(last["tools"]) == len(bench.granted) - 1


def test_another_process_knows_the_traffic(make_bench: Any) -> None:
    """Each ``hermes chat`` is a process of its own."""
    whole = []
    for number in range(20):
        bench = make_bench()
        bench.address = DEEPSEEK
        whole.append(begin(bench, number))

    assert (whole[0], whole[-1]) == (False, True)


def test_status_counts_sessions_that_were_left_whole(bench: Any) -> None:
    """From the reasons in the log."""
    bench.address = DEEPSEEK
    for number in range(20):
        begin(bench, number)
    recorder = Recorder(Guard(), Spans())
    for record in bench.records:
        recorder(bench.place, record)
    bench.store.flush()

    seen = effect(bench.store)

    assert seen["refrained"] == seen["outcomes"]["full"] > 0


class TestNotes:
    def test_a_note_is_read_back_by_another_store(self, tmp_path: Path) -> None:
        """Revised in place."""
        StateStore(tmp_path).notes.revise("a", lambda text: text + "x")

        again = StateStore(tmp_path).notes

        assert again.revise("a", lambda text: text + "y") == "xy"
        assert (again.get("a"), again.get("b")) == ("xy", "")

    def test_without_a_file_every_note_is_new(self, tmp_path: Path) -> None:
        """Nothing raises, nothing is remembered."""
        (tmp_path / "tool-router").write_text("in the way")
        notes = StateStore(tmp_path).notes

        assert notes.revise("a", lambda text: text + "x") == "x"
        assert notes.revise("a", lambda text: text + "x") == "x"

    def test_traffic_that_does_not_read_starts_anew(self, bench: Any) -> None:
        """A damaged note is no reason to send more."""
        bench.address = DEEPSEEK
        bench.store.notes.revise("traffic.deepseek.v4-flash", lambda _: "nonsense")

        assert not begin(bench, 1)
        kept = bench.store.notes.get("traffic.deepseek.v4-flash")
        assert Traffic.from_json(kept).sessions == 1
