"""SQL statements that drop, empty or change everything."""

from __future__ import annotations

import re

__all__ = ["changes_everything"]

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_GRAVE = re.compile(
    r"^\s*(?:DROP|TRUNCATE|ALTER\s+TABLE\b.{0,400}?\bDROP|PURGE|DETACH|VACUUM\s+FULL|RESTORE|"
    r"REVOKE|ALTER\s+(?:USER|ROLE|LOGIN|SYSTEM)|CREATE\s+(?:USER|ROLE|LOGIN)|GRANT|"
    r"SHUTDOWN|COPY\b.{0,400}?\bPROGRAM|EXEC(?:UTE)?\s+(?:MASTER\.\.)?XP_CMDSHELL|FLUSH\s+|KILL)\b",
    re.IGNORECASE | re.DOTALL,
)
_ROWS = re.compile(
    r"^\s*(?:WITH\b.{0,2000}?)?(DELETE\s+FROM|DELETE|UPDATE)\s", re.IGNORECASE | re.DOTALL
)
_WHERE = re.compile(r"\bWHERE\b(.*)\Z", re.IGNORECASE | re.DOTALL)
_TAUTOLOGY = re.compile(r"^\s*(?:\(?\s*)?(?:(\d+|''|s)\s*=\s*\1|TRUE|1)\s*\)?\s*$", re.IGNORECASE)
_SET = re.compile(r"\bSET\b", re.IGNORECASE)


def changes_everything(text: str) -> bool:
    """A statement in the text drops something, or deletes or updates without a real ``WHERE``.

    Linear in the text's length.  Text that is no SQL gives ``False``.
    """
    plain = _STRING.sub("''", _COMMENT.sub(" ", text))
    return any(_grave(statement) for statement in plain.split(";"))


def _grave(statement: str) -> bool:
    if _GRAVE.match(statement):
        return True
    rows = _ROWS.match(statement)
    if rows is None:
        return False
    if rows[1].upper() == "UPDATE" and not _SET.search(statement):
        return False
    if rows[1].upper() == "DELETE" and "FROM" not in statement.upper():
        return False
    where = _WHERE.search(statement)
    return where is None or _TAUTOLOGY.match(where[1]) is not None
