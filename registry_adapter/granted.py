"""The tools that Hermes would grant on a platform, without a running agent."""

from __future__ import annotations

import os

from ..router.errors import RouterError
from ..router.values import Catalog, Origin
from .catalog import CatalogReader
from .hermes_config import hermes_config
from .host import is_registered, owner_of
from .tokens import schema_tokens
from .wire import read_tools

__all__ = ["HostError", "granted_catalog"]


# Sessions of the terminal UI are called "tui" (hermes-agent 0.19.0 tui_gateway/server.py:3094).
_TOOLS_OF = {"tui": "cli"}


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
    definitions = get_tool_definitions(enabled_toolsets=toolsets, quiet_mode=True)
    tools = read_tools({"tools": list(definitions or [])}, "chat_completions", is_registered)
    catalog = CatalogReader(owner_of, schema_tokens).read(tools) if tools else None
    if catalog is None or all(ts.origin is Origin.OWN for ts in catalog.toolsets):
        raise HostError(f"Hermes grants no tools on platform {platform!r}")
    return catalog
