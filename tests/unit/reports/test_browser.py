"""Pages in a real browser: both schemes, a phone, few data, many and none, and no request."""

from __future__ import annotations

import http.server
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from html import escape
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hermes_tool_router.benchmarks.options import Options
from hermes_tool_router.benchmarks.output import emit
from hermes_tool_router.benchmarks.routes_suite import run as run_routes
from hermes_tool_router.reports.log_page import log_page, log_report
from hermes_tool_router.reports.page import Page, render
from hermes_tool_router.reports.replay_page import replay_page
from hermes_tool_router.reports.tier_report import tier_report

_NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in _NAMES if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium here, so no page was looked at: apt-get install chromium"
)
LIGHT, DARK = [0xFD, 0xFD, 0xFC], [0x14, 0x18, 0x1F]
_QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-default-apps", "--disable-extensions", "--metrics-recording-only"),
)


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """A proxy that takes every request of the browser, and what it was asked for."""
    found: list[str] = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def _take(self) -> None:
            found.append(self.path)
            self.send_error(503)

        do_GET = do_POST = do_CONNECT = do_HEAD = _take  # noqa: N815 - the library's names

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}", found
    server.shutdown()
    thread.join()
    server.server_close()


def browse(folder: Path, proxy: str, page: Path, *arguments: str) -> str:
    """Open a page with everything that asks somebody sent through the proxy."""
    run = subprocess.run(
        [
            str(BROWSER),
            *_QUIET,
            f"--user-data-dir={folder / 'profile'}",
            f"--proxy-server={proxy}",
            "--proxy-bypass-list=<-loopback>",
            *arguments,
            page.as_uri(),
        ],
        capture_output=True,
        timeout=120,
        check=True,
        text=True,
    )
    return run.stdout


def outside(found: list[str]) -> list[str]:
    """Requests that a page made; the browser's own go to its maker's hosts."""
    return [path for path in found if "google" not in path and "gvt1" not in path]


def session(number: int) -> dict[str, Any]:
    """One row of a replay's JSON."""
    sent = [4_000, 4_000 + 500 * (number % 3), 6_000]
    return {
        "session": f"s{number}",
        "platform": "cli",
        "model": "vendor/some-model-of-a-long-name",
        "started_at": 1.7e9 + number * 1_000,
        "requests": 3,
        "first_full": 12_000,
        "tokens_full": 36_000,
        "tokens_sent": sum(sent),
        "sent": sent,
        "moves": 2,
        "cost_full": 0.12,
        "cost_sent": 0.07,
        "recoveries": [],
    }


def replayed(number: int) -> Page:
    """The page of a replay of so many sessions."""
    rows = [session(n) for n in range(number)]
    effect = {
        "missed_before": 9,
        "missed_after": 2,
        "tokens_before": 100_000,
        "tokens_after": 120_000,
    }
    suggestion = {"kind": "off", "name": "web.search", "why": "nobody called it", "effect": effect}
    total = {
        "sessions": number,
        "turns": 3 * number,
        "tokens_full": sum(row["tokens_full"] for row in rows),
        "tokens_sent": sum(row["tokens_sent"] for row in rows),
        "recoveries": 2,
        "moves": 4,
        "cost_full": 0.24,
        "cost_sent": 0.14,
    }
    return replay_page(
        {
            "sessions": rows,
            "missing": {"file": 2} if rows else {},
            "suggestions": [suggestion] if rows else [],
            "total": total,
        }
    )


def logged(number: int) -> Page:
    """The page of a log of so many decisions."""
    draw = Random(4)
    decisions = [
        {
            "session": f"s{n // 3}",
            "tier": draw.choice(["rules", "local", "chat"]),
            "outcome": draw.choice(["narrowed", "narrowed", "full"]),
            "platform": draw.choice(["cli", "telegram"]),
            "mode": "enforce",
            "tokens_full": 12_000,
            "tokens_sent": draw.randrange(2_000, 12_000),
            "micros": draw.randrange(300, 9_000),
            "errors": [],
            "reasons": ["engine.tight", "engine.rules-alone-more"],
        }
        for n in range(number)
    ]
    tools = ("terminal", "write_file", "browser_navigate_with_a_long_name")
    gate = [
        {"verdict": draw.choice(["allow", "allow", "ask"]), "tool": draw.choice(tools)}
        for _ in range(number)
    ]
    calls = [
        {"purpose": "route", "backend": "chat", "outcome": "ok", "latency_ms": 300.0}
        for _ in range(number)
    ]
    report = log_report(decisions, gate, {"recovery": number})
    return log_page({**report, "compared": tier_report(decisions, calls, {"s0": 2})})


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a suite over a few hundred authored cases."""
    folder = tmp_path_factory.mktemp("suite")
    source = Path(__file__).resolve().parents[3] / "benchmarks" / "cases" / "routes.jsonl"
    lines = source.read_text(encoding="utf-8").splitlines()
    cases = folder / "cases.jsonl"
    cases.write_text("\n".join(lines[::8]) + "\n", encoding="utf-8")
    page = folder / "routes.html"
    run_routes(Options(suite="routes", cases=cases, html=page))
    return page


def written(folder: Path, kind: str, number: int) -> Path:
    """A page on disk."""
    page = folder / f"{kind}-{number}.html"
    made = replayed(number) if kind == "replay" else logged(number)
    page.write_text(render(made), encoding="utf-8")
    return page


def look(folder: Path, proxy: str, page: Path, *, width: int, dark: bool) -> None:
    """Shoot a page: the reader's background, something on it, nothing that sticks out."""
    image = pytest.importorskip("matplotlib.image", reason="reads the screenshot")
    shot = folder / "shot.png"
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    size = f"--window-size={width},1400"

    browse(folder, proxy, page, size, f"--screenshot={shot}", *scheme)

    pixels = (image.imread(shot)[:, :, :3] * 255).round().astype(int)
    assert pixels.shape[:2] == (1400, width)
    background = DARK if dark else LIGHT
    assert pixels[0, 0].tolist() == background
    assert (pixels != background).any(axis=2).mean() > 0.02
    # The right margin belongs to the page alone: nothing sticks out of it on a phone.
    assert (pixels[:, -3:] == background).all()


@pytest.mark.parametrize("kind", ["replay", "log"])
@pytest.mark.parametrize(
    ("number", "width", "dark"),
    [
        pytest.param(0, 500, True, id="nothing, phone, dark"),
        pytest.param(2, 1000, False, id="few, desktop, light"),
        pytest.param(300, 500, True, id="many, phone, dark"),
    ],
)
def test_a_report_looks_right(
    tmp_path: Path,
    asked: tuple[str, list[str]],
    kind: str,
    number: int,
    width: int,
    dark: bool,
) -> None:
    """And asks nobody."""
    proxy, found = asked

    look(tmp_path, proxy, written(tmp_path, kind, number), width=width, dark=dark)

    assert outside(found) == []


@pytest.mark.parametrize(("width", "dark"), [(1000, False), (500, True)])
def test_a_benchmark_looks_right(
    tmp_path: Path, asked: tuple[str, list[str]], benchmark: Path, width: int, dark: bool
) -> None:
    """Fifty languages included."""
    proxy, found = asked

    look(tmp_path, proxy, benchmark, width=width, dark=dark)

    assert outside(found) == []


_RULER = """<!doctype html><iframe id=f width=360 height=2000 srcdoc="{page}"></iframe>
<pre id=out></pre><script>
document.getElementById("f").onload = function () {{
  const html = this.contentDocument.documentElement, edge = html.clientWidth, wide = [];
  for (const svg of html.querySelectorAll("svg")) {{
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text, g[id^=text]")) {{
      const at = text.getBoundingClientRect();
      if (at.right > box.right + 1 || at.left < box.left - 1 || (at.width && at.height < 7))
        wide.push(text.textContent.trim());
    }}
  }}
  const seen = {{scroll: html.scrollWidth, edge, wide}};
  document.getElementById("out").textContent = JSON.stringify(seen);
}};
</script>"""
"""Measures a page in a frame as wide as a phone: what it would scroll, and labels that are cut."""


def measured(folder: Path, proxy: str, html: str) -> dict[str, Any]:
    """What the ruler finds in a page."""
    ruler = folder / "ruler.html"
    ruler.write_text(_RULER.format(page=escape(html)), encoding="utf-8")
    dom = browse(folder, proxy, ruler, "--dump-dom", "--virtual-time-budget=5000")
    (text,) = re.findall(r'<pre id="out">(.*?)</pre>', dom, flags=re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize("kind", ["replay", "log", "benchmark"])
def test_a_phone_scrolls_no_page_and_cuts_no_label(
    tmp_path: Path, asked: tuple[str, list[str]], benchmark: Path, kind: str
) -> None:
    """360 pixels; wide tables scroll alone, every label of a drawing lies inside it."""
    made = benchmark if kind == "benchmark" else written(tmp_path, kind, 60)

    seen = measured(tmp_path, asked[0], made.read_text(encoding="utf-8"))

    assert seen["scroll"] <= seen["edge"] <= 360
    assert seen["wide"] == []


def test_the_ruler_sees_what_sticks_out(tmp_path: Path, asked: tuple[str, list[str]]) -> None:
    """A page too wide for a phone, and a label beside its drawing."""
    drawing = '<svg width="200" viewBox="0 0 100 20"><text x="90" y="10">a long label</text></svg>'

    wide = measured(tmp_path, asked[0], '<div style="width:900px">x</div>')
    cut = measured(tmp_path, asked[0], drawing)

    assert wide["scroll"] > wide["edge"]
    assert cut["wide"] == ["a long label"]


def test_a_page_that_asked_somebody_would_be_noticed(
    tmp_path: Path, asked: tuple[str, list[str]]
) -> None:
    """Without our policy an image is asked for, and the proxy sees it."""
    proxy, found = asked
    page = tmp_path / "asks.html"
    page.write_text('<img src="http://picture.invalid/x.png">', encoding="utf-8")

    browse(tmp_path, proxy, page, f"--screenshot={tmp_path / 'shot.png'}")

    assert any("picture.invalid" in path for path in outside(found))


def test_the_suites_write_their_page(tmp_path: Path) -> None:
    """The way that the page of a benchmark takes, without drawings."""
    page = tmp_path / "page.html"

    emit(Options(suite="cache", html=page), {}, ["nothing to say"])

    assert "nothing to say" in page.read_text(encoding="utf-8")
