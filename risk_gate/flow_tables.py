"""The facts that flows need, compiled once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .sources import load_sources

__all__ = ["FlowTables", "flow_tables"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowTables:
    """``data/flows.yaml`` and the families of programs.

    Attributes:
        families: programs by family name.
        body: options of HTTP clients that carry a request body.
        output: options that name the file a download goes to.
        data: programs that print local data even without a file among their words.
        uploads: programs and subcommands that publish what they are given.
        decoders: filters that turn text into other text.
        local: matches a host that is this machine.
        metadata: matches a cloud's metadata service.
        variable: matches the name of a variable that holds a secret.
        address: finds the host of an address.
        advocacy: matches text that argues for its own approval.
    """

    families: Mapping[str, frozenset[str]]
    body: tuple[str, ...]
    output: tuple[str, ...]
    data: frozenset[str]
    uploads: frozenset[str]
    decoders: frozenset[str]
    local: re.Pattern[str]
    metadata: re.Pattern[str]
    variable: re.Pattern[str]
    address: re.Pattern[str]
    advocacy: re.Pattern[str]


@cache
def flow_tables() -> FlowTables:
    """The tables of this installation."""
    sources = load_sources()
    raw, families = sources["flows"], sources["families"]["families"]
    return FlowTables(
        families={name: frozenset(names) for name, names in families.items()},
        body=tuple(raw["body_options"]),
        output=tuple(raw["output_options"]),
        data=frozenset(raw["data_sources"]),
        uploads=frozenset(raw["uploads"]),
        decoders=frozenset(raw["decoders"]),
        metadata=re.compile(raw["metadata_hosts"], re.IGNORECASE),
        local=re.compile(raw["local_hosts"], re.IGNORECASE),
        variable=re.compile(raw["secret_variable"], re.IGNORECASE),
        address=re.compile(raw["address"], re.IGNORECASE),
        advocacy=re.compile(raw["self_advocacy"], re.IGNORECASE),
    )
