"""Sums of learned weights in narrow lanes."""

from __future__ import annotations

import pytest

from hermes_tool_router.intent.lexicon import LANE, OFFSET, totals, widen


@pytest.mark.parametrize("weight", [-128, -1, 0, 127])
@pytest.mark.parametrize("keys", [0, 1, 257, 258, 1000])
def test_sums_are_exact_however_many_keys_a_message_has(keys: int, weight: int) -> None:
    """A lane holds 257 of the greatest weights; more keys than that must not run over."""
    names = [f"key{number}" for number in range(keys)]
    cells = widen(bytes([OFFSET + weight, OFFSET]) * keys)
    places = dict(zip(names, range(0, len(cells), 2 * LANE), strict=True))

    sums, known = totals(places, cells, [*names, "unknown"], 2)

    assert (sums, known) == ([keys * weight, 0], keys)
