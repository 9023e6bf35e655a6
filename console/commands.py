"""`hermes tool-router …` and `/router`, registered in Hermes.

Every Hermes process runs this when it loads the plugin, so what the commands
need is imported when one of them runs.
"""

from __future__ import annotations

import argparse
from typing import Any

from ..registry_adapter.plugin import Runtime
from ..registry_adapter.resources import ONBOARDING
from ..registry_adapter.session_here import SessionHere

__all__ = ["NAME", "register"]

NAME = "tool-router"


def register(ctx: Any, runtime: Runtime) -> None:
    """Register the commands in a Hermes plugin context.  Never raises."""
    runtime.guard.run("commands", lambda: _register(ctx, runtime), lambda: None)


def _register(ctx: Any, runtime: Runtime) -> None:
    here = SessionHere(lambda: runtime.surfaces.only_session())

    def note_event(**kwargs: Any) -> None:
        runtime.guard.run("pre_gateway_dispatch", lambda: here.note_event(**kwargs), lambda: None)

    ctx.register_cli_command(
        name=NAME,
        help="smaller requests: status, explain, replay, log, enable, shadow, disable, doctor",
        setup_fn=_set_up,
        handler_fn=lambda arguments: _run(runtime, arguments),
        description="Sends only the tool schemas that a session needs.",
    )
    ctx.register_command(
        "router",
        lambda raw="": _slash(runtime, here, raw),
        description="Tool router: status, surface, add TOOLSET, off",
        args_hint="[surface | add TOOLSET | off]",
    )
    if runtime.registered:
        ctx.register_hook("pre_gateway_dispatch", note_event)
    skill = ONBOARDING / "SKILL.md"
    if skill.is_file():
        ctx.register_skill(ONBOARDING.name, skill)


def _set_up(parser: argparse.ArgumentParser) -> None:
    from .parser import set_up  # noqa: PLC0415 - only where a command line is read

    set_up(parser)


def _slash(runtime: Runtime, here: SessionHere, raw: str) -> str:
    from .slash import Slash  # noqa: PLC0415 - only where it is typed

    return Slash(runtime, here)(raw)


def _run(runtime: Runtime, arguments: argparse.Namespace) -> None:
    from .run import run  # noqa: PLC0415 - only where a command runs, see above

    code = run(runtime, arguments)
    if code:  # Hermes drops a handler's result
        raise SystemExit(code)
