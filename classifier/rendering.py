"""Show a request as it would be sent, without its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["RenderedRequest", "rendered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedRequest:
    """One HTTP request as text."""

    method: str
    url: str
    headers: Mapping[str, str]
    """Those that we set; the key is masked."""
    body: str
    """JSON, exactly as sent."""


def rendered(url: str, headers: Mapping[str, str], body: bytes) -> RenderedRequest:
    """Render a POST; the value of ``Authorization`` is replaced by ``Bearer ***``."""
    return RenderedRequest(
        method="POST",
        url=url,
        headers={
            name: "Bearer ***" if name.lower() == "authorization" else value
            for name, value in headers.items()
        },
        body=body.decode(),
    )
