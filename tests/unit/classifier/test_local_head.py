"""The head's file and its arithmetic."""

from __future__ import annotations

import pytest

from hermes_tool_router.classifier.local_head import Head, load_head, pack_head
from hermes_tool_router.router.errors import RuleError
from hermes_tool_router.router.values import ToolsetName

np = pytest.importorskip("numpy", reason="the head belongs to the extra [local]")

WEB, BROWSER, CRON = (ToolsetName(name) for name in ("web", "browser", "cronjob"))


def _head(**changes: object) -> Head:
    values: dict[str, object] = {
        "names": (BROWSER, CRON, WEB),
        "weights": np.array([[1.0, -2.0, 0.5], [0.0, 4.0, -1.0]], dtype=np.float32),
        "bias": np.array([-3.0, -4.0, 0.0], dtype=np.float32),
        "language": np.array([1.0, -1.0, 2.0], dtype=np.float32),
        "stand_ins": {WEB: (BROWSER,)},
        "similarity": (10.0, -5.0),
        "encoder": "some-encoder",
        "encoder_version": "1.0",
        "head_chars": 20,
        "tail_chars": 10,
    }
    return Head(**{**values, **changes})  # type: ignore[arg-type]  # a table of mixed values


VECTOR = np.array([0.6, 0.8], dtype=np.float32)


def test_a_head_survives_its_file() -> None:
    """What is packed comes back, weights within half a step of eight bits."""
    head = _head()

    back = load_head(pack_head(head))

    step = np.abs(head.weights).max(axis=0) / 127
    assert (np.abs(back.weights - head.weights) <= step / 2 + 1e-6).all()
    assert (back.bias == head.bias).all()
    assert (back.language == head.language).all()
    assert (back.names, back.stand_ins, back.similarity) == (
        head.names,
        head.stand_ins,
        head.similarity,
    )
    assert (back.encoder_version, back.head_chars, back.tail_chars) == ("1.0", 20, 10)


def test_the_same_head_gives_the_same_bytes() -> None:
    """A retrained head that did not change leaves no diff."""
    assert pack_head(_head()) == pack_head(_head())


def test_probabilities_are_neither_rounded_nor_clipped() -> None:
    """Useful cuts lie near one in a hundred, so small numbers must stay what they are."""
    head = _head(bias=np.array([-30.0, -4.0, 0.0], dtype=np.float32))

    chances = head.probabilities(VECTOR, frozenset([BROWSER, CRON, WEB]))

    assert chances[BROWSER] == pytest.approx(np.exp(-29.4), rel=1e-3)


def test_a_toolset_that_is_not_granted_gets_no_chance() -> None:
    """Nothing outside the grant may come back."""
    chances = _head().probabilities(VECTOR, frozenset([CRON]))

    assert set(chances) == {CRON}


def test_the_stand_in_takes_over_what_is_missing() -> None:
    """Without web, its need is the browser's: either of the two needs is enough."""
    head = _head()
    alone = head.probabilities(VECTOR, frozenset([BROWSER, WEB]))

    chances = head.probabilities(VECTOR, frozenset([BROWSER]))

    assert chances[BROWSER] == pytest.approx(1 - (1 - alone[BROWSER]) * (1 - alone[WEB]))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "cannot be read", id="empty"),
        pytest.param(b"PK\x03\x04 not an archive", "cannot be read", id="torn"),
        pytest.param(
            pack_head(_head(bias=np.array([0.0, np.nan, 0.0], dtype=np.float32))),
            "not a finite number",
            id="NaN",
        ),
        pytest.param(
            pack_head(_head(names=(CRON, WEB))), "do not fit 2 toolsets", id="too few names"
        ),
        pytest.param(
            pack_head(_head(language=np.zeros(2, dtype=np.float32))),
            "language weights",
            id="language weights of another size",
        ),
    ],
)
def test_a_damaged_head_is_refused(data: bytes, said: str) -> None:
    """A head that does not fit together says so instead of routing by noise."""
    with pytest.raises(RuleError, match=said):
        load_head(data)
