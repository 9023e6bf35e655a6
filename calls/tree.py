"""The shape of a shell script before anything is expanded.

Both readers, the grammar (``grammar.py``) and the degraded one (``plain.py``),
build this tree; ``evaluate.py`` walks it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Assign",
    "Case",
    "Cond",
    "Func",
    "Group",
    "Heredoc",
    "Item",
    "Lit",
    "Loop",
    "Node",
    "Not",
    "Part",
    "Pipe",
    "Raw",
    "Redir",
    "Seq",
    "Simple",
    "Sub",
    "Tree",
    "Var",
    "Word",
]


@dataclass(frozen=True, slots=True)
class Lit:
    """Characters that stand for themselves, quotes and escapes already removed."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Var:
    """A variable; ``operator`` is empty, or what follows the name inside ``${…}``."""

    name: str
    quoted: bool = False
    operator: str = ""
    operand: Word = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Sub:
    """A command substitution (``$(``) or process substitution (``<(``, ``>(``)."""

    kind: str
    body: Node
    quoted: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """Something that is never resolved here, such as arithmetic."""

    text: str
    quoted: bool = False


Part = Lit | Var | Sub | Raw
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assign:
    """``name=value`` or ``name=(values)``; ``append`` for ``+=``."""

    name: str
    values: tuple[Word, ...]
    append: bool = False
    array: bool = False


@dataclass(frozen=True, slots=True)
class Heredoc:
    """The text of a heredoc or here-string."""

    body: Word
    literal: bool
    """The delimiter was quoted: nothing inside is expanded."""


@dataclass(frozen=True, slots=True)
class Redir:
    """A redirection; exactly one of ``target`` and ``heredoc`` is given."""

    operator: str
    fd: str = ""
    target: Word = ()
    heredoc: Heredoc | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, words and redirections of one simple command."""

    words: tuple[Word, ...] = ()
    assigns: tuple[Assign, ...] = ()
    redirs: tuple[Redir, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipe:
    """Commands joined by ``|`` or ``|&``."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One member of a list, with the operator in front of it."""

    joiner: str
    """Empty for the first, else ``;``, ``&``, ``&&`` or ``||``."""
    node: Node
    background: bool = False


@dataclass(frozen=True, slots=True)
class Seq:
    """A list of commands, in order."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """``( … )`` or ``{ …; }`` with the redirections behind it."""

    body: Node
    subshell: bool = False
    redirs: tuple[Redir, ...] = ()


@dataclass(frozen=True, slots=True)
class Not:
    """A negated command."""

    body: Node


@dataclass(frozen=True, slots=True)
class Loop:
    """``for name in words; do body``."""

    name: str
    words: tuple[Word, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Cond:
    """``if`` and ``while``: conditions and branches, any of which may run."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """``case``: one branch of several runs."""

    subject: Word
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Func:
    """A function definition."""

    name: str
    body: Node


Node = Simple | Pipe | Seq | Group | Not | Loop | Cond | Case | Func


@dataclass(frozen=True, slots=True)
class Tree:
    """What a reader made of a text.

    Attributes:
        root: everything that was understood.
        problems: why the reading is incomplete, in words; empty: it is whole.
        broken: the reader does not know what the text means; another one may.
    """

    root: Node
    problems: tuple[str, ...] = ()
    broken: bool = False
