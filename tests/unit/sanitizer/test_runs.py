"""How long a run of token characters every match of a pattern has."""

from __future__ import annotations

import re
from random import Random

import pytest

from hermes_tool_router.console.patterns import sources
from hermes_tool_router.sanitizer import PatternTable
from hermes_tool_router.sanitizer.book import expanded, read_cases
from hermes_tool_router.sanitizer.runs import sure_run

RUN = re.compile(r"[\w.+/~-]+")


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("abc", 3),
        (r"key-\w{20,40}", 24),
        (r"[0-9a-f]{24}:[0-9a-f]{64}", 64),
        (r"(?<!\w)a{3}(?=b{90})(?:-b{4})?c", 4),
        (r"a{3}(?:=b{4})?c{2}", 3),
        (r"(?:ab=cd){2,3}e", 4),
        (r"(?:aaaa|b=bb)c", 3),
        (r"[^ ]{30}", 0),
        (r"a++(?>b{3})c*?", 4),
        (r"(a{5})=\1", 5),
    ],
)
def test_least_run_is_told_from_a_pattern(pattern: str, least: int) -> None:
    """Optional parts add nothing, and what is no token character ends a run."""
    found = sure_run(pattern)

    assert found == least


def test_no_match_of_a_shape_has_a_shorter_run_than_its_shape_says(table: PatternTable) -> None:
    """A shape is left out where the text has no such run: it must not have matched there."""
    shapes = {shape.id: shape for shape in table.shapes}
    choose = Random(7).choice

    short = []
    for case in read_cases(sources()):
        shape = shapes[case.shape]
        found = re.search(shape.pattern, expanded(case.template, choose))
        if found and max(map(len, RUN.findall(found[0])), default=0) < shape.run:
            short.append(case.template)

    assert not short
