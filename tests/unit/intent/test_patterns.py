"""What a pattern knows of its matches before it is sought."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.routing import HERE, book, read_cases
from hermes_tool_router.intent.patterns import Line, element, find, pattern
from hermes_tool_router.intent.reading import read

BOOK = book()
PROMPTS = [case["prompt"] for case in read_cases(HERE / "cases" / "routes.jsonl")]


@pytest.mark.parametrize("part", range(4))
def test_a_rule_matches_only_where_what_it_needs_was_said(part: int) -> None:
    """Decisions pass over a rule without its needs, so no authored prompt may need it then."""
    matches = 0

    for prompt in PROMPTS[part::4]:
        reading = read(prompt, BOOK)
        texts = [token.text for token in reading.tokens]
        line = Line(reading.tokens, texts, reading.marks)
        said = set(texts).union(*reading.marks)
        for trial in BOOK.trials:
            needs = trial.pattern.needs
            if needs and find(trial.pattern, line, range(len(texts))) is not None:
                matches += 1
                assert needs & said, (BOOK.rules[trial.position].id, prompt)

    assert matches > 10


def test_an_element_that_may_be_missing_is_no_need() -> None:
    """Nor is one with a beginning of a word or an object, which is not looked up by its text."""
    first = element("any", [["remind"]], 0)
    maybe = element("maybe", [["me"]], 0)
    loose = element("any", [["tomor*"], ["today"]], 0)
    plain = element("any", [["at", "noon"], ["tonight"]], 0)

    assert pattern([first, maybe, loose]).needs == frozenset()
    assert pattern([first, maybe, loose, plain]).needs == {"at", "tonight"}
