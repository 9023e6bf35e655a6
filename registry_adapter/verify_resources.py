"""The verifier's data files, as values; apart because the verifier is off by default."""

from __future__ import annotations

from ..router.errors import RuleError
from ..verifier.tables import Tables, tables_from_bytes
from .resources import ROOT

__all__ = ["verify_tables"]


def verify_tables() -> Tables:
    """Runners and their outputs, for reading commands as checks.

    Raises:
        RuleError: a file is missing or does not validate.
    """
    folder = ROOT / "verifier" / "data"
    try:
        return tables_from_bytes(
            (folder / "runners.yaml").read_bytes(), (folder / "outputs.yaml").read_bytes()
        )
    except OSError as error:
        raise RuleError(f"{folder}: {error}") from error
