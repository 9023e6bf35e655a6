"""Python to commands, by its own syntax tree.

Each call becomes a command named ``python:`` and the dotted function as
imported, its arguments as far as they are plain to see.  A part that only
running the code would tell stands in angle quotes with the names that take
part in it, such as ``⟨requests.get⟩``, and is not resolved.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .nested import Nested
from .tables import table
from .values import Arg, Command, Script

__all__ = ["read_python"]

MAX_CALLS = 1_000
"""Calls of one text that are looked at."""
_MAX_EXPRESSION = 12
"""Nesting of an expression that is followed."""

_PASS_THROUGH = frozenset(
    {
        "str", "os.path.expanduser", "os.path.abspath", "os.path.realpath", "os.fspath",
        "os.path.normpath", "os.path.expandvars", "shlex.quote", "open", "json.dumps", "bytes",
        "dict", "list", "repr", "sqlalchemy.text", "sqlalchemy.sql.text", "psycopg.sql.SQL",
        "psycopg2.sql.SQL", "sql.SQL",
    }
)  # fmt: skip
_PASS_METHODS = frozenset(
    {"expanduser", "resolve", "absolute", "strip", "format", "encode", "decode", "as_posix", "read",
     "joinpath", "read_text", "read_bytes", "text", "content", "copy", "items"}
)  # fmt: skip


def read_python(text: str, origin: str, parse: Nested) -> Script | None:
    """Read Python; ``None`` where it is no valid Python 3.  Never raises."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith(("%", "!"))]
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reader = _Python(parse)
    reader.module(tree)
    return Script(
        commands=tuple(reader.commands),
        text=text,
        language="python",
        origin=origin,
        complete=not reader.problems,
        reasons=tuple(dict.fromkeys(reader.problems)),
    )


@dataclass(slots=True)
class _Python:
    parse: Nested
    commands: list[Command] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[Arg]] = field(default_factory=dict)

    def module(self, tree: ast.AST) -> None:
        """Every node once, in source order."""
        stack: list[ast.AST] = [tree]
        while stack:
            node = stack.pop()
            self._visit(node)
            if len(self.commands) > MAX_CALLS:
                self.problems.append("too much code to judge")
                return
            stack.extend(reversed(list(ast.iter_child_nodes(node))))

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Call():
                self._call(node)
            case ast.Delete():
                self.commands.append(Command(args=(Arg("python:del"),)))
            case _:
                for target, value in _bindings(node):
                    self.values[target] = self._value(value)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name in node.names:
            if isinstance(node, ast.ImportFrom):
                self.imports[name.asname or name.name] = f"{node.module or ''}.{name.name}"
            else:
                bound = name.asname or name.name.split(".")[0]
                self.imports[bound] = name.name if name.asname else bound

    # Calls

    def _call(self, node: ast.Call) -> None:
        name, receiver = self._name(node.func)
        args = list(receiver)
        for value in node.args:
            args.extend(self._value(value.value if isinstance(value, ast.Starred) else value))
        for keyword in node.keywords:
            for arg in self._value(keyword.value):
                key = f"{keyword.arg}=" if keyword.arg else ""
                args.append(Arg(f"{key}{arg.text}", arg.resolved, names=arg.names))
        children = tuple(self._children(name, node, args))
        self.commands.append(Command(args=(Arg(f"python:{name}"), *args), children=children))
        self.problems.extend(reason for child in children for reason in child.reasons)

    def _children(self, name: str, node: ast.Call, args: Sequence[Arg]) -> Iterator[Script]:
        known: Mapping[str, Sequence[str]] = table("code")["python"]
        first = self._value(node.args[0]) if node.args else []
        first = first or [
            arg
            for keyword in node.keywords
            if keyword.arg in {"args", "command", "cmd"}
            for arg in self._value(keyword.value)
        ]
        if name in known["shell"] and first:
            words = list(args) if name.startswith("os.exec") else first
            if len(words) == 1:
                yield self.parse(words[0].text, "interpreter", zero=False, failure=False)
            else:
                quoted = " ".join("'" + w.text.replace("'", "'\\''") + "'" for w in words)
                yield self.parse(quoted, "interpreter", zero=False, failure=False)
        elif name in known["code"] and first and first[0].resolved:
            yield self.parse(first[0].text, "eval", "python", zero=False, failure=False)

    def _name(self, node: ast.expr) -> tuple[str, list[Arg]]:
        """Dotted name of what is called, and the receiver where it is a value."""
        parts: list[str] = []
        current: ast.expr = node
        for _ in range(_MAX_EXPRESSION):
            if not isinstance(current, ast.Attribute):
                break
            parts.append(current.attr)
            current = current.value
        parts.reverse()
        if isinstance(current, ast.Name):
            base = self.imports.get(current.id, current.id)
            if current.id in self.values and current.id not in self.imports:
                return ".".join(["", *parts]) if parts else base, self.values[current.id]
            return ".".join([base, *parts]), []
        if isinstance(current, ast.Call) and isinstance(current.func, ast.Name):
            called = self.imports.get(current.func.id, current.func.id)
            if called == "__import__" and current.args:
                module = self._value(current.args[0])
                return ".".join([module[0].text if module else "", *parts]), []
        return ".".join(["", *parts]) if parts else "call", self._value(current)

    # Values

    def _value(self, node: ast.expr, depth: int = 0) -> list[Arg]:
        """What an expression stands for; a list gives one argument an element."""
        if depth > _MAX_EXPRESSION:
            return [Arg("⟨…⟩", resolved=False)]
        match node:
            case ast.Constant(value=value):
                text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
                return [Arg(text)]
            case ast.Name(id=name):
                unknown = [Arg(f"⟨{self.imports.get(name, name)}⟩", resolved=False)]
                return self.values.get(name, unknown)
            case ast.Subscript(value=value, slice=index):
                return self._subscript(value, index, depth)
            case ast.Call():
                return self._called(node, depth)
            case ast.Attribute():
                name, receiver = self._name(node)
                if name == "sys.executable":
                    return [Arg("python3")]
                return [*receiver] or [Arg(f"⟨{name}⟩", resolved=False)]
            case _:
                return self._composed(node, depth)

    def _composed(self, node: ast.expr, depth: int) -> list[Arg]:
        """What is put together from other expressions."""
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return [arg for item in parts[:64] for arg in self._value(item, depth + 1)]
            case ast.DictComp(value=made, generators=[source, *_]):
                return self._made(made, source, depth)
            case ast.ListComp(elt=made, generators=[source, *_]) if _of_pairs(source.iter):
                return self._made(made, source, depth)
            case ast.Dict(values=parts):
                return [arg for item in parts[:64] for arg in self._value(item, depth + 1)]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return [Arg(str(-number))]
            case ast.JoinedStr(values=parts):
                return [self._glued([arg for p in parts for arg in self._value(p, depth + 1)], "")]
            case ast.BinOp(left=left, op=operator, right=right):
                between = "/" if isinstance(operator, ast.Div) else ""
                both = [*self._value(left, depth + 1), *self._value(right, depth + 1)]
                return [self._glued(both, between)]
            case (
                ast.FormattedValue(value=value) | ast.Await(value=value) | ast.Starred(value=value)
            ):
                return self._value(value, depth + 1)
            case _:
                return [self._described(node)]

    def _made(self, made: ast.expr, source: ast.comprehension, depth: int) -> list[Arg]:
        """What a comprehension puts together out of what it goes through."""
        for target, value in _targets(source.target, source.iter):
            self.values[target] = self._value(value, depth + 1)
        return self._value(made, depth + 1)

    @staticmethod
    def _glued(args: Sequence[Arg], between: str) -> Arg:
        names = tuple(dict.fromkeys(name for arg in args for name in arg.names))
        text = between.join(arg.text for arg in args)
        return Arg(text[:65_536], resolved=all(arg.resolved for arg in args), names=names)

    def _subscript(self, value: ast.expr, index: ast.expr, depth: int) -> list[Arg]:
        name, receiver = self._name(value)
        if name == "os.environ":
            key = self._value(index, depth + 1)[0].text
            return [Arg(f"${key}", resolved=False, names=(key,))]
        return receiver or [Arg(f"⟨{name}⟩", resolved=False)]

    def _called(self, node: ast.Call, depth: int) -> list[Arg]:
        name, receiver = self._name(node.func)
        args = [arg for value in node.args for arg in self._value(value, depth + 1)]
        path_types = table("code")["python"]["path_types"]
        method = name.rpartition(".")[2]
        if name in {"pathlib.Path.home", "Path.home", "Path.cwd", "pathlib.Path.cwd", "os.getcwd"}:
            return [Arg("~" if name.endswith("home") else ".")]
        if name in path_types or name == "os.path.join":
            return [self._glued(args or [Arg(".")], "/")]
        if name in {"os.getenv", "os.environ.get"} and args:
            return [Arg(f"${args[0].text}", resolved=False, names=(args[0].text,))]
        if name in _PASS_THROUGH and args:
            return [args[0]]
        if receiver and method in _PASS_METHODS:
            return [self._glued([*receiver[:1], *args], "/")] if method == "joinpath" else receiver
        if receiver and method in {"glob", "rglob", "iterdir"}:
            pattern = args[0].text if args else "*"
            return [Arg(f"{receiver[0].text}/{pattern}", resolved=receiver[0].resolved, glob=True)]
        if name in {"os.walk", "os.listdir", "os.scandir", "glob.glob", "glob.iglob"} and args:
            suffix = "" if name.startswith("glob") else "/*"
            return [Arg(f"{args[0].text}{suffix}", resolved=args[0].resolved, glob=True)]
        shown = " ".join(arg.text for arg in (*receiver, *args) if arg.text)[:2_048]
        names = tuple(n for arg in (*receiver, *args) for n in arg.names)
        return [Arg(f"⟨{name} {shown}⟩".replace(" ⟩", "⟩"), resolved=False, names=names)]

    def _described(self, node: ast.expr) -> Arg:
        """Names that take part in an expression of another kind."""
        names: list[str] = []
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                names.append(self.imports.get(inner.id, inner.id))
            elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                names.append(inner.value[:256])
            if len(names) > 32:
                break
        return Arg(f"⟨{' '.join(names)}⟩", resolved=False)


def _of_pairs(node: ast.expr) -> bool:
    """``….items()`` or ``….values()``: not the names alone."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"items", "values"}
    )


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names that a statement binds, each with what it stands for."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.With(items=items):
            for item in items:
                if isinstance(item.optional_vars, ast.Name):
                    yield item.optional_vars.id, item.context_expr
        case ast.For(target=target, iter=iterated):
            yield from _targets(target, iterated)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            for generator in node.generators:
                yield from _targets(generator.target, generator.iter)


def _targets(target: ast.expr, iterated: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    for part in target.elts if isinstance(target, ast.Tuple) else [target]:
        if isinstance(part, ast.Name):
            yield part.id, iterated
