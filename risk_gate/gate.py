"""The deterministic tier: a tool call and facts to a verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..calls.acts import Act
from ..calls.options import split_options
from ..calls.paths import canonical, classes
from ..calls.shell import parse_code
from ..calls.values import Arg, Command
from .arguments import View, view
from .assess import Review, review_acts, review_persistent, review_script, review_shell
from .secrets import live_keys, secret_kinds
from .sql import changes_everything
from .tool_rules import ToolTables, shipped_tools
from .values import Decision, Facts, Finding, RiskClass, ToolCall, Verdict

__all__ = ["assess"]

_READ_ABOVE = frozenset({"terminal", "execute_code", "write_file", "patch", "read_file"})
"""Tools whose arguments have been read for what they do; rules by tool name say nothing more."""

_FOLDERS = ("workdir", "cwd", "working_directory", "working_dir", "directory")
"""Arguments of shell tools that name the folder to run in."""

_PATCH_FILE = re.compile(
    r"^\*\*\* (Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE
)
_CI_RISK = re.compile(
    r"pull_request_target|permissions:\s*write-all|workflow_run:|self-hosted|"
    r"(?:curl|wget)[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba)?sh|\$\{\{\s*toJSON\(secrets|"
    r"\$\{\{\s*github\.event\.(?:issue|comment|pull_request)\.(?:title|body)|"
    r"(?:curl|wget)[^\n]{0,200}\$\{\{\s*secrets\.|echo[^\n]{0,100}\$\{\{\s*secrets\.[^\n]{0,60}base64"
)


_FILE = re.compile(r"(?:~|/|\.{1,2}/|[A-Za-z]:[\\/])[^\s\x00-\x1f]{1,512}\Z")
"""An argument that is a path and nothing else."""


def assess(call: ToolCall, facts: Facts, tables: ToolTables | None = None) -> Verdict:
    """Judge a call by rules alone.  Total: whatever it is given, it answers; our own error asks.

    Args:
        call: the tool and its arguments, any Python object.
        facts: where it would run.
        tables: rules about tools; ``None`` for those of this installation.
    """
    review = Review(facts=facts)
    try:
        _judge(call, review, tables or shipped_tools())
    except Exception as error:
        review.incomplete((f"the gate itself failed ({type(error).__name__})",))
    return review.verdict()


def _judge(call: ToolCall, review: Review, tables: ToolTables) -> None:
    seen = view(call.args)
    if not seen.complete:
        review.incomplete(seen.reasons)
    tool = str(call.tool)  # a host may hand over anything
    kinds = tables.kinds
    if kinds["shell_tools"].match(tool):
        _shell(review, seen, tables)
    elif kinds["code_tools"].match(tool):
        _code(review, seen, tables)
    elif kinds["write_tools"].match(tool) or kinds["delete_tools"].match(tool):
        _files_written(review, tool, seen, tables)
    elif kinds["read_tools"].match(tool):
        _files_read(review, seen, tables)
    if tool in tables.quiet or tool in _READ_ABOVE:
        return
    _rules(review, tool, seen, tables)
    _embedded(review, tool, seen, tables)
    if kinds["outgoing"].match(tool):
        _outgoing(review, tool, seen)


def _add(
    review: Review,
    name: str,
    risk: RiskClass,
    severity: int,
    words: str,
    *,
    block: bool = False,
    evidence: str = "",
) -> None:
    decision = Decision.BLOCK if block else Decision.ASK
    review.add(
        Finding(
            id=name,
            risk=risk,
            severity=severity,
            decision=decision,
            words=words,
            evidence=evidence[:200],
        )
    )
    review.reversible = False


def _named(seen: View, tables: ToolTables, meaning: str) -> Iterator[tuple[str, str]]:
    names = tables.arguments[meaning]
    for name, text in seen.top.items():
        if name in names and text:
            yield name, text


def _shell(review: Review, seen: View, tables: ToolTables) -> None:
    texts = [text for _, text in _named(seen, tables, "shell")]
    folder = next((seen.top[name] for name in _FOLDERS if seen.top.get(name)), "")
    # `rm -rf *` in `/` is not `rm -rf *` in the workspace.
    enter = "cd '" + folder.replace("'", "'\\''") + "'\n" if folder else ""
    for text in texts or [seen.text]:
        if text:
            review_shell(review, enter + text)


def _code(review: Review, seen: View, tables: ToolTables) -> None:
    language = {"bash": "shell", "sh": "shell", "shell": "shell"}.get(
        seen.top.get("language", "python").lower(), "python"
    )
    for _, text in _named(seen, tables, "code"):
        script = parse_code(text, language, use_grammar=review.facts.use_grammar)
        review_script(review, script)
        # The text as a whole, as rules see it behind `python3 -c`.
        program, option = ("python3", "-c") if language == "python" else ("bash", "-c")
        review_acts(review, (_act(program, (option, text), review),))


# Files


def _act(program: str, paths: Sequence[str], review: Review, **effects: object) -> Act:
    args = (Arg(program), *(Arg(path) for path in paths))
    return Act(
        index=0,
        program=program,
        command=Command(args=args),
        options=split_options(args, program),
        **effects,  # type: ignore[arg-type]  # paths and text
    )


def _files_written(review: Review, tool: str, seen: View, tables: ToolTables) -> None:
    workspace = review.facts.workspace
    deletes = bool(tables.kinds["delete_tools"].match(tool))
    content = "\n".join(
        text
        for name, text in seen.top.items()
        if name in {"content", "new_string", "text", "contents", "data", "new_str", "file_text"}
    )
    patch = seen.top.get("patch", "")
    writes: dict[str, str] = {}
    removed: list[str] = []
    for path in _paths(seen, tables):
        if deletes:
            removed.append(canonical(path, "", workspace))
        else:
            writes[canonical(path, "", workspace)] = content
    for verb, path, text in _patched(patch):
        if verb == "Delete":
            removed.append(canonical(path, "", workspace))
        else:
            writes[canonical(path, "", workspace)] = text
    if not writes and not removed:
        review.incomplete(("no path was given",))
    for path, text in writes.items():
        _one_write(review, path, text)
    if removed:
        review_acts(review, (_act("rm", removed, review, deletes=tuple(removed)),))


def _one_write(review: Review, path: str, text: str) -> None:
    act = _act("write_file", (path,), review, writes=(path,), written=text)
    review_acts(review, (act,))
    found = classes(path)
    if "persistent" in found:
        review_persistent(review, text)
    if "ci_workflow" in found and _CI_RISK.search(text[:65_536]):
        words = "gives a pipeline rights or runs code from outside in it"
        _add(review, "config.pipeline", "config_tamper", 3, words, evidence=path)
    if not found & {"secret", "temp"} and live_keys(text):
        words = "writes a live-looking key into an ordinary file"
        _add(review, "exfil.secret-in-file", "exfil", 2, words, evidence=path)


def _paths(seen: View, tables: ToolTables) -> list[str]:
    names = tables.arguments["path"]
    return [text for name, text in seen.texts if name in names and text][:64]


def _patched(patch: str) -> Iterator[tuple[str, str, str]]:
    """Files of a patch in the ``*** Begin Patch`` form, each with the lines it adds."""
    matches = list(_PATCH_FILE.finditer(patch))
    for index, match in enumerate(matches[:256]):
        end = matches[index + 1].start() if index + 1 < len(matches) else len(patch)
        lines = patch[match.end() : end].split("\n")
        added = "\n".join(line[1:] for line in lines if line.startswith("+"))
        yield match[1] or "Add", (match[2] or match[3]).strip(), added


def _files_read(review: Review, seen: View, tables: ToolTables) -> None:
    workspace = review.facts.workspace
    paths = [canonical(path, "", workspace) for path in _paths(seen, tables)]
    pattern = seen.top.get("pattern") or seen.top.get("query")
    if paths and pattern:
        # A search prints the lines that it finds, not the files.
        words = (("-r", pattern, *paths),) if seen.top.get("target") != "files" else ()
        review_acts(review, tuple(_act("grep", w, review) for w in words))
        paths = [path for path in paths if "secret" in classes(path)]
    if paths:
        review_acts(review, (_act("read_file", paths, review, reads=tuple(paths)),))


# Everything else


def _rules(review: Review, tool: str, seen: View, tables: ToolTables) -> None:
    text = seen.text
    for rule in tables.rules:
        if rule.matches(tool, seen.top, text):
            review.add(
                Finding(
                    id=rule.id,
                    risk=rule.risk,
                    severity=rule.severity,
                    decision=rule.decision,
                    words=rule.words,
                    evidence=f"{tool} {text}"[:200],
                )
            )
            review.reversible = False


def _embedded(review: Review, tool: str, seen: View, tables: ToolTables) -> None:
    """Shell text, code and SQL in the arguments of other tools."""
    if tool == "cronjob":
        for name in ("script", "command"):
            if seen.top.get(name):
                review_shell(review, seen.top[name], origin="scheduled")
    if not tool.startswith("mcp_"):
        return
    for _, text in _named(seen, tables, "sql"):
        if changes_everything(text[:65_536]):
            words = "drops or empties database objects, or changes every row"
            _add(review, "destroy.sql", "destroy", 3, words, evidence=text)
    if not tables.kinds["shell_tools"].match(tool):
        for _, text in _named(seen, tables, "shell"):
            review_shell(review, text)


def _outgoing(review: Review, tool: str, seen: View) -> None:
    """Secrets and private files in what a tool passes on."""
    text = seen.text
    # A browser shows a local file to the agent and sends it nowhere.
    marks = r"MEDIA:(\S+)" if tool.startswith("browser_") else r"(?:MEDIA:|file://)(\S+)"
    media = [canonical(path) for path in re.findall(marks, text[:65_536])]
    if not tool.startswith(("browser_", "web_", "x_", "mcp_")):
        media += [canonical(value) for _, value in seen.texts[:64] if _FILE.match(value)]
    if any("secret" in classes(path) for path in media):
        words = "sends a file that holds keys, passwords or tokens"
        _add(review, "exfil.secret-file", "exfil", 3, words, block=True, evidence=text)
    kinds = secret_kinds(text)
    if "private-key" in kinds:
        words = "sends a private key"
        _add(review, "exfil.private-key", "exfil", 3, words, block=True)
    elif kinds:
        words = f"sends what looks like a live key ({', '.join(kinds[:3])})"
        _add(review, "exfil.secret-in-text", "exfil", 3, words)
