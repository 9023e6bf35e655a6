"""Bytes of the compiled pattern table to values.

The table is compiled from the YAML files beside it (``book.py``): a folder
install has no build step, and JSON loads about a hundred times faster.
"""

from __future__ import annotations

import json
from typing import Any

from .errors import PatternError
from .table import Command, LabelBook, PatternTable, Shape

__all__ = ["FORMAT", "table_from_bytes"]

FORMAT = 3
"""Version of the compiled form."""


def table_from_bytes(data: bytes) -> PatternTable:
    """Return the table that ``data`` (the content of ``patterns.json``) holds.

    Raises:
        PatternError: ``data`` is not a table of this version.
    """
    try:
        raw: Any = json.loads(data)
        if raw["format"] != FORMAT:
            raise PatternError(
                f"patterns.json: format {raw['format']!r}, expected {FORMAT}; compile it again"
            )
        labels = raw["labels"]
        return PatternTable(
            shapes=tuple(
                Shape(
                    id=shape["id"],
                    kind=shape["kind"],
                    keywords=tuple(shape["keywords"]),
                    pattern=shape["pattern"],
                    random=shape["random"],
                    anchored=shape["anchored"],
                    nocase=shape["nocase"],
                    unless=shape["unless"],
                    run=shape["run"],
                )
                for shape in raw["shapes"]
            ),
            labels=LabelBook(
                nouns=labels["nouns"],
                heads=frozenset(noun.rsplit(" ", 1)[-1] for noun in labels["nouns"]),
                endings=tuple(labels["endings"]),
                not_ending=frozenset(labels["not_ending"]),
                trailing=frozenset(labels["trailing"]),
                about=frozenset(labels["about"]),
                before=frozenset(labels["before"]),
                phrases=labels["phrases"],
                links=frozenset(labels["links"]),
                plain=frozenset(labels["plain"]),
            ),
            commands=tuple(
                Command(
                    names=tuple(command["names"]),
                    flags=tuple(command["flags"]),
                    attached=tuple(command["attached"]),
                    pairs=tuple(command["pairs"]),
                )
                for command in raw["commands"]
            ),
            prefixes=frozenset(raw["prefixes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise PatternError(f"patterns.json: not a pattern table: {error!r}") from error
