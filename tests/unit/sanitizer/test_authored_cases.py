"""The authored cases: every secret gone for good, everything else kept."""

from __future__ import annotations

import pytest

from hermes_tool_router.benchmarks.secrets_cases import SecretCase, authored
from hermes_tool_router.benchmarks.secrets_suite import leaves
from hermes_tool_router.sanitizer import Sanitizer

CASES = [pytest.param(case, id=case.id) for case in authored(seed=1)]


@pytest.mark.parametrize("case", CASES)
def test_secrets_go_and_the_rest_stays(sanitizer: Sanitizer, case: SecretCase) -> None:
    """Each case in one filling; nothing harmless changes, and a second pass changes nothing."""
    text = sanitizer.text(case.text).text
    again = sanitizer.text(text)

    assert not any(leaves(secret, text) for secret in case.secrets)
    assert all(kept in text for kept in case.keep)
    assert case.secrets or text == case.text
    assert (again.text, again.redactions) == (text, 0)


def test_other_fillings_stay_within_the_gate(sanitizer: Sanitizer) -> None:
    """Random parts that were never looked at: 97 % gone, 2 % changed at most."""
    removed = secret = damaged = harmless = 0

    for case in (case for seed in range(100, 104) for case in authored(seed)):
        text = sanitizer.text(case.text).text
        secret += bool(case.secrets)
        removed += bool(case.secrets) and not any(leaves(s, text) for s in case.secrets)
        harmless += not case.secrets
        damaged += not case.secrets and text != case.text

    assert removed >= 0.97 * secret
    assert damaged <= 0.02 * harmless
