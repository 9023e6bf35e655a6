"""One question a turn, whatever the number of threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hermes_tool_router.registry_adapter.turn_classifier import TurnClassifier, TurnFacts
from hermes_tool_router.router.questions import Answers, NoulAnswer, QuestionPack

PACK = QuestionPack(id="turn", version="1", questions=(), fingerprint="")
YES = Answers(by_id={"q": NoulAnswer(probability=0.9)})
FACTS = TurnFacts(session="s", turn="t1", message="hi", platform="cli", model="m")


class Client:
    """Counts what it is asked, and answers once it is let."""

    def __init__(self, answers: Answers = YES, *, open_: bool = True) -> None:
        self.answers = answers
        self.states: list[object] = []
        self.asked = threading.Event()
        self.gate = threading.Event()
        if open_:
            self.gate.set()

    def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
        """Answer after the gate opened."""
        del pack
        self.states.append(state)
        self.asked.set()
        self.gate.wait(deadline_s)
        return self.answers


def _classifier(client: Client, deadline_s: float = 30.0) -> TurnClassifier:
    return TurnClassifier(
        client, PACK, time.monotonic, deadline_s=deadline_s, max_turns=16, ttl_s=600
    )


def test_thirty_two_threads_share_one_question() -> None:
    """Whoever comes first asks; all get the same answers."""
    client = Client(open_=False)
    classifier = _classifier(client)

    with ThreadPoolExecutor(32) as pool:
        calls = [pool.submit(classifier.classify, FACTS) for _ in range(32)]
        client.asked.wait(30)
        client.gate.set()
        answers = [call.result(30) for call in calls]

    assert answers == [YES] * 32
    assert len(client.states) == 1


def test_a_failure_is_remembered_for_the_turn() -> None:
    """Routing, gate and verifier do not each pay for it."""
    failed = Answers(by_id={}, outcome="timeout")
    client = Client(failed)
    classifier = _classifier(client)

    found = [classifier.classify(FACTS), classifier.classify(FACTS), classifier.known("s", "t1")]

    assert found == [failed] * 3
    assert len(client.states) == 1


def test_a_waiter_gives_up_at_its_deadline() -> None:
    """A caller that does not ask never waits longer than the deadline."""

    class Stubborn(Client):
        def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
            """Answer when the gate opens, whatever the deadline says."""
            return super().ask(state, pack, deadline_s=30.0)

    client = Stubborn(open_=False)
    classifier = _classifier(client, deadline_s=0.05)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(classifier.classify, FACTS)
        client.asked.wait(30)
        found = classifier.classify(FACTS)
        client.gate.set()
        asking.result(30)

    assert found is None
    assert len(client.states) == 1


def test_an_answer_after_the_turn_ended_is_discarded() -> None:
    """Nobody acts on it, and nobody waits for it."""
    client = Client(open_=False)
    classifier = _classifier(client)

    with ThreadPoolExecutor(2) as pool:
        asking = pool.submit(classifier.classify, FACTS)
        client.asked.wait(30)
        waiting = pool.submit(classifier.classify, FACTS)
        classifier.turn_ended("s", "t1")
        waited = waiting.result(30)
        client.gate.set()
        asked = asking.result(30)

    assert (asked, waited, classifier.known("s", "t1")) == (None, None, None)


def test_a_client_that_raises_leaves_nobody_waiting() -> None:
    """The error goes to the guard; the turn counts as asked and failed."""

    class Broken(Client):
        def ask(self, state: object, pack: QuestionPack, *, deadline_s: float) -> Answers:
            """Break."""
            raise RuntimeError("broken")

    classifier = _classifier(Broken())

    with pytest.raises(RuntimeError, match="broken"):
        classifier.classify(FACTS)
    found = classifier.classify(FACTS)

    assert found is not None
    assert found.outcome == "failed"


def test_the_model_sees_the_message_and_three_facts_and_no_history() -> None:
    """Exactly these keys, and the facts follow the session."""
    client = Client()
    classifier = _classifier(client)
    later = TurnFacts(session="s", turn="t2", message="more", tool_workflow=True)

    classifier.classify(FACTS)
    classifier.turn_ended("s", "t1")
    classifier.classify(later)

    assert client.states == [
        {
            "message": "hi",
            "platform": "cli",
            "agent_model": "m",
            "prior_turn": False,
            "unresolved_turn": False,
            "tool_workflow": False,
        },
        {
            "message": "more",
            "platform": "",
            "agent_model": "",
            "prior_turn": True,
            "unresolved_turn": False,
            "tool_workflow": True,
        },
    ]


def test_readers_follow_turns_and_sessions() -> None:
    """By turn, by the only unfinished turn, and nothing once the session is over."""
    classifier = _classifier(Client())
    classifier.classify(FACTS)

    known = [classifier.known("s", "t1"), classifier.known("s"), classifier.known("x")]
    classifier.session_ended("s")

    assert known == [YES, YES, None]
    assert classifier.known("s", "t1") is None


def test_without_a_session_nothing_is_asked() -> None:
    """Calls that belong to nobody are not classified."""
    client = Client()

    found = _classifier(client).classify(TurnFacts(session="", turn="t", message="hi"))

    assert (found, client.states) == (None, [])


def test_a_host_without_turn_ids_asks_once_a_call() -> None:
    """Each call counts as a turn of its own."""
    client = Client()
    classifier = _classifier(client)
    facts = TurnFacts(session="s", turn="", message="hi")

    classifier.classify(facts)
    classifier.classify(facts)

    assert len(client.states) == 2
