"""Tasks of the live evaluation: what is said, what is there, and how to tell that it was done.

They are data (``cases/tasks.yaml``, whose head explains every key).
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from ..probe.script import Request, Step, call, say
from .options import UsageError

__all__ = ["TASKS", "Check", "Seen", "Task", "Tasks", "Turn", "prepare", "read_tasks", "solver"]

TASKS = Path(__file__).resolve().parent / "cases" / "tasks.yaml"
SCHEMA = 1
_CHECK_S = 30.0
"""A check's code runs what the model wrote, which may not end."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)


def _compiles(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from error
    return text


def _inside(path: str) -> str:
    parts = Path(path).parts
    if not parts or Path(path).is_absolute() or ".." in parts:
        raise ValueError("expected a path inside the folder, such as 'notes/a.txt'")
    return path


Expression = Annotated[str, AfterValidator(_compiles)]
Inside = Annotated[str, AfterValidator(_inside)]
# YAML has lists; frozen values hold tuples.
Names = Annotated[tuple[str, ...], Field(strict=False)]
Groups = Annotated[tuple[Names, ...], Field(strict=False)]


class Move(_Model):
    """One step of a reference solution: a call with its arguments, or a text."""

    call: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict, alias="with")
    say: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.call is None) == (self.say is None):
            raise ValueError("expected either 'call' or 'say'")
        return self

    def step(self) -> Step:
        """The same as an answer of a model."""
        return say(self.say or "") if self.call is None else call(self.call, **self.arguments)


class Turn(_Model):
    """What the user says, and which toolsets that takes."""

    say: str = Field(min_length=1)
    needs: Names = ()
    needs_any: Groups = ()
    accept: Names = ()
    midway: Names = ()
    solution: Annotated[tuple[Move, ...], Field(strict=False, min_length=1)]

    @property
    def requirements(self) -> tuple[frozenset[str], ...]:
        """Groups of toolsets, of each of which one must be offered."""
        single = [frozenset((name,)) for name in self.needs]
        return (*single, *(frozenset(group) for group in self.needs_any))

    @property
    def useful(self) -> frozenset[str]:
        """Toolsets that are no excess in this turn."""
        return frozenset(self.accept).union(*self.requirements, self.midway)


class Check(_Model):
    """One thing that must hold at the end; exactly one of the first five is given."""

    file: Inside | None = None
    home: Inside | None = None
    answer: Expression | None = None
    python: str | None = None
    called: str | None = None
    equals: str | None = None
    matches: Expression | None = None
    absent: bool = False
    turn: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        subjects = [self.file, self.home, self.answer, self.python, self.called]
        tests = [self.equals is not None, self.matches is not None, self.absent]
        path = self.file is not None or self.home is not None
        if sum(item is not None for item in subjects) != 1:
            raise ValueError("expected one of 'file', 'home', 'answer', 'python', 'called'")
        if sum(tests) != int(path):
            raise ValueError("'file' and 'home' take one of 'equals', 'matches', 'absent'")
        if self.turn is not None and self.answer is None:
            raise ValueError("'turn' belongs to 'answer'")
        return self


class Task(_Model):
    """One task; turns in their order."""

    id: str = Field(pattern=r"^[a-z]+\.[a-z0-9-]+$")
    kind: str
    source: str = Field(min_length=1)
    files: dict[Inside, str] = Field(default_factory=dict)
    turns: Annotated[tuple[Turn, ...], Field(strict=False, min_length=1)]
    checks: Annotated[tuple[Check, ...], Field(strict=False, min_length=1)]

    @property
    def opener(self) -> str:
        """The first message, which names the conversation."""
        return self.turns[0].say


class _Sheet(_Model):
    provenance: str = Field(min_length=1)
    schema_: int = Field(alias="schema")
    tasks: Annotated[tuple[Task, ...], Field(strict=False, min_length=1)]

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if self.schema_ != SCHEMA:
            raise ValueError(f"schema {self.schema_} is not known; expected {SCHEMA}")
        for what in ("id", "opener"):
            values = [getattr(task, what) for task in self.tasks]
            if twice := {value for value in values if values.count(value) > 1}:
                raise ValueError(f"two tasks have the {what} {min(twice)!r}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Tasks of a file, and the digest that tells whether two runs had the same ones."""

    tasks: tuple[Task, ...]
    digest: str


def read_tasks(path: Path = TASKS) -> Tasks:
    """Read and validate a tasks file.

    Raises:
        UsageError: it cannot be read or breaks a rule; the message names the file, the
            task and what was expected.
    """
    try:
        raw = path.read_bytes()
        data = yaml.safe_load(raw)
        sheet = TypeAdapter(_Sheet).validate_python(data)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path.name}: not YAML: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{path.name}: {_first(error, data)}") from error
    return Tasks(tasks=sheet.tasks, digest=hashlib.sha256(raw).hexdigest()[:16])


def _first(error: ValidationError, data: object) -> str:
    """The first fault, its task by name."""
    fault = error.errors()[0]
    where = list(fault["loc"])
    if where[:1] == ["tasks"] and len(where) > 1 and isinstance(data, dict):
        task = data["tasks"][where[1]]
        name = task.get("id") if isinstance(task, dict) else None
        where[:2] = [f"task {name or where[1]!r}"]
    return ": ".join([*(str(part) for part in where), fault["msg"]])


def prepare(task: Task, work: Path) -> None:
    """Lay the task's files into its empty work folder."""
    for name, text in task.files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a task left behind.

    Attributes:
        work: its work folder.
        home: Hermes' home.
        answers: the final text of each turn, in order; fewer where turns are missing.
        succeeded: tools that ran and succeeded.
    """

    work: Path
    home: Path
    answers: Sequence[str]
    succeeded: frozenset[str]

    def holds(self, check: Check) -> bool:
        """Whether a check holds; never raises for what a model did to the folder."""
        if check.answer is not None:
            place = (check.turn or 0) - 1
            if not self.answers or place >= len(self.answers):
                return False
            return re.search(check.answer, self.answers[place]) is not None
        if check.called is not None:
            return check.called in self.succeeded
        if check.python is not None:
            return _runs(check.python, self.work)
        root, pattern = (self.work, check.file) if check.file else (self.home, check.home)
        paths = sorted(path for path in root.glob(pattern or "") if path.is_file())
        if check.absent:
            return not paths
        return any(_fits(check, _text(path)) for path in paths)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _fits(check: Check, text: str) -> bool:
    if check.equals is not None:
        return _lines(text) == _lines(check.equals)
    return re.search(check.matches or "", text) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _runs(code: str, work: Path) -> bool:
    """Whether the code ends well; ``-c`` puts the work folder on its path, as a user's run does."""
    try:
        ended = subprocess.run(
            [sys.executable, "-B", "-c", code],
            cwd=work,
            env={"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_CHECK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0


def solver(tasks: Iterable[Task]) -> Callable[[Request], Step]:
    """A model that plays each task's reference solution, whatever it is offered."""
    by_opener = {task.opener: task for task in tasks}

    def answer(request: Request) -> Step:
        task = by_opener[request.opener]
        turn = task.turns[min(len(request.user_texts), len(task.turns)) - 1]
        last = max(i for i, m in enumerate(request.messages) if m.get("role") == "user")
        made = sum(m.get("role") == "assistant" for m in request.messages[last:])
        moves = turn.solution
        return moves[made].step() if made < len(moves) else say("Done.")

    return answer
