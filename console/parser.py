"""The arguments of ``hermes tool-router``."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import get_args

from ..registry_adapter.log_names import LogName

__all__ = ["EPILOG", "KINDS", "set_up"]

KINDS: tuple[LogName, ...] = get_args(LogName)
"""Logs that can be shown."""

EPILOG = """\
examples:
  hermes tool-router shadow                    decide and log, change nothing
  hermes tool-router status                    what it did so far
  hermes tool-router explain "fix the failing test in parser.py"
  hermes tool-router enable                    send smaller requests
  hermes -p work tool-router enable            the same for the profile "work"
  hermes tool-router log --follow --json       the log, for other programs

exit status:
  0  done, or healthy
  1  not done, or not healthy; the output says why
  2  wrong usage; for doctor: no routing path works
  3  refused, because the configuration is managed or does not read

Every command takes --json.  HERMES_TOOL_ROUTER=off switches the plugin off for
one process.
"""


def set_up(parser: argparse.ArgumentParser) -> None:
    """Add the commands to the parser that Hermes hands out."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "Sends only the tool schemas that a session needs."
    parser.epilog = EPILOG
    commands = parser.add_subparsers(dest="router_command", metavar="COMMAND")
    _add(commands, "status", "what it did to the latest requests, and which settings hold")
    explain = _add(
        commands,
        "explain",
        "what a first message would get, and why",
        'example:\n  hermes tool-router explain "what is new in Rust?" --platform telegram',
    )
    explain.add_argument("prompt", metavar="PROMPT", help="the message, in quotes; - reads it")
    explain.add_argument(
        "--platform", default="cli", help="whose tools are at stake (default: cli)"
    )
    explain.add_argument(
        "--show-request",
        action="store_true",
        help="what a network tier would be sent, word for word; sends nothing",
    )
    replay = _add(
        commands,
        "replay",
        "what your own history would have saved and missed",
        "Reads Hermes' state.db, never writes it; nothing leaves the machine.\n\n"
        "examples:\n  hermes tool-router replay --since 2026-05-01\n"
        "  hermes tool-router replay --sessions 50 --html replay.html",
    )
    replay.add_argument("--sessions", type=_positive, metavar="N", help="the latest N (all)")
    replay.add_argument("--since", type=_since, default=0.0, metavar="DATE", help="from a date on")
    replay.add_argument(
        "--show-text", action="store_true", help="show messages that missed a tool, sanitized"
    )
    replay.add_argument("--html", type=_page, metavar="FILE", help="write a page as well")
    report = _add(
        commands,
        "report",
        "figures over the router's own log",
        "example:\n  hermes tool-router report --html report.html",
    )
    report.add_argument("--html", type=_page, metavar="FILE", help="write a page as well")
    log = _add(
        commands,
        "log",
        "the local logs of decisions, model calls and judged tool calls",
        "examples:\n  hermes tool-router log --kind gate --limit 100\n"
        "  hermes tool-router log --follow --json",
    )
    log.add_argument("--kind", choices=(*KINDS, "all"), default="all", help="default: all")
    log.add_argument("--limit", type=_positive, default=20, help="rows of each (default: 20)")
    log.add_argument("--follow", "-f", action="store_true", help="print new rows until Ctrl-C")
    for name, text in (
        ("enable", "send smaller requests from the next session on"),
        ("shadow", "decide and log, leave every request as it is"),
        ("disable", "switch the plugin off"),
    ):
        _add(
            commands,
            name,
            text,
            "Writes Hermes' own config.yaml; for another profile: "
            f"hermes -p NAME tool-router {name}",
        )
    rules = _add(commands, "rules", "the rule book")
    ruled = rules.add_subparsers(dest="rules_command", metavar="COMMAND", required=True)
    _add(ruled, "check", "validate the rule files and the compiled book")
    shown = _add(ruled, "explain", "how a text is read, rule by rule")
    shown.add_argument("text", metavar="TEXT", help="the text, in quotes; - reads it")
    _add(commands, "doctor", "drive one real turn in a scratch home and say whether routing works")
    onboard = _add(
        commands,
        "onboard",
        "copy the onboarding skill into this profile's skills",
        "With --offer-key it prints the text about the optional classifier key instead, once.",
    )
    onboard.add_argument("--replace", action="store_true", help="overwrite an edited copy")
    onboard.add_argument("--offer-key", action="store_true", help="print the one offer")


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    epilog: str = "",
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, got {text!r}")
    return int(text)


def _since(text: str) -> float:
    """Unix seconds of a date or time as people write it, local unless it says otherwise."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"expected a date such as 2026-05-01, got {text!r}"
        ) from error


def _page(text: str) -> Path:
    """Where a page goes; its folder must exist."""
    path = Path(text).expanduser()
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}")
    return path
