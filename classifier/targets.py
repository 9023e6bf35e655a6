"""From settings and environment to one endpoint with one key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import httpx

from .errors import NotSentError
from .hosts import base_url, is_loopback, key_for
from .outcomes import CallOutcome
from .presets import AUTO_ORDER, PRESETS, Backend, Route, SystemOneConfig, Wire

__all__ = ["Target", "request_headers", "resolve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a call goes."""

    backend: Backend
    base: httpx.URL
    routes: tuple[Route, ...]
    model: str
    key: str
    """Empty: none is sent."""
    forbidden_is_auth: bool

    @property
    def host(self) -> str:
        """Host, and port where it is not the usual one."""
        return self.base.netloc.decode("ascii")


def resolve(config: SystemOneConfig, environ: Mapping[str, str]) -> Target:
    """Choose the endpoint.

    Args:
        config: the settings.
        environ: read anew at each call, so that a key set later is found.

    Raises:
        NotSentError: no key, a key that belongs to another vendor's host, or an
            address that our rules forbid.
    """
    if config.backend is not Backend.AUTO:
        return _target(config.backend, config, environ)
    first: NotSentError | None = None
    for backend in AUTO_ORDER:
        try:
            target = _target(backend, config, environ)
        except NotSentError as error:
            first = first or error
            continue
        if target.key:
            return target
    names = ", ".join(PRESETS[backend].key_env(config) for backend in AUTO_ORDER)
    raise NotSentError(f"no key: set one of {names}", outcome=CallOutcome.NO_KEY) from first


def request_headers(target: Target, route: Route) -> dict[str, str]:
    """Headers of a request, the key included where there is one."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if target.key:
        headers["Authorization"] = f"Bearer {target.key}"
    if route.wire is Wire.EVALUATION:
        headers |= {
            "ai-gateway-protocol-version": "0.0.1",
            "ai-gateway-auth-method": "api-key",
            "ai-evaluation-model-specification-version": "4",
            "ai-model-id": target.model,
        }
    return headers


@lru_cache(maxsize=32)
def _addresses(backend: Backend, address: str) -> tuple[httpx.URL, tuple[Route, ...]]:
    """Base and routes of an address; reading URLs takes longer than the rest of a call."""
    base = base_url(address)
    return base, PRESETS[backend].routes(base)


def _target(backend: Backend, config: SystemOneConfig, environ: Mapping[str, str]) -> Target:
    preset = PRESETS[backend]
    base, routes = _addresses(backend, preset.address(config))
    name = preset.key_env(config)
    key = key_for(base, name, environ) if name else ""
    if name and not key and not is_loopback(base.host):
        raise NotSentError(
            f"no key in {name} that may go to {base.host}", outcome=CallOutcome.NO_KEY
        )
    return Target(
        backend=backend,
        base=base,
        routes=routes,
        model=preset.model(config),
        key=key,
        forbidden_is_auth=preset.forbidden_is_auth,
    )
