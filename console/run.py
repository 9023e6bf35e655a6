"""What each command of ``hermes tool-router`` does; returns exit statuses."""

from __future__ import annotations

import argparse
import json
import sys

from ..probe.doctor import examine
from ..registry_adapter.hermes_config import RefusedError
from ..registry_adapter.host import hermes_home
from ..registry_adapter.plugin import Runtime
from ..reports.log_page import log_page
from ..reports.replay_page import replay_page
from ..router.errors import RouterError
from . import explain, logs, onboarding, replay, reporting, request_view, rules_view, status
from .output import Output
from .parser import KINDS
from .slash import HELP
from .switch import STATES, switch

__all__ = ["REFUSED", "run"]

REFUSED = 3
"""Exit status where the configuration is managed or does not read."""


def run(runtime: Runtime, arguments: argparse.Namespace) -> int:
    """Run one command; returns its exit status."""
    command = getattr(arguments, "router_command", None)
    if command is None:
        print(f"usage: hermes tool-router COMMAND; --help lists them\nin a session:\n{HELP}")
        return 2
    out = Output(as_json=bool(arguments.json))
    try:
        return _COMMANDS[command](runtime, arguments, out)
    except RefusedError as error:
        return _failed(out, str(error), REFUSED)
    except RouterError as error:
        return _failed(out, str(error), 1)
    except OSError as error:  # a full disk under the output, above all
        print(f"tool-router: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        runtime.stores.close()


def _status(runtime: Runtime, _arguments: argparse.Namespace, out: Output) -> int:
    data = status.collect(runtime)
    if out.as_json:
        out.value(data)
    else:
        status.show(data, out)
    routing = data["routing"]
    return 1 if routing["mistaken"] or (routing["enabled"] and not routing["active"]) else 0


def _explain(runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    if arguments.show_request:
        return request_view.show(runtime, _text(arguments.prompt), arguments.platform, out)
    decision, catalog = explain.decide(runtime, _text(arguments.prompt), arguments.platform)
    if out.as_json:
        out.value(explain.as_json(decision, catalog))
    else:
        explain.show(decision, catalog, out)
    return 0


def _replay(runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    found = replay.collect(runtime, limit=arguments.sessions, start=arguments.since)
    data = replay.as_json(found, runtime, show_text=arguments.show_text)
    if out.as_json:
        out.value(data)
    else:
        replay.show(data, out)
    if arguments.html:
        reporting.write(replay_page(data), arguments.html, out)
    return 0


def _report(runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    data = reporting.collect(runtime)
    if out.as_json:
        out.value(data)
    else:
        reporting.show(data, out)
    if arguments.html:
        reporting.write(log_page(data), arguments.html, out)
    return 0


def _log(runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    kinds = KINDS if arguments.kind == "all" else (arguments.kind,)
    store = runtime.stores(hermes_home())
    last = logs.show(store, kinds, arguments.limit, out)
    if arguments.follow:
        logs.follow(store, last, out)
    return 0


def _switch(runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    return switch(arguments.router_command, runtime.reading, out)


def _rules(_runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    if arguments.rules_command == "check":
        return rules_view.check(out)
    return rules_view.explain(_text(arguments.text), out)


def _doctor(_runtime: Runtime, _arguments: argparse.Namespace, out: Output) -> int:
    report = examine()
    if out.as_json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        out.pairs([(finding.level.value, finding.text) for finding in report.findings])
        out.line("a routing path works" if report.routes else "nothing is routed", bold=True)
    return 0 if report.routes else 2


def _onboard(runtime: Runtime, arguments: argparse.Namespace, out: Output) -> int:
    home = hermes_home()
    if arguments.offer_key:
        text = onboarding.offer(runtime.stores(home), home)
        if out.as_json:
            out.value({"offer": text})
        else:
            out.verbatim(text or "already offered; nothing to say")
        return 0
    target, what = onboarding.copy_skill(home, replace=arguments.replace)
    if out.as_json:
        out.value({"skill": str(target), "result": what})
    else:
        out.verbatim(f"{what}: {target}")
        if what == "kept":
            out.line("it differs from the shipped one; --replace overwrites it")
    return 1 if what == "kept" else 0


_COMMANDS = {
    "status": _status,
    "explain": _explain,
    "replay": _replay,
    "report": _report,
    "log": _log,
    **dict.fromkeys(STATES, _switch),
    "rules": _rules,
    "doctor": _doctor,
    "onboard": _onboard,
}


def _failed(out: Output, text: str, code: int) -> int:
    if out.as_json:
        out.value({"error": text})
    else:
        print(f"tool-router: {text}", file=sys.stderr)
    return code


def _text(argument: str) -> str:
    """An argument, or the standard input for ``-``."""
    return sys.stdin.read() if argument == "-" else argument
