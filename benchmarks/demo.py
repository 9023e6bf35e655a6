"""A few real Hermes turns without and with the router, side by side, offline.

``python benchmarks/demo.py [--json OUT.json] [--record]``; the model is a script
on a loopback port, so what is shown is what Hermes sends, not how well a model
answers.  ``--live`` asks a decision model instead (``demo_live.py``).
"""

from __future__ import annotations

if __package__ in {None, "", "benchmarks"}:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _root = pathlib.Path(__file__).resolve().parents[1]
    __package__ = runpy.run_path(str(_root / "_checkout.py"))["mount"]("benchmarks")

import argparse
import importlib.metadata
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..probe import wire
from ..probe.harmless import call_what_was_held_back, ran, tool_called
from ..probe.home import ENFORCE, STOCK, Contents
from ..probe.scene import Scene, scene
from ..probe.script import Request, Script, Step, say
from . import demo_live, record
from .openers import OPENERS
from .options import UsageError
from .surfaces import require_hermes, surface
from .vocabulary import Counter, load

__all__ = ["main"]

_QUESTION = "Why is the sky blue in the daytime?"
_AGAIN = "And on the moon?"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Act:
    """One user's turn.

    Attributes:
        name: the row's name.
        text: what the user says.
        script: the model's answers in this turn.
        resumes: goes on with the session of the act before, in a new process.
    """

    name: str
    text: str
    script: Script = field(default_factory=lambda: (say("Done."),))
    resumes: bool = False


_NAMES = {
    "question": "question",
    "coding": "coding task",
    "web": "web task",
    "spanish": "Spanish task",
}
_ACTS = (
    *(_Act(name=_NAMES[opener.id], text=opener.text) for opener in OPENERS),
    _Act(
        name="pruned call",
        text=_QUESTION,
        script=(call_what_was_held_back, say("Done.")),
    ),
    _Act(name="second turn", text=_AGAIN, resumes=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Played:
    """The requests of one act."""

    requests: tuple[Request, ...]

    @property
    def first(self) -> Request:
        return self.requests[0]

    @property
    def last(self) -> Request:
        return self.requests[-1]

    def tokens(self, counter: Counter) -> int:
        return sum(surface(request, counter).request.tokens for request in self.requests)

    @property
    def recovered(self) -> tuple[str, ...]:
        """Tools on the last request that were not on the first."""
        return tuple(name for name in self.last.tools if name not in self.first.tools)


def _play(scene: Scene, contents: Contents, tick: Callable[[], object]) -> list[_Played]:
    """Run every act with ``hermes chat``.

    Raises:
        RuntimeError: Hermes ended without sending a request.
    """
    scene.fill(contents)
    played: list[_Played] = []
    session = ""
    for act in _ACTS:
        scene.model.load(_from_here(act.script))
        run = scene.hermes.chat(act.text, resume=session if act.resumes else "")
        session = run.session
        if run.status or not scene.model.turns:
            raise RuntimeError(f"hermes chat failed in {act.name!r}: {run.tail}")
        played.append(_Played(requests=scene.model.turns))
        tick()
    return played


def _from_here(script: Script) -> Script:
    """The script by the request's place in this act, not in its conversation."""
    if callable(script):
        return script
    steps = iter(script)

    def reply(request: Request) -> Step:
        step = next(steps, None) or say("Done.")
        return step if isinstance(step, Step) else step(request)

    return reply


def _table(stock: list[_Played], routed: list[_Played], counter: Counter) -> Table:
    table = Table(
        title="What Hermes sends, without → with the router",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("turn")
    table.add_column("tools", justify="right")
    table.add_column("tool kB", justify="right")
    table.add_column("tokens sent", justify="right")
    table.add_column("saved", justify="right")
    table.add_column("recovered")
    for act, before, after in zip(_ACTS, stock, routed, strict=True):
        old, new = before.tokens(counter), after.tokens(counter)
        table.add_row(
            act.name,
            f"{len(before.first.tools)} → {len(after.first.tools)}",
            f"{_kilobytes(before)} → {_kilobytes(after)}",
            f"{old:,} → {new:,}",
            f"{1 - new / old:.0%}",
            ", ".join(after.recovered) or "–",
        )
    return table


def _kilobytes(played: _Played) -> str:
    return f"{len(played.first.tools_raw) / 1000:.1f}"


def _remarks(stock: list[_Played], routed: list[_Played], roots: tuple[str, str]) -> list[str]:
    """What the wire shows beyond sizes; each is looked at, none taken for granted."""
    pruned, again = routed[-2], routed[-1]
    name = tool_called(pruned.first)
    done = bool(name) and ran(name, pruned.last)
    appended = wire.is_append(pruned.first.tools_raw, pruned.last.tools_raw)
    same = pruned.last.tools_raw == again.first.tools_raw
    prompts = all(
        old.first.system.replace(roots[0], "") == new.first.system.replace(roots[1], "")
        for old, new in zip(stock, routed, strict=True)
    )
    pairs = (
        (done, "the pruned call ran in the step in which the model made it"),
        (appended, "its schema was appended, every earlier byte stayed"),
        (same, "the second turn, a new process, sent the same tools byte for byte"),
        (prompts, "system prompts are those of stock Hermes, folder names apart"),
    )
    return [f"  {'yes' if held else 'NO '}  {text}" for held, text in pairs]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, print the table, and return 0; 1 if something that is claimed does not hold."""
    parser = argparse.ArgumentParser(prog="benchmarks/demo.py", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write the figures there too")
    parser.add_argument(
        "--record", action="store_true", help="write benchmarks/results/demo.json and the README"
    )
    live = parser.add_argument_group("decision model")
    live.add_argument(
        "--live", action="store_true", help="ask a decision model about examples; runs nothing"
    )
    live.add_argument("--base-url", default="", help="a server that speaks System One")
    live.add_argument("--key-env", default="", metavar="NAME", help="variable with its key")
    chosen = parser.parse_args(arguments)
    console = Console(highlight=False)
    if (chosen.base_url or chosen.key_env) and not chosen.live:
        parser.error("--base-url and --key-env go with --live")
    if chosen.live:
        return demo_live.run(console, os.environ, base_url=chosen.base_url, key=chosen.key_env)
    started = time.monotonic()
    try:
        require_hermes()
        counter = load()
        with _bar() as progress:
            task = progress.add_task("hermes chat", total=2 * len(_ACTS))
            stock, routed, roots = _play_both(lambda: progress.advance(task))
    except (UsageError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    console.print(_table(stock, routed, counter))
    remarks = _remarks(stock, routed, roots)
    console.print("\n".join(remarks))
    figures = _report(stock, routed, counter)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if chosen.record:
        record.write(figures)
    console.print(f"\nTokens: {counter.name}; all requests of a turn, whole.")
    console.print(f"{time.monotonic() - started:.0f} s; nothing is left behind.")
    return 1 if any(remark.startswith("  NO") for remark in remarks) else 0


def _report(stock: list[_Played], routed: list[_Played], counter: Counter) -> dict[str, Any]:
    """The table's figures as JSON values."""
    turns = [
        {
            "turn": act.name,
            "tools": [len(before.first.tools), len(after.first.tools)],
            "tool_bytes": [len(before.first.tools_raw), len(after.first.tools_raw)],
            "tokens": [before.tokens(counter), after.tokens(counter)],
            "requests": [len(before.requests), len(after.requests)],
            "recovered": list(after.recovered),
        }
        for act, before, after in zip(_ACTS, stock, routed, strict=True)
    ]
    version = importlib.metadata.version("hermes-agent")
    return {"hermes": version, "counter": counter.name, "stock_then_routed": turns}


def _play_both(tick: Callable[[], object]) -> tuple[list[_Played], list[_Played], tuple[str, str]]:
    """Play without and with the router at the same time, in folders with names of one length."""
    with (
        tempfile.TemporaryDirectory(prefix="tool-router-", ignore_cleanup_errors=True) as folder,
        scene(Path(folder) / "a") as plain,
        scene(Path(folder) / "b") as narrowed,
        ThreadPoolExecutor(2) as pool,
    ):
        first = pool.submit(_play, plain, STOCK, tick)
        second = pool.submit(_play, narrowed, Contents(settings=ENFORCE), tick)
        roots = (str(plain.home.root), str(narrowed.home.root))
        return first.result(), second.result(), roots


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} turns"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )


if __name__ == "__main__":
    raise SystemExit(main())
