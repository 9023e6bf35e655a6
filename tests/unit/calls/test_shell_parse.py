"""Shell text to commands, by the grammar and by the degraded reader."""

from __future__ import annotations

import pytest

from hermes_tool_router.calls import grammar, shell
from hermes_tool_router.calls.values import Command, Script

READERS = [
    pytest.param(
        True,
        id="grammar",
        marks=pytest.mark.skipif(not grammar.available(), reason="extra [gate] is not installed"),
    ),
    pytest.param(False, id="degraded"),
]
pytestmark = pytest.mark.parametrize("use_grammar", READERS)


def _all(script: Script) -> list[Command]:
    return [visit.command for visit in script.walk()]


def _find(script: Script, program: str) -> Command:
    return next(command for command in _all(script) if command.program == program)


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        pytest.param("rm build/ -rf", ("rm", "build/", "-rf"), id="plain words"),
        pytest.param("r''m -r\"f\" \\x", ("rm", "-rf", "x"), id="quotes inside a word"),
        pytest.param("$'\\x72m' -rf x", ("rm", "-rf", "x"), id="ansi-c quoting"),
        pytest.param("C='rm -rf'; $C x", ("rm", "-rf", "x"), id="a variable is split"),
        pytest.param("$(echo rm) -rf x", ("rm", "-rf", "x"), id="a printed name"),
        pytest.param("rm -rf $HOME/x", ("rm", "-rf", "~/x"), id="home"),
        pytest.param("rm${IFS}-rf${IFS}x", ("rm", "-rf", "x"), id="IFS as a blank"),
        pytest.param("rm -rf {a,b}/c", ("rm", "-rf", "a/c", "b/c"), id="braces"),
        pytest.param('a=(-rf x); rm "${a[@]}"', ("rm", "-rf", "x"), id="an array"),
        pytest.param('f() { rm -rf "$1"; }; f x', ("rm", "-rf", "x"), id="a function argument"),
        pytest.param("rm -rf ${D:-x}", ("rm", "-rf", "x"), id="a default"),
        pytest.param("rm -rf 2>/dev/null x", ("rm", "-rf", "x"), id="words behind a redirection"),
    ],
)
def test_words_are_what_the_shell_would_run(
    text: str, argv: tuple[str, ...], use_grammar: bool
) -> None:
    """Quotes, expansions and braces end in the words the program would see."""
    script = shell.parse(text, use_grammar=use_grammar)

    command = _find(script, "rm")

    assert command.argv == argv
    assert script.complete


@pytest.mark.parametrize(
    ("text", "wrappers"),
    [
        pytest.param("sudo -n -u root rm x", ("sudo",), id="sudo with options"),
        pytest.param("env -u A B=1 timeout -k 3 5 rm x", ("env", "timeout"), id="env and timeout"),
        pytest.param("ls | xargs -0 -I{} rm x", ("xargs",), id="xargs"),
        pytest.param("uv run --with a rm x", ("uv run",), id="a launcher with a subcommand"),
        pytest.param("nohup nice -n 5 rm x &", ("nohup", "nice"), id="nohup and nice"),
    ],
)
def test_wrappers_are_taken_off_and_kept_in_order(
    text: str, wrappers: tuple[str, ...], use_grammar: bool
) -> None:
    """The inner command is what counts; what was around it stays known."""
    command = _find(shell.parse(text, use_grammar=use_grammar), "rm")

    assert (command.argv, command.wrappers) == (("rm", "x"), wrappers)


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        pytest.param("bash -lc 'rm x'", ("interpreter",), id="bash -lc"),
        pytest.param("su - bob -c 'rm x'", ("interpreter",), id="su -c"),
        pytest.param("eval 'r''m x'", ("eval",), id="eval"),
        pytest.param("ssh -p 22 host 'rm x'", ("remote",), id="ssh"),
        pytest.param("docker exec -it web rm x", ("container",), id="docker exec"),
        pytest.param("find . -name y -exec rm x \\;", ("exec",), id="find -exec"),
        pytest.param("echo 'rm x' | sh", ("stdin",), id="a pipe into a shell"),
        pytest.param("echo cm0geA== | base64 -d | sh", ("stdin",), id="base64 into a shell"),
        pytest.param("bash <<'E'\nrm x\nE\n", ("heredoc",), id="a heredoc into a shell"),
        pytest.param("bash <<< 'rm x'", ("heredoc",), id="a here-string into a shell"),
        pytest.param("echo $(rm x)", ("substitution",), id="a substitution"),
        pytest.param("cat <(rm x)", ("process-substitution",), id="a process substitution"),
        pytest.param("sort --compress-program='rm x' f", ("hidden",), id="an option that runs"),
        pytest.param("awk 'BEGIN{system(\"rm x\")}'", ("hidden",), id="awk system"),
        pytest.param("(crontab -l; echo '* * * * * rm x') | crontab -", ("scheduled",), id="cron"),
    ],
)
def test_scripts_inside_a_command_are_found(
    text: str, origins: tuple[str, ...], use_grammar: bool
) -> None:
    """Whatever runs inside another command is visited, with how it got there."""
    script = shell.parse(text, use_grammar=use_grammar)

    visit = next(v for v in script.walk() if v.command.program == "rm")

    assert (visit.path, visit.command.argv) == (origins, ("rm", "x"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("echo rm -rf /", id="printed"),
        pytest.param("grep 'rm -rf' .", id="searched"),
        pytest.param("cat > f <<'E'\nrm -rf /\nE\n", id="a heredoc to a file"),
        pytest.param("git commit -m 'stop using rm -rf /'", id="a commit message"),
        pytest.param("# rm -rf /\nls", id="a comment"),
    ],
)
def test_text_is_not_execution(text: str, use_grammar: bool) -> None:
    """A command that is only mentioned is not among the commands."""
    script = shell.parse(text, use_grammar=use_grammar)

    assert "rm" not in {command.program for command in _all(script)}


@pytest.mark.parametrize(
    ("text", "zero", "failure"),
    [
        pytest.param("pytest", True, True, id="alone"),
        pytest.param("cd x && pytest", True, False, id="behind cd"),
        pytest.param("pytest && echo ok", True, False, id="in front of &&"),
        pytest.param("pytest || true", False, False, id="rescued"),
        pytest.param("pytest || exit 1; echo ok", True, False, id="guarded by exit"),
        pytest.param("pytest | tail", False, False, id="piped"),
        pytest.param("set -o pipefail; pytest | tail", True, False, id="pipefail"),
        pytest.param("pytest; echo done", False, False, id="followed"),
        pytest.param("set -e; pytest; echo done", True, False, id="errexit"),
        pytest.param("pytest > log 2>&1; exit $?", True, True, id="status handed on"),
        pytest.param("! pytest", False, False, id="negated"),
        pytest.param("pytest &", False, False, id="in the background"),
        pytest.param("if pytest; then ls; fi", False, False, id="a condition"),
        pytest.param("bash -lc 'cd x; pytest'", True, True, id="inside bash -lc"),
        pytest.param("timeout 9 pytest 2>&1", True, True, id="wrapped"),
        pytest.param("echo $(pytest)", False, False, id="substituted"),
        pytest.param("a && pytest 2>&1 | cat", False, False, id="only the last is piped"),
    ],
)
def test_exit_status_says_what_it_can_say(
    text: str, zero: bool, failure: bool, use_grammar: bool
) -> None:
    """Success and failure of the whole imply a command's own only where the shell says so."""
    command = _find(shell.parse(text, use_grammar=use_grammar), "pytest")

    assert (command.zero_implied, command.failure_implied) == (zero, failure)
    assert command.status_masked is not zero


def test_pipelines_know_who_feeds_whom(use_grammar: bool) -> None:
    """A command in a pipeline points at those it reads from."""
    script = shell.parse("a | (b; c) | d; e", use_grammar=use_grammar)

    fed = {command.name: command.stdin_from for command in script.commands}

    assert fed == {"a": (), "b": (0,), "c": (0,), "d": (1, 2), "e": ()}


def test_a_function_that_pipes_into_itself_ends(use_grammar: bool) -> None:
    """Recursion is seen once, not followed for ever."""
    script = shell.parse(":(){ :|:& };:", use_grammar=use_grammar)

    assert script.commands[0].name == ":(){"
    assert len(script.commands) < 10


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("echo 'open", id="an open quote"),
        pytest.param("echo $(ls", id="an open substitution"),
        pytest.param("( ls", id="an open group"),
    ],
)
def test_what_is_not_understood_is_incomplete(text: str, use_grammar: bool) -> None:
    """A script that no reader can finish says so."""
    script = shell.parse(text, use_grammar=use_grammar)

    assert not script.complete
    assert script.reasons


def test_a_long_text_keeps_head_and_tail(use_grammar: bool) -> None:
    """Beyond the limit the middle is cut, the end is not, and the cut is marked."""
    script = shell.parse("ls\n" + "# padding\n" * 9_000 + "rm x\n", use_grammar=use_grammar)

    assert [command.name for command in script.commands] == ["ls", "rm"]
    assert not script.complete
