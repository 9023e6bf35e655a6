"""Full against routed runs of real Hermes, with a model of your choice.

``python benchmarks/live.py [first|tasks|all] --base-url URL --model NAME
[--key-env NAME] --out RUN.jsonl [--json REPORT.json]``

``first`` asks the first requests of labelled messages and runs no tool.
``tasks`` plays whole tasks: there the model's tool calls are executed, as you,
in a scratch folder with a scratch home.  Each is done with everything that
Hermes sends, and with what the router leaves.  RUN.jsonl grows by a row a
result, so that a run can be stopped and gone on with.
"""

from __future__ import annotations

if __package__ in {None, "", "benchmarks"}:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _root = pathlib.Path(__file__).resolve().parents[1]
    __package__ = runpy.run_path(str(_root / "_checkout.py"))["mount"]("benchmarks")

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console

from ..probe.model import StubModel
from .live_endpoint import Budget, Caller, Endpoint
from .live_first import ask_all, drawn
from .live_journal import Journal, Run
from .live_play import ARMS, play
from .live_report import latest_tasks, report, show
from .live_tasks import TASKS, Task, read_tasks, solver
from .options import UsageError
from .output import progress
from .routing import HERE, Case, read_cases
from .surfaces import require_hermes

__all__ = ["ended_by_term", "main"]

_REFERENCE = "reference solutions"


def main(argv: Sequence[str] | None = None, *, clock: Callable[[], float] = time.monotonic) -> int:
    """Ask what is still to be asked, and print the comparison.

    Args:
        argv: the command line.
        clock: seconds, for the time to the first piece of an answer.

    Returns:
        0: finished, or stopped by its budget; 1: the endpoint failed, what was
        answered before is kept; 2: bad input.
    """
    options = _parser().parse_args(argv)
    try:
        with ended_by_term():
            return _run(options, clock)
    except UsageError as error:
        print(f"live: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"live: interrupted; {options.out} goes on with the same command", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks/live.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", default="first", choices=("first", "tasks", "all"))
    parser.add_argument("--base-url", help="up to and including /v1")
    parser.add_argument("--model")
    parser.add_argument("--key-env", metavar="NAME", help="variable that holds the key")
    parser.add_argument(
        "--reference", action="store_true", help="play the tasks' own solutions; no endpoint"
    )
    parser.add_argument("--cases", type=Path, default=HERE / "cases" / "routes.jsonl")
    parser.add_argument("--tasks", type=Path, default=TASKS, metavar="FILE.yaml")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="tasks whose id holds TEXT, or one of TEXT,TEXT"
    )
    parser.add_argument("--limit", type=int, default=40, help="first requests, drawn by seed (40)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw and of the intervals")
    parser.add_argument("--steps", type=int, default=12, help="most requests of a task (12)")
    parser.add_argument("--max-requests", type=int, default=600)
    parser.add_argument("--max-input-tokens", type=int, default=4_000_000)
    parser.add_argument("--max-output", type=int, default=1_000, help="tokens of one answer")
    parser.add_argument("--temperature", type=float, help="default: the endpoint's own")
    parser.add_argument("--timeout", type=float, default=180.0, metavar="S", help="of one answer")
    parser.add_argument("--note", default="", help="conditions, kept in the report")
    parser.add_argument("--out", type=Path, required=True, metavar="RUN.jsonl")
    parser.add_argument("--json", type=Path, metavar="REPORT.json", help="'-': standard output")
    return parser


@contextlib.contextmanager
def ended_by_term() -> Iterator[None]:
    """End like an interrupt on SIGTERM, so that no Hermes outlives us."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(options: argparse.Namespace, clock: Callable[[], float]) -> int:
    require_hermes()
    found = read_tasks(options.tasks)
    wanted = options.only.split(",")
    tasks = [task for task in found.tasks if any(text in task.id for text in wanted)]
    cases: list[Case] = []
    if options.what != "tasks":
        cases = drawn(read_cases(options.cases), options.limit, options.seed)
    if options.what == "first":
        tasks = []
    elif not tasks:
        raise UsageError(f"no task's id holds {options.only!r}")
    with _endpoint(options, tasks) as endpoint:
        run = Run.of(endpoint, tasks=found.digest, steps=options.steps, reference=options.reference)
        journal = Journal(options.out, run, options.note)
        budget = Budget(requests=options.max_requests, input_tokens=options.max_input_tokens)
        caller = Caller(endpoint, budget, clock=clock)
        ask_all(cases, caller, journal)
        _play_all(tasks, caller, journal, options.steps)
    made = report(
        journal,
        cases=cases,
        tasks=tasks,
        seed=options.seed,
        stopped=caller.stopped,
    )
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    show(made, Console(stderr=options.json == Path("-")))
    if options.json == Path("-"):
        sys.stdout.write(text)
    elif options.json is not None:
        options.json.write_text(text, encoding="utf-8")
    if budget.spent and made["missing"]:
        print("the budget is spent; run again with a larger one to go on", file=sys.stderr)
    return int(caller.stopped is not None and not budget.spent)


@contextlib.contextmanager
def _endpoint(options: argparse.Namespace, tasks: Sequence[Task]) -> Iterator[Endpoint]:
    """The user's endpoint, or a loopback one that plays the solutions."""
    if options.reference:
        if options.what != "tasks":
            raise UsageError("--reference plays tasks; first requests have no solution")
        with StubModel(solver(tasks)) as model:
            yield Endpoint(base_url=model.base_url, model=_REFERENCE)
        return
    if not (options.base_url and options.model):
        raise UsageError("--base-url and --model are needed, or --reference")
    yield Endpoint(
        base_url=options.base_url,
        model=options.model,
        key=_key(options.key_env),
        max_output=options.max_output,
        temperature=options.temperature,
        timeout_s=options.timeout,
    )


def _key(name: str | None) -> str:
    if name is None:
        return ""
    if not (value := os.environ.get(name, "")):
        raise UsageError(f"the variable {name} is not set")
    return value


def _play_all(tasks: Sequence[Task], caller: Caller, journal: Journal, steps: int) -> None:
    """Play what has no result yet; the arms take turns at going first."""
    done = latest_tasks(journal.rows)
    for place, task in enumerate(tasks):
        for arm in sorted(ARMS, reverse=bool(place % 2)):
            if (task.id, arm) in done or caller.stopped is not None or caller.budget.spent:
                continue
            progress(f"task {place + 1} of {len(tasks)}: {task.id}, {arm}")
            row = play(task, arm, caller, steps=steps)
            if row["error"] != "budget":
                journal.add({"row": "task", "id": task.id, "arm": arm, **row})


if __name__ == "__main__":
    raise SystemExit(main())
