"""Whether a turn may end with this answer.

``pre_verify`` asks at most a few times a turn, and only after a write landed.
Plain contradictions are decided here; the rest goes to a decision model as
questions (pack ``completion``), and the caller comes back with the answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..router.questions import Answers, NoulAnswer
from .claims import Claims, ClaimTable, read_claims
from .files import FileTable, needs_check
from .ledger import Evidence, Ledger, Standing, last_change, standing, unclear_since
from .outputs import digest
from .values import State, Verdict

__all__ = ["Ask", "Attempt", "Gap", "Nudge", "annotation", "judge", "unsupported"]

PACK = "completion"
_MAX_SHOWN = 3
"""Changed files that a nudge names."""
_COMMAND_CHARS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try to end a turn (``pre_verify``).

    Attributes:
        answer: the final response.
        changed_paths: files that landed writes changed in this turn.
        number: how often this turn was sent on already, from 0.
        max_nudges: how often it may be.
        threshold: probability from which a decision model's word counts.
        use_model: whether a decision model may be asked.
    """

    answer: str
    changed_paths: tuple[str, ...]
    number: int = 0
    max_nudges: int = 2
    threshold: float = 0.85
    use_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """The turn should go on.

    Attributes:
        message: one line for the model that names what is missing.
        reason: short name for logs; never holds text of the session.
    """

    message: str
    reason: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Questions that would decide it.

    Attributes:
        pack: id of the question pack.
        state: what the model is shown; the client sanitizes it.
    """

    pack: str
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A claimed action without a successful call behind it.

    Attributes:
        kind: ``scheduled``, ``sent``, ``created`` or ``committed``.
        reason: what to log.
    """

    kind: str
    reason: str


def judge(
    ledger: Ledger,
    attempt: Attempt,
    files: FileTable,
    claims: ClaimTable,
    answers: Answers | None = None,
) -> Nudge | Ask | None:
    """Decide about one attempt; ``None``: the turn may end.  Never raises.

    Args:
        ledger: what the session's calls showed.
        attempt: the answer and the bounds.
        files: which files need a check.
        claims: how completion is claimed.
        answers: what the decision model said, once it was asked.
    """
    paths = tuple(sorted(path for path in attempt.changed_paths if needs_check(path, files)))
    # Answers without an edit, and edits that need no check, are never sent back.
    if attempt.number >= attempt.max_nudges or not paths:
        return None
    found = standing(ledger, paths, files)
    said = read_claims(attempt.answer, claims)
    since = found.evidence.at if found.evidence else last_change(ledger, paths)
    plain = _contradiction(found, said, unclear=unclear_since(ledger, since))
    if plain is not None or found.state is State.VERIFIED:
        return plain
    if not attempt.use_model:
        return None
    if answers is None:
        return Ask(pack=PACK, state=_shown(ledger, attempt, found))
    return _by_model(answers, attempt.threshold, found)


def _contradiction(found: Standing, said: Claims, *, unclear: bool) -> Nudge | None:
    """What needs no opinion: the answer says one thing, the last check another."""
    claimed = said.kinds & {"tests_pass", "done"}
    if said.admits or not claimed or unclear:
        return None  # honest, silent, or something ran that may have been the check
    last = found.evidence
    if found.state is State.REFUTED and last is not None:
        return Nudge(
            message=f"The last check failed: {_described(last)}. Nothing passed since; fix it and "
            "run it again, or say plainly what still fails.",
            reason="claims_success_after_failure",
            state=found.state,
        )
    if "tests_pass" not in said.kinds or found.state is not State.UNVERIFIED:
        return None
    if last is None:
        return Nudge(
            message=f"You say that checks pass, but none ran since {_files(found.paths)} changed; "
            "run one, or say that it is unverified.",
            reason="claims_pass_without_check",
            state=found.state,
        )
    if last.found.verdict is Verdict.NO_TESTS_RAN:
        return Nudge(
            message=f"You say that checks pass, but {_described(last)} ran no tests; run ones "
            f"that cover {_files(found.paths)}, or say that it is unverified.",
            reason="claims_pass_but_no_tests_ran",
            state=found.state,
        )
    return Nudge(
        message=f"You say that checks pass, but {_files(found.paths)} changed after the last one "
        f"({_described(last)}); run it again.",
        reason="claims_pass_but_stale",
        state=found.state,
    )


def _by_model(answers: Answers, threshold: float, found: Standing) -> Nudge | None:
    """Strong signs only: a missing answer never counts, and absence of evidence is not enough."""
    says = {key: a.probability for key, a in answers.by_id.items() if isinstance(a, NoulAnswer)}
    needed = {"claims_completion", "inconsistent", "needs_iteration"}
    if not needed <= set(says) or min(says[key] for key in needed) < threshold:
        return None
    last = found.evidence
    seen = _described(last) if last is not None else f"no check since {_files(found.paths)} changed"
    return Nudge(
        message=f"The answer does not fit what was observed ({seen}); finish the open part, or "
        "say what is left.",
        reason="model_sees_open_work",
        state=found.state,
    )


def unsupported(ledger: Ledger, answer: str, claims: ClaimTable, turn: str = "") -> tuple[Gap, ...]:
    """Claimed actions (created, scheduled, sent, committed) that no call of the turn bears out.

    Args:
        ledger: what the session's calls showed.
        answer: the final response.
        claims: which tools bear a claim out.
        turn: only calls of this turn count; empty: of the whole session.
    """
    said = read_claims(answer, claims)
    used = {tool for tool, at in ledger.actions if not turn or at in {turn, ""}}
    return tuple(
        Gap(kind=claim.kind, reason=f"claims_{claim.kind}_without_call")
        for claim in claims.claims
        if claim.tools and claim.kind in said.kinds and not _borne_out(claim.tools, used)
    )


def _borne_out(tools: frozenset[str], used: set[str]) -> bool:
    # A tool of an MCP server or a plugin may do anything; it is given the benefit of the doubt.
    return bool(tools & used) or any(tool.startswith("mcp__") for tool in used)


def annotation(
    ledger: Ledger,
    attempt: Attempt,
    files: FileTable,
    claims: ClaimTable,
    turn: str = "",
) -> str:
    """One line for ``verify.annotate``; empty where the answer agrees with what was seen."""
    gaps = unsupported(ledger, attempt.answer, claims, turn)
    if gaps:
        kinds = ", ".join(gap.kind for gap in gaps)
        return f"[tool-router: no successful call was seen behind this claim ({kinds}).]"
    paths = tuple(sorted(path for path in attempt.changed_paths if needs_check(path, files)))
    said = read_claims(attempt.answer, claims)
    if not paths or said.admits or not said.kinds & {"tests_pass", "done"}:
        return ""
    found = standing(ledger, paths, files)
    if found.state is State.REFUTED and found.evidence is not None:
        return f"[tool-router: the last check failed: {_described(found.evidence)}.]"
    if found.state is State.UNVERIFIED:
        return f"[tool-router: no check has passed since {_files(found.paths)} changed.]"
    return ""


def _described(evidence: Evidence) -> str:
    command = " ".join(evidence.command.split())
    if len(command) > _COMMAND_CHARS:
        command = command[: _COMMAND_CHARS - 1] + "…"
    counts = ", ".join(f"{number} {name}" for name, number in evidence.found.counts.items())
    status = "" if evidence.exit_code is None else f"exit {evidence.exit_code}"
    detail = ", ".join(part for part in (counts, status) if part)
    return f"`{command}`" + (f" ({detail})" if detail else "")


def _files(paths: tuple[str, ...]) -> str:
    shown = ", ".join(path.rsplit("/", 1)[-1] for path in paths[:_MAX_SHOWN])
    more = len(paths) - _MAX_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _shown(ledger: Ledger, attempt: Attempt, found: Standing) -> dict[str, Any]:
    """What a decision model gets to see; head and tail of what was long."""
    return {
        "final_answer": digest(attempt.answer, 3_000),
        "changed_files": [path.rsplit("/", 1)[-1] for path in attempt.changed_paths[:20]],
        "standing": str(found.state),
        "observations": [
            {
                "command": evidence.command,
                "exit_status": evidence.exit_code,
                "verdict": str(evidence.found.verdict),
                "before_last_change": any(
                    at > evidence.at for at in (*ledger.changed.values(), ledger.opaque)
                ),
                "output": digest(evidence.found.excerpt, 900),
            }
            for evidence in ledger.evidence[-4:]
        ],
    }
