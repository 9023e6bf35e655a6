"""Shell texts that make careless parsers slow, and what judging them costs as they grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

from ..risk_gate import Facts, ToolCall, assess

__all__ = ["SHELLS", "SIZES", "growth"]

SIZES = (16_384, 32_768, 65_536)
"""Characters."""
REPEATS = 2
"""Runs of each; the fastest counts."""

SHELLS: Mapping[str, Callable[[int], str]] = {
    "many words": lambda n: "echo " + "a " * (n // 2),
    "many commands": lambda n: "true;" * (n // 5),
    "different commands": lambda n: "\n".join(f"cp a{i} b{i}" for i in range(n // 14)),
    "one long word": lambda n: "echo " + "a" * n,
    "open quotes": lambda n: "echo " + "'\"" * (n // 2),
    "quote pairs": lambda n: "echo " + "''" * (n // 2),
    "open substitutions": lambda n: "$(" * (n // 2),
    "open expansions": lambda n: "${a" * (n // 3),
    "backticks": lambda n: "`" * n,
    "nested groups": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "long pipeline": lambda n: "cat|" * (n // 4) + "cat",
    "and-or chain": lambda n: "a&&" * (n // 3) + "a",
    "heredocs": lambda n: "cat <<E\nx\nE\n" * (n // 12),
    "open heredocs": lambda n: "cat <<E\n" * (n // 8),
    "braces": lambda n: "echo " + "{a,b}" * (n // 5),
    "backslashes": lambda n: "echo " + "\\" * n,
    "variables": lambda n: "a=b;" + "a=$a$a;" * (n // 7),
    "slashes": lambda n: "cat " + "/" * n,
    "dots": lambda n: "cat " + "../" * (n // 3),
    "loops": lambda n: "for i in 1 2 3 4 5 6 7 8;do " * (n // 28) + "true" + ";done" * (n // 28),
    "functions": lambda n: "".join(f"f{i}(){{ f{i + 1}; }};" for i in range(n // 16)) + "f0",
    "python": lambda n: "python3 -c '" + "(" * (n // 2) + ")" * (n // 2) + "'",
    "base64": lambda n: "echo " + "QUJD" * (n // 4) + " | base64 -d | sh",
}


def growth(facts: Facts) -> dict[str, dict[str, float]]:
    """Milliseconds for each hostile shell at each size."""
    return {
        name: {str(size): round(_cost(make(size)[:size], facts), 2) for size in SIZES}
        for name, make in SHELLS.items()
    }


def _cost(text: str, facts: Facts) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = perf_counter()
        assess(ToolCall(tool="terminal", args={"command": text}), facts)
        best = min(best, (perf_counter() - start) * 1e3)
    return best
