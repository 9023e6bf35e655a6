"""Secrets below the name of a column, and lists of words that only look like one."""

from __future__ import annotations

import pytest

from hermes_tool_router.sanitizer import Sanitizer

WORD = "Maple5q" + "VGtT15"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        pytest.param(
            f"| user | password |\n|---|---|\n| sam | {WORD} |\n| ann | {WORD}x |",
            "| user | password |\n|---|---|\n"
            "| sam | [REDACTED:password] |\n| ann | [REDACTED:password] |",
            id="Markdown",
        ),
        pytest.param(
            f'name,"api token",role\nci,{WORD}{WORD},admin\n',
            'name,"api token",role\nci,[REDACTED:token],admin\n',
            id="CSV with quotes",
        ),
        pytest.param(
            f"host\tlogin pass\nweb1\t{WORD}",
            "host\tlogin pass\nweb1\t[REDACTED:password]",
            id="TSV",
        ),
        pytest.param(
            f"id;passwort;mail\n1;{WORD};a@b.example",
            "id;passwort;mail\n1;[REDACTED:password];a@b.example",
            id="semicolons",
        ),
    ],
)
def test_values_below_a_name_go_and_their_rows_stay(
    sanitizer: Sanitizer, text: str, clean: str
) -> None:
    """The other columns are left as they are."""
    assert sanitizer.text(text).text == clean


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("| field | password |\n|---|---|\n| type | string |", id="words below"),
        pytest.param("    'user', 'password',\n    'Colum12n', 'Xy34zz99',\n", id="list in code"),
        pytest.param(f"user,password\nsam,x,{WORD}", id="row of another length"),
        pytest.param(f"user,password\nand then {WORD} was said", id="row without a comma"),
        pytest.param(f"| token | meaning |\n|---|---|\n| EOS | {WORD} |", id="other column"),
        pytest.param("a, b: password\nc, d12E34f", id="sentence on top"),
    ],
)
def test_what_is_no_table_of_secrets_stays(sanitizer: Sanitizer, text: str) -> None:
    """A column's name, a row of as many cells, and a value that looks like a secret: all three."""
    assert sanitizer.text(text).text == text
