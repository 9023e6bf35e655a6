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
    [pytest.param(0.022, False, id="below the price"), pytest.param(0.024, True, id="above it")],
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
