"""Measure: ``python benchmarks/run.py [SUITE] [--cases FILE] [--predictions OUT] [--json OUT]``."""

from __future__ import annotations

if __package__ in {None, "", "benchmarks"}:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _root = pathlib.Path(__file__).resolve().parents[1]
    __package__ = runpy.run_path(str(_root / "_checkout.py"))["mount"]("benchmarks")

import argparse
import importlib
import sys
from pathlib import Path

from .options import Options, UsageError

__all__ = ["SUITES", "main"]

SUITES = {
    "all": ("all_suite", "tokens on the real registry, then the authored routing corpus"),
    "tokens": ("tokens_suite", "bytes and tokens, stock and sent"),
    "routes": ("routes_suite", "first messages to toolsets"),
    "sessions": ("sessions_suite", "whole sessions, turn by turn"),
    "commands": ("commands_suite", "tool calls to allow, ask or block"),
    "calibrate": ("calibrate_suite", "the gate on your own history: misses beside asks"),
    "secrets": ("secrets_suite", "texts through the sanitizer"),
    "verify": ("verify_suite", "command, exit status and output to a verdict"),
    "followups": ("followups_suite", "follow-ups told from scoped requests"),
    "evaluate": ("evaluate_suite", "profiles on real Hermes: what each gets wrong"),
    "latency": ("latency_suite", "cost of each hook and of a decision"),
    "transport": ("transport_suite", "calls to a decision model beside the bare round trip"),
    "cache": ("cache_suite", "money, prompt caches included"),
    "gates": ("gates_suite", "what a release must hold, and decisions that changed"),
}


def _parser() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:<10} {text}" for name, (_, text) in SUITES.items())
    parser = argparse.ArgumentParser(
        prog="benchmarks/run.py",
        description="Measure the router. Without arguments: the suite 'all'.",
        epilog=f"suites:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("suite", nargs="?", default="all", choices=list(SUITES), metavar="SUITE")
    parser.add_argument("--cases", type=Path, metavar="FILE.jsonl[.gz]")
    parser.add_argument("--predictions", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="'-' for standard output")
    parser.add_argument(
        "--tier", default="rules", help="rules, local, rules+local, system-one, chat, compare"
    )
    parser.add_argument("--surface", type=Path, metavar="FILE.json")
    parser.add_argument("--html", type=Path, metavar="OUT.html")
    parser.add_argument(
        "--update", action="store_true", help="gates, cache, evaluate: write the baseline"
    )
    return parser


def _check_outputs(options: Options) -> None:
    """Find a mistyped folder before minutes are measured.

    Raises:
        UsageError: there is no such folder.
    """
    for path in (options.predictions, options.json, options.html):
        if path is not None and not path.parent.is_dir():
            raise UsageError(f"there is no folder {str(path.parent)!r}")


def main(argv: list[str] | None = None) -> int:
    """Run one suite; 0 all gates hold, 1 a gate failed, 2 bad input."""
    options = Options(**vars(_parser().parse_args(argv)))
    module = SUITES[options.suite][0]
    try:
        _check_outputs(options)
        suite = importlib.import_module(f".{module}", __package__)
        return int(suite.run(options))
    except UsageError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
