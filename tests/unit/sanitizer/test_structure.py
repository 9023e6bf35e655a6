"""Structures: the same promises as for texts, and an account of what was lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_tool_router.sanitizer import Sanitizer

SECRET = "Tr0ub" + "4dorX9"
FIELDS = {
    "input_complete",
    "truncated",
    "truncated_fields",
    "redacted",
    "redactions",
    "original_chars",
    "processed_chars",
}


def test_plain_structure_comes_back_with_its_metadata(sanitizer: Sanitizer) -> None:
    """The metadata goes out with the value, under fixed names."""
    result = sanitizer.value({"command": "ls", "n": [1, 2.5, None, True]}, max_bytes=4_000)

    assert result.value == {"command": "ls", "n": [1, 2.5, None, True]}
    assert json.loads(result.json) == result.document
    assert set(result.document) == {"command", "n", "input_metadata"}
    assert set(result.metadata) == FIELDS
    assert result.complete
    assert result.metadata["input_complete"] is True


def test_value_that_is_no_mapping_is_wrapped(sanitizer: Sanitizer) -> None:
    """A list or a string has no place for the metadata of its own."""
    result = sanitizer.value(["a"], max_bytes=4_000)

    assert result.document["value"] == ["a"] == result.value


@pytest.mark.parametrize(
    ("structure", "gone"),
    [
        pytest.param({"password": "swordfish"}, "swordfish", id="key says so"),
        pytest.param({"env": {"DB_PASS": "swordfish"}}, "swordfish", id="nested"),
        pytest.param({"pin": 4921}, "4921", id="number under a key"),
        pytest.param(
            {"name": "DB_PASSWORD", "value": "swordfish"}, "swordfish", id="name and value"
        ),
        pytest.param({"tokens": [SECRET * 2, "b"]}, SECRET, id="list under a key"),
        pytest.param({"headers": {"Authorization": f"Bearer {SECRET}"}}, SECRET, id="header"),
        pytest.param({"headers": {"Cookie": f"a=b; session={SECRET}"}}, SECRET, id="cookie"),
        pytest.param({"argv": ["mysql", f"-p{SECRET}", "shop"]}, SECRET, id="argument list"),
        pytest.param({"argv": ["t", "--password", "swordfish"]}, "swordfish", id="flag and word"),
        pytest.param({f"password={SECRET}": 1}, SECRET, id="secret in a key"),
        pytest.param({"q": json.dumps({"password": SECRET})}, SECRET, id="json in a string"),
        pytest.param([f"TOKEN={SECRET}{SECRET}".encode()], SECRET, id="bytes"),
    ],
)
def test_secrets_go_wherever_they_are(sanitizer: Sanitizer, structure: Any, gone: str) -> None:
    """Keys, neighbours and argument lists say what a value is."""
    result = sanitizer.value(structure, max_bytes=4_000)

    assert gone not in result.json
    assert result.redactions >= 1
    assert result.complete


def test_ordinary_fields_stay(sanitizer: Sanitizer) -> None:
    """Field names that only resemble labels change nothing."""
    structure = {
        "max_tokens": 256,
        "token_count": 12,
        "key": "value",
        "author": "Jane",
        "password": None,
        "path": "/srv/app/secrets/README.md",
        "argv": ["ssh", "-p", "2222", "host"],
        "sha": "5f4dcc3b5aa765d61d8327deb882cf99",
    }

    result = sanitizer.value(structure, max_bytes=4_000)

    assert result.value == structure
    assert result.redactions == 0


@pytest.mark.parametrize("budget", [0, 512, 700, 1_500, 8_000, 20_000])
def test_json_stays_within_its_budget_metadata_included(sanitizer: Sanitizer, budget: int) -> None:
    """The budget is for everything that is sent."""
    structure = {
        f"field {n}": {"text": "héllo wörld " * 300, "list": list(range(50))} for n in range(9)
    }

    result = sanitizer.value(structure, max_bytes=budget)

    assert len(result.json.encode()) <= max(512, budget)
    assert json.loads(result.json)["input_metadata"]["input_complete"] is False
    assert result.truncated


def test_long_text_is_cut_and_the_rest_kept_where_that_is_enough(sanitizer: Sanitizer) -> None:
    """A long payload does not push the command out."""
    result = sanitizer.value({"command": "git push", "log": "x" * 50_000}, max_bytes=2_000)

    assert result.document["command"] == "git push"
    assert "[CUT: " in str(result.document["log"])
    assert result.metadata["truncated_fields"] == ["1"]
    assert len(result.json.encode()) > 1_800


def test_lost_places_are_shown_by_position_unless_the_name_is_the_callers_own(
    sanitizer: Sanitizer,
) -> None:
    """Keys come from users; only fixed schema names may be repeated in metadata."""
    structure = {"command": "x" * 5_000, "private name": "y" * 5_000}

    result = sanitizer.value(structure, max_bytes=2_000, names=frozenset({"command"}))

    assert result.metadata["truncated_fields"] == ["command", "1"]


def test_metadata_survives_a_second_pass(sanitizer: Sanitizer) -> None:
    """What was lost once stays lost, whoever sanitizes again."""
    first = sanitizer.value({"a": f"password={SECRET}", "b": "x" * 9_000}, max_bytes=1_000)

    second = sanitizer.value(first.document, max_bytes=4_000)

    assert second.value == first.value
    assert second.metadata["input_complete"] is False
    assert second.metadata["redactions"] == first.metadata["redactions"] == 1
    assert second.metadata["original_chars"] == first.metadata["original_chars"]
    assert second.metadata["truncated_fields"] == first.metadata["truncated_fields"]
    assert second.redactions == 0


@pytest.mark.parametrize(
    "claimed",
    [
        {"input_complete": True, "truncated": False, "original_chars": 10**30},
        {"input_complete": "yes", "truncated": 0},
        "complete",
        None,
        {"truncated_fields": ["x" * 9_000, 3, {}]},
    ],
    ids=["ours", "wrong types", "a string", "nothing", "long fields"],
)
def test_foreign_metadata_never_makes_an_input_more_complete(
    sanitizer: Sanitizer, claimed: object
) -> None:
    """The block comes with untrusted input; it may only add to what is missing."""
    deep: list[object] = []
    deep.append(deep)

    result = sanitizer.value({"a": deep, "input_metadata": claimed}, max_bytes=4_000)

    assert result.metadata["input_complete"] is False
    assert len(result.json) < 1_000


def test_cycles_depth_and_width_are_cut_and_noted(sanitizer: Sanitizer) -> None:
    """No structure makes the walk endless."""
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(3_000):
        inner["a"] = inner = {}

    for structure in (cycle, deep, list(range(5_000)), {str(n): n for n in range(5_000)}):
        result = sanitizer.value(structure, max_bytes=60_000)

        assert not result.complete
        assert "[CUT: " in result.json


def test_shared_parts_are_no_cycle(sanitizer: Sanitizer) -> None:
    """The same list twice is ordinary."""
    part = ["a"]

    result = sanitizer.value({"x": part, "y": part}, max_bytes=4_000)

    assert result.value == {"x": ["a"], "y": ["a"]}
    assert result.complete


def test_odd_keys_and_values_become_json(sanitizer: Sanitizer) -> None:
    """Whatever Python allows as a key, JSON gets a string."""
    structure = {1: "a", None: "b", (1, 2): "d", b"\xff": "e", 2.5: "f", "s\ud800": "g"}

    result = sanitizer.value(structure, max_bytes=4_000)

    assert set(json.loads(result.json)) >= {"1", "null", "<tuple>", "\ufffd", "2.5", "s\ufffd"}
    assert not result.complete


def test_keys_that_become_equal_are_kept_apart(sanitizer: Sanitizer) -> None:
    """No value disappears behind another."""
    result = sanitizer.value({1: "a", "1": "b"}, max_bytes=4_000)

    assert result.value == {"1": "a", "1#": "b"}


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_cannot_hold_become_text(sanitizer: Sanitizer, number: float) -> None:
    """The result is JSON for every reader, not only for Python's."""
    result = sanitizer.value([number], max_bytes=4_000)

    json.loads(result.json, parse_constant=lambda name: pytest.fail(name))


def test_classes_of_others_cannot_run_code(sanitizer: Sanitizer) -> None:
    """Containers are read past overridden methods, other objects not at all."""

    class HostileDict(dict[str, object]):
        def items(self) -> Any:
            raise RuntimeError

        def __iter__(self) -> Any:
            raise RuntimeError

    class HostileList(list[object]):
        def __iter__(self) -> Any:
            raise RuntimeError

    class HostileInt(int):
        def __repr__(self) -> str:
            raise RuntimeError

    class Hostile:
        @property  # type: ignore[misc]  # this is the attack
        def __class__(self) -> Any:
            raise RuntimeError

        def __repr__(self) -> str:
            raise RuntimeError

    structure = [HostileDict(a=1), HostileList([2]), HostileInt(3), Hostile()]

    result = sanitizer.value(structure, max_bytes=4_000)

    assert result.value == [{"a": 1}, [2], 3, "<Hostile>"]
    assert not result.complete


def test_integer_of_more_digits_than_python_prints_is_named(sanitizer: Sanitizer) -> None:
    """Python refuses to print integers of more than 4,300 digits."""
    result = sanitizer.value([10**5_000], max_bytes=4_000)

    assert result.value == ["<int>"]


def test_all_strings_together_are_bounded(sanitizer: Sanitizer) -> None:
    """131,072 characters in all, however they are spread."""
    result = sanitizer.value(["x" * 50_000] * 100, max_bytes=10**7)

    assert not result.complete
    assert len(result.json) < 131_072 + 100 * 100
