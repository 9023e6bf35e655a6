"""Which tiers speak in a benchmark: ``--tier rules | local | rules+local | system-one | chat``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..classifier.local import LocalEncoder, is_installed
from ..router.values import Catalog, Opinion
from .network_tiers import NETWORK, network_tier
from .options import UsageError

__all__ = ["Tiers", "tiers"]

HEAD = Path(__file__).resolve().parents[1] / "classifier" / "data" / "local_head.npz"
KNOWN = ("rules", "local", "rules+local", *NETWORK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """What :func:`..router.engine.decide` is given beside the message.

    Attributes:
        use_rules: the rules have a say.
        ask: opinions of the tiers behind them, in their order; text, catalog → opinions.
        asks: there are such tiers.
    """

    use_rules: bool
    ask: Callable[[str, Catalog], tuple[Opinion, ...]]
    asks: bool = True


def tiers(name: str) -> Tiers:
    """The tiers of a name, warm.

    Raises:
        UsageError: the name is unknown, or the encoder of the extra ``[local]`` is not
            installed or does not start.
    """
    if name not in KNOWN:
        raise UsageError(f"unknown tier {name!r}; known: {', '.join(KNOWN)}")
    if name == "rules":
        return Tiers(use_rules=True, ask=lambda text, catalog: (), asks=False)
    if name in NETWORK:
        return Tiers(use_rules=False, ask=network_tier(name))
    if not is_installed():
        raise UsageError(f"tier {name!r} needs the extra [local]: requirements-local.txt")
    encoder = LocalEncoder(HEAD.read_bytes())
    encoder.prewarm().join()
    if not encoder.ready:
        raise UsageError(f"tier {name!r} did not start: {encoder.error}")

    def ask(text: str, catalog: Catalog) -> tuple[Opinion, ...]:
        opinion = encoder.opinion(text, catalog)
        return () if opinion is None else (opinion,)

    return Tiers(use_rules="rules" in name, ask=ask)
