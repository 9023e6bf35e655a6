"""One endpoint: deadline, retry, breaker, pacing, sharing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from hermes_tool_router.classifier.errors import (
    DeadlineError,
    MalformedError,
    StatusError,
    UnreachableError,
)
from hermes_tool_router.classifier.outcomes import CallOutcome
from hermes_tool_router.classifier.transport import (
    PAYLOAD_CAP_BYTES,
    Lane,
    LanePolicy,
    Transport,
    checked_payload,
)

URL = httpx.URL("http://127.0.0.1:9/")


class StepClock:
    """A clock that moves only when somebody sleeps, or is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        """Say what the test set."""
        return self.now

    def wall(self) -> float:
        """Say the same as calendar time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let that much time pass."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> StepClock:
    """A clock under the test's control."""
    return StepClock()


@pytest.fixture
def open_lane(clock: StepClock) -> Iterator[Callable[[LanePolicy], Lane]]:
    """Lanes on that clock."""
    transport = Transport(max_workers=2, clock=clock)
    yield lambda policy: transport.lane(URL, "", policy)
    transport.close()


def failing(error: Exception) -> Callable[[], str]:
    """Work that always fails."""

    def work() -> str:
        raise error

    return work


def in_turn(*steps: str | Exception) -> Callable[[], str]:
    """Work that gives one step per call."""
    left = list(steps)

    def work() -> str:
        step = left.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    return work


def limited(wait_s: float | None) -> StatusError:
    """A rate limit that asks for a wait."""
    return StatusError(
        "http 429",
        status=429,
        outcome=CallOutcome.RATE_LIMITED,
        retryable=True,
        retry_after_s=wait_s,
    )


QUICK = LanePolicy(min_interval_s=0)


def test_an_answer_is_returned_with_its_attempts(
    open_lane: Callable[[LanePolicy], Lane],
) -> None:
    """The plain case."""
    report = open_lane(QUICK).call(lambda: "yes", deadline_s=1)

    assert (report.value, report.outcome, report.attempts) == ("yes", CallOutcome.OK, 1)


def test_a_retryable_error_is_retried_once_after_the_wait_asked_for(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """One retry, and the server's wait is kept."""
    report = open_lane(QUICK).call(in_turn(limited(0.5), "yes"), deadline_s=2)

    assert report.value == "yes"
    assert report.attempts == 2
    assert clock.slept == [0.5]


def test_the_second_failure_is_final(open_lane: Callable[[LanePolicy], Lane]) -> None:
    """Never a third request."""
    report = open_lane(QUICK).call(in_turn(limited(0), limited(0), "never"), deadline_s=2)

    assert report.outcome is CallOutcome.RATE_LIMITED
    assert report.attempts == 2


@pytest.mark.parametrize(
    ("wait_s", "deadline_s"),
    [
        pytest.param(2.5, 10, id="longer than retry_max_wait_s"),
        pytest.param(1.5, 1, id="longer than the deadline"),
    ],
)
def test_a_wait_that_does_not_fit_means_no_retry(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock, wait_s: float, deadline_s: float
) -> None:
    """The call ends at once instead of waiting in vain."""
    report = open_lane(QUICK).call(in_turn(limited(wait_s), "never"), deadline_s=deadline_s)

    assert report.outcome is CallOutcome.RATE_LIMITED
    assert clock.slept == []


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(MalformedError("x"), id="malformed"),
        pytest.param(StatusError("x", status=400), id="bad request"),
    ],
)
def test_errors_that_a_retry_cannot_mend_are_not_retried(
    open_lane: Callable[[LanePolicy], Lane], error: Exception
) -> None:
    """One request only."""
    report = open_lane(QUICK).call(in_turn(error, "never"), deadline_s=1)

    assert report.attempts == 1


def test_a_foreign_exception_becomes_an_outcome(open_lane: Callable[[LanePolicy], Lane]) -> None:
    """Callers never meet one, and its message is not repeated."""
    report = open_lane(QUICK).call(failing(ZeroDivisionError("user text")), deadline_s=1)

    assert report.outcome is CallOutcome.ERROR
    assert str(report.error) == "ZeroDivisionError"


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(DeadlineError("x"), id="timeout"),
        pytest.param(UnreachableError("x"), id="unreachable"),
        pytest.param(StatusError("x", status=503, retryable=True), id="server fault"),
        pytest.param(StatusError("x", status=400), id="rejected"),
        pytest.param(MalformedError("x"), id="malformed"),
        pytest.param(ZeroDivisionError(), id="unforeseen"),
    ],
)
def test_every_kind_of_failure_opens_the_breaker(
    open_lane: Callable[[LanePolicy], Lane], error: Exception
) -> None:
    """Three calls in a row, each one event however often it was retried."""
    lane = open_lane(QUICK)

    for _ in range(3):
        assert lane.ready
        lane.call(failing(error), deadline_s=1)
    report = lane.call(lambda: "never", deadline_s=1)

    assert not lane.ready
    assert (report.outcome, report.attempts) == (CallOutcome.BREAKER_OPEN, 0)


def test_a_success_resets_the_count(open_lane: Callable[[LanePolicy], Lane]) -> None:
    """Failures count only in a row."""
    lane = open_lane(QUICK)
    bad = failing(MalformedError("x"))

    lane.call(bad, deadline_s=1)
    lane.call(bad, deadline_s=1)
    lane.call(lambda: "yes", deadline_s=1)
    lane.call(bad, deadline_s=1)
    lane.call(bad, deadline_s=1)

    assert lane.ready


def test_after_the_rest_one_probe_decides(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """Half open: while the probe is out, others are turned away; its success closes."""
    lane = open_lane(LanePolicy(min_interval_s=0, breaker_threshold=1, breaker_cooldown_s=60))
    lane.call(failing(MalformedError("x")), deadline_s=1)
    clock.now += 60
    meanwhile: list[CallOutcome] = []

    def probe() -> str:
        meanwhile.append(lane.call(lambda: "never", deadline_s=1).outcome)
        return "yes"

    report = lane.call(probe, deadline_s=1)

    assert report.value == "yes"
    assert meanwhile == [CallOutcome.BREAKER_OPEN]
    assert lane.ready


def test_a_failed_probe_rests_again(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """One failure is enough after a rest."""
    lane = open_lane(LanePolicy(min_interval_s=0, breaker_threshold=3, breaker_cooldown_s=60))
    bad = failing(MalformedError("x"))
    for _ in range(3):
        lane.call(bad, deadline_s=1)
    clock.now += 60

    lane.call(bad, deadline_s=1)

    assert not lane.ready
    clock.now += 59
    assert not lane.ready


def test_what_was_never_sent_does_not_count_against_the_endpoint(
    open_lane: Callable[[LanePolicy], Lane],
) -> None:
    """A payload above our own cap is no fault of the server."""
    lane = open_lane(LanePolicy(min_interval_s=0, breaker_threshold=1))

    report = lane.call(lambda: checked_payload(b"x" * (PAYLOAD_CAP_BYTES + 1)), deadline_s=1)

    assert report.outcome is CallOutcome.PAYLOAD_TOO_LARGE
    assert lane.ready


def test_a_payload_at_the_cap_passes() -> None:
    """65,536 bytes are allowed."""
    body = b"x" * PAYLOAD_CAP_BYTES

    assert checked_payload(body) is body


def test_a_refused_key_silences_the_endpoint_for_that_key(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """No rest heals it; only another key or other settings do."""
    transport = Transport(max_workers=2, clock=clock)
    refused = StatusError("x", status=401, outcome=CallOutcome.AUTH, permanent=True)

    transport.lane(URL, "old", QUICK).call(failing(refused), deadline_s=1)
    clock.now += 1e6
    again = transport.lane(URL, "old", QUICK).call(lambda: "never", deadline_s=1)
    other = transport.lane(URL, "new", QUICK).call(lambda: "yes", deadline_s=1)

    assert (again.outcome, again.attempts) == (CallOutcome.AUTH, 0)
    assert other.value == "yes"
    transport.close()


def test_calls_keep_their_distance(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """The second call waits for its turn."""
    lane = open_lane(LanePolicy(min_interval_s=0.25))

    lane.call(lambda: "a", deadline_s=2)
    lane.call(lambda: "b", deadline_s=2)

    assert clock.slept == [0.25]


def test_no_turn_before_the_deadline_is_busy_at_once(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """Nobody waits for a turn that comes too late, and nothing is taken for it."""
    lane = open_lane(LanePolicy(min_interval_s=5))
    lane.call(lambda: "a", deadline_s=2)

    report = lane.call(lambda: "b", deadline_s=2)

    assert (report.outcome, clock.slept) == (CallOutcome.BUSY, [])
    assert lane.ready


def test_a_timeout_that_our_own_queue_caused_is_not_counted(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """The endpoint had too little of the deadline to be judged by it."""
    lane = open_lane(LanePolicy(min_interval_s=1.5, breaker_threshold=1))
    lane.call(lambda: "first", deadline_s=2)

    late = lane.call(failing(DeadlineError("x")), deadline_s=2)
    ready_after_late = lane.ready
    clock.now += 10
    lane.call(failing(DeadlineError("x")), deadline_s=2)

    assert late.outcome is CallOutcome.TIMEOUT
    assert ready_after_late
    assert not lane.ready


def test_an_interrupted_probe_is_given_back(
    open_lane: Callable[[LanePolicy], Lane], clock: StepClock
) -> None:
    """Ctrl-C during the probe must not leave the endpoint resting for good."""
    lane = open_lane(LanePolicy(min_interval_s=0, breaker_threshold=1, breaker_cooldown_s=60))
    lane.call(failing(MalformedError("x")), deadline_s=1)
    clock.now += 60

    def interrupted() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lane.call(interrupted, deadline_s=1)

    assert lane.call(lambda: "yes", deadline_s=1).value == "yes"


def test_a_retry_that_finds_no_turn_leaves_the_first_error_standing(
    open_lane: Callable[[LanePolicy], Lane],
) -> None:
    """The server was asked and said no; "busy" would tell that nobody was."""
    lane = open_lane(LanePolicy(min_interval_s=5, breaker_threshold=1))

    report = lane.call(in_turn(limited(0), "never"), deadline_s=2)

    assert (report.outcome, report.attempts) == (CallOutcome.RATE_LIMITED, 1)
    assert not lane.ready
