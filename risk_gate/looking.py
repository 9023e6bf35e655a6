"""Commands that only look: nothing is written, deleted, changed, started or sent."""

from __future__ import annotations

from ..calls.acts import Act, acts_of
from ..calls.shell import parse
from .arguments import view
from .flow_tables import FlowTables, flow_tables
from .values import Facts, ToolCall

__all__ = ["only_looks"]

_NOWHERE = frozenset({"/dev/null"})
_WRITING_OPTIONS = frozenset(
    {"--output", "--ext-diff", "--textconv", "--open-files-in-pager", "-O"}
)
"""Options with which a command that looks writes a file or starts a program."""


def only_looks(call: ToolCall, facts: Facts) -> bool:
    """Whether a call of the terminal does nothing but read.  Never raises; in doubt, no.

    Every command has to be one of the family ``looks``, whole and in plain
    words; what it reads is not judged here, the rules do that.
    """
    if call.tool != "terminal":
        return False
    seen = view(call.args)
    command = seen.top.get("command", "")
    if not seen.complete or not command:
        return False
    script = parse(command, use_grammar=facts.use_grammar)
    if not script.complete or any(visit.script.reasons for visit in script.walk()):
        return False
    acts = acts_of(script, workspace=facts.workspace)
    return bool(acts) and all(_looks(act, flow_tables()) for act in acts)


def _looks(act: Act, tables: FlowTables) -> bool:
    words = act.command.args
    plain = act.language == "shell" and not act.command.background
    if not plain or not words or not all(word.resolved for word in words):
        return False
    if act.command.wrappers or act.command.assignments or act.options.flags & _WRITING_OPTIONS:
        return False
    if {*act.writes, *act.deletes, *act.changes} - _NOWHERE:
        return False
    first = next((word.text for word in act.options.operands), "")
    family = tables.families["looks"]
    return act.program in family or f"{act.program} {first}" in family
