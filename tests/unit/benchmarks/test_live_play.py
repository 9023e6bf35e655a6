"""The relay between Hermes and the endpoint: whose turn a request is, and when a task ends."""

from __future__ import annotations

from hermes_tool_router.benchmarks.live_endpoint import Budget, Caller, Endpoint
from hermes_tool_router.benchmarks.live_play import Relay
from hermes_tool_router.benchmarks.live_tasks import read_tasks
from hermes_tool_router.probe.model import StubModel
from hermes_tool_router.probe.script import Request, Script, Step, call, say

TASK = next(task for task in read_tasks().tasks if task.id == "follow.double-eggs")
FIRST, SECOND = (turn.say for turn in TASK.turns)
END = say("The evaluation ends here.")


def request(*user_texts: str) -> Request:
    """A request of a conversation with these user messages."""
    messages = [{"role": "user", "content": text} for text in user_texts]
    tools = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]
    body = {"messages": messages, "tools": tools}
    return Request(index=0, raw=b"", tools_raw=b"", body=body)


def relayed(script: Script, requests: list[Request], *, steps: int = 9) -> tuple[Relay, list[Step]]:
    """A relay after these requests, and what it told Hermes."""
    with StubModel(script) as model:
        endpoint = Endpoint(base_url=model.base_url, model="m")
        relay = Relay(TASK, Caller(endpoint, Budget(requests=9, input_tokens=10**6)), steps)
        return relay, [relay(item) for item in requests]


def test_an_answer_goes_to_hermes_as_it_came() -> None:
    """Text and calls, their arguments as text."""
    step = call("read_file", path="recipe.txt")

    relay, told = relayed([step], [request(FIRST)])

    assert told == [Step(calls=relay.exchanges[0].reply.calls)]
    assert told[0].calls[0].arguments == '{"path": "recipe.txt"}'
    assert relay.error == ""


def test_a_request_belongs_to_the_last_turn_that_was_said() -> None:
    """Whatever else Hermes says in the user's name; a sub-agent's belongs to none."""
    requests = [
        request(FIRST),
        request(FIRST, "[System: go on]"),
        request(FIRST, SECOND),
        request("Find the recipe."),
    ]

    relay, _ = relayed(lambda asked: say("Yes."), requests)

    assert [item.turn for item in relay.exchanges] == [0, 0, 1, None]
    assert relay.last is requests[2]


def test_a_task_without_end_is_cut() -> None:
    """The model is not asked any more, and Hermes is given a text; the row counts."""
    relay, told = relayed(lambda asked: say("Yes."), [request(FIRST)] * 3, steps=2)

    assert told == [say("Yes."), say("Yes."), END]
    assert (relay.capped, relay.error, len(relay.exchanges)) == (True, "", 2)


def test_a_trouble_ends_the_task_and_is_no_cut() -> None:
    """Its reason is the row's; nothing is asked after it."""
    relay, told = relayed(lambda asked: Step(status=401), [request(FIRST)] * 2)

    assert told == [END, END]
    assert (relay.capped, relay.error, relay.exchanges) == (False, "status 401", [])
