"""The verifier's data files, as values; apart because the verifier is off by default."""

from __future__ import annotations

from ..router.errors import RuleError
from ..verifier.claims import ClaimTable, claim_table_from_bytes
from ..verifier.files import FileTable, file_table_from_bytes
from ..verifier.tables import Tables, tables_from_bytes
from .resources import ROOT

__all__ = ["claim_table", "file_table", "verify_tables"]

_DATA = ROOT / "verifier" / "data"


def verify_tables() -> Tables:
    """Runners and their outputs, for reading commands as checks.

    Raises:
        RuleError: a file is missing or does not validate.
    """
    return tables_from_bytes(_bytes("runners.yaml"), _bytes("outputs.yaml"))


def file_table() -> FileTable:
    """Which files need a check, and what changes files.

    Raises:
        RuleError: the file is missing or does not validate.
    """
    return file_table_from_bytes(_bytes("files.yaml"))


def claim_table() -> ClaimTable:
    """How completion is claimed.

    Raises:
        RuleError: the file is missing or does not validate.
    """
    return claim_table_from_bytes(_bytes("claims.yaml"))


def _bytes(name: str) -> bytes:
    try:
        return (_DATA / name).read_bytes()
    except OSError as error:
        raise RuleError(f"{_DATA / name}: {error}") from error
