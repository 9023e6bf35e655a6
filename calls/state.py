"""The state of a shell that commands change for those behind them."""

from __future__ import annotations

from collections.abc import Sequence

from .expand import Scope, Value, expand, expand_one, joined
from .tree import Assign
from .values import Arg, Assignment

__all__ = ["ShellState"]

_CHANGING = frozenset({"cd", "pushd", "popd", "set", "read", "unset"})


class ShellState:
    """Folder, options and variables of one shell.

    Attributes:
        scope: the variables.
        cwd: folder as far as ``cd`` tells; empty: where it started; ``?``: unknown.
        errexit: ``set -e`` was given.
        pipefail: ``set -o pipefail`` was given.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.cwd = ""
        self.errexit = False
        self.pipefail = False

    def apply(self, args: Sequence[Arg]) -> None:
        """``cd`` and ``set`` change what follows."""
        if args[0].text not in _CHANGING:
            return
        words = [arg.text for arg in args]
        if words[0] in {"cd", "pushd"}:
            self.cwd = self._changed(args)
        elif words[0] == "popd":
            self.cwd = "?"
        elif words[0] == "set":
            text = " ".join(words[1:])
            self.errexit = self.errexit or _has_short(words[1:], "e") or "-o errexit" in text
            self.pipefail = self.pipefail or "pipefail" in text
        elif words[0] == "read":
            for name in words[1:]:
                self.scope.variables[name] = None
        elif words[0] == "unset":
            for name in words[1:]:
                self.scope.variables.pop(name, None)

    def _changed(self, args: Sequence[Arg]) -> str:
        operands = [arg for arg in args[1:] if not arg.text.startswith("-")]
        if not operands:
            return "~" if len(args) == 1 else "?"
        target = operands[0]
        if not target.resolved:
            return "?"
        if target.text.startswith(("/", "~")) or not self.cwd:
            return target.text
        return "?" if self.cwd == "?" else f"{self.cwd}/{target.text}"

    def assigned(self, assign: Assign) -> Assignment:
        """What a variable gets, an array joined by blanks; nothing is stored yet."""
        values = [expand_one(word, self.scope) for word in assign.values]
        return Assignment(assign.name, values[0] if len(values) == 1 else joined(values))

    def assign(self, assign: Assign, assigned: Assignment) -> None:
        """Store it for the commands that follow."""
        name = assign.name.partition("[")[0]
        if assign.array:
            words = [arg for word in assign.values for arg in expand(word, self.scope)]
        else:
            words = [assigned.value]
        before = self.scope.lookup(name)
        if assign.append:
            if before is None:
                self.scope.variables[name] = None
                return
            words = (
                [*before.words, *words]
                if assign.array
                else [
                    Arg(
                        f"{joined(before.words).text}{assigned.value.text}", assigned.value.resolved
                    )
                ]
            )
        known = bool(assign.values) or not assign.array
        self.scope.variables[name] = Value(tuple(words), split=not assign.array) if known else None


def _has_short(words: Sequence[str], letter: str) -> bool:
    return any(word[:1] == "-" and word[1:2] != "-" and letter in word for word in words)
