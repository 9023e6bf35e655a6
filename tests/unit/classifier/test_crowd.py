"""Many callers at one endpoint: everybody gets an answer or a refusal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from hermes_tool_router.classifier.errors import NotSentError
from hermes_tool_router.classifier.outcomes import CallOutcome
from hermes_tool_router.classifier.presets import Backend
from hermes_tool_router.classifier.system_one import SystemOneClient
from hermes_tool_router.classifier.transport import Lane, LanePolicy, Transport
from hermes_tool_router.router.questions import Question, QuestionPack

URL = httpx.URL("http://127.0.0.1:9/")
QUICK = LanePolicy(min_interval_s=0)
PACK = QuestionPack(
    id="p",
    version="1",
    fingerprint="f",
    questions=(Question(id="q", kind="noul", instructions="?", criteria={}),),
)


@pytest.fixture
def real_lane() -> Iterator[Callable[[LanePolicy], Lane]]:
    """Lanes on the machine's clock with two slots."""
    transport = Transport(max_workers=2)
    yield lambda policy: transport.lane(URL, "", policy)
    transport.close()


def together(calls: int, call: Callable[[int], str]) -> list[str]:
    """Run ``call`` in that many threads which start at the same moment."""
    outcomes: list[str] = []
    barrier = threading.Barrier(calls)

    def one(number: int) -> None:
        barrier.wait()
        outcomes.append(call(number))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_different_calls_are_answered_or_refused_and_none_is_lost(
    real_lane: Callable[[LanePolicy], Lane],
) -> None:
    """64 callers on two slots with too little time for all."""
    lane = real_lane(QUICK)
    at_once: list[int] = []
    running: list[int] = []

    def work() -> str:
        running.append(1)
        at_once.append(len(running))
        time.sleep(0.05)
        running.pop()
        return "yes"

    outcomes = together(64, lambda _: lane.call(work, deadline_s=0.5).outcome)

    assert len(outcomes) == 64
    assert set(outcomes) == {CallOutcome.OK, CallOutcome.BUSY}
    assert max(at_once) == 2
    assert lane.ready


def test_all_slots_taken_is_busy(real_lane: Callable[[LanePolicy], Lane]) -> None:
    """There is no queue without bound, and the endpoint is not blamed."""
    lane = real_lane(LanePolicy(min_interval_s=0, breaker_threshold=1))
    release = threading.Event()
    taken = threading.Semaphore(0)

    def hold() -> bool:
        taken.release()
        return release.wait(30)

    holders = [
        threading.Thread(target=lane.call, args=(hold,), kwargs={"deadline_s": 30})
        for _ in range(2)
    ]
    for holder in holders:
        holder.start()
        taken.acquire()

    report = lane.call(lambda: "never", deadline_s=0.1)
    release.set()
    for holder in holders:
        holder.join()

    assert report.outcome is CallOutcome.BUSY
    assert isinstance(report.error, NotSentError)
    assert lane.ready


def test_sixty_four_equal_questions_are_one_request(
    serve_http: Callable[..., str], client: Callable[..., SystemOneClient]
) -> None:
    """On a real server, with the default cache."""
    requests: list[str] = []

    def respond(path: str, _headers: object, _body: bytes) -> tuple[int, dict[str, str], bytes]:
        requests.append(path)
        return 200, {}, b'{"answers": {"q": {"noul": 0.5}}}'

    asking = client({}, backend=Backend.LOCAL, base_url=serve_http(respond))

    outcomes = together(64, lambda _: asking.ask("same", PACK, deadline_s=20).outcome)

    assert outcomes == ["ok"] * 64
    assert requests == ["/v1/systemone"]


def test_sixty_four_different_questions_under_default_pacing(
    serve_http: Callable[..., str], client: Callable[..., SystemOneClient]
) -> None:
    """As many as the pace allows are sent, the others are told at once."""
    requests: list[str] = []

    def respond(path: str, _headers: object, _body: bytes) -> tuple[int, dict[str, str], bytes]:
        requests.append(path)
        return 200, {}, b'{"answers": {"q": {"noul": 0.5}}}'

    asking = client({}, backend=Backend.LOCAL, base_url=serve_http(respond), min_interval_s=0.25)

    outcomes = together(64, lambda n: asking.ask(n, PACK, deadline_s=1).outcome)

    assert len(outcomes) == 64
    assert set(outcomes) <= {"ok", "busy", "timeout"}
    assert 1 <= outcomes.count("ok") <= len(requests) <= 5
