"""The network tiers in a benchmark: ``--tier system-one`` and ``--tier chat``.

They ask what the environment names, and only then: a server of the user's at
``TOOL_ROUTER_BENCH_URL`` (for ``chat`` with ``TOOL_ROUTER_BENCH_MODEL``), else
the hosted service whose key is set.  Each case is a paid request there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..classifier.assembly import assemble
from ..router.settings_model import Settings
from ..router.values import Catalog, Opinion
from .options import UsageError

__all__ = ["NETWORK", "network_tier"]

NETWORK: Final = ("system-one", "chat")
_URL: Final = "TOOL_ROUTER_BENCH_URL"
_MODEL: Final = "TOOL_ROUTER_BENCH_MODEL"
_DEADLINE_S: Final = 10.0
_KEYS: Final = {
    "system-one": ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY"),
    "chat": ("DEEPSEEK_API_KEY", "OPENROUTER_API_KEY"),
}


def network_tier(
    name: str, environ: Mapping[str, str] = os.environ
) -> Callable[[str, Catalog], tuple[Opinion, ...]]:
    """Opinions of one network tier; a case that nobody answers has a failed one.

    Raises:
        UsageError: the environment names nobody to ask.
    """
    settings = Settings.model_validate(_settings(name, environ))
    tiers = assemble(settings, environ=environ).tiers

    def ask(text: str, catalog: Catalog) -> tuple[Opinion, ...]:
        opinion = tiers.ask(text, catalog, deadline_s=_DEADLINE_S)
        return () if opinion is None else (opinion,)

    return ask


def _settings(name: str, environ: Mapping[str, str]) -> dict[str, Any]:
    url, model = environ.get(_URL), environ.get(_MODEL)
    # Nobody waits here, and a benchmark must not go quiet after three failures.
    calls: dict[str, Any] = {"min_interval_s": 0.0, "breaker_threshold": 100}
    found = [key for key in _KEYS[name] if environ.get(key)]
    if not url and not found:
        raise UsageError(f"tier {name!r} needs {_URL}, or one of {', '.join(_KEYS[name])}")
    if name == "system-one":
        if url:
            calls |= {"backend": "local", "base_url": url} | ({"model": model} if model else {})
        return {"system_one": calls, "turn_classifier": {"enabled": True}}
    chat: dict[str, Any] = {"enabled": True}
    if url:
        if not model:
            raise UsageError(f"tier 'chat' at {_URL} needs {_MODEL}")
        chat |= {"provider": "custom", "base_url": url, "model": model}
    else:
        chat["provider"] = "deepseek" if "DEEPSEEK_API_KEY" in found else "openrouter"
    return {"system_one": calls, "classifier": chat}
