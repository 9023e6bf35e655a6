"""A tool call to a verdict: the deterministic tier."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..calls.acts import Act, acts_of
from ..calls.nested import interpreter
from ..calls.paths import canonical, classes
from ..calls.shell import parse, parse_code
from ..calls.values import Arg, Command, Script
from .flow_tables import FlowTables, flow_tables
from .flows import flows
from .rules import Rule, Tables, shipped
from .values import RANK, Decision, Facts, Finding, Verdict

__all__ = ["Review", "combine", "review_shell"]

MAX_FOLLOWED = 8
"""Files that a call writes and then runs, which are read as scripts themselves."""

_CMDLETS = ("iex", "irm", "iwr", "invoke-", "remove-item", "get-content", "start-process")
_POWERSHELL = re.compile(
    r"(?:\A|[|;]\s*)\s*(?:&\s*)?"
    r"(?:iex|irm|iwr|invoke-\w{3,20}|remove-item|get-content|start-process)\b",
    re.IGNORECASE,
)
_WINDOWS_PATH = re.compile(
    r"(?:^|[\s=,])(?:\$HOME\\|~\\|[A-Za-z]:\\[\w.*%$~-]|%\w{1,32}%\\|\$env:\w{1,32}\\"
    r"|(?:HKLM|HKCU|HKU|HKEY_[A-Z_]{4,32})\\)",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_COMMENT = re.compile(r"(?:^|\s)#[^\n]{3,}|(?:\becho|\bprintf|:)\s+['\"][^'\"\n]{8,}")
_RISKY = frozenset({"remote_exec", "exfil"})


@dataclass(slots=True)
class Review:
    """Findings as they come in.

    Attributes:
        complete: nothing was left out of the view so far.
    """

    facts: Facts
    tables: Tables = field(default_factory=shipped)
    flow: FlowTables = field(default_factory=flow_tables)
    findings: list[Finding] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    complete: bool = True
    degraded: bool = False
    reversible: bool = True

    def add(self, finding: Finding) -> None:
        """One more finding."""
        self.findings.append(finding)

    def incomplete(self, reasons: Iterable[str]) -> None:
        """The view is not whole."""
        self.complete = False
        self.reasons.extend(reasons)

    def verdict(self) -> Verdict:
        """All findings together."""
        found = combine(self.findings)
        if not self.complete and not any(f.id == "gate.incomplete" for f in found):
            reason = self.reasons[0] if self.reasons else "it could not be read whole"
            found = combine(
                (
                    *found,
                    Finding(
                        id="gate.incomplete",
                        risk="incomplete",
                        severity=1,
                        decision=Decision.ASK,
                        words=f"could not be judged whole: {reason}",
                    ),
                )
            )
        decision = found[0].decision if found else Decision.ALLOW
        return Verdict(
            decision=decision,
            findings=found,
            reversible=self.reversible and self.complete,
            complete=self.complete,
            reasons=tuple(dict.fromkeys(self.reasons)),
            degraded=self.degraded,
        )


def combine(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Strongest first, one of each id: block before ask, then by severity."""
    best: dict[str, Finding] = {}
    for finding in findings:
        known = best.get(finding.id)
        if known is None or _rank(finding) > _rank(known):
            best[finding.id] = finding
    return tuple(sorted(best.values(), key=_rank, reverse=True))


def _rank(finding: Finding) -> tuple[int, int]:
    return RANK[finding.decision], finding.severity


def review_shell(review: Review, command: str, *, origin: str = "") -> None:
    """Judge shell text."""
    script = parse(command, use_grammar=review.facts.use_grammar)
    _text_findings(review, command)
    review_script(review, script, scheduled=origin == "scheduled")
    if _for_windows(command):
        # A shell takes the backslashes out; where Windows' own shell reads them, they stay.
        # One act for the text as a whole, as rules see it behind `powershell -c`.
        words = (Arg("powershell"), Arg("-c"), Arg(command[:65_536]))
        whole = Script(commands=(Command(args=words),))
        for script in (parse_code(command, "cmd"), whole):
            review_acts(review, acts_of(script, workspace=review.facts.workspace))


def _for_windows(text: str) -> bool:
    """Paths or commands in it are those of Windows."""
    if "\\" in text and _WINDOWS_PATH.search(text):
        return True
    lower = text.lower()
    return any(name in lower for name in _CMDLETS) and _POWERSHELL.search(text) is not None


def review_script(
    review: Review, script: Script, *, scheduled: bool = False, depth: int = 0
) -> None:
    """Judge a script that was read already."""
    acts = acts_of(script, workspace=review.facts.workspace)
    review.degraded = review.degraded or script.degraded
    reasons = script.all_reasons()
    if not script.complete or reasons:
        review.incomplete((*script.reasons, *reasons))
    review_acts(review, acts, scheduled=scheduled)
    if depth == 0:
        _follow_written(review, acts)


def review_acts(review: Review, acts: Sequence[Act], *, scheduled: bool = False) -> None:
    """Judge acts, alone and together."""
    before = len(review.findings)
    secret: set[int] = set()
    for act in acts:
        for rule in review.tables.speaking(act):
            review.add(_finding(rule, act))
            review.reversible = review.reversible and rule.reversible
            if rule.risk == "secret_read" and rule.id not in _NOT_A_SOURCE:
                secret.add(act.index)
        _unknown_name(review, act)
    for found in flows(acts, frozenset(secret), review.flow):
        review.add(found)
        review.reversible = False
    if scheduled and any(f.risk in _RISKY for f in review.findings[before:]):
        review.add(
            Finding(
                id="persist.scheduled-fetch",
                risk="persistence",
                severity=3,
                decision=Decision.BLOCK,
                words="fetches and runs code from the network again and again",
            )
        )


_TESTS = frozenset({"[", "[["})
_NOT_A_SOURCE = frozenset({"secret.hunt", "secret.browser-debug", "secret.capture"})


def _finding(rule: Rule, act: Act) -> Finding:
    return Finding(
        id=rule.id,
        risk=rule.risk,
        severity=rule.severity,
        decision=rule.decision,
        words=rule.words,
        evidence=act.text[:200],
    )


def _unknown_name(review: Review, act: Act) -> None:
    """A command whose name only the shell could tell."""
    if not act.command.args or act.language != "shell":
        return
    first, name = act.command.args[0], act.program
    hidden = not first.resolved and (not name or re.search(r"[$`(⟨{]", name))
    if not hidden and not (first.glob and name not in _TESTS):
        return
    review.add(
        Finding(
            id="gate.unknown-command",
            risk="incomplete",
            severity=1,
            decision=Decision.ASK,
            words="runs a command whose name is only known when it runs",
            evidence=act.text[:200],
        )
    )


def _follow_written(review: Review, acts: Sequence[Act]) -> None:
    """Scripts that the call writes and then runs, and files that run by themselves later."""
    written: dict[str, str] = {}
    followed = 0
    for act in acts:
        if act.written is not None:
            for path in act.writes:
                text = act.written
                if path in act.appends and path in written:
                    text = written[path] + text
                written[path] = text
                if followed < MAX_FOLLOWED and "persistent" in classes(path):
                    followed += 1
                    review_persistent(review, text)
        for name in _run_files(act, review.flow):
            path = canonical(name, act.command.cwd, review.facts.workspace)
            if path in written and followed < MAX_FOLLOWED:
                followed += 1
                text = written.pop(path)
                known = interpreter(act.program)
                language = known.language if known is not None else "shell"
                script = parse_code(text, language, use_grammar=review.facts.use_grammar)
                review_script(review, script, depth=1, scheduled=act.program == "crontab")


def _run_files(act: Act, tables: FlowTables) -> list[str]:
    names = [act.command.name] if "/" in act.command.name else []
    if act.program in tables.families["interpreter"] or act.program == "crontab":
        names.extend(arg.text for arg in act.options.operands[:1])
    return names


_SCHEDULE = re.compile(
    r"^\s*(?:@\w+|(?:[\d*/,?LW#-]+\s+){5,6})\s*(?:[a-z_][\w-]*\s+)?(?=\S)", re.MULTILINE
)


def review_persistent(review: Review, text: str) -> None:
    """Text of a file that is run later: code from the network in it is grave."""
    inner = Review(facts=review.facts, tables=review.tables, flow=review.flow)
    script = parse(_SCHEDULE.sub("", text)[:65_536], use_grammar=review.facts.use_grammar)
    review_script(inner, script, scheduled=True, depth=1)
    for finding in inner.findings:
        if finding.id == "persist.scheduled-fetch":
            review.add(finding)


def _may_speak(text: str) -> bool:
    """There may be a comment, or a quoted text behind ``echo``, ``printf`` or ``:``."""
    if "#" in text:
        return True
    quoted = "'" in text or '"' in text
    return quoted and (":" in text or "echo" in text or "printf" in text)


def _text_findings(review: Review, text: str) -> None:
    """What the text itself says, whatever it runs."""
    if not text.isprintable() and _HIDDEN.search(text):
        review.add(
            Finding(
                id="gate.hidden-characters",
                risk="self_advocacy",
                severity=1,
                decision=Decision.ASK,
                words="holds control or direction characters that hide what is written",
            )
        )
    if not _may_speak(text):
        return
    for match in _COMMENT.finditer(text):
        if review.flow.advocacy.search(match[0]):
            review.add(
                Finding(
                    id="gate.self-advocacy",
                    risk="self_advocacy",
                    severity=1,
                    decision=Decision.ASK,
                    words="argues for its own approval",
                    evidence=match[0].strip()[:200],
                )
            )
            return
