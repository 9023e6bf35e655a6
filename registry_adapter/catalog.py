"""A request's own tool list as a catalog.

The candidates are what the host put into the request, nothing else: a tool
that the operator withheld cannot enter (D5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..router.values import Catalog, ToolName, Toolset, ToolSpec
from .owners import Owner
from .wire import WireTools

__all__ = ["CatalogReader"]

_REMEMBERED = 4096
"""Tools that are kept with their cost; a schema is priced once per text of it."""


class CatalogReader:
    """Builds catalogs, and remembers what each tool schema costs.

    Args:
        owner_of: whose a tool is, from the live registry.
        price: tokens of one schema.
    """

    def __init__(
        self,
        owner_of: Callable[[ToolName], Owner],
        price: Callable[[Mapping[str, Any]], int],
    ) -> None:
        self._owner_of = owner_of
        self._price = price
        self._specs: dict[tuple[str, str, str], ToolSpec] = {}

    def read(self, tools: WireTools) -> Catalog:
        """The catalog of one request, toolsets and tools in order of first appearance."""
        owners: dict[str, Owner] = {}
        members: dict[str, list[ToolSpec]] = {}
        for name, item in zip(tools.names, tools.items, strict=True):
            if not name:
                continue
            owner = self._owner_of(name)
            owners.setdefault(owner.toolset, owner)
            members.setdefault(owner.toolset, []).append(self._spec(name, owner, item))
        return Catalog(
            toolsets=tuple(
                Toolset(
                    name=owner.toolset,
                    origin=owner.origin,
                    description=owner.description,
                    tools=tuple(members[key]),
                )
                for key, owner in owners.items()
            ),
            order=tools.named,
        )

    def _spec(self, name: ToolName, owner: Owner, item: Mapping[str, Any]) -> ToolSpec:
        schema = _schema(item)
        description = schema.get("description")
        text = description if isinstance(description, str) else ""
        key = (name, owner.toolset, text)
        spec = self._specs.get(key)
        if spec is None:
            if len(self._specs) >= _REMEMBERED:
                self._specs.clear()
            spec = self._specs[key] = ToolSpec(
                name=name, toolset=owner.toolset, description=text, tokens=self._price(schema)
            )
        return spec


def _schema(item: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("function", "toolSpec"):
        inner = item.get(key)
        if type(inner) is dict or isinstance(inner, Mapping):  # the first is what hosts send
            return inner
    return item
