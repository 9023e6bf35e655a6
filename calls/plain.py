"""The degraded reader: shell text to tree without the grammar.

It knows quoting, expansions, redirections, heredocs, lists, pipelines, groups,
loops and conditions.  Anything else (``case``, ``select``, C-style ``for``,
unbalanced quotes) is a problem on the tree, and a script with problems asks.
Every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .plain_words import MAX_DEPTH, PlainWords
from .tree import (
    Assign,
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

__all__ = ["read"]

_BLANK = re.compile(r"(?:[ \t\r]|\\\n)*")
_PLAIN_RUN = re.compile(r"[^\s'\"\\$`<>|&;()#]+")
_ASSIGN = re.compile(r"([A-Za-z_]\w*(?:\[[^\]\s]*\])?)(\+?)=")
_REDIRECT = re.compile(r"(\d*|\{\w+\})(<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|<|>)")
_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|\n]")
_FUNCTION = re.compile(r"(?:function[ \t]+)?([^\s'\"\\$`<>|&;()]+)[ \t]*\(\)\s*")
_ENDS = frozenset({"then", "do", "done", "fi", "else", "elif", "}", "esac"})


def read(text: str) -> Tree:
    """Read a script.  Never raises; what is not understood is a problem on the tree."""
    reader = _Plain(text)
    root = reader.program()
    problems = tuple(dict.fromkeys(reader.problems))
    return Tree(root=root, problems=problems, broken=reader.broken)


class _Plain(PlainWords):
    def program(self) -> Node:
        """The whole text."""
        body = self.commands(frozenset())
        if self.pos < self.end:
            self._give_up(f"{self.text[self.pos]!r} is out of place")
        return body

    # Lists and commands

    def commands(self, stop: frozenset[str]) -> Seq:
        """Commands up to one of the words in ``stop``, a closing parenthesis, or the end."""
        items: list[Item] = []
        joiner = ""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._give_up("it is nested too deep")
        while self.pos < self.end:
            self._blank()
            if self.pos >= self.end or self.text[self.pos] == ")":
                break
            operator = _OPERATOR.match(self.text, self.pos)
            if operator is not None:
                joiner = self._separator(operator[0], items)
                continue
            if stop and self._keyword() in stop:
                break
            before = self.pos
            items.append(Item(joiner or (";" if items else ""), self._pipeline()))
            joiner = ""
            if self.pos == before:
                self._give_up(f"{self.text[self.pos : self.pos + 1]!r} is out of place")
        self._depth -= 1
        if joiner in {"&&", "||"}:
            self._give_up(f"a command is missing behind `{joiner}`")
        return Seq(tuple(items))

    def _separator(self, operator: str, items: list[Item]) -> str:
        at = self.pos
        self.pos += len(operator)
        if operator == "\n":
            self.pos = self._jumps.get(at, self.pos)
            return ""
        if operator == "&" and items:
            last = items[-1]
            items[-1] = Item(last.joiner, last.node, background=True)
        if operator.startswith(";;"):
            self._give_up("`;;` outside of `case`")
        return operator if operator in {"&&", "||", "&"} else ";"

    def _keyword(self) -> str:
        match = _PLAIN_RUN.match(self.text, self.pos)
        return match[0] if match else ""

    def _pipeline(self) -> Node:
        items = [self._command()]
        while True:
            self._blank()
            if self.text.startswith("||", self.pos) or not self.text.startswith("|", self.pos):
                break
            self.pos += 2 if self.text.startswith("|&", self.pos) else 1
            self._skip_newlines()
            if self.pos >= self.end:
                self._give_up("a command is missing behind `|`")
                break
            items.append(self._command())
        return items[0] if len(items) == 1 else Pipe(tuple(items))

    def _skip_newlines(self) -> None:
        self._blank()
        while self.text.startswith("\n", self.pos):
            self.pos = self._jumps.get(self.pos, self.pos + 1)
            self._blank()

    def _command(self) -> Node:
        self._blank()
        if self.text.startswith("((", self.pos):
            return self._arithmetic_command()
        if self.text.startswith("(", self.pos):
            self.pos += 1
            body = self.commands(frozenset())
            self._close(")")
            return self._redirected(Group(body, subshell=True))
        function = _FUNCTION.match(self.text, self.pos)
        if function is not None:
            self.pos = function.end()
            return Func(function[1], self._command())
        keyword = self._keyword()
        handler = _COMPOUND.get(keyword)
        if handler is not None:
            return handler(self)
        if keyword in _UNKNOWN_COMPOUND:
            self._give_up(f"`{keyword}`", broken=keyword in _ENDS)
            return Simple()
        return self._simple()

    def _close(self, mark: str) -> None:
        self._blank()
        if self.text.startswith(mark, self.pos):
            self.pos += len(mark)
        else:
            self._give_up(f"{mark!r} is missing")

    def _expect(self, words: frozenset[str]) -> str:
        """Step over a closing keyword."""
        keyword = self._keyword()
        if keyword in words:
            self.pos += len(keyword)
            return keyword
        self._give_up(f"one of {sorted(words)} is missing")
        return ""

    def _redirected(self, node: Node) -> Node:
        redirs: list[Redir] = []
        self._blank()
        while (match := _REDIRECT.match(self.text, self.pos)) is not None:
            self._redirect(match, redirs)
            self._blank()
        return Group(node, redirs=tuple(redirs)) if redirs else node

    def _arithmetic_command(self) -> Node:
        close = self.text.find("))", self.pos)
        if close < 0:
            self._give_up("`((` without `))`")
        else:
            self.pos = close + 2
        return Simple()

    def _brace(self) -> Node:
        self.pos += 1
        body = self.commands(frozenset({"}"}))
        self._expect(frozenset({"}"}))
        return self._redirected(Group(body))

    def _if(self) -> Node:
        parts: list[Node] = []
        word = self._expect(frozenset({"if"}))
        while word and word != "fi":
            parts.append(self.commands(frozenset({"then", "else", "elif", "fi"})))
            word = self._expect(frozenset({"then", "else", "elif", "fi"}))
        return self._redirected(Cond(tuple(parts)))

    def _while(self) -> Node:
        self.pos += len(self._keyword())
        condition = self.commands(frozenset({"do"}))
        self._expect(frozenset({"do"}))
        body = self.commands(frozenset({"done"}))
        self._expect(frozenset({"done"}))
        return self._redirected(Cond((condition, body)))

    def _for(self) -> Node:
        self.pos += len(self._keyword())
        self._blank()
        name = self._keyword()
        self.pos += len(name)
        words: list[Word] = []
        self._skip_newlines()
        if self._keyword() == "in":
            self.pos += 2
            while self.pos < self.end:
                self._blank()
                word = self._word()
                if not word:
                    break
                words.append(word)
        operator = _OPERATOR.match(self.text, self.pos)
        if operator is not None:
            self.pos = operator.end()
        self._skip_newlines()
        if not name:
            self._give_up("`for` of another form")
            return Simple()
        self._expect(frozenset({"do"}))
        body = self.commands(frozenset({"done"}))
        self._expect(frozenset({"done"}))
        return self._redirected(Loop(name, tuple(words), body))

    def _negated(self) -> Node:
        self.pos += 1
        return Not(self._command())

    def _test(self) -> Node:
        """``[[ … ]]``: words up to the closing brackets, operators among them."""
        words: list[Word] = []
        while self.pos < self.end:
            self._blank()
            word = self._word()
            words.append(word or (Lit(self.text[self.pos : self.pos + 1]),))
            if not word:
                self.pos += 1
            if word == (Lit("]]"),):
                return Simple(tuple(words))
        self._give_up("`[[` without `]]`")
        return Simple(tuple(words))

    def _simple(self) -> Simple:
        words: list[Word] = []
        assigns: list[Assign] = []
        redirs: list[Redir] = []
        while self.pos < self.end:
            self._blank()
            redirect = _REDIRECT.match(self.text, self.pos)
            if redirect is not None and not self.text.startswith(("<(", ">("), self.pos):
                self._redirect(redirect, redirs)
                continue
            assign = _ASSIGN.match(self.text, self.pos)
            declares = bool(words) and words[0] in _DECLARES
            if assign is not None and (not words or declares):
                assigns.append(self._assign(assign))
                continue
            word = self._word()
            if not word:
                break
            words.append(word)
        return Simple(tuple(words), tuple(assigns), tuple(redirs))

    def _assign(self, match: re.Match[str]) -> Assign:
        self.pos = match.end()
        append = bool(match[2])
        if not self.text.startswith("(", self.pos):
            word = self._word()
            return Assign(match[1], (word,) if word else (), append)
        self.pos += 1
        values: list[Word] = []
        while self.pos < self.end:
            self._skip_newlines()
            word = self._word()
            if not word:
                break
            values.append(word)
        self._close(")")
        return Assign(match[1], tuple(values), append, array=True)


_DECLARES = {(Lit(word),) for word in ("export", "declare", "local", "readonly", "typeset")}
_COMPOUND: dict[str, Callable[[_Plain], Node]] = {
    "{": _Plain._brace,
    "if": _Plain._if,
    "while": _Plain._while,
    "until": _Plain._while,
    "for": _Plain._for,
    "!": _Plain._negated,
    "[[": _Plain._test,
}
_UNKNOWN_COMPOUND = frozenset({"case", "select", "coproc"}) | _ENDS
