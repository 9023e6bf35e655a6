"""What a server may ask us to wait, in all the forms that it is written in."""

from __future__ import annotations

import pytest

from hermes_tool_router.classifier.breaker import retry_wait_s

WALL = 1_790_000_000.0  # Mon, 21 Sep 2026 14:13:20 GMT
DEFAULT = 0.25


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        pytest.param({}, DEFAULT, id="nothing"),
        pytest.param({"retry-after": "1.5"}, 1.5, id="seconds"),
        pytest.param({"retry-after": "0"}, 0.0, id="at once"),
        pytest.param({"retry-after-ms": "40"}, 0.04, id="milliseconds"),
        pytest.param({"retry-after-ms": "40", "retry-after": "9"}, 0.04, id="both"),
        pytest.param({"retry-after-ms": "soon", "retry-after": "2"}, 2.0, id="the usable one"),
        pytest.param(
            {"retry-after": "Mon, 21 Sep 2026 14:13:23 GMT"}, 3.0, id="a date three seconds on"
        ),
        pytest.param(
            {"retry-after": "Mon, 21 Sep 2026 14:13:23 -0000"}, 3.0, id="a date without a zone"
        ),
        pytest.param({"retry-after": "Mon, 21 Sep 2026 14:13:00 GMT"}, DEFAULT, id="the past"),
        pytest.param({"retry-after": "-3"}, DEFAULT, id="negative"),
        pytest.param({"retry-after": "nan"}, DEFAULT, id="not a number"),
        pytest.param({"retry-after": "inf"}, DEFAULT, id="infinite"),
        pytest.param({"retry-after": "1e999"}, DEFAULT, id="beyond floats"),
        pytest.param({"retry-after": "in a while"}, DEFAULT, id="words"),
        pytest.param({"retry-after": "Mon, 99 Foo 2026 99:99:99 GMT"}, DEFAULT, id="no date"),
        pytest.param({"retry-after": ""}, DEFAULT, id="empty"),
    ],
)
def test_wait_asked_for(headers: dict[str, str], wait_s: float) -> None:
    """Garbage, negative and non-finite values count as not there."""
    assert retry_wait_s(headers, wall=WALL) == pytest.approx(wait_s)
