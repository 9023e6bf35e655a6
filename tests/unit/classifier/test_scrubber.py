"""One sanitizer for what is sent and for what is shown, with the environment as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hermes_tool_router
from hermes_tool_router.classifier.assembly import assemble
from hermes_tool_router.classifier.scrubber import Scrubber
from hermes_tool_router.router.settings import Settings

ROOT = Path(str(hermes_tool_router.__file__)).parent


def test_secret_that_is_set_later_is_known_at_the_next_use() -> None:
    """Texts, structures and what people are shown alike; a key that goes is forgotten."""
    environ: dict[str, str] = {}
    scrubber = Scrubber(environ)
    text = "it said violet-otter-walks and went on"

    before = scrubber.text(text).text
    environ["DEPLOY_TOKEN"] = "violet-otter-walks"
    seen = (
        scrubber.text(text).text,
        scrubber.value([text], max_bytes=1_000).value,
        scrubber.for_display(text, max_chars=100),
    )
    del environ["DEPLOY_TOKEN"]

    clean = "it said [REDACTED:environment] and went on"
    assert seen == (clean, [clean], clean)
    assert before == scrubber.text(text).text == text


def test_variable_that_the_settings_name_as_a_key_is_a_secret_whatever_it_is_called() -> None:
    """``jev_ask`` and the tiers share the sanitizer that knows it."""
    settings = Settings.model_validate({"system_one": {"api_key_env": "MY_ACCESS"}})
    environ = {"MY_ACCESS": "violet-otter-walks"}

    clients = assemble(settings, environ=environ)

    assert clients.sanitizer.text("violet-otter-walks").text == "[REDACTED:environment]"
    clients.transport.close()


def test_nothing_invisible_is_shown() -> None:
    """A reader sees what a terminal would hide."""
    assert Scrubber({}).for_display("a\u202eb", max_chars=50) == "a\\u202eb"


def test_sanitizer_is_had_without_an_http_stack() -> None:
    """Showing a text must not cost what asking a model costs."""
    code = (
        f"import runpy, sys; runpy.run_path({str(ROOT / '_checkout.py')!r})['mount']();"
        "from hermes_tool_router.classifier.scrubber import Scrubber;"
        "Scrubber({}).text('x'); print(sorted({'httpx', 'openai'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
