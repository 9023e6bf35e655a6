"""The price file: what ships, and what the loader refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from hermes_tool_router.registry_adapter.prices import PRICES, PriceError, read_prices, tier_of

ROW: dict[str, Any] = yaml.safe_load(PRICES.read_text(encoding="utf-8"))["prices"][0]


def test_the_shipped_file_has_five_tiers_with_date_and_source() -> None:
    """At least five; each says where it is from."""
    tiers = read_prices()

    assert len(tiers) >= 5
    assert {tier.prices.any_front for tier in tiers} == {True, False}
    assert all(tier.source.startswith("https://") for tier in tiers)
    assert all(tier.date[:2] == "20" for tier in tiers)


@pytest.mark.parametrize(
    ("model", "fresh"),
    [
        pytest.param("claude-sonnet-4-5", 3.0, id="bare"),
        pytest.param("anthropic/claude-sonnet-4.6", 3.0, id="with a provider, dotted"),
        pytest.param("Claude-Haiku-4-5-20251001", 1.0, id="dated, upper case"),
        pytest.param("deepseek/deepseek-chat:free", 0.14, id="with a suffix"),
        pytest.param("claude-opus-4-8-fast", None, id="another price of a similar name"),
        pytest.param("gpt-4.1-mini", None, id="a smaller model is not the larger one"),
        pytest.param("", None, id="no name"),
    ],
)
def test_a_model_gets_its_own_price_or_none(model: str, fresh: float | None) -> None:
    """A wrong price would be worse than none."""
    found = tier_of(model)

    assert (found.prices.fresh if found else None) == fresh


@pytest.mark.parametrize(
    ("base_url", "known"),
    [
        pytest.param("https://api.deepseek.com/v1", True, id="its own address"),
        pytest.param("", True, id="no address is known"),
        pytest.param("https://api.fireworks.ai/inference/v1", False, id="another seller"),
        pytest.param("http://127.0.0.1:8080/v1", False, id="a server of one's own"),
        pytest.param("no address", False, id="no address at all"),
    ],
)
def test_a_price_holds_where_the_file_says(base_url: str, known: bool) -> None:
    """Others ask other prices for a model of the same name."""
    assert (tier_of("deepseek-chat", base_url) is not None) == known


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"fresh": "3"}, "fresh must be a number", id="text for a number"),
        pytest.param({"read": 4.0}, "read <= fresh <= write", id="cached dearer than fresh"),
        pytest.param({"date": ""}, "date must be a text", id="no date"),
        pytest.param({"models": []}, "models must be a list", id="no model"),
        pytest.param({"hosts": "x"}, "hosts must be a list", id="one host without a list"),
        pytest.param({"sightings": 0}, "1 or more", id="seen by nobody"),
        pytest.param({"models": ["GPT"]}, "lower-case", id="upper case never fits"),
        pytest.param({"any_front": "yes"}, "true or false", id="text for a truth"),
        pytest.param({"least_tokens": 0}, "1 or more", id="no least length"),
        pytest.param({"colour": "red"}, "'colour' is unknown", id="unknown key"),
    ],
)
def test_a_wrong_entry_is_named_with_file_and_id(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """What was wrong and what is allowed."""
    path = tmp_path / "prices.yaml"
    path.write_text(yaml.safe_dump({"prices": [{**ROW, **change}]}), encoding="utf-8")

    with pytest.raises(PriceError, match=message) as caught:
        read_prices(path)

    assert f"prices.yaml: {ROW['id']}" in str(caught.value)


@pytest.mark.parametrize("text", ["", "prices: 3", "prices: [1]", "{", "prices: [{id: a}]"])
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    """No stack trace of the YAML reader."""
    path = tmp_path / "prices.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(PriceError, match=r"prices\.yaml"):
        read_prices(path)


def test_an_id_is_used_once(tmp_path: Path) -> None:
    """Reports name tiers by id."""
    path = tmp_path / "prices.yaml"
    path.write_text(yaml.safe_dump({"prices": [ROW, ROW]}), encoding="utf-8")

    with pytest.raises(PriceError, match="used twice"):
        read_prices(path)
