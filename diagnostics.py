"""Say whether routing can work with the Hermes of this Python.

Exit status: 0 a routing path works, 2 none does.
"""

from __future__ import annotations

if not __package__:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _checkout = runpy.run_path(str(pathlib.Path(__file__).resolve().with_name("_checkout.py")))
    __package__ = _checkout["mount"]()

__all__ = ["main"]


def main() -> int:
    """Print the report and return the exit status."""
    print("diagnostics: not built yet")
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
