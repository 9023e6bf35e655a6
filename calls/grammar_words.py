"""Words, assignments and redirections out of the grammar's syntax nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from .tree import Assign, Heredoc, Lit, Part, Raw, Redir, Seq, Simple, Sub, Var, Word
from .words import ansi_c, double_quoted, unescaped

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["MAX_DEPTH", "PARTS", "WordReader", "text_of"]

MAX_DEPTH = 40
"""Nesting of the tree that is followed; each level costs some six Python frames."""
MAX_NODES = 6_000
"""Syntax nodes that are looked at: some 30 ms of work; a heredoc is one, whatever its length."""


def text_of(node: Syntax) -> str:
    """Source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


class WordReader(ABC):
    """Reads words; statements inside substitutions are the subclass's business."""

    def __init__(self) -> None:
        self.problems: dict[str, None] = {}
        self._left = MAX_NODES
        self._depth = 0

    @abstractmethod
    def statements(self, nodes: Iterable[Syntax]) -> Seq:
        """A list out of sibling nodes."""

    # Words

    def _word(self, node: Syntax) -> Word:
        if node.type == "word" and self._left > 0:  # most words, and the cheap ones
            self._left -= 1
            return (Lit(unescaped(text_of(node))),)
        return tuple(self.parts((node,), quoted=False))

    def parts(self, nodes: Iterable[Syntax], quoted: bool) -> list[Part]:
        """Parts of a word out of sibling nodes."""
        parts: list[Part] = []
        for node in nodes:
            self._left -= 1
            handler = PARTS.get(node.type)
            if handler is not None and self._left >= 0:
                parts.extend(handler(self, node, quoted))
            elif self._left < 0:
                self.problems["too long to judge whole"] = None
                parts.append(Raw("…", quoted))
                break
            else:
                parts.append(Lit(text_of(node), quoted))
        return parts

    def string(self, node: Syntax) -> list[Part]:
        """The inside of double quotes."""
        # Blanks between an expansion and the next content belong to neither node.
        source = node.text or b""
        start, end = node.start_byte, node.end_byte - 1
        position = start + 1
        parts: list[Part] = [Lit("", quoted=True)]
        for child in node.named_children:
            if child.start_byte > position:
                gap = source[position - start : child.start_byte - start]
                parts.append(Lit(double_quoted(gap.decode("utf-8", "replace")), quoted=True))
            parts.extend(self.parts((child,), quoted=True))
            position = child.end_byte
        if end > position:
            gap = source[position - start : end - start]
            parts.append(Lit(double_quoted(gap.decode("utf-8", "replace")), quoted=True))
        return parts

    def expansion(self, node: Syntax, quoted: bool) -> Part:
        """``${…}``."""
        source = text_of(node)
        inner = source[2:-1]
        name_node = next(
            (c for c in node.named_children if c.type.endswith("variable_name")), None
        ) or next((c for c in node.named_children if c.type == "subscript"), None)
        if name_node is None:
            return Raw(source, quoted)
        name = text_of(name_node)
        before, _, after = inner.partition(name)
        if before:  # ${#name}, ${!name}
            return Var(name, quoted, operator=before, source=source)
        for operator in (":-", ":=", ":+", ":?", "-", "=", "+", "?"):
            if after.startswith(operator):
                rest = node.named_children[1:]
                return Var(name, quoted, operator, tuple(self.parts(rest, quoted)), source)
        return Var(name, quoted, operator=after, source=source)

    def substitution(self, node: Syntax, quoted: bool) -> Part:
        """``$(…)``, back quotes, ``<(…)`` and ``>(…)``."""
        source = text_of(node)
        kind = source[:2] if source[:2] in {"<(", ">("} else "$("
        if self._depth >= MAX_DEPTH:
            self.problems["nested too deep to judge"] = None
            return Raw(source, quoted)
        self._depth += 1
        try:
            redirects = [c for c in node.named_children if c.type == "file_redirect"]
            if redirects and len(node.named_children) == 1:  # $(<file)
                read_file = Simple(((Lit("cat"),),), redirs=(self._redirect(redirects[0]),))
                return Sub(kind, read_file, quoted, source)
            return Sub(kind, self.statements(node.children[1:-1]), quoted, source)
        finally:
            self._depth -= 1

    # Assignments and redirections

    def _assign(self, node: Syntax) -> Assign:
        name, append, array = "", False, False
        values: list[Word] = []
        for child in node.children:
            kind = child.type
            if kind in {"variable_name", "subscript"}:
                name = name or text_of(child)
            elif kind == "+=":
                append = True
            elif kind == "array":
                array = True
                values = [self._word(item) for item in child.named_children]
            elif kind != "=":
                values.append(self._word(child))
        return Assign(name, tuple(values), append, array)

    def _redirect(self, node: Syntax) -> Redir:
        fd, operator = "", ""
        target: Word = ()
        for child in node.children:
            kind = child.type
            if kind == "file_descriptor":
                fd = text_of(child)
            elif kind in PARTS:
                target = target or self._word(child)
            elif not child.is_named:
                operator = operator or kind
        if node.type == "herestring_redirect":
            return Redir("<<<", fd, heredoc=Heredoc(target, literal=False))
        return Redir(operator, fd, target=target)

    def _heredoc(self, node: Syntax, behind: list[Syntax]) -> list[Redir]:
        body: Word = ()
        literal = False
        redirs: list[Redir] = []
        for child in node.children:
            kind = child.type
            if kind == "heredoc_start":
                literal = any(mark in text_of(child) for mark in "'\"\\")
            elif kind == "heredoc_body":
                body = (Lit(text_of(child), quoted=True),) if literal else self._heredoc_body(child)
            elif kind.endswith("_redirect"):
                redirs.append(self._redirect(child))
            elif kind not in {"<<", "<<-", "heredoc_end", "file_descriptor"}:
                behind.append(child)
        return [Redir("<<", heredoc=Heredoc(body, literal)), *redirs]

    def _heredoc_body(self, node: Syntax) -> Word:
        source, start = node.text or b"", node.start_byte
        parts: list[Part] = []
        position = start
        for child in node.named_children:
            if child.type == "heredoc_content":
                continue
            gap = source[position - start : child.start_byte - start]
            parts.append(Lit(gap.decode("utf-8", "replace"), quoted=True))
            parts.extend(self.parts((child,), quoted=True))
            position = child.end_byte
        rest = source[position - start :]
        parts.append(Lit(rest.decode("utf-8", "replace"), quoted=True))
        return tuple(parts)


PARTS: Mapping[str, Callable[[WordReader, Syntax, bool], Iterable[Part]]] = {
    "word": lambda _, node, quoted: (Lit(unescaped(text_of(node)), quoted),),
    "number": lambda _, node, quoted: (Lit(text_of(node), quoted),),
    "raw_string": lambda _, node, __: (Lit(text_of(node)[1:-1], quoted=True),),
    "ansi_c_string": lambda _, node, __: (Lit(ansi_c(text_of(node)[2:-1]), quoted=True),),
    "string": lambda reader, node, _: reader.string(node),
    "translated_string": lambda reader, node, quoted: reader.parts(node.named_children, quoted),
    "concatenation": lambda reader, node, quoted: reader.parts(node.children, quoted),
    "command_name": lambda reader, node, quoted: reader.parts(node.children, quoted),
    "simple_expansion": lambda _, node, quoted: (
        Var(text_of(node)[1:], quoted, source=text_of(node)),
    ),
    "expansion": lambda reader, node, quoted: (reader.expansion(node, quoted),),
    "command_substitution": lambda reader, node, quoted: (reader.substitution(node, quoted),),
    "process_substitution": lambda reader, node, quoted: (reader.substitution(node, quoted),),
    "arithmetic_expansion": lambda _, node, quoted: (Raw(text_of(node), quoted),),
    "string_content": lambda _, node, __: (Lit(double_quoted(text_of(node)), quoted=True),),
    "heredoc_content": lambda _, node, __: (Lit(text_of(node), quoted=True),),
}
"""Kinds of syntax nodes that are parts of words, and how each is read."""
