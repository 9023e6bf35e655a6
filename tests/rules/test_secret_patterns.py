"""The shapes do what their cases say, and the compiled table is theirs."""

from __future__ import annotations

import random
import re

import pytest

from hermes_tool_router.console.patterns import TABLE, build, sources
from hermes_tool_router.sanitizer import PatternTable, Sanitizer, table_from_bytes
from hermes_tool_router.sanitizer.book import expanded, read_cases
from hermes_tool_router.sanitizer.shapes import find_shapes

CASES = list(read_cases(sources()))


def test_committed_table_is_what_the_sources_compile_to() -> None:
    """A folder install has no build step, so the compiled table is committed."""
    assert build() == TABLE.read_bytes()


@pytest.mark.parametrize(
    ("shape", "template"),
    [
        pytest.param(case.shape, case.template, id=f"{case.shape} {case.template}")
        for case in CASES
        if case.secret
    ],
)
def test_shape_finds_its_own_cases(table: PatternTable, shape: str, template: str) -> None:
    """Each shape alone finds every case of its own, in three random fillings."""
    own = [s for s in table.shapes if s.id == shape]
    alone = PatternTable(
        shapes=tuple(own), labels=table.labels, commands=(), prefixes=table.prefixes
    )

    for seed in range(3):
        text = expanded(template, random.Random(f"{shape}{seed}").choice)

        assert list(find_shapes(alone.hints(text), alone)), text


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(case.template, id=f"{case.shape} {case.template}")
        for case in CASES
        if not case.secret
    ],
)
def test_near_misses_are_left_alone(sanitizer: Sanitizer, template: str) -> None:
    """What only resembles a shape stays, whatever other patterns say."""
    text = expanded(template, random.Random(template).choice)

    assert sanitizer.text(text).text == text


def test_at_least_sixty_vendors_are_known(table: PatternTable) -> None:
    """The breadth that issue 4 asks for."""
    assert len({shape.kind for shape in table.shapes}) >= 60


def test_every_keyword_is_in_every_match_of_its_shape(table: PatternTable) -> None:
    """A prefilter that misses a case would hide a secret."""
    by_id = {shape.id: shape for shape in table.shapes}

    for case in CASES:
        text = expanded(case.template, random.Random(case.template).choice)
        shape = by_id[case.shape]
        found = re.search(shape.pattern, text)

        if found:
            where = text.lower() if shape.nocase else text
            assert any(keyword in where for keyword in shape.keywords), case.template


@pytest.fixture(scope="session")
def table() -> PatternTable:
    """The compiled table that ships."""
    return table_from_bytes(TABLE.read_bytes())


@pytest.fixture
def sanitizer(table: PatternTable) -> Sanitizer:
    """A sanitizer that knows no live secrets."""
    return Sanitizer(table)
