"""What the verifier hands out: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Kind", "State", "Verdict", "Verification"]


class Kind(StrEnum):
    """What a check looks at."""

    TEST = "test"
    LINT = "lint"
    BUILD = "build"
    SCRIPT = "script"
    """A script of the project's own, known by its name; only what it prints counts."""


class Verdict(StrEnum):
    """What one command showed."""

    PASS = "pass"
    FAIL = "fail"
    NOT_VERIFICATION = "not_verification"
    """It checks nothing: other commands, lists, versions, dry runs."""
    NO_TESTS_RAN = "no_tests_ran"
    UNKNOWN = "unknown"
    """It was a check, and neither status nor output tells how it went."""


class State(StrEnum):
    """How a completion claim stands."""

    VERIFIED = "verified"
    """A check passed after the last change of the files that it covers."""
    OBSERVED = "observed"
    """A check passed, but whether the files changed since is not known."""
    REFUTED = "refuted"
    """The last check failed, or an action that is claimed did not succeed."""
    UNVERIFIED = "unverified"
    """Nothing was checked since the last change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How one command is read as a check.

    Attributes:
        verdict: what it showed.
        kinds: kinds of check in it, without duplicates, in the order run.
        runners: ids of the runners, likewise.
        counts: numbers of tests that the summaries name, ``passed`` and
            ``failed``; a number that no summary names is missing.
        reasons: ids of the signals and rules that decided.
        excerpt: what the check printed, head and tail kept; empty where
            nothing was checked.
    """

    verdict: Verdict
    kinds: tuple[Kind, ...] = ()
    runners: tuple[str, ...] = ()
    counts: Mapping[str, int]
    reasons: tuple[str, ...] = ()
    excerpt: str = ""
