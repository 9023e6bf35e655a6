"""The tree of a script to its commands: order, variables, functions, exit status."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from .expand import Scope, Value, expand, expand_one
from .frame import MAX_CALLS, MAX_ROUNDS, Budget, Frame
from .nested import Nested, children_of
from .printed import all_printed
from .state import ShellState
from .status import calls_itself, chains, fails, guarded, passes_status
from .tables import table
from .tree import (
    Case,
    Cond,
    Func,
    Group,
    Item,
    Loop,
    Node,
    Not,
    Pipe,
    Redir,
    Seq,
    Simple,
    Sub,
    Tree,
    Word,
)
from .unwrap import Unwrapped, unwrap
from .values import Arg, Assignment, Command, Redirect, Script

__all__ = ["evaluate"]

_TOO_MANY = "too many commands to judge"
_POSITIONAL = ("@", "*", *"123456789")
_DECLARATIONS = {"export", "declare", "local", "readonly", "typeset"}


def evaluate(
    tree: Tree,
    *,
    text: str,
    budget: Budget,
    parse: Nested,
    origin: str = "",
    degraded: bool = False,
    scope: Scope | None = None,
    zero: bool = True,
    failure: bool = True,
) -> Script:
    """Walk a tree once.

    Args:
        tree: what a reader made of the text.
        text: the text itself, for the record.
        budget: shared by all scripts of one call.
        parse: reads a script inside this one.
        origin: how this script is reached.
        degraded: the tree was read without the grammar.
        scope: variables that a script inherits, ``None`` for a fresh one.
        zero: status 0 of the whole call implies status 0 of this script.
        failure: failure of the whole call implies failure of this script.
    """
    walker = _Walker(budget, parse, scope, degraded=degraded)
    walker.node(tree.root, Frame(zero=zero, failure=failure))
    walker.uncalled_functions()
    reasons = dict.fromkeys((*tree.problems, *walker.problems))
    return Script(
        commands=tuple(walker.commands),
        text=text,
        origin=origin,
        complete=not reasons,
        reasons=tuple(reasons),
        degraded=degraded,
    )


class _Walker:
    def __init__(
        self, budget: Budget, parse: Nested, scope: Scope | None, *, degraded: bool
    ) -> None:
        self._degraded = degraded
        self.commands: list[Command] = []
        self.problems: dict[str, None] = {}
        self._budget = budget
        self._parse = parse
        self._children: list[Script] = []
        environment = table("environment")["variables"]
        self._scope = Scope(environment, self._substitute)
        if scope is not None:
            self._scope.variables.update(scope.variables)
        self._functions: dict[str, Node] = {}
        self._called: set[str] = set()
        self._running: list[str] = []
        self._pipelines = 0
        self._state = ShellState(self._scope)

    def node(self, node: Node, frame: Frame) -> None:
        if not self._budget.step():
            self.problems[_TOO_MANY] = None
            return
        _NODES[type(node)](self, node, frame)

    def uncalled_functions(self) -> None:
        """A function nobody calls here may be called later in the same shell."""
        for name, body in list(self._functions.items()):
            if name not in self._called:
                self._called.add(name)
                self._running.append(name)
                self.node(body, Frame(zero=False, failure=False, function=name))
                self._running.pop()

    # Compound commands

    def _seq(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Seq)
        parts = chains(node.items)
        last = len(parts) - 1
        while last > 0 and passes_status(parts[last]):
            last -= 1
        for index, chain in enumerate(parts):
            safe = self._state.errexit or guarded(chain)
            zero = frame.zero if index == last else frame.zero and safe
            failure = frame.failure and index == last and not self._state.errexit
            if chain[-1].background:
                zero = failure = False
            same = (zero, failure) == (frame.zero, frame.failure)
            inner = frame if same else replace(frame, zero=zero, failure=failure)
            self._chain(chain, inner, first=index == 0)

    def _chain(self, chain: Sequence[Item], frame: Frame, *, first: bool) -> None:
        """``a && b || c``: who must have passed when the whole exits with 0."""
        background = frame.background or chain[-1].background
        if len(chain) == 1 and (background, first) == (frame.background, True):
            only = chain[0].joiner  # the usual case, and the cheap one
            self.node(chain[0].node, replace(frame, operator=only) if only else frame)
            return
        sole = len([item for item in chain if not fails(item.node)]) == 1
        rescued = False
        states: list[tuple[bool, bool]] = []
        for index in range(len(chain) - 1, -1, -1):
            item = chain[index]
            own = frame.zero and not rescued and item.joiner != "||"
            states.append((own, frame.failure and sole and not rescued))
            if item.joiner == "||" and not fails(item.node):
                rescued = True
        for item, (zero, failure) in zip(chain, reversed(states), strict=True):
            joiner = (
                frame.operator if first and item is chain[0] and not item.joiner else item.joiner
            )
            self.node(
                item.node,
                replace(frame, zero=zero, failure=failure, background=background, operator=joiner),
            )

    def _pipe(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Pipe)
        number = self._next_pipeline()
        stdin = frame.stdin_from
        count = len(node.items)
        for position, item in enumerate(node.items):
            start = len(self.commands)
            last = position == count - 1
            self.node(
                item,
                replace(
                    frame,
                    zero=frame.zero and (last or self._state.pipefail),
                    failure=frame.failure and last and not self._state.pipefail,
                    operator="|" if position else frame.operator,
                    pipeline=number,
                    position=position,
                    length=count,
                    stdin_from=stdin,
                    redirects=frame.redirects if last else (),
                ),
            )
            stdin = tuple(range(start, len(self.commands)))

    def _group(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Group)
        self._children, outer = [], self._children
        redirects = tuple(self._redirect(redir) for redir in node.redirs)
        own, self._children = self._children, outer
        if own:  # `… done < <(curl …)`: give what it runs a place
            self._emit(tuple(own), frame)
        kept = (self._state.cwd, dict(self._scope.variables)) if node.subshell else None
        self.node(node.body, replace(frame, redirects=(*redirects, *frame.redirects)))
        if kept:
            self._state.cwd, self._scope.variables = kept

    def _cond(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Cond | Not)
        for part in (node.body,) if isinstance(node, Not) else node.parts:
            self.node(part, replace(frame, zero=False, failure=False))

    def _case(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Case)
        self._bare(node.subject, frame)
        for branch in node.branches:
            self.node(branch, replace(frame, zero=False, failure=False))

    def _loop(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Loop)
        self._children, outer = [], self._children
        values = [arg for word in node.words for arg in expand(word, self._scope)]
        own, self._children = tuple(self._children), outer
        if own:
            self._emit(own, frame)
        inner = replace(frame, zero=False, failure=False)
        for value in values[:MAX_ROUNDS]:
            self._scope.variables[node.name] = Value((value,))
            self.node(node.body, inner)
        if not values or len(values) > MAX_ROUNDS:
            self._scope.variables[node.name] = None
            self.node(node.body, inner)
        self._scope.variables[node.name] = None

    def _func(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Func)
        self._functions[node.name] = node.body
        if calls_itself(node):
            # INVARIANT: a function that pipes into itself is seen as what it is, a fork bomb.
            bomb = (Arg(":(){"), Arg(node.name))
            self._append(self._placed(Unwrapped(args=bomb), (), (), frame))

    def _call(self, name: str, args: Sequence[Arg], frame: Frame) -> None:
        self._called.add(name)
        if len(self._running) >= MAX_CALLS:
            self.problems["functions call each other too deep to judge"] = None
            return
        kept = {key: self._scope.variables.get(key) for key in _POSITIONAL}
        self._scope.variables.update(dict.fromkeys(_POSITIONAL))
        self._scope.variables["@"] = self._scope.variables["*"] = Value(tuple(args))
        for index, arg in enumerate(args[:9], start=1):
            self._scope.variables[str(index)] = Value((arg,))
        self._running.append(name)
        self.node(self._functions[name], replace(frame, function=name))
        self._running.pop()
        self._scope.variables.update(kept)

    # Simple commands

    def _simple(self, node: Node, frame: Frame) -> None:
        assert isinstance(node, Simple)
        outer, self._children = self._children, []
        args = [arg for word in node.words for arg in expand(word, self._scope)]
        redirects = tuple(self._redirect(redir) for redir in node.redirs)
        assigns = tuple(self._state.assigned(assign) for assign in node.assigns)
        children, self._children = tuple(self._children), outer
        if not args or args[0].text in _DECLARATIONS:
            for assign, assigned in zip(node.assigns, assigns, strict=True):
                self._state.assign(assign, assigned)
            args.extend(Arg(f"{a.name}={a.value.text}", a.value.resolved) for a in assigns if args)
        if args:
            self._run(tuple(args), assigns, redirects, children, frame)
        elif assigns or redirects or children:
            bare = Unwrapped(args=(), assignments=assigns)
            self._append(self._placed(bare, redirects, children, frame))

    def _run(
        self,
        args: tuple[Arg, ...],
        assigns: tuple[Assignment, ...],
        redirects: tuple[Redirect, ...],
        children: tuple[Script, ...],
        frame: Frame,
    ) -> None:
        name = args[0].text
        if name in self._functions and name not in self._running:
            if children:
                self._emit(children, frame)
            self._call(name, args[1:], frame)
            return
        unwrapped = unwrap(args, assigns)
        self._state.apply(unwrapped.args)
        placed = self._placed(unwrapped, redirects, children, frame)
        nested, problems = children_of(placed, unwrapped, self.commands, self._nested(frame))
        self.problems.update(dict.fromkeys(problems))
        self._append(replace(placed, children=(*children, *nested)) if nested else placed)

    def _nested(self, frame: Frame) -> Nested:
        """Reads a script inside this one, with the variables known here."""

        def parse(
            text: str,
            origin: str,
            language: str = "shell",
            /,
            *,
            scope: Scope | None = None,
            zero: bool = True,
            failure: bool = True,
        ) -> Script:
            return self._parse(
                text,
                origin,
                language,
                scope=scope or self._scope,
                zero=zero and frame.zero,
                failure=failure and frame.failure,
            )

        return parse

    def _placed(
        self,
        unwrapped: Unwrapped,
        redirects: tuple[Redirect, ...],
        children: tuple[Script, ...],
        frame: Frame,
    ) -> Command:
        return Command(
            args=unwrapped.args,
            wrappers=unwrapped.names,
            wrapper_args=unwrapped.words,
            assignments=unwrapped.assignments,
            redirects=(*redirects, *frame.redirects),
            pipeline=frame.pipeline if frame.pipeline >= 0 else self._next_pipeline(),
            position=frame.position,
            length=frame.length,
            operator=frame.operator,
            background=frame.background,
            stdin_from=frame.stdin_from,
            cwd=self._state.cwd,
            zero_implied=frame.zero,
            failure_implied=frame.failure,
            children=children,
            function=frame.function,
        )

    def _emit(self, children: tuple[Script, ...], frame: Frame) -> None:
        """Give what runs outside of any command a place."""
        self._append(self._placed(Unwrapped(args=()), (), children, frame))

    def _append(self, command: Command) -> None:
        if self._budget.take():
            self.commands.append(command)
        else:
            self.problems[_TOO_MANY] = None

    def _next_pipeline(self) -> int:
        self._pipelines += 1
        return self._pipelines - 1

    def _bare(self, word: Word, frame: Frame) -> None:
        """Expand a word only for the substitutions in it."""
        outer, self._children = self._children, []
        expand(word, self._scope)
        children, self._children = tuple(self._children), outer
        if children:
            self._emit(children, frame)

    def _redirect(self, redir: Redir) -> Redirect:
        word = redir.target if redir.heredoc is None else redir.heredoc.body
        return Redirect(redir.operator, redir.fd, expand_one(word, self._scope))

    def _substitute(self, sub: Sub) -> str | None:
        """Evaluate a substitution in a subshell of its own; returns what it prints, if plain."""
        if self._budget.depth >= 16 or not self._budget.step():
            self.problems["nested too deep to judge"] = None
            return None
        self._budget.depth += 1
        inner = _Walker(self._budget, self._parse, self._scope, degraded=self._degraded)
        inner._functions = self._functions
        inner._running = self._running
        inner._state.cwd = self._state.cwd
        inner.node(sub.body, Frame(zero=False, failure=False))
        self._budget.depth -= 1
        self.problems.update(inner.problems)
        script = Script(
            commands=tuple(inner.commands),
            text=sub.source,
            origin="substitution" if sub.kind == "$(" else "process-substitution",
            complete=not inner.problems,
            reasons=tuple(inner.problems),
            degraded=self._degraded,
        )
        self._children.append(script)
        if sub.kind != "$(" or not script.commands:
            return None
        return all_printed(script.commands)


_NODES: Mapping[type, Callable[[_Walker, Node, Frame], None]] = {
    Simple: _Walker._simple,
    Pipe: _Walker._pipe,
    Seq: _Walker._seq,
    Group: _Walker._group,
    Not: _Walker._cond,
    Loop: _Walker._loop,
    Cond: _Walker._cond,
    Case: _Walker._case,
    Func: _Walker._func,
}
"""Kinds of nodes, and how each is walked."""
