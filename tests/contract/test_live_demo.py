"""``benchmarks/demo.py --live`` against the reference server: what it shows, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tool_router.benchmarks.demo import main
from hermes_tool_router.classifier.presets import AUTO_ORDER, PRESETS, SystemOneConfig

KEY = "-".join(("loopback", "only", "demo", "key"))


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No vendor's key, a wide terminal, and a folder with something to delete."""
    for backend in AUTO_ORDER:
        monkeypatch.delenv(PRESETS[backend].key_env(SystemOneConfig()), raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    return tmp_path


def test_without_a_key_it_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    """One line that names the variables, and success."""
    status = main(["--live"])

    shown = capsys.readouterr()
    assert status == 0
    assert shown.out.startswith("skipped, nothing was sent: no key: set one of TYPESAFE_API_KEY")
    assert len(shown.out.splitlines()) == 1
    assert shown.err == ""


def test_a_server_with_a_key_answers_everything_and_nothing_runs(
    bare: Path,
    mock_server: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Four messages, a deletion, a failed test: six calls; the folder is still there."""
    monkeypatch.setenv("DEMO_TEST_KEY", KEY)
    url = mock_server(key=KEY)

    status = main(["--live", "--base-url", url, "--key-env", "DEMO_TEST_KEY"])

    shown = capsys.readouterr()
    assert status == 0
    assert "6 of 6 calls answered" in shown.out
    for part in ("Four messages", "never run: rm -rf build", "synthetic failed test"):
        assert part in shown.out
    assert "no answer" not in shown.out
    assert KEY not in shown.out + shown.err
    assert list(bare.iterdir()) == [bare / "build"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        pytest.param("wrong-route", "http_error", id="no such route"),
        pytest.param("xssi-200", "malformed", id="a body that is no JSON"),
        pytest.param("reject-jev-latest", "http_error", id="an unknown model"),
        pytest.param("first-question-only", "no usable answer to", id="answers left out"),
        pytest.param("noul-range", "no usable answer to", id="a probability above one"),
        pytest.param("choice-sum", "no usable answer to", id="probabilities above one"),
        pytest.param("auth-invalid-403-text", "auth", id="a refused key"),
    ],
)
def test_a_fault_is_named_and_is_no_success(
    mock_server: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: str,
    said: str,
) -> None:
    """Whatever the server does: a line that says what failed, exit status 1, no traceback."""
    monkeypatch.setenv("DEMO_TEST_KEY", KEY)
    wanted = "another key" if said == "auth" else KEY
    url = mock_server(faults=frozenset({fault}), key=wanted)

    status = main(["--live", "--base-url", url, "--key-env", "DEMO_TEST_KEY"])

    shown = capsys.readouterr()
    failures = [line for line in shown.out.splitlines() if line.startswith("failed: ")]
    assert status == 1
    assert any(said in line for line in failures)
    assert "Traceback" not in shown.out + shown.err
    assert KEY not in shown.out + shown.err


@pytest.mark.parametrize(
    ("url", "said"),
    [
        pytest.param("http://127.0.0.1:9", "unreachable", id="nobody listens"),
        pytest.param("http://192.0.2.7", "plain http", id="plain HTTP off this machine"),
        pytest.param("somewhere", "not an http or https address", id="no address"),
    ],
)
def test_an_address_that_cannot_be_asked_is_a_failure(
    capsys: pytest.CaptureFixture[str], url: str, said: str
) -> None:
    """It says which rule or which step it was."""
    status = main(["--live", "--base-url", url])

    assert status == 1
    assert said in capsys.readouterr().out


def test_a_server_without_live_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The offline demo asks nobody, so an address would be silently ignored."""
    with pytest.raises(SystemExit, match="2"):
        main(["--base-url", "http://127.0.0.1:9"])

    assert "go with --live" in capsys.readouterr().err
