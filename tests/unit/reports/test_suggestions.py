"""Suggestions: found by counting, valid where they are to be written, harmless in shadow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from hermes_tool_router.intent.own import with_own
from hermes_tool_router.registry_adapter.own_rules import own_rules, own_rules_file
from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.reports.suggest import (
    Effect,
    Seen,
    Suggestion,
    own_file,
    phrase_rules,
    phrases_in,
    silent_rules,
)
from hermes_tool_router.router.engine import decide
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Message,
    Origin,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

BOOK = rule_book()
FLOOR = frozenset({ToolsetName("memory")})
SPOKEN = "bring the ledger page up to date"


def _toolset(name: str, tokens: int) -> Toolset:
    spec = ToolSpec(name=ToolName(name), toolset=ToolsetName(name), description="", tokens=tokens)
    return Toolset(name=ToolsetName(name), origin=Origin.BUILTIN, description="", tools=(spec,))


CATALOG = Catalog(
    toolsets=tuple(_toolset(name, 1_500) for name in ("memory", "cronjob", "tts", "terminal"))
)


def seen(number: int, text: str, **more: Any) -> Seen:
    """A message of a session of its own, where the test says no other."""
    fields: dict[str, Any] = {
        "session": f"s{number}",
        "later": False,
        "visible": frozenset({"memory"}),
        "votes": (),
        "called": frozenset(),
        "missed": frozenset(),
    }
    return Seen(text=text, **{**fields, **more})


def missed(number: int, text: str, toolset: str = "tts", **more: Any) -> Seen:
    """A message whose toolset had to be brought back."""
    names = frozenset({toolset})
    return seen(number, text, called=names, missed=names, **more)


class TestPhrases:
    def test_words_and_pairs_without_objects_and_short_words(self) -> None:
        """A pair has one longer word; paths, numbers and files are no words."""
        assert phrases_in("Put 3 ledgers in ~/x and ledger.csv!") == {
            "ledgers",
            "ledgers in",
        }

    def test_a_word_that_was_missed_again_and_again_becomes_a_rule(self) -> None:
        """The rarest phrase that stands in all of them; in shadow."""
        history = [missed(n, f"{SPOKEN} {n}") for n in range(4)]
        history += [seen(10 + n, "what page is it, and what date?") for n in range(5)]

        (rule,) = phrase_rules(history)

        assert (rule["id"], rule["toolset"], rule["stage"]) == ("own.tts", "tts", "shadow")
        assert len(rule["any"]) == 1
        assert "ledger" in rule["any"][0] or "bring" in rule["any"][0]

    @pytest.mark.parametrize(
        "history",
        [
            pytest.param([missed(n, SPOKEN) for n in range(2)], id="twice is chance"),
            pytest.param([missed(1, SPOKEN) for _ in range(5)], id="one session only"),
            pytest.param(
                [missed(n, SPOKEN) for n in range(3)] + [seen(9 + n, SPOKEN) for n in range(3)],
                id="half of them did not call it",
            ),
            pytest.param([missed(n, f"12{n}") for n in range(4)], id="no words"),
            pytest.param([seen(n, SPOKEN) for n in range(4)], id="nothing was missed"),
        ],
    )
    def test_what_proves_nothing_suggests_nothing(self, history: list[Seen]) -> None:
        """Fewer suggestions are better ones."""
        assert phrase_rules(history) == []

    def test_a_toolset_of_a_server_has_an_id_too(self) -> None:
        """Its name may hold what an id may not."""
        rules = phrase_rules([missed(n, SPOKEN, "mcp-My_CRM") for n in range(3)])

        assert [rule["id"] for rule in rules] == ["own.mcp-my-crm"]


class TestSilentRules:
    def test_a_rule_that_keeps_what_nobody_calls_is_named(self) -> None:
        """Six sessions kept a toolset on its word and none called it."""
        votes, visible = (("tts.aloud", "tts"),), frozenset({"tts"})
        history = [seen(n, "x", votes=votes, visible=visible) for n in range(6)]

        assert silent_rules(history) == [("tts.aloud", "tts", 6)]
        assert silent_rules(history[:4]) == []

    def test_one_call_in_one_of_them_clears_it(self) -> None:
        """Later in the session counts as well."""
        votes, visible = (("tts.aloud", "tts"),), frozenset({"tts"})
        history = [seen(n, "x", votes=votes, visible=visible) for n in range(6)]
        history.append(seen(3, "y", called=frozenset({"tts"})))

        assert silent_rules(history) == []


@pytest.mark.parametrize(
    ("missed_after", "tokens_after", "helps"),
    [
        pytest.param(8, 110_000, True, id="two misses for ten thousand tokens"),
        pytest.param(9, 200_000, False, id="one miss for a hundred thousand"),
        pytest.param(10, 99_000, True, id="as many misses, fewer tokens"),
        pytest.param(10, 100_000, False, id="no difference"),
        pytest.param(11, 1_000, False, id="a miss more"),
    ],
)
def test_only_what_helps_is_suggested(missed_after: int, tokens_after: int, helps: bool) -> None:
    """Measured on the same history."""
    effect = Effect(
        missed_before=10,
        missed_after=missed_after,
        tokens_before=100_000,
        tokens_after=tokens_after,
    )

    assert effect.helps == helps


class TestWhatIsWritten:
    EFFECT = Effect(missed_before=1, missed_after=0, tokens_before=1, tokens_after=1)

    def content(self) -> dict[str, Any]:
        """A rule and a switch, as replay prints them."""
        (rule,) = phrase_rules([missed(n, SPOKEN, "cronjob") for n in range(3)])
        suggestions = [
            Suggestion(kind="rule", name=rule["id"], why="", effect=self.EFFECT, rule=rule),
            Suggestion(kind="off", name="cronjob.in-a-while", why="", effect=self.EFFECT),
            Suggestion(kind="pin", name="web", why="", effect=self.EFFECT),
        ]
        return own_file(suggestions, with_rules=True)

    def decided(self, home: Path) -> Decision:
        """The missed message, decided with the rules of a home."""
        book = with_own(BOOK, own_rules(home))
        return decide(Message(text=SPOKEN), CATALOG, floor=FLOOR, book=book)

    def test_it_loads_and_changes_nothing_in_shadow(self, tmp_path: Path) -> None:
        """Its id is among the reasons, without weight."""
        path = own_rules_file(tmp_path)
        path.parent.mkdir()
        before = self.decided(tmp_path)

        path.write_text(yaml.safe_dump(self.content()), encoding="utf-8")
        own, after = own_rules(tmp_path), self.decided(tmp_path)

        assert own.shadow == {"own.cronjob"}
        assert own.off == {"cronjob.in-a-while"}
        assert (after.toolsets, after.grade) == (before.toolsets, before.grade)
        assert "cronjob" not in after.toolsets
        assert [r.weight for r in after.reasons if r.rule == "own.cronjob"] == [0.0]

    def test_live_it_keeps_what_was_missed(self, tmp_path: Path) -> None:
        """The same file with one word changed."""
        path = own_rules_file(tmp_path)
        path.parent.mkdir()

        path.write_text(
            yaml.safe_dump(self.content()).replace("stage: shadow", "stage: live"),
            encoding="utf-8",
        )

        assert "cronjob" in self.decided(tmp_path).toolsets

    def test_without_text_only_switches_are_shown(self) -> None:
        """A rule is made of words of messages."""
        suggestion = Suggestion(
            kind="rule", name="own.tts", why="", effect=self.EFFECT, rule={"id": "own.tts"}
        )

        assert own_file([suggestion], with_rules=False) == {}
