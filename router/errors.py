"""The error tree.

RouterError
├── SettingsError      a setting that is unknown, of a wrong type or out of bounds
├── RuleError          a rule, question pack or table that does not validate
├── StateError         the state store cannot be read or written
└── classifier errors  see ``classifier/errors.py``
"""

from __future__ import annotations

__all__ = ["RouterError", "RuleError", "SettingsError", "StateError"]


class RouterError(Exception):
    """Base of everything that this package raises on purpose."""


class SettingsError(RouterError):
    """A setting is unknown, has a wrong type or is out of bounds.

    Attributes:
        key: dotted path of the offending setting, as the user wrote it.
    """

    def __init__(self, message: str, *, key: str) -> None:
        super().__init__(message)
        self.key = key


class RuleError(RouterError):
    """A rule, question pack or table does not validate."""


class StateError(RouterError):
    """The state store cannot be read or written."""
