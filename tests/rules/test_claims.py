"""What answers claim: the cases beside the patterns, and tables that do not validate."""

from __future__ import annotations

import pytest
import yaml

from hermes_tool_router.registry_adapter.resources import ROOT
from hermes_tool_router.registry_adapter.verify_resources import claim_table, file_table
from hermes_tool_router.router.errors import RuleError
from hermes_tool_router.verifier.claims import claim_table_from_bytes, read_claims
from hermes_tool_router.verifier.files import covered_by, file_table_from_bytes, needs_check

CLAIMS = claim_table()
CASES: dict[str, list[str]] = yaml.safe_load(
    (ROOT / "verifier" / "data" / "claims.yaml").read_text("utf-8")
)["cases"]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        pytest.param(kind, text, id=f"{kind}: {text}")
        for kind, texts in CASES.items()
        if not kind.startswith("no_") and kind != "admitted"
        for text in texts
    ],
)
def test_a_claim_is_read(kind: str, sentence: str) -> None:
    """Every sentence that stands beside the patterns of its kind."""
    assert kind in read_claims(sentence, CLAIMS).kinds


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        pytest.param(kind.removeprefix("no_"), text, id=f"{kind}: {text}")
        for kind, texts in CASES.items()
        if kind.startswith("no_")
        for text in texts
    ],
)
def test_a_near_miss_claims_nothing(kind: str, sentence: str) -> None:
    """Plans, conditions, advice, offers and questions."""
    assert kind not in read_claims(sentence, CLAIMS).kinds


@pytest.mark.parametrize("sentence", CASES["admitted"])
def test_an_admission_is_read(sentence: str) -> None:
    """What failed or is open is said."""
    assert read_claims(sentence, CLAIMS).admits


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("```\nAll tests pass.\n```", id="code"),
        pytest.param("> All tests pass.", id="quotation"),
        pytest.param("", id="nothing"),
        pytest.param("All tests pass?", id="question"),
    ],
)
def test_what_is_not_the_agents_own_word_claims_nothing(answer: str) -> None:
    """Code, quotations and questions are left out."""
    assert not read_claims(answer, CLAIMS).kinds


def test_a_claim_at_the_end_of_a_long_answer_is_read() -> None:
    """Head and tail are read."""
    answer = "I looked around. " * 2_000 + "All tests pass."

    assert "tests_pass" in read_claims(answer, CLAIMS).kinds


@pytest.mark.parametrize(
    ("path", "needed"),
    [
        pytest.param("src/app.py", True, id="code"),
        pytest.param("tests/test_app.py", True, id="test"),
        pytest.param("README.md", False, id="readme"),
        pytest.param("docs/conf.py", False, id="documents folder"),
        pytest.param("package.json", False, id="settings"),
        pytest.param("Dockerfile", False, id="settings without an ending"),
        pytest.param("bin/tool", True, id="no ending"),
        pytest.param("C:\\w\\a.cs", True, id="Windows path"),
    ],
)
def test_only_code_needs_a_check(path: str, needed: bool) -> None:
    """Documents and settings do not."""
    assert needs_check(path, file_table()) is needed


@pytest.mark.parametrize(
    ("path", "ecosystem", "covered"),
    [
        pytest.param("a.py", "python", True, id="own"),
        pytest.param("a.ts", "python", False, id="other"),
        pytest.param("a.ts", "any", True, id="any"),
        pytest.param("a.weird", "python", True, id="unknown ending"),
    ],
)
def test_a_check_covers_files_of_its_ecosystem(path: str, ecosystem: str, covered: bool) -> None:
    """An unknown ending counts as covered."""
    assert covered_by(path, (ecosystem,), file_table()) is covered


@pytest.mark.parametrize("data", [b"[", b"{}", b"hedges: 1", b"hedges: ['(']"])
def test_a_wrong_claim_table_is_refused(data: bytes) -> None:
    """The message names the file."""
    with pytest.raises(RuleError, match=r"^claims\.yaml: "):
        claim_table_from_bytes(data)


@pytest.mark.parametrize("data", [b"[", b"{}", b"docs: 1\nconfig: 2"])
def test_a_wrong_file_table_is_refused(data: bytes) -> None:
    """The message names the file."""
    with pytest.raises(RuleError, match=r"^files\.yaml: "):
        file_table_from_bytes(data)
