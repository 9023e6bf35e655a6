"""Settings are written through Hermes' own setter, and nothing else is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("hermes_cli.config")

from hermes_tool_router.registry_adapter.hermes_config import RefusedError, write_settings


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration file of a scratch home that this process uses."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    return tmp_path / "config.yaml"


def own(config: Path) -> Any:
    """What stands under our entry."""
    return yaml.safe_load(config.read_text("utf-8"))["plugins"]["entries"]["tool-router"][
        "settings"
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, "{global: {enabled: true}}", id="nothing yet"),
        pytest.param(
            "{global: {mode: shadow}}", "{global: {mode: shadow, enabled: true}}", id="grouped"
        ),
        pytest.param("{mode: shadow}", "{mode: shadow, enabled: true}", id="flat"),
        pytest.param(
            "{enabled: false, global: {mode: shadow}}",
            "{enabled: true, global: {mode: shadow}}",
            id="half and half",
        ),
        pytest.param(
            "{profiles: {a: {}}}",
            "{profiles: {a: {}}, global: {enabled: true}}",
            id="profiles only",
        ),
    ],
)
def test_key_is_written_where_the_user_has_it(config: Path, before: str | None, after: str) -> None:
    """A second, contradicting key would make the plugin inactive."""
    entries = {} if before is None else {"tool-router": {"settings": yaml.safe_load(before)}}
    config.write_text(yaml.safe_dump({"plugins": {"enabled": ["x"], "entries": entries}}), "utf-8")

    write_settings({"enabled": "true"})

    assert own(config) == yaml.safe_load(after)
    assert yaml.safe_load(config.read_text("utf-8"))["plugins"]["enabled"] == ["x"]


@pytest.mark.parametrize(
    "text", [pytest.param("plugins: [", id="broken"), pytest.param("- a\n- b\n", id="a list")]
)
def test_file_that_hermes_would_replace_is_left_alone(config: Path, text: str) -> None:
    """Hermes' setter starts from nothing where the file does not parse."""
    config.write_text(text, "utf-8")

    with pytest.raises(RefusedError, match="mend it first"):
        write_settings({"enabled": "true"})

    assert config.read_text("utf-8") == text


def test_key_pinned_by_the_administrator_is_refused(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The managed file wins at the next load, so writing would pretend."""
    managed = tmp_path / "managed"
    managed.mkdir()
    pinned = {"plugins": {"entries": {"tool-router": {"settings": {"global": {"enabled": False}}}}}}
    (managed / "config.yaml").write_text(yaml.safe_dump(pinned), "utf-8")
    monkeypatch.setenv("HERMES_MANAGED_DIR", str(managed))

    with pytest.raises(RefusedError, match="pinned"):
        write_settings({"enabled": "true"})

    assert not config.exists()
