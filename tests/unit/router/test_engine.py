"""First messages to decisions, through the committed rule book."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.routing import FLOOR, book, catalog, surface
from hermes_tool_router.intent.rulebook import RuleBook
from hermes_tool_router.router.engine import decide
from hermes_tool_router.router.values import (
    Catalog,
    Decision,
    Message,
    Opinion,
    Origin,
    Outcome,
    Tier,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)


@pytest.fixture(scope="module")
def rules() -> RuleBook:
    """The committed book."""
    return book()


@pytest.fixture(scope="module")
def granted() -> Catalog:
    """The reference surface."""
    return catalog(surface(None))


def _route(text: str, granted: Catalog, rules: RuleBook) -> Decision:
    return decide(Message(text=text), granted, floor=FLOOR, book=rules)


@pytest.mark.parametrize(
    ("text", "toolset"),
    [
        pytest.param("dim the lamps in the study", "homeassistant", id="a lamp"),
        pytest.param("wake me at 6:45 tomorrow", "cronjob", id="a time to come"),
        pytest.param("look up train strikes on the web", "web", id="the web"),
        pytest.param("kannst du im Internet nach Zugstreiks suchen", "web", id="the web, German"),
    ],
)
def test_an_object_brings_its_toolset(
    text: str, toolset: str, granted: Catalog, rules: RuleBook
) -> None:
    """What the instruction acts on decides."""
    decision = _route(text, granted, rules)

    assert decision.outcome is Outcome.NARROWED
    assert toolset in decision.toolsets
    assert toolset in decision.evident


def test_a_greeting_keeps_the_floor_and_the_first_turn(granted: Catalog, rules: RuleBook) -> None:
    """A greeting does not use up the first turn (design D4)."""
    decision = _route("hello there!", granted, rules)

    assert set(decision.toolsets) == FLOOR
    assert not decision.substantive


def test_a_follow_up_with_nothing_to_follow_gets_everything(
    granted: Catalog, rules: RuleBook
) -> None:
    """A bare yes never tightens."""
    decision = _route("yes please", granted, rules)

    assert decision.outcome is Outcome.FULL
    assert decision.follow_up


def test_an_unreadable_message_gets_everything(granted: Catalog, rules: RuleBook) -> None:
    """A shape that nobody here knows is no reason to narrow."""
    message = Message(text="", unreadable=True)

    decision = decide(message, granted, floor=FLOOR, book=rules)

    assert decision.toolsets == granted.names


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "напиши план".encode().decode("ascii", "surrogateescape"), id="a terminal without UTF-8"
        ),
        pytest.param("напиши план".encode().decode("ascii", "replace"), id="replaced by the host"),
    ],
)
def test_words_that_were_decoded_wrongly_get_everything(
    text: str, granted: Catalog, rules: RuleBook
) -> None:
    """They say something, and nobody knows what."""
    decision = _route(text, granted, rules)

    assert decision.outcome is Outcome.FULL
    assert decision.reasons[0].rule == "engine.unreadable"


@pytest.mark.parametrize("text", ["", "   \n", "?", "?!", "...", "。", "…", "🔥🔥", ":)"])
def test_where_no_word_stands_the_next_message_decides(
    text: str, granted: Catalog, rules: RuleBook
) -> None:
    """The floor for now; the first turn is not used up, and a later one adds nothing."""
    decision = _route(text, granted, rules)

    assert set(decision.toolsets) == FLOOR & set(granted.names)
    assert not decision.substantive
    assert not decision.evident


def test_a_failed_network_tier_gets_everything(granted: Catalog, rules: RuleBook) -> None:
    """Asked and failed is full, whatever the rules say (design D7)."""
    opinion = Opinion(tier=Tier.SYSTEM_ONE, probabilities={}, failed="timeout")

    decision = decide(
        Message(text="dim the lamps"), granted, floor=FLOOR, book=rules, opinions=(opinion,)
    )

    assert decision.outcome is Outcome.FULL
    assert decision.tier is Tier.SYSTEM_ONE


def test_without_rules_the_opinion_speaks_alone(granted: Catalog, rules: RuleBook) -> None:
    """With the rules off the lexicon has no say."""
    opinion = Opinion(
        tier=Tier.LOCAL,
        probabilities={name: 0.9 if name == "spotify" else 0.0 for name in granted.names},
    )

    decision = decide(
        Message(text="dim the lamps"),
        granted,
        floor=FLOOR,
        book=rules,
        use_rules=False,
        opinions=(opinion,),
    )

    assert set(decision.toolsets) == FLOOR | {ToolsetName("spotify")}


def test_without_rules_and_without_an_opinion_nothing_is_narrowed(
    granted: Catalog, rules: RuleBook
) -> None:
    """A network tier that cannot be reached must not leave the floor alone."""
    decision = decide(
        Message(text="dim the lamps"), granted, floor=FLOOR, book=rules, use_rules=False
    )

    assert decision.outcome is Outcome.FULL
    assert decision.undecided


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("call web_search for the ferry", id="written out"),
        pytest.param("call `web_search` for the ferry", id="as inline code"),
    ],
)
def test_a_tool_that_is_written_out_pins_its_toolset(text: str, rules: RuleBook) -> None:
    """A message that names a tool gets it."""
    granted = Catalog(toolsets=(_toolset("web", "web_search"), _toolset("file", "read_file")))

    decision = decide(Message(text=text), granted, floor=frozenset(), book=rules)

    assert "web" in decision.evident


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("open an issue on GitHub", "mcp-github", id="a server by its name"),
        pytest.param("file this under Linear", "mcp_linear", id="with underscores"),
        pytest.param("what is in my calendar", "mcp-google-calendar", id="by half its name"),
    ],
)
def test_an_unknown_toolset_is_found_by_its_own_name(text: str, name: str, rules: RuleBook) -> None:
    """A user's servers are unknown to any rule."""
    granted = Catalog(toolsets=(_toolset(name, f"{name}_do"), _toolset("mcp-weaver", "loom")))

    decision = decide(Message(text=text), granted, floor=frozenset(), book=rules)

    assert name in decision.evident
    assert "mcp-weaver" not in decision.evident


def _toolset(name: str, tool: str) -> Toolset:
    spec = ToolSpec(name=ToolName(tool), toolset=ToolsetName(name), description="", tokens=600)
    return Toolset(name=ToolsetName(name), origin=Origin.MCP, description="", tools=(spec,))


def test_the_router_itself_is_never_what_a_message_is_about(rules: RuleBook) -> None:
    """A message about a router at home does not name the toolset ``tool_router``."""
    name = ToolsetName("tool_router")
    tool = ToolSpec(
        name=ToolName("request_toolset"), toolset=name, description="Ask for tools", tokens=200
    )
    own = Toolset(name=name, origin=Origin.OWN, description="", tools=(tool,))
    alone = catalog(surface(None))
    with_own = Catalog(toolsets=(*alone.toolsets, own), order=(*alone.order, tool.name))
    text = "my router drops the line every evening, what might that be"

    decision = _route(text, with_own, rules)

    assert name not in decision.evident
    assert [reason.rule for reason in decision.reasons] == [
        reason.rule for reason in _route(text, alone, rules).reasons
    ]


def test_several_sentences_may_ask_for_several_things(granted: Catalog, rules: RuleBook) -> None:
    """One request does not drown in the others."""
    text = (
        "Please look up which ferries run to Skye in the first week of May and what they cost. "
        "Also dim the lamps in the study. And remind me at nine to book the tickets."
    )

    decision = decide(Message(text=text), granted, floor=FLOOR, book=rules)

    assert {"web", "homeassistant", "cronjob"} <= set(decision.toolsets)


@pytest.mark.parametrize(
    "text",
    [
        "isometric bakery at dawn, pastel palette",
        "pixel art knight with a blue cape",
        "oil on canvas, a lighthouse in a storm",
        "ein isometrisches kleines Café, weiche Farben",
        "un phare dans la tempête, huile sur toile",
        "hiperrealista, fotorrealista, un zorro en la nieve",
    ],
)
def test_a_picture_that_is_only_described_is_asked_for(
    granted: Catalog, rules: RuleBook, text: str
) -> None:
    """Nobody writes "draw" to a model that draws."""
    decision = decide(Message(text=text), granted, floor=FLOOR, book=rules)

    assert "image_gen" in decision.toolsets


@pytest.mark.parametrize(
    "text", ["4 stars", "Lisbon 2018", "2026-05-02", "somebody called Petra", "noon on Friday"]
)
def test_a_later_answer_of_a_few_words_adds_nothing(
    granted: Catalog, rules: RuleBook, text: str
) -> None:
    """The assistant asked; an append would cost the cached prefix."""
    decision = decide(Message(text=text), granted, floor=FLOOR, book=rules, later_turn=True)

    assert not decision.evident


@pytest.mark.parametrize(
    ("text", "toolset"),
    [("search the web", "web"), ("lights off", "homeassistant"), ("run tests", "terminal")],
)
def test_a_later_request_of_a_few_words_adds_what_it_plainly_means(
    granted: Catalog, rules: RuleBook, text: str, toolset: str
) -> None:
    """Short is not vague."""
    decision = decide(Message(text=text), granted, floor=FLOOR, book=rules, later_turn=True)

    assert toolset in decision.evident


def test_a_later_do_that_brings_hands(granted: Catalog, rules: RuleBook) -> None:
    """After talk that needed nothing, acting needs a machine."""
    decision = decide(Message(text="ok do that"), granted, floor=FLOOR, book=rules, later_turn=True)

    assert decision.follow_up
    assert decision.evident == {"terminal", "file"}


def test_a_language_that_nobody_here_reads_gets_everything(
    granted: Catalog, rules: RuleBook
) -> None:
    """Abstain, never "no tools"."""
    decision = _route("ხვალ დილით მანქანა სად უნდა დავტოვო", granted, rules)

    assert decision.outcome is Outcome.FULL


def test_a_follow_up_that_brings_its_object_stands_alone(granted: Catalog, rules: RuleBook) -> None:
    """A wish to have this fixed, with the log below it, is a request."""
    text = "fix this\n```\nFAILED tests/test_cart.py::test_empty\n1 failed, 41 passed\n```"

    decision = _route(text, granted, rules)

    assert not decision.follow_up
    assert "terminal" in decision.toolsets
