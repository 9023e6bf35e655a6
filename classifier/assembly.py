"""From settings to the objects that ask models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..router.settings_model import Settings
from ..router.settings_model import SystemOne as SystemOneSettings
from .clock import Clock
from .jev_ask import SessionBudgets
from .ports import Observer, StateSanitizer
from .presets import Backend, SystemOneConfig
from .routing import SystemOneRouter
from .scrubber import Scrubber
from .system_one import SystemOneClient
from .tiers import NetworkTiers, Router
from .transport import Transport

__all__ = ["Classifiers", "assemble", "system_one_config"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifiers:
    """Everything that asks models under one set of settings; nothing is open yet.

    Attributes:
        transport: shared connections; close it when the settings change, which also
            forgets breakers and refused keys.
        system_one: for gate, verifier and ``jev_ask``.
        tiers: for routing; asks nobody unless a tier is enabled.
        budgets: of ``jev_ask``.
        sanitizer: in front of everything that is sent.
    """

    transport: Transport
    system_one: SystemOneClient
    tiers: NetworkTiers
    budgets: SessionBudgets
    sanitizer: StateSanitizer


def assemble(
    settings: Settings,
    *,
    environ: Mapping[str, str],
    sanitizer: StateSanitizer | None = None,
    on_call: Observer | None = None,
    clock: Clock | None = None,
) -> Classifiers:
    """Build everything; opens no socket, starts no thread and reads no key.

    Args:
        settings: resolved.
        environ: live view of the environment.
        sanitizer: applied to everything that is sent; ``None``: the shipped patterns
            and the environment's secrets, read anew at each use.
        on_call: told about every call.
        clock: where time comes from; ``None``: the machine's clock.
    """
    if sanitizer is None:
        names = (settings.system_one.api_key_env, settings.classifier.api_key_env)
        sanitizer = Scrubber(environ, key_names=[name for name in names if name])
    transport = Transport(max_workers=settings.system_one.max_workers, clock=clock)
    config = system_one_config(settings.system_one)
    client = SystemOneClient(config, transport, environ, sanitizer, on_call)
    routers: list[Router] = []
    if settings.turn_classifier.enabled:
        routers.append(SystemOneRouter(client))
    if settings.classifier.enabled:
        # The openai SDK takes half a second to load; only this tier needs it.
        from .chat import ChatRouter, chat_config  # noqa: PLC0415

        chat = ChatRouter(chat_config(settings), transport, environ, sanitizer, on_call)
        routers.append(chat)
    tiers = NetworkTiers(
        routers,
        sanitizer=sanitizer,
        clock=transport.clock,
        cache_s=settings.system_one.cache_seconds,
    )
    budgets = SessionBudgets(settings.jev_ask.max_calls_per_session)
    return Classifiers(
        transport=transport,
        system_one=client,
        tiers=tiers,
        budgets=budgets,
        sanitizer=sanitizer,
    )


def system_one_config(section: SystemOneSettings) -> SystemOneConfig:
    """What the section ``system_one`` means for the client."""
    return SystemOneConfig(
        backend=Backend(section.backend),
        base_url=section.base_url,
        api_key_env=section.api_key_env or "",
        model=section.model,
        typesafe_model=section.typesafe_model or "",
        typesafe_base_url=section.typesafe_base_url,
        openrouter_model=section.openrouter_model,
        openrouter_base_url=section.openrouter_base_url,
        jev_model=section.jev_model,
        jev_base_url=section.jev_base_url,
        timeout_s=section.timeout_s,
        max_workers=section.max_workers,
        state_max_bytes=section.state_max_bytes,
        cache_seconds=section.cache_seconds,
        retry_max_wait_s=section.retry_max_wait_s,
        breaker_threshold=section.breaker_threshold,
        breaker_cooldown_s=section.breaker_cooldown_s,
        min_interval_s=section.min_interval_s,
    )
