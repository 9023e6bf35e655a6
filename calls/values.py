"""What the analysis of a tool call hands out: frozen values.

Words used here: an *argument* is one word of a command after expansion; it is
*resolved* when nothing in it depends on what only the shell could know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Arg", "Assignment", "Command", "Language", "Redirect", "Script", "Visit"]

Language = Literal[
    "shell", "python", "perl", "ruby", "javascript", "php", "powershell", "cmd", "sql", "other"
]


@dataclass(frozen=True, slots=True)
class Arg:
    """One word after expansion.

    Attributes:
        text: the word; a part that is not resolved stands as it was written,
            such as ``$NAME`` or ``$(…)``; ``$HOME`` becomes ``~``.
        resolved: every part is known.
        glob: holds an unquoted ``*``, ``?`` or ``[…]``.
        names: variables that took part, in order.
    """

    text: str
    resolved: bool = True
    glob: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable that gets a value."""

    name: str
    value: Arg


@dataclass(frozen=True, slots=True)
class Redirect:
    """One redirection.

    Attributes:
        operator: ``>``, ``>>``, ``<``, ``>&``, ``&>``, ``<>``, ``>|``, ``<<`` or ``<<<``.
        fd: file descriptor in front, empty for the default.
        target: file or descriptor; for ``<<`` and ``<<<`` the text itself.
    """

    operator: str
    fd: str
    target: Arg


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command, wrappers taken off.

    Attributes:
        args: name and arguments after expansion; empty for bare assignments.
        wrappers: names of what it was wrapped in, outermost first
            (``sudo``, ``env``, ``timeout``, ``xargs`` …).
        wrapper_args: the words of each wrapper up to the inner command.
        assignments: variables set for this command, or by it.
        redirects: in the order written, those of enclosing groups last.
        pipeline: number of the pipeline within its script; commands of one
            pipeline share it.
        position: place in that pipeline, from 0.
        length: number of commands in that pipeline.
        operator: what joins it to the command before: ``;``, ``&``, ``&&``,
            ``||``, ``|``, or empty for the first.
        background: runs with ``&``.
        stdin_from: indices, within the same script, of the commands whose
            output it reads.
        cwd: folder that it runs in as far as ``cd`` tells; empty: where the
            script started; ``?`` where that is unknown.
        zero_implied: if the whole script exits with 0, this command did too.
        failure_implied: if the whole script exits with non-zero, it is this
            command that failed.
        children: scripts that run inside it (substitutions, ``bash -c``,
            heredocs fed to an interpreter, ``ssh`` …).
        function: name of the shell function that it stands in, empty for none.
    """

    args: tuple[Arg, ...]
    wrappers: tuple[str, ...] = ()
    wrapper_args: tuple[tuple[str, ...], ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    pipeline: int = 0
    position: int = 0
    length: int = 1
    operator: str = ""
    background: bool = False
    stdin_from: tuple[int, ...] = ()
    cwd: str = ""
    zero_implied: bool = True
    failure_implied: bool = True
    children: tuple[Script, ...] = ()
    function: str = ""

    @property
    def argv(self) -> tuple[str, ...]:
        """The words as text."""
        return tuple([arg.text for arg in self.args])

    @property
    def name(self) -> str:
        """The name as written, path included; empty for bare assignments."""
        return self.args[0].text if self.args else ""

    @property
    def program(self) -> str:
        """The last path component of the name, in lower case, without ``.exe``."""
        base = self.name.replace("\\", "/").rsplit("/", 1)[-1].lower()
        return base.removesuffix(".exe")

    @property
    def status_masked(self) -> bool:
        """The exit status of the whole script says nothing sure about this command's success."""
        return not self.zero_implied

    @property
    def stdin_text(self) -> Arg | None:
        """Text of the last heredoc or here-string, ``None`` without one."""
        for redirect in reversed(self.redirects):
            if redirect.operator in {"<<", "<<<"}:
                return redirect.target
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A piece of code and the commands in it.

    Attributes:
        commands: in the order in which they may run; branches all included.
        text: the code itself.
        language: what it is written in.  For code that is not shell, each
            call of interest is a command whose name is the dotted function,
            such as ``shutil.rmtree``.
        origin: how it is reached: empty for the whole call, else
            ``substitution``, ``process-substitution``, ``interpreter``,
            ``stdin``, ``heredoc``, ``eval``, ``exec``, ``remote``,
            ``container``, ``decoded``, ``alias``, ``trap`` or ``hidden``.
        complete: everything in it was understood.
        reasons: why not, in words, without duplicates.
        degraded: read without the grammar.
    """

    commands: tuple[Command, ...]
    text: str = ""
    language: Language = "shell"
    origin: str = ""
    complete: bool = True
    reasons: tuple[str, ...] = ()
    degraded: bool = False

    def all_reasons(self) -> list[str]:
        """Why it, or a script inside it that holds commands, is incomplete; outermost first."""
        reasons: dict[str, None] = {}
        stack = [self]
        while stack:
            script = stack.pop()
            if not script.commands:
                continue
            reasons.update(dict.fromkeys(script.reasons))
            inner = [child for command in script.commands for child in command.children]
            stack.extend(reversed(inner))
        return list(reasons)

    def walk(self) -> Iterator[Visit]:
        """Every command, children after their parent, each with where it stands."""
        stack: list[tuple[Script, int, tuple[str, ...]]] = [(self, 0, ())]
        while stack:
            script, index, path = stack.pop()
            if index >= len(script.commands):
                continue
            stack.append((script, index + 1, path))
            command = script.commands[index]
            yield Visit(command=command, script=script, path=path)
            stack.extend((child, 0, (*path, child.origin)) for child in reversed(command.children))


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A command met on a walk.

    Attributes:
        path: origins of the scripts that enclose it, outermost first.
    """

    command: Command
    script: Script = field(repr=False)
    path: tuple[str, ...] = ()
