"""Suggestions of a replay, each replayed over the same history before it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import cache

from ..intent.own import OwnRules, read_own, with_own
from ..intent.rulebook import RuleBook
from ..registry_adapter.deciding import TieredDecider
from ..registry_adapter.events import TurnEvent
from ..registry_adapter.plugin import Runtime
from ..reports.replay import Replay, Route
from ..reports.suggest import Effect, Seen, Suggestion, phrase_rules, phrases_in, silent_rules
from ..router.values import Catalog, Decision, Message, Outcome, ToolsetName

__all__ = ["Router", "suggestions"]

Again = Callable[[Route], Replay]
"""The same history under another route."""


class Router:
    """Decides past messages without any tier that opens a socket, each once."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._known: dict[tuple[str, Message, bool], Decision] = {}
        self.phrases = cache(phrases_in)
        """Words and pairs of a text, found once."""

    def __call__(self, platform: str, message: Message, catalog: Catalog, first: bool) -> Decision:
        """What the router decides today."""
        key = (platform, message, first)
        if key not in self._known:
            self._known[key] = self._decide(
                self._runtime.decider, platform, message, catalog, first
            )
        return self._known[key]

    def trying(
        self, change: Callable[[RuleBook], RuleBook], touches: Callable[[Message, Decision], bool]
    ) -> Route:
        """What it would decide with another book, where that could make a difference."""
        decider = self._runtime.decider.trying(change)

        def route(platform: str, message: Message, catalog: Catalog, first: bool) -> Decision:
            before = self(platform, message, catalog, first)
            if not touches(message, before):
                return before
            return self._decide(decider, platform, message, catalog, first)

        return route

    def pinning(self, toolset: str) -> Route:
        """What it would decide with one toolset more on the floor."""

        def route(platform: str, message: Message, catalog: Catalog, first: bool) -> Decision:
            before = self(platform, message, catalog, first)
            if before.outcome is Outcome.FULL or not first:
                return before
            kept = {*before.toolsets, ToolsetName(toolset)}
            return changed(before, toolsets=tuple(n for n in catalog.names if n in kept))

        return route

    def _decide(
        self,
        decider: TieredDecider,
        platform: str,
        message: Message,
        catalog: Catalog,
        first: bool,
    ) -> Decision:
        turn = TurnEvent(
            session_id="replay",
            turn_id="replay:1",
            platform=platform,
            message=message,
            is_first_turn=first,
        )
        place = self._runtime.places(platform)
        return decider.decide(turn, catalog, place, later_turn=not first, ask_network=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A suggestion before it is measured."""

    suggestion: Callable[[Effect], Suggestion]
    route: Route


def suggestions(
    base: Replay, seen: Sequence[Seen], router: Router, again: Again
) -> tuple[Suggestion, ...]:
    """What would have helped on this history, measured there; often nothing.

    Args:
        base: the history as the router decides it today.
        seen: its messages.
        router: that decided them.
        again: replays the history under another route.
    """
    changes = [
        *(_pin(name, router) for name in base.pins()),
        *(_rule(rule, router) for rule in phrase_rules(seen)),
        *(_off(*row, router) for row in silent_rules(seen)),
    ]
    found = []
    for change in changes:
        after = again(change.route)
        effect = Effect(
            missed_before=sum(base.missing.values()),
            missed_after=sum(after.missing.values()),
            tokens_before=base.tokens_sent,
            tokens_after=after.tokens_sent,
        )
        if effect.helps:
            found.append(change.suggestion(effect))
    return tuple(found)


def _pin(name: str, router: Router) -> _Change:
    return _Change(
        suggestion=lambda effect: Suggestion(
            kind="pin", name=name, why="it came back in many sessions", effect=effect
        ),
        route=router.pinning(name),
    )


def _rule(rule: dict[str, object], router: Router) -> _Change:
    """A rule, measured as if it were live: in shadow it would change nothing."""
    own = read_own({"rules": [{**rule, "stage": "live"}]}, "suggestion")
    wanted = rule["any"]
    phrases = frozenset(wanted) if isinstance(wanted, list) else frozenset()
    return _Change(
        suggestion=lambda effect: Suggestion(
            kind="rule",
            name=str(rule["id"]),
            why=f"messages with these words called {rule['toolset']}",
            effect=effect,
            rule=rule,
        ),
        route=router.trying(
            lambda book: with_own(book, own),
            lambda message, _: not phrases.isdisjoint(router.phrases(message.text)),
        ),
    )


def _off(rule: str, toolset: str, sessions: int, router: Router) -> _Change:
    own = OwnRules(off=frozenset({rule}))
    return _Change(
        suggestion=lambda effect: Suggestion(
            kind="off",
            name=rule,
            why=f"it kept {toolset} in {sessions} sessions, none of which called it",
            effect=effect,
        ),
        route=router.trying(
            lambda book: with_own(book, own),
            lambda _, before: any(reason.rule == rule for reason in before.reasons),
        ),
    )
