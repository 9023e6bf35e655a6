"""The documents and the shipped file say what the model says."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import yaml

from hermes_tool_router.router.settings import Layer, resolve
from hermes_tool_router.router.settings_fields import fields

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = ROOT / "docs" / "configuration.md"


def reference() -> ModuleType:
    """Load the generator beside this file; tests have no packages."""
    path = Path(__file__).with_name("settings_reference.py")
    spec = importlib.util.spec_from_file_location("settings_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flattened(tree: dict[str, object], prefix: str = "") -> dict[str, object]:
    """Leaves of nested mappings by dotted path."""
    found: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            found |= flattened(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def test_shipped_file_equals_the_defaults_of_the_model() -> None:
    """config.yaml names every key with its default, and nothing else."""
    shipped = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))

    written = flattened(shipped["global"])

    assert set(shipped) == {"global", "profiles"}
    assert written == {
        field.path: list(field.default) if isinstance(field.default, tuple) else field.default
        for field in fields()
        if not field.path.startswith("platforms.")
    }


def test_shipped_file_is_accepted_without_a_notice() -> None:
    """The lowest layer itself is valid and silent."""
    shipped = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))

    resolved = resolve([Layer(name="config.yaml", data=shipped, shipped=True)], profile="default")

    assert resolved.settings == resolve([], profile="default").settings
    assert resolved.notices == ()


def test_configuration_document_lists_every_key_as_it_is() -> None:
    """The table of docs/configuration.md is the one made from the model."""
    module = reference()
    text = CONFIGURATION.read_text(encoding="utf-8")
    before, _, rest = text.partition(module.START)
    _, _, after = rest.partition(module.END)
    wanted = before + module.rendered() + after

    if os.environ.get("UPDATE_DOCS"):
        CONFIGURATION.write_text(wanted, encoding="utf-8")

    assert CONFIGURATION.read_text(encoding="utf-8") == wanted


def test_every_setting_has_a_sentence() -> None:
    """A description is one sentence that ends in a period."""
    incomplete = [field.path for field in fields() if not field.description.endswith(".")]

    assert incomplete == []
