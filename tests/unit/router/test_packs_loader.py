"""The loader of question packs: what it accepts, and what it says."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from hermes_tool_router.router.errors import RuleError
from hermes_tool_router.router.packs import pack_from_mapping, packs_from_yaml_text

PACK: dict[str, Any] = {
    "id": "p",
    "version": "1",
    "provenance": "written for this test",
    "questions": [
        {
            "id": "n",
            "kind": "noul",
            "instructions": "It is so.",
            "criteria": {"true": "so", "false": "otherwise"},
        },
        {
            "id": "c",
            "kind": "choice",
            "none": "other",
            "instructions": "Which?",
            "criteria": {"a": "A", "other": "another"},
        },
        {"id": "s", "kind": "score", "instructions": "How much?", "criteria": ["low", "high"]},
    ],
}

Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> dict[str, Any]:
    """The pack with one thing wrong."""
    pack = copy.deepcopy(PACK)
    change(pack)
    return pack


def test_a_pack_is_read_with_its_options_in_order() -> None:
    """Levels of a score are keyed by their number."""
    pack = pack_from_mapping(PACK, file="p.yaml")

    assert [question.id for question in pack.questions] == ["n", "c", "s"]
    assert list(pack.questions[1].criteria) == ["a", "other"]
    assert pack.questions[2].criteria == {"0": "low", "1": "high"}


def test_the_fingerprint_is_of_the_questions_alone() -> None:
    """Version and provenance do not count; a word does, and so does the order of options."""
    plain = pack_from_mapping(PACK, file="f").fingerprint
    renamed = pack_from_mapping(changed(lambda p: p.update(version="2", id="x")), file="f")
    reworded = pack_from_mapping(
        changed(lambda p: p["questions"][0].update(instructions="It is not so.")), file="f"
    )
    turned = pack_from_mapping(
        changed(lambda p: p["questions"][1].update(criteria={"other": "another", "a": "A"})),
        file="f",
    )

    assert renamed.fingerprint == plain
    assert len({plain, reworded.fingerprint, turned.fingerprint}) == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(
            lambda p: p.pop("provenance"), r"missing keys \['provenance'\]", id="no provenance"
        ),
        pytest.param(
            lambda p: p.update(note="x"), r"unknown keys \['note'\]", id="a key that nobody reads"
        ),
        pytest.param(
            lambda p: p.update(version=1), "'version' is 1; expected text in quotes", id="a number"
        ),
        pytest.param(
            lambda p: p.update(questions=[]), "expected a list of at least one", id="no question"
        ),
        pytest.param(
            lambda p: p["questions"].append(p["questions"][0]),
            "'n' is there twice",
            id="an id twice",
        ),
        pytest.param(
            lambda p: p["questions"][0].update(kind="bool"),
            "question 'n': kind 'bool'; expected 'noul', 'choice' or 'score'",
            id="an unknown kind",
        ),
        pytest.param(
            lambda p: p["questions"][0].update(criteria={"true": "so"}),
            "expected exactly 'true' and 'false'",
            id="one side only",
        ),
        pytest.param(
            lambda p: p["questions"][0].update(criteria={True: "so", False: "no"}),
            "expected a mapping with text keys",
            id="sides that YAML read as booleans",
        ),
        pytest.param(
            lambda p: p["questions"][1].pop("none"), r"missing keys \['none'\]", id="no none option"
        ),
        pytest.param(
            lambda p: p["questions"][1].update(none="nothing"),
            r"'none' names 'nothing'; expected one of its options \['a', 'other'\]",
            id="a none option that is not there",
        ),
        pytest.param(
            lambda p: p["questions"][1].update(criteria={"other": "x"}),
            "1 options; expected 2 to 255",
            id="one option",
        ),
        pytest.param(
            lambda p: p["questions"][2].update(criteria={"0": "low", "1": "high"}),
            "expected a list of 2 to 10 levels",
            id="levels as a mapping",
        ),
        pytest.param(
            lambda p: p["questions"][2].update(instructions=" "),
            "'instructions' is ' '; expected text in quotes",
            id="blank instructions",
        ),
        pytest.param(lambda p: p["questions"].insert(0, 3), "found int", id="a number"),
    ],
)
def test_what_does_not_validate_is_refused(change: Change, says: str) -> None:
    """The message names file, pack, question and what is allowed."""
    with pytest.raises(RuleError, match=says) as caught:
        pack_from_mapping(changed(change), file="p.yaml")

    assert str(caught.value).startswith("p.yaml: pack")


def test_several_packs_may_share_a_text() -> None:
    """One per YAML document."""
    text = yaml.safe_dump_all([PACK, changed(lambda p: p.update(id="q"))], sort_keys=False)

    assert [pack.id for pack in packs_from_yaml_text(text, file="f")] == ["p", "q"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("a: [", "not valid YAML at line", id="broken YAML"),
        pytest.param("- a", "expected a mapping", id="a list"),
        pytest.param(yaml.safe_dump_all([PACK, PACK]), "pack 'p' is there twice", id="twice"),
    ],
)
def test_a_text_that_is_no_pack_is_refused(text: str, says: str) -> None:
    """With the file's name."""
    with pytest.raises(RuleError, match=says):
        packs_from_yaml_text(text, file="f.yaml")
