"""The phrase table on disk: YAML sources in, the compiled and committed table out.

``python -m hermes_tool_router.console.phrases`` writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..intent.followup_book import compile_books

__all__ = ["TABLE", "build", "cases", "sources"]

_DATA = Path(__file__).resolve().parents[1] / "intent" / "data"
TABLE = _DATA / "phrases.bin"
"""The compiled table of follow-ups and greetings."""


def sources(folder: Path = _DATA / "followups") -> dict[str, bytes]:
    """YAML sources by file name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.yaml"))}


def build(folder: Path = _DATA / "followups") -> bytes:
    """Compile the table from the files on disk.

    Raises:
        PhraseError: a file does not validate; the message names it.
    """
    return compile_books(sources(folder))


def cases(folder: Path = _DATA / "followups") -> list[dict[str, Any]]:
    """The cases that stand in the sources, as rows with id, text, lang and kind."""
    rows: list[dict[str, Any]] = []
    for name, data in sources(folder).items():
        for kind, texts in yaml.safe_load(data).get("cases", {}).items():
            rows += [
                {
                    "id": f"{name}:{kind}:{number}",
                    "text": text,
                    "lang": name.removesuffix(".yaml"),
                    "kind": kind,
                }
                for number, text in enumerate(texts, 1)
            ]
    return rows


if __name__ == "__main__":
    TABLE.write_bytes(build())
