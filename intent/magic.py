"""First bytes of the compiled rule book, apart so that looking for a book loads no reader."""

from __future__ import annotations

__all__ = ["MAGIC"]

MAGIC = b"HTRB2\n"
