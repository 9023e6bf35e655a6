"""What Hermes holds: callbacks that put the plugin's parts together when one is first called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .guard import Guard
from .last_resort import last_resort
from .once import Once

if TYPE_CHECKING:
    from .assembly import Parts

__all__ = ["Late"]


class Late:
    """Passes each call on; where the parts cannot be made, as if we were not there.

    Args:
        guard: logs why they cannot be made.
        parts: makes them.
        enforces: whether the gate enforces here, as far as the settings say.
    """

    def __init__(self, guard: Guard, parts: Once[Parts], enforces: Callable[[], bool]) -> None:
        self._guard = guard
        self._parts = parts
        self._enforces = enforces

    def pre_llm_call(self, **kwargs: Any) -> None:
        """A turn begins."""
        parts = self._parts.made or self._make()
        if parts is not None:
            parts.callbacks.pre_llm_call(kwargs)

    def llm_execution(
        self, *, request: Mapping[str, Any], next_call: Callable[[Any], Any], **kwargs: Any
    ) -> Any:
        """A request is sent."""
        parts = self._parts.made or self._make()
        if parts is None:
            return next_call(request)
        return parts.callbacks.llm_execution(request, next_call, kwargs)

    def tool_request(self, **kwargs: Any) -> None:
        """A tool was called."""
        parts = self._parts.made or self._make()
        if parts is not None:
            parts.callbacks.tool_request(kwargs)

    def pre_tool_call(self, **kwargs: Any) -> Any:
        """The gate's policy hook."""
        parts = self._parts.made or self._make()
        if parts is not None:
            return parts.hooks["gate"]["pre_tool_call"](**kwargs)
        return last_resort(self._guard, self._enforces, enforced=False)

    def hook(self, feature: str, name: str) -> Callable[..., Any]:
        """A hook of a feature."""

        def call(**kwargs: Any) -> Any:
            parts = self._parts.made or self._make()
            return None if parts is None else parts.hooks[feature][name](**kwargs)

        call.__name__ = f"{feature}_{name}"  # the host names it in its log
        return call

    def _make(self) -> Parts | None:
        return self._guard.run("assembly", self._parts, lambda: None)
