"""The literals that the gate's patterns need."""

from __future__ import annotations

import json
import re
from itertools import chain

import pytest

from hermes_tool_router.console.gate_tables import CALLS, GATE
from hermes_tool_router.console.literals import needed
from hermes_tool_router.risk_gate.rules import shipped


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        pytest.param("(?i)KeyLog", ("keylog",), id="case is folded"),
        pytest.param("^/etc/(?:cron|at)", ("/etc/at", "/etc/cron"), id="a branch behind a run"),
        pytest.param("colou?r", ("color", "colour"), id="an optional letter"),
        pytest.param("a+bcd", ("bcd",), id="the longest run of several"),
        pytest.param("(?:one|two)[0-9]", ("one", "two"), id="a set of characters ends a run"),
        pytest.param("(?=secret)x", None, id="a look-ahead says nothing"),
        pytest.param("(?:abc)*", None, id="what may be left out says nothing"),
        pytest.param("(?:abc|x)", None, id="a short alternative says nothing"),
        pytest.param(".", None, id="anything"),
    ],
)
def test_the_literals_of_a_pattern(pattern: str, wanted: tuple[str, ...] | None) -> None:
    """Every match holds one of them; ``None`` where that cannot be promised."""
    assert needed(pattern) == wanted


def test_no_case_matches_a_pattern_without_its_literals() -> None:
    """Over all the commands that prove the rules."""
    known = {
        **json.loads(CALLS.read_bytes())["literals"],
        **json.loads(GATE.read_bytes())["literals"],
    }
    cases = [case for rule in shipped().rules for case in (*rule.match, *rule.no_match)]
    words = sorted({word for case in cases for word in (*case.split(), case) if word.isascii()})

    broken = [
        (pattern, word)
        for pattern, literals in known.items()
        for word in words
        if re.search(pattern, word, re.IGNORECASE)
        and not any(literal in word.lower() for literal in literals)
    ]

    assert broken == []
    assert min(map(len, chain.from_iterable(known.values()))) >= 3
