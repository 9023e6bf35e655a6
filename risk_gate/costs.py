"""What each condition of a rule costs, by rank."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["COST"]

COST: Mapping[str, int] = {
    "programs": 0,
    "except_programs": 0,
    "flags": 1,
    "all_flags": 1,
    "no_flags": 1,
    "wrappers": 1,
    "origins": 1,
    "fed": 1,
    "background": 1,
    "max_operands": 1,
    "min_operands": 1,
    "unresolved": 1,
    "sub": 2,
    "verb": 2,
    "no_sub": 2,
    "recursive": 2,
    "truncates": 3,
    "env": 3,
    "writes": 3,
    "deletes": 3,
    "reads": 3,
    "changes": 3,
    "written": 4,
    "value": 4,
    "any": 6,
    "sql": 7,
    "text": 8,
    "no_arg": 8,
    "arg": 8,
    "any_path": 9,
}
"""Order in which the conditions of one rule are tried: cheap ones first."""
