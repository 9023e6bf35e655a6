"""Shell text to tree by the real grammar (``tree-sitter-bash``), where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from .grammar_words import MAX_DEPTH, PARTS, WordReader, text_of
from .tree import (
    Assign,
    Case,
    Cond,
    Func,
    Group,
    Item,
    Lit,
    Loop,
    Node,
    Not,
    Pipe,
    Redir,
    Seq,
    Simple,
    Tree,
    Word,
)

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax
    from tree_sitter import Parser

__all__ = ["available", "read"]

_EMPTY = Seq(())
_SEPARATORS = {";": ";", "\n": ";", ";;": ";", "&": "&", "&&": "&&", "||": "||"}


@cache
def _parser() -> Parser | None:
    try:
        # Optional at run time (extra [gate]).
        import tree_sitter_bash  # noqa: PLC0415
        from tree_sitter import Language, Parser  # noqa: PLC0415
    except ImportError:
        return None
    return Parser(Language(tree_sitter_bash.language()))


def available() -> bool:
    """The grammar is installed."""
    return _parser() is not None


def read(text: str) -> Tree | None:
    """Read a script; ``None`` without the grammar.  Never raises."""
    parser = _parser()
    if parser is None:
        return None
    try:
        source = text.encode()
    except UnicodeEncodeError:  # lone surrogates; the grammar splits them into single bytes
        source = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    root = parser.parse(source).root_node
    reader = _Reader()
    node = reader.statements(root.children)
    problems = list(reader.problems)
    if root.has_error:
        problems.append("the shell grammar cannot read all of it")
    return Tree(root=node, problems=tuple(dict.fromkeys(problems)), broken=root.has_error)


class _Reader(WordReader):
    """Turns syntax nodes into our tree, with a bound on depth and work."""

    # Statements

    def statements(self, nodes: Iterable[Syntax]) -> Seq:
        """A list out of sibling nodes; separators and comments among them."""
        items: list[Item] = []
        joiner = ""
        for node in nodes:
            kind = node.type
            if kind in _SEPARATORS:
                joiner = _SEPARATORS[kind]
                if kind == "&" and items:
                    last = items[-1]
                    items[-1] = Item(last.joiner, last.node, background=True)
                continue
            statement = self._one(node)
            if statement is None:
                continue
            before = joiner or (";" if items else "")
            if isinstance(statement, Seq) and statement.items:  # an and-or list, not a group
                first, *others = statement.items
                items.extend((Item(before, first.node, first.background), *others))
            else:
                items.append(Item(before, statement))
            joiner = ""
        return Seq(tuple(items))

    def _one(self, node: Syntax) -> Node | None:
        self._left -= 1
        if self._left < 0:
            self.problems["too long to judge whole"] = None
            return None
        kind = node.type
        handler = _STATEMENTS.get(kind)
        if handler is None:
            return Simple(words=(self._word(node),)) if kind in PARTS else None
        if self._depth >= MAX_DEPTH:
            self.problems["nested too deep to judge"] = None
            return None
        self._depth += 1
        try:
            return handler(self, node)
        finally:
            self._depth -= 1

    def _error(self, node: Syntax) -> Node:
        self.problems["the shell grammar cannot read all of it"] = None
        return self.statements(node.children)

    def _command(self, node: Syntax) -> Simple:
        words: list[Word] = []
        assigns: list[Assign] = []
        redirs: list[Redir] = []
        end = -1
        for child in node.children:
            kind = child.type
            if kind == "variable_assignment":
                assigns.append(self._assign(child))
            elif kind.endswith("_redirect"):
                redirs.append(self._redirect(child))
                words.extend(self._behind_redirect(child))
            else:
                word = self._word(child)
                if child.start_byte == end and words:
                    # The grammar ends a word early at some `$` and `~`; no blank, no new word.
                    word = words.pop() + word
                words.append(word)
            end = child.end_byte
            if self._left < 0:
                break
        return Simple(tuple(words), tuple(assigns), tuple(redirs))

    def _behind_redirect(self, node: Syntax) -> list[Word]:
        """Words that the grammar counts to a redirection: ``find / 2>/dev/null -delete``."""
        words = [child for child in node.named_children if child.type != "file_descriptor"]
        return [self._word(child) for child in words[1:]]

    def _redirected(self, node: Syntax) -> Node:
        body: Node = Simple()
        redirs: list[Redir] = []
        behind: list[Syntax] = []
        for child in node.children:
            if child.type == "heredoc_redirect":
                redirs.extend(self._heredoc(child, behind))
            elif child.type.endswith("_redirect"):
                redirs.append(self._redirect(child))
                body = _with_words(body, tuple(self._behind_redirect(child)))
            elif child.is_named:
                body = self._one(child) or body
            else:  # the lone `-` of `python3 - <<EOF`
                body = _with_words(body, (self._word(child),))
        return self._behind(_with_redirs(body, tuple(redirs)), behind)

    def _behind(self, body: Node, behind: list[Syntax]) -> Node:
        """Join what the grammar hangs under a heredoc operator: ``<<EOF | sh``, ``&& next``."""
        for node in behind:
            if node.type == "pipeline":
                items = tuple(
                    statement
                    for child in node.named_children
                    if (statement := self._one(child)) is not None
                )
                body = _piped((body, *items))
            elif node.type in _SEPARATORS:
                body = Seq((Item("", body), Item(_SEPARATORS[node.type], Simple())))
            elif (statement := self._one(node)) is not None:
                items_before = body.items if isinstance(body, Seq) else (Item("", body),)
                joiner = ";"
                if len(items_before) > 1 and items_before[-1].node == Simple():
                    joiner = items_before[-1].joiner
                    items_before = items_before[:-1]
                body = Seq((*items_before, Item(joiner, statement)))
        return body

    def _pipeline(self, node: Syntax) -> Node:
        items = [self._one(child) for child in node.children if child.is_named]
        return _piped(tuple(item for item in items if item is not None))

    def _list(self, node: Syntax) -> Node:
        # Left-nested in the grammar: unrolled here, since a chain may be thousands long.
        spine: list[Syntax] = []
        current = node
        while current.type == "list":
            children = current.children
            spine.extend(reversed(children[1:]))
            current = children[0]
        spine.append(current)
        return self.statements(reversed(spine))

    def _compound(self, node: Syntax) -> Node:
        if node.children and node.children[0].type == "((":
            return Simple()  # arithmetic
        return Group(self.statements(node.children))

    def _condition(self, node: Syntax) -> Node:
        return Cond((self.statements(node.children),))

    def _for(self, node: Syntax) -> Node:
        name, words, body = "", [], _EMPTY
        for child in node.named_children:
            if child.type == "variable_name":
                name = text_of(child)
            elif child.type == "do_group":
                body = self.statements(child.children)
            elif child.type in PARTS:
                words.append(self._word(child))
        return Loop(name, tuple(words), body)

    def _c_for(self, node: Syntax) -> Node:
        bodies = [child for child in node.named_children if child.type.endswith(("group", "ment"))]
        return Cond(tuple(part for child in bodies if (part := self._one(child)) is not None))

    def _case(self, node: Syntax) -> Node:
        subject: Word = ()
        branches: list[Node] = []
        for child in node.named_children:
            if child.type == "case_item":
                inner = child.children
                closing = next((i for i, part in enumerate(inner) if part.type == ")"), -1)
                branches.append(self.statements(inner[closing + 1 :]))
            elif not subject:
                subject = self._word(child)
        return Case(subject, tuple(branches))

    def _function(self, node: Syntax) -> Node:
        name = next((text_of(c) for c in node.named_children if c.type == "word"), "")
        bodies = [c for c in node.named_children if c.type != "word"]
        return Func(name, self.statements(bodies))

    def _declaration(self, node: Syntax) -> Node:
        words: list[Word] = []
        assigns: list[Assign] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assigns.append(self._assign(child))
            elif child.type in PARTS:
                words.append(self._word(child))
            else:
                words.append((Lit(text_of(child)),))
        return Simple(tuple(words), tuple(assigns))

    def _test(self, node: Syntax) -> Node:
        """``[[ … ]]``: what matters are the substitutions inside."""
        words: list[Word] = [(Lit(text_of(node.children[0]) if node.children else "["),)]
        stack = list(reversed(node.children[1:]))
        end = -1
        while stack and self._left > 0:
            child = stack.pop()
            self._left -= 1
            if child.type in PARTS or not child.children:
                word = self._word(child)
                if child.start_byte == end:
                    word = words.pop() + word
                words.append(word)
                end = child.end_byte
            else:
                stack.extend(reversed(child.children))
        return Simple(tuple(words))


_STATEMENTS: Mapping[str, Callable[[_Reader, Syntax], Node]] = {
    "command": _Reader._command,
    "redirected_statement": _Reader._redirected,
    "pipeline": _Reader._pipeline,
    "list": _Reader._list,
    "subshell": lambda reader, node: Group(reader.statements(node.children), subshell=True),
    "compound_statement": _Reader._compound,
    "negated_command": lambda reader, node: Not(reader.statements(node.named_children)),
    "if_statement": _Reader._condition,
    "elif_clause": _Reader._condition,
    "else_clause": lambda reader, node: reader.statements(node.named_children),
    "while_statement": _Reader._condition,
    "do_group": lambda reader, node: reader.statements(node.children),
    "for_statement": _Reader._for,
    "c_style_for_statement": _Reader._c_for,
    "case_statement": _Reader._case,
    "function_definition": _Reader._function,
    "declaration_command": _Reader._declaration,
    "unset_command": _Reader._declaration,
    "test_command": _Reader._test,
    "variable_assignment": lambda reader, node: Simple(assigns=(reader._assign(node),)),
    "variable_assignments": lambda reader, node: Simple(
        assigns=tuple(reader._assign(child) for child in node.named_children)
    ),
    "ERROR": _Reader._error,
}
"""Kinds of syntax nodes that are statements, and how each is read."""


def _piped(items: tuple[Node, ...]) -> Node:
    """A pipeline, bound as the shell binds it.

    The grammar reads ``a && b 2>&1 | c`` as ``{ a && b; } 2>&1 | c`` and ``a | b && c`` now and
    then as ``a | { b && c; }``.  Real groups are :class:`Group`, so a bare :class:`Seq` among the
    members is always this and is taken apart again.
    """
    done: list[Item] = []
    current: list[Node] = []
    joiner, background = "", False
    for item in items:
        members = item.items if isinstance(item, Seq) else (Item("", item),)
        for position, member in enumerate(members):
            if position:
                done.append(Item(joiner, _flat(current), background))
                current, joiner = [], member.joiner
            current.append(member.node)
            background = member.background
    last = Item(joiner, _flat(current), background)
    return Seq((*done, last)) if done else last.node


def _flat(items: list[Node]) -> Node:
    """One pipeline out of members that may be pipelines themselves."""
    flat: list[Node] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Pipe) else (item,))
    return flat[0] if len(flat) == 1 else Pipe(tuple(flat))


def _with_words(body: Node, words: tuple[Word, ...]) -> Node:
    if words and isinstance(body, Simple):
        return Simple((*body.words, *words), body.assigns, body.redirs)
    if words and isinstance(body, Seq) and body.items:
        last = body.items[-1]
        return Seq((*body.items[:-1], Item(last.joiner, _with_words(last.node, words))))
    return body


def _with_redirs(body: Node, redirs: tuple[Redir, ...]) -> Node:
    if isinstance(body, Seq) and body.items:
        last = body.items[-1]
        rebound = Item(last.joiner, _with_redirs(last.node, redirs), last.background)
        return Seq((*body.items[:-1], rebound))
    if isinstance(body, Pipe) and body.items:
        return Pipe((*body.items[:-1], _with_redirs(body.items[-1], redirs)))
    if isinstance(body, Simple):
        return Simple(body.words, body.assigns, (*body.redirs, *redirs))
    return Group(body, redirs=redirs)
