"""What the local head learns from, and that it learns."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import pytest

from hermes_tool_router.benchmarks.head_data import (
    OWN,
    PICK,
    STAND_INS,
    digest,
    gather,
    own_rows,
    read_rows,
)
from hermes_tool_router.benchmarks.options import UsageError

np = pytest.importorskip("numpy", reason="the head belongs to the extra [local]")
pytest.importorskip("scipy", reason="training is for developers")

from hermes_tool_router.benchmarks import head_fit  # noqa: E402 - after the optional packages

ROOT = Path(__file__).resolve().parents[3]
PROMPTS = ROOT / "benchmarks" / "training" / "prompts.yaml"
HEAD = ROOT / "classifier" / "data" / "local_head.npz"
SURFACE = json.loads((ROOT / "benchmarks" / "data" / "reference_surface.json").read_text("utf-8"))


def _line(**changes: object) -> str:
    row = {
        "prompt": "open the gate",
        "source": "somewhere",
        "lang": "en",
        "kind": "single",
        "required_toolsets": ["homeassistant"],
        "required_any": [],
    }
    return json.dumps({**row, **changes})


def test_rows_keep_what_they_teach(tmp_path: Path) -> None:
    """A need that one of several would meet is learned for the one picked."""
    path = tmp_path / "rows.jsonl"
    group = ["browser", "web"]
    path.write_text(
        "\n".join(
            [
                _line(),
                _line(required_toolsets=[], required_any=[group]),
                _line(required_toolsets=["browser"], required_any=[group]),
            ]
        ),
        "utf-8",
    )

    taught = [row.needs for row in read_rows(path)]

    assert taught == [{"homeassistant"}, {"web"}, {"browser"}]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"source": "swebench-lite"}, id="titles that belong to their writers"),
        pytest.param({"kind": "unknown_language"}, id="a need that nobody knows"),
        pytest.param({"split": "test"}, id="the test split"),
        pytest.param({}, id="no split at all"),
    ],
)
def test_some_rows_never_train(tmp_path: Path, changes: dict[str, object]) -> None:
    """What must not be learned from is left out where it is read."""
    path = tmp_path / "rows.jsonl"
    path.write_text(_line(**changes), "utf-8")

    assert read_rows(path, split="train") == []


def test_a_message_of_the_test_split_trains_nothing(tmp_path: Path) -> None:
    """Not even where another file has the same words."""
    public, cases, prompts = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.yaml"))
    public.write_text(
        "\n".join([_line(prompt="Open  the gate!"), _line(prompt="close it")]), "utf-8"
    )
    cases.write_text(
        "\n".join([_line(split="test"), _line(prompt="lock it", split="train")]), "utf-8"
    )
    prompts.write_text("- need: [web]\n  prompts: {en: ['open the GATE', 'any news']}\n", "utf-8")

    rows = gather(public, cases, prompts)

    assert [row.text for row in rows] == ["close it", "any news", "lock it"]


def test_a_line_separator_inside_a_prompt_ends_no_row(tmp_path: Path) -> None:
    """U+2028 is a character of a prompt, whatever str.splitlines thinks."""
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(json.loads(_line(prompt="a\u2028b")), ensure_ascii=False), "utf-8")

    assert [row.text for row in read_rows(path)] == ["a\u2028b"]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """The error names the file."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "x"}', "utf-8")

    with pytest.raises(UsageError, match=r"rows\.jsonl"):
        read_rows(path)


def test_our_prompts_are_distinct_and_name_known_toolsets() -> None:
    """A misspelt toolset would be learned as one more class."""
    rows = own_rows(PROMPTS)

    assert [text for text, count in Counter(row.text for row in rows).items() if count > 1] == []
    assert {need for row in rows for need in row.needs} <= set(SURFACE)
    assert {row.source for row in rows} == {OWN}


def test_picks_and_stand_ins_name_members_of_their_need() -> None:
    """A need is never learned for a toolset that cannot meet it, nor inherited by itself."""
    assert all(set(picked) <= need for need, picked in PICK.items())
    assert all(name not in others for name, others in STAND_INS.items())


def test_the_committed_head_was_trained_on_the_committed_prompts() -> None:
    """Who edits the prompts trains again, or takes the edit back."""
    with np.load(io.BytesIO(HEAD.read_bytes()), allow_pickle=False) as archive:
        provenance = json.loads(archive["meta"].tobytes())["provenance"]

    assert provenance["prompts_sha256"] == digest(PROMPTS)


def test_the_head_stays_small() -> None:
    """It ships in every wheel, also to those who never install the extra."""
    assert HEAD.stat().st_size <= 64 * 1024


def test_a_fit_separates_what_can_be_separated() -> None:
    """Two directions, two toolsets."""
    vectors = np.eye(2, dtype=np.float32).repeat(50, axis=0)
    wanted = np.eye(2, dtype=np.float32).repeat(50, axis=0)

    theta = head_fit.fit(vectors, wanted, np.ones(100, dtype=np.float32))
    scores = head_fit.logits(theta, np.eye(2, dtype=np.float32))

    assert (scores.argmax(axis=1) == [0, 1]).all()
    assert scores[0, 0] > 2 > -2 > scores[0, 1]


def test_calibration_undoes_overconfidence() -> None:
    """Log-odds twice too large are halved."""
    chances = np.linspace(0.05, 0.95, 19)
    scores = (2 * np.log(chances / (1 - chances))).astype(np.float32).repeat(2)[:, None]
    wanted = np.tile([1.0, 0.0], 19).astype(np.float32)[:, None]
    weights = np.stack([chances, 1 - chances], axis=1).ravel().astype(np.float32)

    slope, intercept = head_fit.calibrate(scores, wanted, weights)

    assert slope == pytest.approx(0.5, abs=0.01)
    assert intercept == pytest.approx(0.0, abs=0.01)


def test_every_source_is_held_out_once_and_ours_never() -> None:
    """The ten biggest alone, the rest in two halves."""
    sources = [f"s{n:02}" for n in range(14) for _ in range(20 - n)] + [OWN] * 99

    found = head_fit.folds(sources, keep=(OWN,))

    assert [len(fold) for fold in found] == [1] * 10 + [2, 2]
    assert sorted(name for fold in found for name in fold) == [f"s{n:02}" for n in range(14)]
