"""registry_adapter.deciding: the floor is kept for a grant, and follows the settings."""

from __future__ import annotations

from typing import Any

QUESTION = "write a short poem about autumn rain"


def test_a_floor_that_was_set_anew_holds_for_the_next_message(bench: Any) -> None:
    """The same tools under other settings have another floor."""
    decider, place = bench.surfaces._decider, bench.place
    bench.turn(QUESTION, first=True)
    catalog = bench.surfaces._live.entry(place, "s").catalog

    kept = decider._floor(catalog, place.settings)
    again = decider._floor(catalog, place.settings)
    changed = decider._floor(
        catalog, place.settings.model_copy(update={"floor_toolsets": ("web",)})
    )

    assert again is kept
    assert set(changed) - set(kept) == {"web"}
