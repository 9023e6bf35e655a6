"""Run real Hermes in a scratch home and collect what came of it.

Every process is a child of ours in its own process group and is ended by that
group's id; none outlives the call or the context that started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .home import ScratchHome

__all__ = ["ApiServer", "Driven", "Hermes", "Run", "Turn", "end", "finish"]

CHILD = Path(__file__).with_name("child.py")
_SESSION = re.compile(r"session_id:\s*(\S+)")
_TAIL_CHARS = 2000
_START_SECONDS = 90.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a process ended.

    Attributes:
        status: exit status; negative is the signal that ended it.
        seconds: wall time.
        timed_out: it was ended by us.
    """

    status: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False

    @property
    def session(self) -> str:
        """The session id that ``hermes chat`` printed, empty where it printed none."""
        found = _SESSION.findall(self.stderr + self.stdout)
        return str(found[-1]) if found else ""

    @property
    def tail(self) -> str:
        """The end of both outputs, for a failure message."""
        return f"{self.stdout[-_TAIL_CHARS:]}\n{self.stderr[-_TAIL_CHARS:]}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a driven agent.

    Attributes:
        agent: the name that the plan gave it.
        session: its session id.
        answer: the final text, empty where there is none.
        error: traceback of an exception that left Hermes, empty if none did.
        completed: Hermes' own word for it.
        tools: names in ``agent.tools`` afterwards.
        valid: ``agent.valid_tool_names`` afterwards, sorted.
    """

    agent: str
    session: str
    answer: str
    error: str
    completed: bool
    tools: tuple[str, ...]
    valid: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What a plan came to.

    Attributes:
        run: the process.
        turns: in the order in which they ended.
        facts: what the plan's other operations reported, by name.
        fatal: traceback that ended the plan early, empty if none did.
    """

    run: Run
    turns: tuple[Turn, ...]
    facts: Mapping[str, Any]
    fatal: str


class Hermes:
    """Hermes of one interpreter in one scratch home."""

    def __init__(self, home: ScratchHome, *, python: Path | None = None) -> None:
        self.home = home
        self.python = python or Path(sys.executable)

    def command(
        self, *arguments: str, timeout_s: float = 120, env: Mapping[str, str | None] | None = None
    ) -> Run:
        """Run ``hermes ARGUMENTS`` to its end."""
        return finish(self._spawn(self._hermes(*arguments), env), timeout_s)

    def chat(
        self,
        prompt: str,
        *arguments: str,
        resume: str = "",
        timeout_s: float = 120,
        env: Mapping[str, str | None] | None = None,
    ) -> Run:
        """Run one turn: ``hermes chat -Q -q PROMPT``.

        Args:
            prompt: the user's message.
            arguments: further options, such as ``-t file``.
            resume: a session id to go on with, empty for a new session.
            timeout_s: after this the process is ended.
            env: further environment variables; ``None`` takes one away.
        """
        again = ("--resume", resume) if resume else ()
        return self.command(
            "chat", "-Q", *arguments, *again, "-q", prompt, timeout_s=timeout_s, env=env
        )

    def drive(
        self,
        plan: Sequence[Mapping[str, Any]],
        *,
        timeout_s: float = 180,
        env: Mapping[str, str | None] | None = None,
        child: Path = CHILD,
    ) -> Driven:
        """Run a plan in one Hermes process; ``child.py`` lists its operations.

        Args:
            plan: the operations.
            timeout_s: after this the process is ended.
            env: further environment variables; ``None`` takes one away.
            child: another script that runs plans, with operations of its own.
        """
        target = self.home.root / "driven.json"
        target.unlink(missing_ok=True)
        run = finish(self.start(plan, env=env, child=child), timeout_s)
        if not target.exists():
            return Driven(run=run, turns=(), facts={}, fatal=f"no report was written: {run.tail}")
        report = json.loads(target.read_text(encoding="utf-8"))
        turns = tuple(
            Turn(**{**item, "tools": tuple(item["tools"]), "valid": tuple(item["valid"])})
            for item in report["turns"]
        )
        return Driven(run=run, turns=turns, facts=report["facts"], fatal=report["fatal"])

    def start(
        self,
        plan: Sequence[Mapping[str, Any]],
        *,
        env: Mapping[str, str | None] | None = None,
        child: Path = CHILD,
    ) -> subprocess.Popen[str]:
        """Start a plan and return at once; end it with :func:`end`."""
        source, target = self.home.root / "plan.json", self.home.root / "driven.json"
        source.write_text(json.dumps(list(plan)), encoding="utf-8")
        # As `hermes chat` sets it: some tools are offered only where somebody is there.
        session = {"HERMES_INTERACTIVE": "1", **(env or {})}
        return self._spawn([str(self.python), str(child), str(source), str(target)], session)

    @contextlib.contextmanager
    def api_server(self) -> Iterator[ApiServer]:
        """Run the gateway with Hermes' API server on a free loopback port.

        Raises:
            RuntimeError: it did not answer in time; the message has its output's end.
        """
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = ApiServer(port=port, key="-".join(("loopback", "only", str(os.getpid()), "stub")))
        log = self.home.root / "gateway.log"
        env = {
            "API_SERVER_ENABLED": "true",
            "API_SERVER_HOST": "127.0.0.1",
            "API_SERVER_PORT": str(port),
            "API_SERVER_KEY": server.key,
        }
        with log.open("ab") as output:
            process = self._spawn(self._hermes("gateway", "run"), env, output=output.fileno())
        try:
            if not server.wait(process, _START_SECONDS):
                raise RuntimeError(f"the gateway did not start: {_tail(log)}")
            yield server
        finally:
            _interrupt(process)

    def log(self, name: str = "agent.log") -> str:
        """Return one of Hermes' log files, empty where there is none."""
        path = self.home.home / "logs" / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def _hermes(self, *arguments: str) -> list[str]:
        return [str(self.python), "-m", "hermes_cli.main", *arguments]

    def _spawn(
        self,
        command: Sequence[str],
        env: Mapping[str, str | None] | None,
        output: int = subprocess.PIPE,
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.home.work,
            env=self.home.environment(self.python, **(env or {})),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output if output == subprocess.PIPE else subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServer:
    """A running API server."""

    port: int
    key: str

    def wait(self, process: subprocess.Popen[str], seconds: float) -> bool:
        """Wait until it answers; false if the process ends or the time is up first."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError, urllib.error.URLError):
                url = f"http://127.0.0.1:{self.port}/health"
                with urllib.request.urlopen(url, timeout=2) as answer:
                    return bool(answer.status == 200)
            time.sleep(_POLL_SECONDS)
        return False

    def ask(self, messages: Sequence[Mapping[str, Any]], *, session: str = "") -> str:
        """Send a conversation and return the answer's text.

        Args:
            messages: Chat Completions messages, the last one the user's.
            session: Hermes' session id for this conversation; empty: Hermes makes one up
                from the conversation's opening.

        Raises:
            RuntimeError: it answered with an error; the message has the body.
        """
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"}
        if session:
            headers["X-Hermes-Session-Id"] = session
        body = json.dumps({"model": "hermes-agent", "messages": list(messages)}).encode()
        url = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        request = urllib.request.Request(url, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return str(json.load(answer)["choices"][0]["message"]["content"])
        except urllib.error.HTTPError as error:
            text = error.read().decode("utf-8", "replace")[:_TAIL_CHARS]
            raise RuntimeError(f"the API server answered {error.code}: {text}") from error


def end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Kill a process that we started, with its children, and wait for it."""
    _kill_group(process)
    process.communicate(timeout=30)


def _kill_group(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Kill what is left of a process and its children; they have a group of their own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _interrupt(process: subprocess.Popen[str], seconds: float = 20) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    end(process)


def finish(process: subprocess.Popen[str], timeout_s: float) -> Run:
    """Wait for a process that we started, and end it after ``timeout_s`` seconds.

    Whatever it left running in its group is ended as well.
    """
    started = time.monotonic()
    late = False
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        late = True
        _kill_group(process)
        stdout, stderr = process.communicate()
    finally:
        _kill_group(process)  # servers that Hermes started, or all of it if we are interrupted
    return Run(
        status=process.returncode,
        stdout=stdout,
        stderr=stderr,
        seconds=time.monotonic() - started,
        timed_out=late,
    )


def _tail(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")[-_TAIL_CHARS:]
