"""The sanitizer is total, idempotent and linear, and its bounds hold, whatever it is given."""

from __future__ import annotations

import json
import os
import random
from itertools import product
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hermes_tool_router.sanitizer as package
from hermes_tool_router.benchmarks.hostile_texts import SHAPES
from hermes_tool_router.sanitizer import Sanitizer, table_from_bytes
from hermes_tool_router.sanitizer.book import expanded, read_cases

DATA = Path(str(package.__file__)).parent / "data"
TABLE = table_from_bytes((DATA / "patterns.json").read_bytes())
SANITIZER = Sanitizer(TABLE)
VENDORS = (DATA / "patterns" / "vendors.yaml").read_text(encoding="utf-8")

EXAMPLES = int(os.environ.get("ROUTER_MAX_EXAMPLES", "100"))
quick = settings(max_examples=EXAMPLES, deadline=None, derandomize=True)

# Pieces that mean something to a finder, so that random texts reach all of them.
PIECES = [
    "password",
    "token=",
    "api_key: ",
    "secret is ",
    "Bearer ",
    "Basic ",
    "Authorization: ",
    "Cookie: ",
    "://",
    "@",
    ":",
    "=",
    '"',
    "'",
    "\\",
    "\\n",
    "\n",
    " ",
    ",",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "%3D",
    "&#61;",
    "\\u0041",
    "\u200b",
    "ｐ",
    "а",
    "é",
    "密码：",
    "пароль ",
    "ghp_",
    "sk-",
    "eyJ",
    "AKIA",
    "$6$",
    "0x",
    "curl -u ",
    "curl ",
    "zip ",
    "|",
    "mysql -p",
    "a:b",
    "Tr0ub4dorX9",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "kind: Secret\ndata:\n  a: ",
    "[REDACTED:x]",
    "[REDACTED:",
    "[CUT: 3 characters]",
    "\ud800",
    "\x1b",
    "4111111111111111",
    "abcdefghijklmnop",
    "QUJDREVGR0hJSktMTU5P",
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=20).map("".join)

keys = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=4)
)
structures = st.recursive(
    keys | texts | st.just(object()) | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.tuples(inner, inner)
        | st.dictionaries(
            keys | st.sampled_from(["password", "input_metadata", "value"]), inner, max_size=5
        )
        | st.frozensets(keys, max_size=4)
    ),
    max_leaves=25,
)


@quick
@given(texts)
def test_sanitizing_twice_is_sanitizing_once(text: str) -> None:
    """A second boundary finds nothing that the first one left or made."""
    once = SANITIZER.text(text).text

    assert SANITIZER.text(once).text == once


@quick
@given(texts, st.integers(0, 300), st.none() | st.integers(0, 300))
def test_bounds_of_texts_hold(text: str, chars: int, size: int | None) -> None:
    """Characters and bytes, and the counts that are reported."""
    result = SANITIZER.text(text, max_chars=chars, max_bytes=size)

    assert len(result.text) == result.sent_chars <= chars
    assert size is None or len(result.text.encode()) <= size
    assert result.original_chars == len(text)
    assert result.complete is not result.truncated


@quick
@given(structures, st.integers(0, 3_000))
def test_any_object_becomes_json_within_its_budget(obj: object, budget: int) -> None:
    """Never raises; strict JSON; metadata inside the budget."""
    result = SANITIZER.value(obj, max_bytes=budget)

    assert len(result.json.encode()) <= max(512, budget)
    assert json.loads(result.json, parse_constant=pytest.fail) == result.document
    assert result.document["input_metadata"] == result.metadata
    assert result.complete or result.metadata["input_complete"] is False


@quick
@given(structures)
def test_second_pass_over_a_structure_keeps_what_the_first_one_noted(obj: object) -> None:
    """Loss is never forgotten, and nothing is redacted twice."""
    first = SANITIZER.value(obj, max_bytes=3_000)

    second = SANITIZER.value(first.document, max_bytes=6_000)

    assert second.redactions == 0
    assert second.complete <= first.complete
    assert second.metadata["redactions"] == first.metadata["redactions"]


@quick
@given(texts, st.text(max_size=20))
def test_text_around_a_token_does_not_protect_it(before: str, after: str) -> None:
    """A vendor token goes in any surroundings that do not run into it."""
    token = "gh" + "p_" + "".join(random.Random(before).choices("abcXYZ0189", k=36))

    assert token not in SANITIZER.text(f"{before} {token} {after}").text


CONTEXTS = [
    "%s",
    "the key you asked for is %s please rotate it",
    "export FOO_BAR=%s",
    "os.environ['X'] = '%s'",
    "-%s\n+gone",
    '{"vendor": "x", "value": "%s", "region": "eu"}',
    "x:\n  y: %s\n  retries: 3\n",
    'client = Client("%s", timeout=30)',
    "GET /v2?limit=20&q=%s HTTP/1.1",
    "ERROR rejected value=%s status=401",
    "tool login --x %s --region eu",
    "(%s)",
    "<%s>",
    "`%s`",
    "see %s.",
    "key:%s,next",
    "\\n%s\\n",
    '\\"%s\\"',
    "[%s]",
    "a\r\n%s\r\nb",
    "> %s",
    "* %s",
    "|%s|",
]
TEMPLATES = [(c.shape, c.template) for c in read_cases({"vendors.yaml": VENDORS}) if c.secret]


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_vendor_token_goes_in_every_context(context: str) -> None:
    """Labels are no help here: the looks of the token must do, and the context stays."""
    before, _, after = context.partition("%s")
    left = []

    for seed, (shape, template) in product(range(2), TEMPLATES):
        token = expanded(template, random.Random(f"{context}{shape}{seed}").choice)
        text = SANITIZER.text(before + token + after).text
        if token in text or not (text.startswith(before) and text.endswith(after)):
            left.append((shape, text))

    assert left == []


# Hostile shapes: what makes a careless pattern start again at every character.
UNITS = [
    "a",
    " ",
    "\n",
    '"',
    "\\",
    "=",
    ":",
    ".",
    "-",
    "_",
    "@",
    "%",
    "&",
    "4",
    "0x",
    "password ",
    "password=",
    "password: ",
    "password\n",
    '"password":',
    '\\"password\\":',
    "password is x ",
    "token=${X} ",
    "key=abc123 ",
    "eyJ",
    "eyJaaaaaaaaaaaa.",
    "ghp_",
    "sk-",
    "xoxb-",
    "AKIA",
    "AccountKey=",
    "SG.",
    "$1$",
    "$6$a$",
    "1:A",
    "://",
    "a://b:c/",
    "b@",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "Version: x\n",
    "Private-Lines: 3\n",
    "kind: Secret\ndata:\n",
    "  a: b\n",
    'kind: Secret "data": {',
    "пароль ",
    "密码：",
    "pаssword ",
    "p\u200b",
    "ｐ",
    "a\u0301",
    "%70",
    "&#61;",
    '"" + ',
    "curl -u a:b ",
    "mysql -p ",
    "-px ",
    "Authorization: ",
    "Cookie: a=b;",
    "response=",
    "machine a.b login ",
    "echo a | ",
    "identified by '",
    "net use ",
    "secret set ",
    "seed phrase: ",
    "apple ",
    "https://a.b/hooks/",
    "?password&",
    "A=glpat-;",
    "[REDACTED:x]",
    "password=[REDACTED:x]a",
    "[CUT: 1 characters]",
    "4111111111111112 ",
    "QUJD",
    "the key jumps token ",
]


def _cpu(text: str) -> float:
    """Return the least processor seconds of two runs."""
    spent = []
    for _ in range(2):
        start = process_time()
        SANITIZER.text(text)
        spent.append(process_time() - start)
    return min(spent)


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length_of_hostile_texts(unit: str) -> None:
    """Eight times the text costs about eight times the work, where a square would cost 64."""
    small, large = 3_000, 24_000

    ratio = _cpu((unit * large)[:large]) / max(_cpu((unit * small)[:small]), 1e-3)

    assert ratio < 24


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_length_of_the_measured_shapes(shape: str) -> None:
    """What ``benchmarks/run.py secrets`` times at one size, at two."""
    small, large = SHAPES[shape](3_000)[:3_000], SHAPES[shape](24_000)[:24_000]

    ratio = _cpu(large) / max(_cpu(small), 1e-3)

    assert ratio < 24


def test_names_of_pieces_are_followed_in_one_pass() -> None:
    """A prefix in a variable, and that variable beside thousands of others."""
    head = "A=gl" + "pat-; "

    small, large = (head + "".join(f"$A$b{n} " for n in range(size)) for size in (300, 2_400))

    assert _cpu(large) < 24 * max(_cpu(small), 1e-3)


def test_shapes_alone_stay_linear() -> None:
    """Each vendor's prefix over and over, which no shape may read from again and again."""
    slow = []

    for shape in TABLE.shapes:
        for template in (template for name, template in TEMPLATES if name == shape.id):
            unit = expanded(template, random.Random(shape.id).choice)[:9]
            spent = [_scan(shape.pattern, (unit * size)[:size]) for size in (4_000, 32_000)]
            if spent[1] > 24 * max(spent[0], 5e-4):
                slow.append((shape.id, spent))

    assert slow == []


def _scan(pattern: str, text: str) -> float:
    start = process_time()
    for _ in TABLE.regex(pattern).finditer(text):
        pass
    return process_time() - start
