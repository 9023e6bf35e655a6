"""Shell text to commands: the entry of the analysis.

:func:`parse` reads with the real grammar where it is installed; without it, or
where the grammar reports an error, the degraded reader (``plain.py``) speaks.
What neither understands makes the script incomplete, and an incomplete script
is never clear (design D8).
"""

from __future__ import annotations

from . import grammar, plain
from .code import read_code
from .evaluate import evaluate
from .expand import Scope
from .frame import Budget
from .tree import Tree
from .values import Script

__all__ = ["LONG", "MAX_LENGTH", "parse", "parse_code"]

MAX_LENGTH = 65_536
"""Characters that are judged whole; of a longer text head and tail are, and it is incomplete."""

LONG = 2_048
"""Characters from which a text is looked over before the grammar reads it."""
_MAX_DEPTH = 6
"""Scripts inside scripts (``bash -c "bash -c …"``) that are followed."""


def parse(command: str, *, use_grammar: bool = True) -> Script:
    """Read a command line or script as a POSIX/bash shell would.  Never raises.

    Args:
        command: the text; surrogates and control characters are fine.
        use_grammar: ``False`` reads in the degraded mode even where the grammar is installed.

    Returns:
        Its commands with variables expanded and wrappers taken off; scripts
        inside it (``bash -lc``, substitutions, heredocs fed to an interpreter,
        ``ssh``) are ``children`` of the command that runs them, and
        :meth:`Script.walk` visits all.  An empty text has no commands.
    """
    budget = Budget()
    if len(command) > MAX_LENGTH:
        # Whole lines, so that half a word is not taken for a command.
        head = command[: MAX_LENGTH // 2].rpartition("\n")[0] or command[: MAX_LENGTH // 2]
        tail = command[-MAX_LENGTH // 4 :]
        tail = tail.partition("\n")[2] or tail
        command = f"{head}\n{tail}"
        script = _Reader(budget, use_grammar, 0).shell(command, "", None, True, True)
        return _cut(script)
    return _Reader(budget, use_grammar, 0).shell(command, "", None, True, True)


def parse_code(text: str, language: str, *, use_grammar: bool = True) -> Script:
    """Read code of another language, as :func:`parse` reads shell text.  Never raises.

    Args:
        text: the code; beyond :data:`MAX_LENGTH` characters it is not read and incomplete.
        language: one of :data:`~.values.Language`.
        use_grammar: for shell text inside it.
    """
    return _Reader(Budget(), use_grammar, 0).nested(text, "", language)


def _cut(script: Script) -> Script:
    return Script(
        commands=script.commands,
        text=script.text,
        complete=False,
        reasons=("too long to judge whole", *script.reasons),
        degraded=script.degraded,
    )


class _Reader:
    """Reads scripts inside scripts, with one budget for all of them."""

    def __init__(self, budget: Budget, use_grammar: bool, depth: int) -> None:
        self._budget = budget
        self._use_grammar = use_grammar
        self._depth = depth

    def nested(
        self,
        text: str,
        origin: str,
        language: str = "shell",
        /,
        *,
        scope: Scope | None = None,
        zero: bool = True,
        failure: bool = True,
    ) -> Script:
        """A script inside one of ours."""
        self._budget.scripts -= 1
        if self._depth >= _MAX_DEPTH or self._budget.scripts < 0 or len(text) > MAX_LENGTH:
            reason = "scripts inside scripts go too deep to judge"
            return Script(commands=(), text=text, origin=origin, complete=False, reasons=(reason,))
        inner = _Reader(self._budget, self._use_grammar, self._depth + 1)
        if language == "shell":
            return inner.shell(text, origin, scope, zero, failure)
        return read_code(text, language, origin, inner.nested)

    def shell(
        self, text: str, origin: str, scope: Scope | None, zero: bool, failure: bool
    ) -> Script:
        """A shell script."""
        tree, degraded = self._tree(text)
        return evaluate(
            tree,
            text=text,
            budget=self._budget,
            parse=self.nested,
            origin=origin,
            degraded=degraded,
            scope=scope,
            zero=zero,
            failure=failure,
        )

    def _tree(self, text: str) -> tuple[Tree, bool]:
        """The grammar's reading, or the degraded one where the grammar has none."""
        rough: Tree | None = None
        if self._use_grammar and len(text) > LONG:
            # The grammar's error recovery is quadratic on some unfinished texts (15 s for 65 k of
            # `cat|`), so a long one that is plainly broken never reaches it.
            rough = plain.read(text)
            if rough.broken:
                return rough, True
        exact = grammar.read(text) if self._use_grammar else None
        if exact is not None and not exact.broken:
            return exact, False
        rough = rough or plain.read(text)
        if exact is None or not rough.problems:
            return rough, True
        return exact, False
