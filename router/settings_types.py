"""Field types of the settings model: each refuses what it does not mean.

Every type raises ``ValueError`` with a text that says what is allowed; none
repeats the refused value, because a key or a password may have been pasted.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

__all__ = [
    "Auto",
    "EnvName",
    "Mode",
    "NameList",
    "Probability",
    "Text",
    "Url",
    "fold",
    "folded",
    "group",
    "is_loopback",
    "setting",
]

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f]+")


def setting(default: Any, description: str, *, unit: str = "", **bounds: Any) -> Any:
    """Declare one setting.

    Args:
        default: the shipped value.
        description: one sentence for people; it goes into the docs as it is.
        unit: unit of the value, empty where it has none.
        bounds: pydantic's ``ge``, ``le``, ``gt``, ``lt``.
    """
    return Field(
        default=default, description=description, json_schema_extra={"unit": unit}, **bounds
    )


def group(model: type[BaseModel]) -> Any:
    """Declare a group of settings, all at their shipped values; it is frozen, so one does."""
    return Field(default_factory=cache(model.model_construct))


def fold(value: object) -> object:
    """Drop case and outer blanks of a word, so that ``Enforce`` means ``enforce``."""
    return value.strip().lower() if isinstance(value, str) else value


def _names(value: object) -> object:
    if not isinstance(value, list | tuple):
        raise ValueError("a list of names is allowed, such as [web, file]")
    if not all(isinstance(name, str) and name.strip() for name in value):
        raise ValueError("a list of names is allowed; every entry must be text")
    return tuple(dict.fromkeys(name.strip() for name in value))


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address means this machine."""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _url(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("an address is allowed, such as https://example.org/v1")
    try:
        parts = urlsplit(value.strip())
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("an address is allowed, such as https://example.org/v1") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("an address with https:// or http:// and a host is allowed")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("an address without user name, password, query or fragment is allowed")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError("http:// is allowed for this machine only; use https://")
    return value.strip().rstrip("/")


def _env_name(value: object) -> object:
    if not isinstance(value, str) or not _ENV_NAME.fullmatch(value):
        raise ValueError("the name of an environment variable is allowed, never the key itself")
    return value


def _text(value: object) -> object:
    if not isinstance(value, str) or not _PRINTABLE.fullmatch(value.strip()):
        raise ValueError("one line of text is allowed, not empty")
    return value.strip()


def _allowed(kind: str, text: str) -> WithJsonSchema:
    """Say in the schema what :func:`router.settings_fields.fields` tells people."""
    return WithJsonSchema({"type": kind, "allowed": text})


folded = BeforeValidator(fold)
Mode = Annotated[Literal["shadow", "enforce"], folded]
Auto = Annotated[bool | Literal["auto"], folded]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
NameList = Annotated[
    tuple[str, ...], BeforeValidator(_names), _allowed("array", "a list of names, may be empty")
]
Url = Annotated[
    str,
    BeforeValidator(_url),
    _allowed("string", "https://…, or http://… on this machine"),
]
EnvName = Annotated[
    str,
    BeforeValidator(_env_name),
    _allowed("string", "the name of an environment variable, never the key itself"),
]
Text = Annotated[str, BeforeValidator(_text), _allowed("string", "one line of text, not empty")]
