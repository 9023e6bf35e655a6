"""Words, quotes, expansions and heredocs for the degraded reader."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from .tree import Heredoc, Lit, Node, Part, Raw, Redir, Seq, Simple, Sub, Var, Word
from .words import ansi_c, double_quoted

__all__ = ["MAX_DEPTH", "PlainWords"]

MAX_DEPTH = 24
"""Nesting that is followed; each level costs some five Python frames."""
MAX_WORDS = 5_000
"""Words and quoted or expanded parts of one text; more is not judged whole."""

_PLAIN_RUN = re.compile(r"[^\s'\"\\$`<>|&;()#]+")
_DOUBLE_RUN = re.compile(r'(?:[^"\\$`]|\\.)+', re.DOTALL)
_HEREDOC_RUN = re.compile(r"(?:[^\\$`]|\\.)+", re.DOTALL)
_BLANK = re.compile(r"(?:[ \t\r]|\\\n)*")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_BRACED_NAME = re.compile(r"[#!]?(?:[A-Za-z_]\w*(?:\[[^\]}]*\])?|[0-9]+|[@*#?$!-])")
_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BACKTICK = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_BACKTICK_ESCAPE = re.compile(r"\\([$`\\])")
_BRACE_RUN = re.compile(r"[^}'\"\\$`]+")
_OPERATORS = (":-", ":=", ":+", ":?", "-", "=", "+", "?")


class PlainWords(ABC):
    """A position in a text, and how words are read from there on."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.problems: list[str] = []
        self.broken = False
        self._depth = depth
        self._words = MAX_WORDS
        self._jumps: dict[int, int] = {}
        """Newlines that a heredoc follows, and where its text ends."""

    @abstractmethod
    def program(self) -> Node:
        """The whole text as a list."""

    @abstractmethod
    def commands(self, stop: frozenset[str]) -> Seq:
        """Commands up to one of the words in ``stop``, a closing parenthesis, or the end."""

    def _give_up(self, why: str, *, broken: bool = True) -> None:
        self.broken = self.broken or broken
        self.problems.append(f"not understood without the shell grammar: {why}")
        self.pos = self.end

    def _blank(self) -> None:
        match = _BLANK.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos
        if self.text.startswith("#", self.pos) and (
            self.pos == 0 or self.text[self.pos - 1] in " \t\n;|&()\r"
        ):
            newline = self.text.find("\n", self.pos)
            self.pos = self.end if newline < 0 else newline

    # Redirections

    def _redirect(self, match: re.Match[str], redirs: list[Redir]) -> None:
        fd, operator = match[1], match[2]
        self.pos = match.end()
        self._blank()
        if operator in {"<<", "<<-"}:
            redirs.append(Redir("<<", fd, heredoc=self._heredoc(dedent=operator == "<<-")))
        elif operator == "<<<":
            redirs.append(Redir("<<<", fd, heredoc=Heredoc(self._word(), literal=False)))
        else:
            redirs.append(Redir(operator, fd, target=self._word()))

    def _heredoc(self, *, dedent: bool) -> Heredoc:
        """Reads the body ahead; the newline in front of it jumps behind it later."""
        start = self.pos
        word = self._word()
        delimiter = "".join(part.text for part in word if isinstance(part, Lit))
        literal = any(mark in self.text[start : self.pos] for mark in "'\"\\")
        newline = self.text.find("\n", self.pos)
        if newline < 0:
            self._give_up("a heredoc without a body")
            return Heredoc((), literal)
        begin = self._jumps.get(newline, newline + 1)
        lines: list[str] = []
        position = begin
        while position < self.end:
            stop = self.text.find("\n", position)
            stop = self.end if stop < 0 else stop
            line = self.text[position:stop]
            position = stop + 1
            if (line.lstrip("\t") if dedent else line).rstrip("\r") == delimiter:
                break
            lines.append(line.lstrip("\t") if dedent else line)
        else:
            self.problems.append("a heredoc does not end")
        self._jumps[newline] = min(position, self.end)
        body = "".join(f"{line}\n" for line in lines)
        return Heredoc((Lit(body, True),) if literal else self._inside(body), literal)

    def _inside(self, text: str) -> Word:
        """Expansions in a text that is quoted as a whole, such as a heredoc."""
        inner = type(self)(text, self._depth + 1)
        parts: list[Part] = []
        if inner._depth > MAX_DEPTH:
            self._give_up("it is nested too deep")
            return ()
        while inner.pos < inner.end:
            inner._quoted_part(parts, _HEREDOC_RUN)
        self.problems.extend(inner.problems)
        self.broken = self.broken or inner.broken
        return tuple(parts)

    # Words

    def _word(self) -> Word:
        """One word; empty at an operator or the end."""
        self._words -= 1
        parts: list[Part] = []
        while self.pos < self.end:
            if self._words < 0:
                self._give_up("it is too long")
                break
            char = self.text[self.pos]
            if char in " \t\n\r;&|)":
                break
            if char in "<>" and not self.text.startswith(("<(", ">("), self.pos):
                break
            if char == "(" and not (parts and isinstance(parts[-1], Lit)):
                break
            if self.text.startswith("\\\n", self.pos):
                self.pos += 2
                continue
            self._part(char, parts)
        return tuple(parts)

    def _part(self, char: str, parts: list[Part]) -> None:
        self._words -= 1
        run = _PLAIN_RUN.match(self.text, self.pos)
        if run is not None:
            parts.append(Lit(run[0]))
            self.pos = run.end()
        elif char == "'":
            self._single(parts)
        elif char == '"':
            self._double(parts)
        elif char == "\\":
            parts.append(Lit(self.text[self.pos + 1 : self.pos + 2], quoted=True))
            self.pos += 2
        elif char == "$":
            self._dollar(parts, quoted=False)
        elif char == "`":
            self._backtick(parts, quoted=False)
        elif char in "<>":
            self._substitution(char + "(", parts, quoted=False)
        elif char == "(":
            self._give_up("an array or pattern in parentheses")
        else:
            parts.append(Lit(char))
            self.pos += 1

    def _single(self, parts: list[Part]) -> None:
        close = self.text.find("'", self.pos + 1)
        if close < 0:
            self._give_up("a quote is not closed")
            return
        parts.append(Lit(self.text[self.pos + 1 : close], quoted=True))
        self.pos = close + 1

    def _double(self, parts: list[Part]) -> None:
        self.pos += 1
        parts.append(Lit("", quoted=True))
        while self.pos < self.end and self.text[self.pos] != '"':
            self._quoted_part(parts, _DOUBLE_RUN)
        if self.pos >= self.end:
            self._give_up("a quote is not closed")
        self.pos += 1

    def _quoted_part(self, parts: list[Part], run: re.Pattern[str]) -> None:
        match = run.match(self.text, self.pos)
        if match is not None:
            parts.append(Lit(double_quoted(match[0]), quoted=True))
            self.pos = match.end()
        elif self.text[self.pos] == "$":
            self._dollar(parts, quoted=True)
        elif self.text[self.pos] == "`":
            self._backtick(parts, quoted=True)
        else:
            parts.append(Lit(self.text[self.pos], quoted=True))
            self.pos += 1

    def _dollar(self, parts: list[Part], *, quoted: bool) -> None:
        following = self.text[self.pos + 1 : self.pos + 2]
        if self.text.startswith("$((", self.pos):
            close = self.text.find("))", self.pos)
            if close < 0:
                self._give_up("`$((` without `))`")
                return
            parts.append(Raw(self.text[self.pos : close + 2], quoted))
            self.pos = close + 2
        elif following == "(":
            self._substitution("$(", parts, quoted=quoted)
        elif following == "{":
            self._braced(parts, quoted=quoted)
        elif following == "'" and not quoted:
            self._ansi(parts)
        elif following == '"' and not quoted:
            self.pos += 1
        elif (name := _NAME.match(self.text, self.pos + 1)) is not None:
            parts.append(Var(name[0], quoted, source=f"${name[0]}"))
            self.pos = name.end()
        else:
            parts.append(Lit("$", quoted))
            self.pos += 1

    def _ansi(self, parts: list[Part]) -> None:
        match = _ANSI_QUOTED.match(self.text, self.pos)
        if match is None:
            self._give_up("a quote is not closed")
            return
        parts.append(Lit(ansi_c(match[1]), quoted=True))
        self.pos = match.end()

    def _braced(self, parts: list[Part], *, quoted: bool) -> None:
        start = self.pos
        name = _BRACED_NAME.match(self.text, self.pos + 2)
        if name is None:
            self._give_up("`${` of another form")
            return
        self.pos = name.end()
        prefix = name[0][0] if name[0][0] in "#!" and len(name[0]) > 1 else ""
        bare = name[0][len(prefix) :]
        operator = next((o for o in _OPERATORS if self.text.startswith(o, self.pos)), "")
        self.pos += len(operator)
        operand_start = self.pos
        operand: list[Part] = []
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._give_up("it is nested too deep")
        while self.pos < self.end and self.text[self.pos] != "}":
            self._brace_part(operand)
        self._depth -= 1
        if self.pos >= self.end:
            self._give_up("`${` without `}`")
            return
        rest = self.text[operand_start : self.pos]
        self.pos += 1
        source = self.text[start : self.pos]
        if operator:
            parts.append(Var(bare, quoted, operator, tuple(operand), source))
        else:
            parts.append(Var(bare, quoted, prefix or rest, source=source))

    def _brace_part(self, operand: list[Part]) -> None:
        run = _BRACE_RUN.match(self.text, self.pos)
        if run is not None:
            operand.append(Lit(run[0]))
            self.pos = run.end()
            return
        char = self.text[self.pos]
        if char in "'\"\\$`":
            self._part(char, operand)
        else:
            operand.append(Lit(char))
            self.pos += 1

    def _substitution(self, kind: str, parts: list[Part], *, quoted: bool) -> None:
        start = self.pos
        self.pos += 2
        body = self.commands(frozenset())
        if not self.text.startswith(")", self.pos):
            self._give_up(f"`{kind}` without `)`")
            return
        self.pos += 1
        source = self.text[start : self.pos]
        only = body.items[0].node if len(body.items) == 1 else None
        if isinstance(only, Simple) and not only.words and only.redirs:  # $(<file)
            read_file = Simple(((Lit("cat"),),), redirs=only.redirs)
            parts.append(Sub(kind, read_file, quoted, source))
        else:
            parts.append(Sub(kind, body, quoted, source))

    def _backtick(self, parts: list[Part], *, quoted: bool) -> None:
        match = _BACKTICK.match(self.text, self.pos)
        if match is None or self._depth >= MAX_DEPTH:
            self._give_up("a backtick is not closed")
            return
        inner = type(self)(_BACKTICK_ESCAPE.sub(r"\1", match[1]), self._depth + 1)
        body = inner.program()
        self.problems.extend(inner.problems)
        self.broken = self.broken or inner.broken
        parts.append(Sub("$(", body, quoted, match[0]))
        self.pos = match.end()
