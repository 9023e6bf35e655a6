"""Client for decision models: typed questions in, probabilities out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ..router.questions import Answer, Answers, Question, QuestionPack
from .encoding import encode_request
from .errors import ClassifierError, MalformedError, NotSentError
from .flights import Flights
from .memory import TtlCache
from .outcomes import CallOutcome, CallRecord
from .ports import Observer, StateSanitizer
from .presets import Route, SystemOneConfig
from .reading import Reading, read_answers
from .rendering import RenderedRequest, rendered
from .statuses import status_error
from .targets import Target, request_headers, resolve
from .transport import Lane, LanePolicy, Report, Transport, checked_payload

__all__ = ["SystemOneClient"]

_CACHE_ENTRIES = 256

N = TypeVar("N", int, float)


class SystemOneClient:
    """Asks one question pack about one state.

    Every state passes the sanitizer here, so no caller can forget it.
    """

    def __init__(
        self,
        config: SystemOneConfig,
        transport: Transport,
        environ: Mapping[str, str],
        sanitizer: StateSanitizer,
        on_call: Observer | None = None,
    ) -> None:
        """Prepare; nothing is sent and no key is read before the first question.

        Args:
            config: the settings.
            transport: shared by everything that was built from the same settings.
            environ: live view of the environment.
            sanitizer: applied to every state.
            on_call: told about every call.
        """
        self._config = config
        self._transport = transport
        self._environ = environ
        self._sanitizer = sanitizer
        self._on_call = on_call
        self._policy = LanePolicy(
            retry_max_wait_s=config.retry_max_wait_s,
            breaker_threshold=config.breaker_threshold,
            breaker_cooldown_s=config.breaker_cooldown_s,
            min_interval_s=config.min_interval_s,
        )
        self._cache: TtlCache[Answers] = TtlCache(
            entries=_CACHE_ENTRIES, ttl_s=config.cache_seconds, clock=transport.clock
        )
        self._flights: Flights[Answers] = Flights()
        self._route_that_answers: dict[str, Route] = {}

    @property
    def ready(self) -> bool:
        """Whether a question would be sent now: a key is there and the endpoint is not resting."""
        try:
            target = resolve(self._config, self._environ)
        except NotSentError:
            return False
        return self._lane(target).ready

    def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
        """Ask all questions of ``pack`` about ``state``.  Never raises.

        Args:
            state: any JSON value, as it is: sanitized here, and the cache must see
                the raw value, because two states can look alike once redacted.
            pack: questions; more than ``max_questions`` go out one request after the other.
            deadline_s: total seconds, queueing, retry and all requests included.

        Returns:
            The answers.  ``by_id`` can hold some while ``outcome`` tells why the
            others are missing.
        """
        start = self._transport.clock.monotonic()
        try:
            target = resolve(self._config, self._environ)
        except NotSentError as error:
            return self._refused(pack, error)
        key = _cache_key(target, pack, state)
        known = self._cache.get(key) if key else None
        if known is not None:
            return self._remembered(known, target, pack, start)
        work = partial(self._ask_anew, state, target, pack, key, start + deadline_s)
        answers, shared = self._flights.share(key, work, wait_s=deadline_s)
        if answers is None:
            answers = _unanswered(pack, CallOutcome.TIMEOUT, "an identical call took too long")
        return self._remembered(answers, target, pack, start) if shared else answers

    def preview(self, state: object, pack: QuestionPack) -> tuple[RenderedRequest, ...]:
        """Render the requests that :meth:`ask` would send, keys masked; sends nothing.

        Raises:
            NotSentError: nothing would be sent; the message says why.
        """
        target = resolve(self._config, self._environ)
        route = self._routes(target)[0]
        safe = self._sanitizer.value(state, max_bytes=self._config.state_max_bytes)
        return tuple(
            rendered(
                str(route.url),
                request_headers(target, route),
                _body(target, route, json.loads(safe.json), questions),
            )
            for questions in self._parts(pack)
        )

    def _ask_anew(
        self, raw: object, target: Target, pack: QuestionPack, key: str, end: float
    ) -> Answers:
        known = self._cache.get(key) if key else None
        if known is not None:  # it came in while this call was about to start
            return self._remembered(known, target, pack, self._transport.clock.monotonic())
        clock = self._transport.clock
        start = clock.monotonic()
        safe = self._sanitizer.value(raw, max_bytes=self._config.state_max_bytes)
        state = json.loads(safe.json)
        lane = self._lane(target)
        reports: list[Report[Reading]] = []
        sent: list[int] = []
        for questions in self._parts(pack):
            work = partial(self._exchange, lane, target, state, questions, sent)
            reports.append(lane.call(work, deadline_s=end - clock.monotonic()))
            if reports[-1].value is None:
                break
        ms = (clock.monotonic() - start) * 1000
        answers = _merged(pack, reports, ms, complete=safe.complete)
        if key and answers.outcome == CallOutcome.OK and not answers.missing:
            self._cache.put(key, answers)
        self._record(target, pack, answers, reports, sent=sum(sent))
        return answers

    def _parts(self, pack: QuestionPack) -> list[Sequence[Question]]:
        size = self._config.max_questions
        return [pack.questions[at : at + size] for at in range(0, len(pack.questions), size)]

    def _lane(self, target: Target) -> Lane:
        return self._transport.lane(target.base, target.key, self._policy)

    def _routes(self, target: Target) -> tuple[Route, ...]:
        """Routes of the target, the one that answered before first."""
        known = self._route_that_answers.get(str(target.base))
        return target.routes if known is None else (known,)

    def _exchange(
        self,
        lane: Lane,
        target: Target,
        state: object,
        questions: Sequence[Question],
        sent: list[int],
    ) -> Reading:
        """Send one request, to the next route after a 404; notes the bytes of each.

        Raises:
            ClassifierError: nothing usable came, or httpx's own errors.
        """
        routes = self._routes(target)
        for route in routes:
            body = _body(target, route, state, questions)
            sent.append(len(body))
            response = lane.post(route.url, body, request_headers(target, route))
            if response.status_code == 404 and route is not routes[-1]:
                continue
            if response.status_code != 200:
                raise status_error(
                    response, forbidden_is_auth=target.forbidden_is_auth, wall=lane.wall
                )
            reading = read_answers(response.content, questions)
            self._route_that_answers[str(target.base)] = route
            return reading
        raise MalformedError("endpoint has no route")  # pragma: no cover - presets have some

    def _remembered(
        self, answers: Answers, target: Target, pack: QuestionPack, start: float
    ) -> Answers:
        ms = (self._transport.clock.monotonic() - start) * 1000
        fresh = replace(answers, latency_ms=ms)
        self._record(target, pack, fresh, (), cached=True)
        return fresh

    def _refused(self, pack: QuestionPack, error: NotSentError) -> Answers:
        answers = _unanswered(pack, error.outcome, str(error))
        self._record(None, pack, answers, (), error=error)
        return answers

    def _record(
        self,
        target: Target | None,
        pack: QuestionPack,
        answers: Answers,
        reports: Sequence[Report[Reading]],
        *,
        sent: int = 0,
        cached: bool = False,
        error: ClassifierError | None = None,
    ) -> None:
        if self._on_call is None:
            return
        errors = [report.error for report in reports if report.error is not None]
        error = errors[-1] if errors else error
        billed = None if cached else answers
        self._on_call(
            CallRecord(
                purpose=pack.id,
                backend=target.backend if target else self._config.backend,
                host=target.host if target else "",
                outcome=CallOutcome(answers.outcome),
                ms=answers.latency_ms,
                model=answers.model,
                questions=len(pack.questions),
                missing=len(answers.missing),
                sent_bytes=sent,
                input_tokens=billed.input_tokens if billed else None,
                output_tokens=billed.output_tokens if billed else None,
                cost_usd=billed.cost_usd if billed else None,
                attempts=sum(report.attempts for report in reports),
                cached=cached,
                status=error.status if error else (200 if reports else 0),
                error=type(error).__name__ if error else "",
            )
        )


def _body(target: Target, route: Route, state: object, questions: Sequence[Question]) -> bytes:
    return checked_payload(
        encode_request(route.wire, model=target.model, state=state, questions=questions)
    )


def _cache_key(target: Target, pack: QuestionPack, state: object) -> str:
    """Digest of everything that the answer depends on; empty: the state cannot be digested."""
    try:
        raw = json.dumps(state, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""
    parts = (str(target.base), target.key, target.model, pack.fingerprint, raw)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:".encode())
        digest.update(part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _merged(
    pack: QuestionPack, reports: Sequence[Report[Reading]], ms: float, *, complete: bool
) -> Answers:
    """Put the parts of one pack together."""
    readings = [report.value for report in reports if report.value is not None]
    by_id: dict[str, Answer] = {}
    for reading in readings:
        by_id |= reading.answers
    failed = next((report for report in reports if report.value is None), None)
    return Answers(
        by_id=by_id,
        missing=tuple(q.id for q in pack.questions if q.id not in by_id),
        outcome=CallOutcome.OK if failed is None else failed.outcome,
        model=readings[-1].model if readings else "",
        latency_ms=ms,
        input_tokens=_total([reading.input_tokens for reading in readings]),
        output_tokens=_total([reading.output_tokens for reading in readings]),
        cost_usd=_total([reading.cost_usd for reading in readings]),
        input_complete=complete,
        note=str(failed.error) if failed is not None and failed.error else "",
    )


def _unanswered(pack: QuestionPack, outcome: CallOutcome, note: str) -> Answers:
    missing = tuple(question.id for question in pack.questions)
    return Answers(by_id={}, missing=missing, outcome=outcome, note=note)


def _total(values: Sequence[N | None]) -> N | None:
    """Sum of what is known; ``None`` if nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
