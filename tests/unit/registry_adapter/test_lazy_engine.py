"""What starting Hermes with the plugin does not load."""

from __future__ import annotations

import subprocess
import sys

from hermes_tool_router.registry_adapter.resources import ROOT

CODE = f"""
import runpy, sys
runpy.run_path({str(ROOT / "_checkout.py")!r})["mount"]()
from hermes_tool_router.registry_adapter import plugin
print(sorted(name for name in sys.modules if name.startswith("hermes_tool_router.intent.")))
"""


def test_the_plugin_loads_no_reader_of_messages_before_the_first_decision() -> None:
    """Compiling the readers' patterns costs a third of the start, and a session may need none."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "['hermes_tool_router.intent.magic']"
