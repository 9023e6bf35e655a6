"""Code that is no shell, and what commands do with files."""

from __future__ import annotations

import pytest

from hermes_tool_router.calls.acts import Act, acts_of
from hermes_tool_router.calls.find import find_targets
from hermes_tool_router.calls.options import split_options
from hermes_tool_router.calls.shell import parse, parse_code
from hermes_tool_router.calls.values import Arg


def _named(text: str, program: str) -> Act:
    return next(act for act in acts_of(parse(text)) if act.program == program)


# Python


@pytest.mark.parametrize(
    ("code", "argv"),
    [
        pytest.param(
            "import shutil as s\ns.rmtree('a')", ("python:shutil.rmtree", "a"), id="an alias"
        ),
        pytest.param("from os import remove\nremove('a')", ("python:os.remove", "a"), id="a name"),
        pytest.param(
            "from pathlib import Path\n(Path('a') / 'b').unlink()",
            ("python:.unlink", "a/b"),
            id="a joined path",
        ),
        pytest.param(
            "import os\np = os.path.join('a', 'b')\nos.remove(p)",
            ("python:os.remove", "a/b"),
            id="a variable",
        ),
        pytest.param(
            "import glob, os\nfor f in glob.glob('*.csv'): os.remove(f)",
            ("python:os.remove", "*.csv"),
            id="a loop",
        ),
        pytest.param(
            "from pathlib import Path\n[p.unlink() for p in Path('d').glob('*')]",
            ("python:.unlink", "d/*"),
            id="a comprehension",
        ),
        pytest.param(
            "import requests\nrequests.post(u, data=open('a').read())",
            ("python:requests.post", "⟨u⟩", "data=a"),
            id="a file in a body",
        ),
        pytest.param(
            "__import__('os').remove('a')", ("python:os.remove", "a"), id="import by call"
        ),
    ],
)
def test_a_python_call_is_a_command(code: str, argv: tuple[str, ...]) -> None:
    """Dotted as imported, with the arguments that are plain to see."""
    script = parse_code(code, "python")

    assert argv in {command.argv for command in script.commands}
    assert script.complete


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import os\nos.system('rm x')", id="os.system"),
        pytest.param("import subprocess as s\ns.run(['rm', 'x'])", id="a list of words"),
        pytest.param("import subprocess\nsubprocess.Popen('rm x', shell=True)", id="a shell"),
        pytest.param("c = 'rm x'\nimport os\nos.popen(c)", id="a variable"),
        pytest.param("exec(\"import os\\nos.system('rm x')\")", id="code in code"),
        pytest.param("from hermes_tools import terminal\nterminal('rm x')", id="the host's tool"),
    ],
)
def test_a_shell_inside_python_is_read(code: str) -> None:
    """Whatever function hands it over."""
    script = parse_code(code, "python")

    assert ("rm", "x") in {visit.command.argv for visit in script.walk()}


def test_python_that_does_not_parse_is_incomplete() -> None:
    """Its literal calls are still seen."""
    script = parse_code("print 'old'\nos.system('rm x')", "python")

    assert not script.complete
    assert ("rm", "x") in {visit.command.argv for visit in script.walk()}


# Other languages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("system('rm x');", "perl", id="perl"),
        pytest.param("`rm x`", "ruby", id="ruby backticks"),
        pytest.param("require('child_process').execSync(\"rm x\")", "javascript", id="node"),
        pytest.param("shell_exec('rm x');", "php", id="php"),
        pytest.param('do shell script "rm x"', "other", id="applescript"),
    ],
)
def test_a_shell_inside_other_code_is_read(text: str, language: str) -> None:
    """Calls with literal arguments are enough for that."""
    script = parse_code(text, language)

    assert ("rm", "x") in {visit.command.argv for visit in script.walk()}


def test_powershell_is_split_at_its_separators() -> None:
    """Pipes feed, semicolons do not."""
    script = parse_code("iwr 'https://h/a' | iex; del \"C:\\x y\"", "powershell")

    assert [command.argv for command in script.commands] == [
        ("iwr", "https://h/a"), ("iex",), ("del", "C:\\x y"),
    ]  # fmt: skip
    assert script.commands[1].stdin_from == (0,)


# Options and files


@pytest.mark.parametrize(
    ("words", "flags", "operands"),
    [
        pytest.param(("rm", "-rf", "a"), {"-r", "-f"}, ("a",), id="a cluster"),
        pytest.param(("rm", "a", "-r", "b"), {"-r"}, ("a", "b"), id="options anywhere"),
        pytest.param(("rm", "--", "-r"), set(), ("-r",), id="the end of options"),
        pytest.param(("git", "-C", "x", "push", "-f"), {"-C", "-f"}, ("push",), id="a value"),
        pytest.param(("curl", "-XDELETE", "u"), {"-X"}, ("u",), id="an attached value"),
        pytest.param(("find", ".", "-delete"), {"-delete"}, (".",), id="single-dash words"),
    ],
)
def test_words_are_sorted_into_options_and_operands(
    words: tuple[str, ...], flags: set[str], operands: tuple[str, ...]
) -> None:
    """By the program's own grammar where it has one."""
    options = split_options([Arg(word) for word in words], words[0])

    assert flags <= options.flags
    assert tuple(arg.text for arg in options.operands) == operands


@pytest.mark.parametrize(
    ("text", "program", "kind", "paths"),
    [
        pytest.param(
            "cat a b.txt ./c", "cat", "reads", ("b.txt", "c"), id="what looks like a path"
        ),
        pytest.param("cp ./a ./b", "cp", "writes", ("b",), id="the last operand"),
        pytest.param("cp -t ./d ./a", "cp", "writes", ("d",), id="an option"),
        pytest.param("echo x > a", "echo", "writes", ("a",), id="a redirection"),
        pytest.param("echo x >> a", "echo", "appends", ("a",), id="an addition"),
        pytest.param("dd if=a of=b", "dd", "writes", ("b",), id="a key"),
        pytest.param("sed -i s/a/b/ ./f", "sed", "writes", ("f",), id="in place"),
        pytest.param("tar czf out.tgz ./a", "tar", "reads", ("a",), id="an archive's content"),
        pytest.param("curl -F f=@./a h", "curl", "reads", ("a",), id="a form file"),
        pytest.param("cd /etc && rm x", "rm", "deletes", ("/etc/x",), id="behind cd"),
        pytest.param("find d -name '*.c' | xargs rm", "rm", "deletes", ("d/*.c",), id="xargs"),
        pytest.param("find d -delete", "find", "deletes", ("d/{}",), id="find -delete"),
        pytest.param("scp x h:/etc/y", "scp", "writes", ("/etc/y",), id="another machine"),
    ],
)
def test_an_act_knows_its_files(text: str, program: str, kind: str, paths: tuple[str, ...]) -> None:
    """Read, written, added to, deleted: in canonical form."""
    assert getattr(_named(text, program), kind) == paths


def test_find_targets_leave_out_what_is_negated() -> None:
    """``! -name`` narrows nothing that could be named."""
    assert find_targets(("find", "a", "!", "-name", "x", "-name", "*.o")) == ("a/*.o",)
    assert find_targets(("find", "-type", "f")) == ("./{}",)


def test_written_text_is_known_where_it_is_plain() -> None:
    """What echo, heredocs and Python write into a file."""
    assert _named("echo hi > f", "echo").written == "hi\n"
    assert _named("cat > f <<E\nhi\nE", "cat").written == "hi\n"
    assert _named("date > f", "date").written is None
