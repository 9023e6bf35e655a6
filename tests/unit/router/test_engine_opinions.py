"""What the engine makes of an encoder's opinion."""

from __future__ import annotations

import pytest

from hermes_tool_router.registry_adapter.resources import rule_book
from hermes_tool_router.router.engine import decide
from hermes_tool_router.router.values import (
    Catalog,
    Grade,
    Message,
    Opinion,
    Origin,
    Tier,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

BOOK = rule_book()
WEB, CRON = ToolsetName("web"), ToolsetName("cronjob")
CATALOG = Catalog(
    toolsets=tuple(
        Toolset(
            name=name,
            origin=Origin.BUILTIN,
            description="",
            tools=(ToolSpec(name=ToolName(name), toolset=name, description="", tokens=1000),),
        )
        for name in (WEB, CRON)
    )
)
STRANGE = "ነገ ጠዋት በሰባት ሰዓት ቀስቅሰኝ"
"""Amharic: neither the rule book nor the encoder reads it."""


def _opinion(chance: float, confidence: float) -> Opinion:
    return Opinion(
        tier=Tier.LOCAL, probabilities={WEB: chance, CRON: chance}, confidence=confidence
    )


def test_a_language_that_nobody_reads_opens_everything() -> None:
    """A number from an encoder that does not know the language is no reading."""
    decision = decide(
        Message(text=STRANGE),
        CATALOG,
        floor=frozenset(),
        book=BOOK,
        opinions=(_opinion(0.0001, confidence=0.1),),
    )

    assert decision.grade is Grade.FULL


def test_a_language_that_the_encoder_reads_is_narrowed() -> None:
    """What the rules do not know, the encoder may."""
    decision = decide(
        Message(text=STRANGE),
        CATALOG,
        floor=frozenset(),
        book=BOOK,
        opinions=(_opinion(0.9, confidence=0.95),),
    )

    assert decision.grade is Grade.TIGHT
    assert set(decision.toolsets) == {WEB, CRON}


@pytest.mark.parametrize(
    ("chance", "kept"),
    [pytest.param(0.034, False, id="below the price"), pytest.param(0.036, True, id="above it")],
)
def test_what_stays_is_worth_its_tokens(chance: float, kept: bool) -> None:
    """The encoder alone: one price per thousand tokens."""
    decision = decide(
        Message(text="any words at all"),
        CATALOG,
        floor=frozenset(),
        book=BOOK,
        use_rules=False,
        opinions=(_opinion(chance, confidence=1.0),),
    )

    assert (WEB in decision.toolsets) is kept


def _with_server(tokens: int) -> Catalog:
    server = ToolsetName("mcp-greenhouse")
    tool = ToolSpec(
        name=ToolName("mcp__greenhouse__read"), toolset=server, description="", tokens=tokens
    )
    return Catalog(
        toolsets=(
            *CATALOG.toolsets,
            Toolset(name=server, origin=Origin.MCP, description="", tools=(tool,)),
        )
    )


@pytest.mark.parametrize("use_rules", [True, False])
def test_a_small_server_that_no_tier_spoke_of_stays(use_rules: bool) -> None:
    """No opinion is no vote against, with the rules on or off."""
    decision = decide(
        Message(text="explain what a tomato is"),
        _with_server(tokens=500),
        floor=frozenset(),
        book=BOOK,
        use_rules=use_rules,
        opinions=(_opinion(0.0001, confidence=0.95),),
    )

    assert "mcp-greenhouse" in decision.toolsets
    assert decision.errors == ()


def test_a_server_that_its_description_speaks_for_stays_beside_a_plain_need() -> None:
    """That the web is plainly meant says nothing against a server whose words fit too."""
    opinion = Opinion(
        tier=Tier.LOCAL,
        probabilities={WEB: 0.9, CRON: 0.001, ToolsetName("mcp-greenhouse"): 0.3},
        confidence=0.95,
    )

    decision = decide(
        Message(text="look up why tomato leaves curl and whether ours are dry"),
        _with_server(tokens=3000),
        floor=frozenset(),
        book=BOOK,
        opinions=(opinion,),
    )

    assert {"web", "mcp-greenhouse"} <= set(decision.toolsets)
