"""One real turn in a scratch home: is the request that Hermes sends the one we decided on?"""

from __future__ import annotations

from pathlib import Path

from ..registry_adapter.store import StateStore
from . import plan, wire
from .contract import RELIANCES, judge
from .findings import Finding, Level, note, ok, problem
from .harmless import call_what_was_held_back, ran, tool_called
from .home import ENFORCE, PLUGIN, SOURCE, Contents
from .scene import Scene, scratch_scene
from .script import Request, say
from .turns import Driven

__all__ = ["examine"]

_OPENER = "What is the difference between a mutex and a semaphore?"


def examine(version: str, python: Path, source: Path = SOURCE) -> tuple[Finding, ...]:
    """Start Hermes once, check its contract, and compare its requests with the decision.

    Everything happens in a temporary folder against a loopback model; the
    user's home, settings and keys are not read.

    Args:
        version: Hermes' version, for the texts.
        python: Hermes' interpreter.
        source: the plugin's files.
    """
    with scratch_scene(python=python) as scene:
        scene.fill(
            Contents(settings=ENFORCE, source=source), [call_what_was_held_back, say("Done.")]
        )
        driven = scene.hermes.drive(
            [
                {"do": "look", "names": [item.name for item in RELIANCES]},
                {"do": "plugins"},
                {"do": "registry"},
                plan.agent("self-test"),
                plan.turn("self-test", _OPENER),
            ],
            timeout_s=120,
        )
        found = driven.facts.get("found")
        if found is None:
            return (problem("host.starts", f"Hermes does not start: {_last_line(driven)}"),)
        contract = judge(version, found)
        if any(finding.level is Level.PROBLEM for finding in contract):
            return contract
        return (*contract, *_compare(scene, driven))


def _compare(scene: Scene, driven: Driven) -> tuple[Finding, ...]:
    loaded = [item for item in driven.facts["plugins"] if item.get("name") == PLUGIN]
    if not loaded or loaded[0].get("error"):
        why = loaded[0]["error"] if loaded else "Hermes does not list it"
        return (problem("selftest.loads", f"the plugin does not load: {why}"),)
    requests = scene.model.conversation(_OPENER)
    if driven.fatal or not driven.turns or not requests:
        return (problem("selftest.turn", f"no turn completed: {_last_line(driven)}"),)
    sent = _sent_as_decided(scene, driven, requests[0], driven.turns[0].tools)
    if sent.level is Level.PROBLEM:
        return (sent,)
    return (sent, _recovered(requests), _estimate(requests[0]))


def _sent_as_decided(
    scene: Scene, driven: Driven, first: Request, granted: tuple[str, ...]
) -> Finding:
    """Compare the tools on the wire with those of the decision that was stored."""
    sizes = {"tools_granted": len(granted), "tools_sent": len(first.tools)}
    decided = _decided(scene, driven.turns[0].session)
    if len(first.tools) >= len(granted):
        return problem(
            "selftest.request",
            f"inactive: all {len(granted)} tools were sent although a question needs few; "
            f"{_our_warning(scene)}",
            **sizes,
        )
    if decided is not None and decided[: len(first.tools)] != first.tools:
        return problem(
            "selftest.request",
            "the request that was sent is not the one that was decided",
            decided=list(decided),
            sent=list(first.tools),
        )
    compared = "as decided" if decided is not None else "the decision was not stored"
    return ok(
        "selftest.request",
        f"a question sends {len(first.tools)} of {len(granted)} tools, "
        f"{len(first.tools_raw):,} bytes of schemas; {compared}",
        **sizes,
        bytes_sent=len(first.tools_raw),
        sent=list(first.tools),
    )


def _decided(scene: Scene, session: str) -> tuple[str, ...] | None:
    """The surface that the router stored for a session, in order; ``None`` if it stored none."""
    store = StateStore(scene.home.home)
    try:
        state = store.get(session)
    finally:
        store.close()
    return None if state is None else tuple(str(name) for name in state.order)


def _recovered(requests: tuple[Request, ...]) -> Finding:
    """Say whether the pruned call ran, and whether its schema joined at the end."""
    first, after = requests[0], requests[-1]
    name = tool_called(first)
    if not name:
        return note("selftest.recovery", "nothing was held back that could be called harmlessly")
    done = ran(name, after)
    if done and wire.is_append(first.tools_raw, after.tools_raw) and name in after.tools:
        return ok(
            "selftest.recovery",
            f"a call to {name}, which was held back, ran in its step; "
            "its schema was appended to the next request",
        )
    what = "its schema did not join the next request" if done else "it did not run"
    return problem("selftest.recovery", f"{name} was held back and called, and {what}")


def _estimate(first: Request) -> Finding:
    """Say what the host's own estimate does not see."""
    return note(
        "selftest.preflight",
        "routing does not precede Hermes' own preflight estimate: the request is narrowed "
        "afterwards, so Hermes counts the full set and compresses somewhat earlier",
        routing_precedes_preflight_estimate=False,
        tools_counted_by_the_host="all granted",
        tools_sent=len(first.tools),
    )


def _our_warning(scene: Scene) -> str:
    """The last warning of ours in Hermes' log."""
    lines = [line for line in scene.hermes.log().splitlines() if f" {PLUGIN}: " in line]
    return lines[-1].split(f"{PLUGIN}: ", 1)[-1] if lines else "Hermes' log gives no reason"


def _last_line(driven: Driven) -> str:
    """What a failed start said last, without its stack trace."""
    text = driven.fatal or driven.run.stderr or driven.run.stdout
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else f"exit status {driven.run.status}"
