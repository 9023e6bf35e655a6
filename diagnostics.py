"""Say whether routing can work with the Hermes of this Python: ``python diagnostics.py [--json]``.

Exit status: 0 a routing path works, 2 none does.
"""

from __future__ import annotations

if not __package__:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _checkout = runpy.run_path(str(pathlib.Path(__file__).resolve().with_name("_checkout.py")))
    __package__ = _checkout["mount"]()

import argparse
import json
import sys
from collections.abc import Sequence

from .probe.doctor import examine
from .probe.findings import Level, Report

__all__ = ["main"]

_SIGNS = {Level.OK: "ok     ", Level.NOTE: "note   ", Level.PROBLEM: "PROBLEM"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report and return the exit status."""
    parser = argparse.ArgumentParser(prog="diagnostics.py", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the report as JSON alone")
    as_json = parser.parse_args(arguments).json
    waits = sys.stderr.isatty() and not as_json
    report = examine((lambda text: print(f"… {text}", file=sys.stderr)) if waits else _silent)
    if as_json:
        print(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
    else:
        print(_as_text(report))
    return 0 if report.routes else 2


def _silent(text: str) -> None:
    del text


def _as_text(report: Report) -> str:
    """One line a finding, the verdict last."""
    lines = [f"{_SIGNS[item.level]}  {item.text}" for item in report.findings]
    verdict = "a routing path works" if report.routes else "nothing is routed"
    return "\n".join((*lines, f"=> {verdict}"))


if __name__ == "__main__":
    raise SystemExit(main())
