"""An MCP server over stdio with as many tools as its argument says.  Run by Hermes, by path."""

from __future__ import annotations

import sys

from mcp.server.fastmcp import FastMCP

_PURPOSE = (
    "Record operation {number} of a ledger for tests: reads, adds or corrects entries, with "
    "filters, paging and sorting, and answers with the entries in question. "
)


def build(name: str, count: int) -> FastMCP:
    """Make the server; tool ``record_N`` answers "NAME record N: QUERY"."""
    server = FastMCP(name)
    for number in range(count):

        def record(query: str, limit: int = 10, order: str = "asc", number: int = number) -> str:
            return f"{name} record {number}: {query}"

        server.tool(name=f"record_{number}", description=_PURPOSE.format(number=number) * 2)(record)
    return server


if __name__ == "__main__":
    build(sys.argv[1], int(sys.argv[2])).run()
