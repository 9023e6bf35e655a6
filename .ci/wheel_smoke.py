"""Use an installed wheel: no checkout, no Hermes, no extras."""

import subprocess
import sys
from importlib.metadata import distribution
from importlib.resources import files

PACKAGE = "hermes_tool_router"
dist = distribution("hermes-tool-router")
entry = next(e for e in dist.entry_points if e.group == "hermes_agent.plugins")
assert (entry.name, entry.value) == ("tool-router", PACKAGE), entry
assert callable(entry.load().register)

from hermes_tool_router.classifier.scrubber import Scrubber  # noqa: E402
from hermes_tool_router.registry_adapter import resources  # noqa: E402
from hermes_tool_router.router.engine import decide  # noqa: E402
from hermes_tool_router.router.values import Catalog, Message  # noqa: E402

book = resources.rule_book()
decision = decide(Message(text="hi"), Catalog(toolsets=()), floor=frozenset(), book=book)
assert decision.outcome, decision
assert Scrubber({}).for_display("just words", max_chars=80) == "just words"
for name in ("plugin.yaml", "config.yaml", "py.typed", "classifier/data/packs/routing.yaml"):
    assert (files(PACKAGE) / name).is_file(), name
assert "numpy" not in sys.modules
run = subprocess.run(
    [sys.executable, "-I", "-m", f"{PACKAGE}.diagnostics", "--json"],
    capture_output=True,
    text=True,
    check=False,
)
assert run.returncode == 2, run  # there is no Hermes here
assert "Traceback" not in run.stderr, run.stderr
print("wheel: installed, loaded and asked without a checkout")
