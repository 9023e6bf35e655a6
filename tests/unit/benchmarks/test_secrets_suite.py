"""The secrets suite scores what it claims to score."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from hermes_tool_router.benchmarks.options import Options
from hermes_tool_router.benchmarks.secrets_cases import SecretCase, authored
from hermes_tool_router.benchmarks.secrets_suite import leaves, run, score

SECRET = "abcdefghij" + "KLMNOPQRST"


def _case(name: str, text: str, *secrets: str, keep: tuple[str, ...] = ()) -> SecretCase:
    return SecretCase(id=name, kind="x", text=text, secrets=secrets, keep=keep)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"x {SECRET} y", True),
        (f"x {SECRET[:12]} y", True),
        (f"x {SECRET[:11]} y", False),
        (f"x {SECRET[:6]}...{SECRET[-4:]} y", False),
        ("", False),
    ],
)
def test_sixty_percent_of_a_secret_counts_as_left(text: str, left: bool) -> None:
    """A run that long is most of the way to the whole."""
    assert leaves(SECRET, text) is left


def test_score_counts_removed_lost_and_damaged() -> None:
    """Each of the four ways a case can come out."""
    cases = [
        _case("gone", f"a {SECRET} b", SECRET, keep=("a", "b")),
        _case("leaked", f"a {SECRET} b", SECRET),
        _case("context", f"a {SECRET} b", SECRET, keep=("b",)),
        _case("fine", "harmless"),
        _case("damaged", "harmless"),
    ]
    texts = ["a [REDACTED] b", f"a {SECRET}", "a [REDACTED]", "harmless", "harm"]
    rows = [{"id": c.id, "text": t, "ms": 1.0} for c, t in zip(cases, texts, strict=True)]

    result = score(cases, rows)

    assert result["removed"] == {"k": 2, "n": 3}
    assert result["context_kept"] == {"k": 1, "n": 2}
    assert result["damaged"] == {"k": 1, "n": 2}
    assert result["leaked_ids"] == ["leaked"]
    assert result["lost_context_ids"] == ["context"]
    assert result["damaged_ids"] == ["damaged"]


def test_authored_cases_have_unique_ids_and_both_sides() -> None:
    """At least 300 texts with secrets and 200 without."""
    cases = authored()

    assert len({case.id for case in cases}) == len(cases)
    assert sum(bool(case.secrets) for case in cases) >= 300
    assert sum(not case.secrets for case in cases) >= 200


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_suite_reads_both_forms_and_writes_predictions(
    tmp_path: Path, packed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Packed cases hold the reversed text in base64, so that hosts take the file."""

    def form(text: str) -> str:
        return base64.b64encode(text.encode()[::-1]).decode() if packed else text

    row = {"id": "a", "kind": "x", "text": form("pass" + "word=Tr0ub4dorX9"), "keep": []}
    row["secrets"] = [form("Tr0ub4dorX9")]
    cases = tmp_path / ("c.packed.jsonl" if packed else "c.jsonl")
    cases.write_text(json.dumps(row) + "\n", encoding="utf-8")
    out, report = tmp_path / "p.jsonl", tmp_path / "r.json"

    status = run(Options(suite="secrets", cases=cases, predictions=out, json=report))

    prediction = json.loads(out.read_text(encoding="utf-8"))
    assert status == 0
    assert prediction["text"] == "password=[REDACTED:password]"
    assert prediction["ms"] >= 0
    assert json.loads(report.read_text(encoding="utf-8"))["passed"] is True
    assert "ours" in capsys.readouterr().out


def test_suite_fails_when_a_gate_does(tmp_path: Path) -> None:
    """A secret that stays, in a file of one, is below 97 %."""
    cases = tmp_path / "c.jsonl"
    row = {"id": "a", "text": "plain words", "secrets": ["plain words"], "keep": []}
    cases.write_text(json.dumps(row) + "\n", encoding="utf-8")

    assert run(Options(suite="secrets", cases=cases)) == 1
