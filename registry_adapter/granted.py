"""The tools that Hermes would grant on a platform, without a running agent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ..router.errors import RouterError
from ..router.values import Catalog, Origin
from .catalog import CatalogReader
from .hermes_config import hermes_config
from .host import is_registered
from .owners import owner_of
from .tokens import schema_tokens
from .wire import read_tools

__all__ = ["HostError", "granted_catalog"]


# Sessions of the terminal UI are called "tui" (hermes-agent 0.19.0 tui_gateway/server.py:3094).
_TOOLS_OF = {"tui": "cli"}
_MARKS = ("HERMES_INTERACTIVE", "HERMES_GATEWAY_SESSION", "HERMES_EXEC_ASK")
"""By one of these a session tells its tools that somebody is there (cli.py:15641,
gateway/run.py:1877); ``cronjob`` is offered only then (tools/cronjob_tools.py:1110)."""


class HostError(RouterError):
    """Hermes did not say what was asked."""


def granted_catalog(platform: str) -> Catalog:
    """The catalog of a fresh session on a platform.

    Servers of MCP that are not connected in this process are not in it, nor
    are tools that only a running agent gets (memory provider, context engine).

    Args:
        platform: the host's name, such as ``cli`` or ``telegram``.

    Raises:
        HostError: the platform has no tools, or their list has a shape that is not known.
    """
    # Hermes would install text-to-speech into its environment to answer (tools/lazy_deps.py:420).
    os.environ.setdefault("HERMES_DISABLE_LAZY_INSTALLS", "1")
    from hermes_cli.tools_config import _get_platform_tools  # noqa: PLC0415 - host import
    from model_tools import get_tool_definitions  # noqa: PLC0415 - host import

    known = _TOOLS_OF.get(platform, platform)
    toolsets = sorted(_get_platform_tools(dict(hermes_config()), known))
    with _somebody_there():
        definitions = get_tool_definitions(enabled_toolsets=toolsets, quiet_mode=True)
    tools = read_tools({"tools": list(definitions or [])}, "chat_completions", is_registered)
    catalog = CatalogReader(owner_of, schema_tokens).read(tools) if tools else None
    if catalog is None or all(ts.origin is Origin.OWN for ts in catalog.toolsets):
        raise HostError(f"Hermes grants no tools on platform {platform!r}")
    return catalog


@contextmanager
def _somebody_there() -> Iterator[None]:
    """Answer as a session would; a process that runs sessions has said so itself."""
    if any(os.environ.get(mark) for mark in _MARKS):
        yield
        return
    os.environ[_MARKS[0]] = "1"
    try:
        yield
    finally:
        os.environ.pop(_MARKS[0], None)
