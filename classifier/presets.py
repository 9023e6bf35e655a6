"""The backends that speak System One, and how each is addressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import httpx

__all__ = ["AUTO_ORDER", "PRESETS", "Backend", "Preset", "Route", "SystemOneConfig", "Wire"]


class Backend(StrEnum):
    """Whom to ask."""

    AUTO = "auto"
    """The first of TypeSafe, OpenRouter and AI Gateway that has a key."""
    TYPESAFE = "typesafe"
    OPENROUTER = "openrouter"
    GATEWAY = "gateway"
    LOCAL = "local"
    """A server of the user's that speaks ``/v1/systemone``: Ollama, llama.cpp, vLLM, LM Studio."""
    CUSTOM = "custom"
    """Any other host that speaks it."""


class Wire(StrEnum):
    """Shapes of request and answer."""

    SYSTEM_ONE = "system_one"
    EVALUATION = "evaluation"
    """Vercel's older evaluation-model protocol: no model in the body, ``boolean`` questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One address with its protocol."""

    url: httpx.URL
    wire: Wire = Wire.SYSTEM_ONE


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOneConfig:
    """What the settings say about decision models; times in seconds.

    Attributes:
        backend: whom to ask.
        base_url: address for ``local`` and ``custom``.
        api_key_env: name of the environment variable with the key for ``local``
            and ``custom``; empty: no key.
        model: model for TypeSafe (unless ``typesafe_model`` is set), ``local`` and ``custom``.
        max_questions: questions in one request; larger packs go out in several.
    """

    backend: Backend = Backend.AUTO
    base_url: str = "http://127.0.0.1:11434"  # Ollama's default port
    api_key_env: str = ""
    model: str = "jev-latest"
    typesafe_model: str = ""
    typesafe_base_url: str = "https://api.typesafe.ai"
    openrouter_model: str = "~typesafe/jev-latest"
    openrouter_base_url: str = "https://openrouter.ai/api/alpha"
    jev_model: str = "typesafe-ai/jev"
    jev_base_url: str = "https://ai-gateway.vercel.sh/v4/ai"
    timeout_s: float = 2.0
    max_workers: int = 4
    state_max_bytes: int = 8000
    cache_seconds: float = 300.0
    retry_max_wait_s: float = 2.0
    breaker_threshold: int = 3
    breaker_cooldown_s: float = 120.0
    min_interval_s: float = 0.25
    max_questions: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How one backend is addressed.

    Attributes:
        key_env: variable with the key, given the settings; empty: none is sent.
            Where it is named but not set, only this machine is asked.
        address: the base URL from the settings.
        model: the model from the settings.
        routes: addresses to try in order, the next one after a 404; what answers
            is remembered.
        forbidden_is_auth: whether 403 means a refused key.  OpenRouter uses it for
            moderation, the gateway for an unverified account.
    """

    key_env: Callable[[SystemOneConfig], str]
    address: Callable[[SystemOneConfig], str]
    model: Callable[[SystemOneConfig], str]
    routes: Callable[[httpx.URL], tuple[Route, ...]]
    forbidden_is_auth: bool = True


def _typesafe_routes(url: httpx.URL) -> tuple[Route, ...]:
    return (Route(url=_join(url, "/v1/systemone")),)


def _openrouter_routes(url: httpx.URL) -> tuple[Route, ...]:
    """The alias that takes TypeSafe's body, then the alpha Decisions API."""
    root = url.copy_with(path=url.path.removesuffix("/alpha"))
    return (
        Route(url=_join(root, "/v1/systemone")),
        Route(url=_join(root, "/alpha/decisions")),
    )


def _gateway_routes(url: httpx.URL) -> tuple[Route, ...]:
    """TypeSafe's shape on Vercel's own host, then the older evaluation protocol.

    An address of another host says by its end which of the two it speaks.
    """
    older = Route(url=_join(url, "/evaluation-model"), wire=Wire.EVALUATION)
    if url.host == "ai-gateway.vercel.sh":
        root = url.copy_with(path="/")
        newer = Route(url=_join(root, "/typesafe/v1/systemone"))
        if url.path.startswith("/typesafe"):
            return (newer,)
        return (newer, older)
    return (older,) if url.path.endswith("/ai") else _typesafe_routes(url)


def _join(url: httpx.URL, path: str) -> httpx.URL:
    return url.copy_with(path=url.path.rstrip("/") + path)


PRESETS: Final[Mapping[Backend, Preset]] = {
    Backend.TYPESAFE: Preset(
        key_env=lambda _: "TYPESAFE_API_KEY",
        address=lambda config: config.typesafe_base_url,
        model=lambda config: config.typesafe_model or config.model,
        routes=_typesafe_routes,
    ),
    Backend.OPENROUTER: Preset(
        key_env=lambda _: "OPENROUTER_API_KEY",
        address=lambda config: config.openrouter_base_url,
        model=lambda config: config.openrouter_model,
        routes=_openrouter_routes,
        forbidden_is_auth=False,
    ),
    Backend.GATEWAY: Preset(
        key_env=lambda _: "AI_GATEWAY_API_KEY",
        address=lambda config: config.jev_base_url,
        model=lambda config: config.jev_model,
        routes=_gateway_routes,
        forbidden_is_auth=False,
    ),
    Backend.LOCAL: Preset(
        key_env=lambda config: config.api_key_env,
        address=lambda config: config.base_url,
        model=lambda config: config.model,
        routes=_typesafe_routes,
    ),
    Backend.CUSTOM: Preset(
        key_env=lambda config: config.api_key_env,
        address=lambda config: config.base_url,
        model=lambda config: config.model,
        routes=_typesafe_routes,
    ),
}

AUTO_ORDER: Final = (Backend.TYPESAFE, Backend.OPENROUTER, Backend.GATEWAY)
