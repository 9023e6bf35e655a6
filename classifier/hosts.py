"""Where requests may go, and which key may go there."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final

import httpx

from .errors import NotSentError
from .outcomes import CallOutcome

__all__ = ["VENDOR_HOSTS", "base_url", "is_loopback", "key_for"]

VENDOR_HOSTS: Final[Mapping[str, str]] = {
    "TYPESAFE_API_KEY": "typesafe.ai",
    "OPENROUTER_API_KEY": "openrouter.ai",
    "AI_GATEWAY_API_KEY": "ai-gateway.vercel.sh",
    "DEEPSEEK_API_KEY": "deepseek.com",
    "OPENAI_API_KEY": "openai.com",
    "ANTHROPIC_API_KEY": "anthropic.com",
    "GEMINI_API_KEY": "googleapis.com",
    "GOOGLE_API_KEY": "googleapis.com",
    "GROQ_API_KEY": "groq.com",
    "MISTRAL_API_KEY": "mistral.ai",
    "XAI_API_KEY": "x.ai",
    "TOGETHER_API_KEY": "together.xyz",
    "FIREWORKS_API_KEY": "fireworks.ai",
}
"""Names that vendors' own documents give to keys, and the one domain each may reach."""

_SUFFIXES = ("/v1/systemone", "/chat/completions", "/v1")


def is_loopback(host: str) -> bool:
    """Say whether ``host`` is this machine: ``localhost``, 127.0.0.0/8 or ``::1``."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def base_url(text: str, *, strip_version: bool = True) -> httpx.URL:
    """Read a base URL as people write it.

    Args:
        text: with or without trailing slash, ``/v1`` or the whole endpoint path.
        strip_version: drop a trailing ``/v1`` too; chat endpoints keep it.

    Returns:
        The URL without trailing slash, query and fragment.

    Raises:
        NotSentError: not a URL, credentials inside it, or plain HTTP to a host
            that is not this machine.
    """
    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise _refused("base url cannot be read") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise _refused("base url is not an http or https address with a host")
    if url.userinfo:
        raise _refused("base url holds credentials; put the key into the environment")
    if url.scheme == "http" and not is_loopback(url.host):
        raise _refused("plain http is allowed to this machine only; use https")
    path = url.path.rstrip("/")
    for suffix in _SUFFIXES if strip_version else _SUFFIXES[1:2]:
        path = path.removesuffix(suffix)
    return url.copy_with(path=path.rstrip("/") or "/", query=None, fragment=None)


def key_for(url: httpx.URL, name: str, environ: Mapping[str, str]) -> str:
    """The key under ``name`` if it may go to ``url``, else an empty string.

    A key belongs to a vendor if it stands under that vendor's usual name, or is
    equal to a value that does.  It reaches that vendor's own hosts only, over TLS.
    """
    key = environ.get(name, "").strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        return ""
    owners = {host for env, host in VENDOR_HOSTS.items() if env == name or environ.get(env) == key}
    if not owners:
        return key
    host = url.host.lower().rstrip(".")
    own = any(host == owner or host.endswith("." + owner) for owner in owners)
    return key if own and url.scheme == "https" else ""


def _refused(message: str) -> NotSentError:
    return NotSentError(message, outcome=CallOutcome.REFUSED)
