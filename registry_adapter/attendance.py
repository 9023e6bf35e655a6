"""Who can answer an approval question now.

The host has predicates for it, most of them private, and none for a single
query.  Everything is asked at the moment of use: a gateway serves attended
and unattended sessions in one process.  Names are those of hermes-agent
0.19.0 ``tools/approval.py``; what is missing reads as "nobody", because an
approval that nobody can give must not be counted on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from ..risk_gate import Place
from .host import is_review_thread

__all__ = ["attendance", "has_later_policy_hook"]

_QUERY_FLAGS = frozenset({"-q", "--query", "-z"})
_UNATTENDED_PLATFORMS = frozenset({"cron", "curator", "webhook", "msgraph_webhook"})
_TRUE = frozenset({"1", "true", "yes", "on"})


def attendance(
    *,
    session_id: str,
    platform: str,
    environ: Mapping[str, str] = os.environ,
    argv: Sequence[str] | None = None,
) -> Place:
    """Tell where a call runs, which says who can answer for it.

    Args:
        session_id: of the call; nested calls have none.
        platform: of the session's turn, as ``pre_llm_call`` named it.
        environ: the process environment.
        argv: the process arguments; ``None`` takes the real ones.
    """
    if is_review_thread():
        return Place.REVIEW
    if not session_id:
        return Place.NESTED
    if platform == "subagent":
        return Place.SUBAGENT
    approval = _approval_module()
    if approval is None:
        return Place.BARE
    if _yolo(approval):
        return Place.YOLO
    if _set(environ, "HERMES_CRON_SESSION") or platform == "cron":
        return Place.CRON
    if platform in _UNATTENDED_PLATFORMS:
        return Place.WEBHOOK
    if _ask(approval, "_is_gateway_approval_context") or _set(environ, "HERMES_EXEC_ASK"):
        return Place.MESSAGING if _is_delivered(approval) else Place.STATELESS_API
    if not _ask(approval, "_is_interactive_cli"):
        return Place.BARE
    return Place.SINGLE_QUERY if _is_single_query(environ, argv) else Place.INTERACTIVE


def has_later_policy_hook(callback: object) -> bool:
    """Whether a ``pre_tool_call`` callback runs after ours.

    The first directive wins (hermes-agent 0.19.0 hermes_cli/plugins.py:2101),
    so our ``approve`` would hide a later ``block``.  Where the list cannot be
    read the answer is yes.  Hermes' own observers do not count: its gateway
    always loads one behind every plugin (plugins/platforms/raft/adapter.py:848).
    """
    callbacks = _policy_hooks()
    if callback not in callbacks:
        return True
    later = callbacks[callbacks.index(callback) + 1 :]
    return not all(_is_host_observer(item) for item in later)


def _is_host_observer(callback: object) -> bool:
    """A hook that ships with Hermes and declares that it returns nothing."""
    declared = getattr(callback, "__annotations__", {})
    silent = "return" in declared and declared["return"] in {None, "None"}
    source = getattr(callback, "__globals__", {}).get("__file__", "")
    return silent and bool(source) and Path(source).resolve().is_relative_to(_bundled_plugins())


def _bundled_plugins() -> Path:
    import hermes_cli  # noqa: PLC0415 - host import

    return Path(str(hermes_cli.__file__)).resolve().parents[1] / "plugins"


def _policy_hooks() -> tuple[object, ...]:
    from hermes_cli import plugins  # noqa: PLC0415 - host import

    snapshot = getattr(plugins, "iter_hook_callbacks", None)  # newer than 0.19.0
    if callable(snapshot):
        return tuple(_callback(item) for item in snapshot("pre_tool_call"))
    hooks = getattr(plugins.get_plugin_manager(), "_hooks", {})
    return tuple(hooks.get("pre_tool_call", ()))


def _callback(item: object) -> object:
    """Newer hosts yield the callback itself, or a pair that ends in it."""
    return item[-1] if isinstance(item, tuple) and item else item


def _approval_module() -> ModuleType | None:
    try:
        from tools import approval  # noqa: PLC0415 - host import
    except ImportError:
        return None
    return approval if isinstance(approval, ModuleType) else None


def _yolo(approval: ModuleType) -> bool:
    frozen = bool(getattr(approval, "_YOLO_MODE_FROZEN", False))
    return frozen or _ask(approval, "is_current_session_yolo_enabled")


def _is_delivered(approval: ModuleType) -> bool:
    """Whether the session has a channel that carries the question to somebody."""
    callbacks = getattr(approval, "_gateway_notify_cbs", {})
    key = getattr(approval, "get_current_session_key", lambda: "")()
    return key in callbacks


def _is_single_query(environ: Mapping[str, str], argv: Sequence[str] | None) -> bool:
    if _set(environ, "HERMES_SINGLE_QUERY_SESSION"):  # newer than 0.19.0
        return True
    arguments = sys.argv[1:] if argv is None else argv
    return any(item in _QUERY_FLAGS or item.startswith(("--query=", "-q=")) for item in arguments)


def _ask(module: ModuleType, name: str) -> bool:
    predicate = getattr(module, name, None)
    return bool(predicate()) if callable(predicate) else False


def _set(environ: Mapping[str, str], name: str) -> bool:
    return environ.get(name, "").strip().lower() in _TRUE
