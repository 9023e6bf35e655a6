"""Code that is no shell: dispatch by language."""

from __future__ import annotations

from dataclasses import replace

from .nested import Nested
from .other_code import read_other, read_windows
from .python_code import read_python
from .values import Script

__all__ = ["read_code"]


def read_code(text: str, language: str, origin: str, parse: Nested) -> Script:
    """Read code in a language other than shell.  Never raises.

    Python that does not parse is read like any other language and counts as
    incomplete.
    """
    if language in {"powershell", "cmd"}:
        return read_windows(text, language, origin, parse)
    if language == "python":
        script = read_python(text, origin, parse)
        if script is not None:
            return script
        rough = read_other(text, language, origin, parse)
        return replace(rough, complete=False, reasons=("the Python code does not parse",))
    return read_other(text, language, origin, parse)
