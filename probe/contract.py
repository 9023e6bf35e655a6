"""What we rely on in Hermes, by name, and what is lost without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .findings import Finding, note, ok, problem

__all__ = ["RELIANCES", "Reliance", "judge"]

# The oldest release on PyPI that has all of it is 0.18.1: middleware came with 0.17.0,
# the approve directive with 0.18.1.
_OLDEST = "0.18.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliance:
    """One hook, middleware or call of the host.

    Attributes:
        name: ``module:attribute.path``; the last part may be a member of a set of names.
        use: what we do with it.
        needed: without it nothing can be routed.
    """

    name: str
    use: str
    needed: bool = True


RELIANCES = (
    Reliance(
        name="hermes_cli.plugins:PluginContext.register_middleware",
        use="wrapping requests and calls",
    ),
    Reliance(
        name="hermes_cli.middleware:VALID_MIDDLEWARE.llm_execution",
        use="sending fewer tool schemas",
    ),
    Reliance(
        name="hermes_cli.middleware:VALID_MIDDLEWARE.tool_request",
        use="noticing the call of a pruned tool",
    ),
    Reliance(
        name="hermes_cli.plugins:PluginContext.register_hook", use="hearing of turns and calls"
    ),
    Reliance(name="hermes_cli.plugins:VALID_HOOKS.pre_llm_call", use="reading the user's message"),
    Reliance(name="hermes_cli.plugins:PluginContext.register_tool", use="offering request_toolset"),
    Reliance(name="tools.registry:registry.get_toolset_for_tool", use="knowing whose a tool is"),
    Reliance(name="hermes_constants:get_hermes_home", use="finding the home of a turn"),
    Reliance(name="hermes_cli.config:load_config_readonly", use="reading the settings"),
    Reliance(name="toolsets:TOOLSETS", use="describing toolsets", needed=False),
    Reliance(
        name="hermes_cli.plugins:get_plugin_manager", use="telling plugin tools apart", needed=False
    ),
    Reliance(
        name="hermes_cli.profiles:get_active_profile_name",
        use="settings per profile",
        needed=False,
    ),
    Reliance(
        name="hermes_cli.plugins:VALID_HOOKS.pre_tool_call", use="the risk gate", needed=False
    ),
    Reliance(name="hermes_cli.plugins:VALID_HOOKS.pre_verify", use="the verifier", needed=False),
    Reliance(
        name="hermes_cli.plugins:VALID_HOOKS.post_tool_call",
        use="the verifier's evidence",
        needed=False,
    ),
    Reliance(name="hermes_cli.plugins:PluginContext.register_command", use="/router", needed=False),
    Reliance(
        name="hermes_cli.plugins:PluginContext.register_cli_command",
        use="hermes tool-router",
        needed=False,
    ),
)


def judge(version: str, found: Mapping[str, bool]) -> tuple[Finding, ...]:
    """Say what of the contract this Hermes holds.

    Args:
        version: Hermes' version.
        found: by reliance name; a name that is missing counts as absent.
    """
    lost = [item for item in RELIANCES if item.needed and not found.get(item.name)]
    missed = [item for item in RELIANCES if not item.needed and not found.get(item.name)]
    findings: list[Finding] = []
    if lost:
        uses = "; ".join(f"{item.name} ({item.use})" for item in lost)
        findings.append(
            problem(
                "host.contract",
                f"hermes-agent {version} lacks what routing needs: {uses}; "
                f"install hermes-agent {_OLDEST} or newer",
                missing=[item.name for item in lost],
            )
        )
    else:
        findings.append(
            ok(
                "host.contract",
                f"hermes-agent {version} has the hooks, middleware and calls that routing needs",
                checked=[item.name for item in RELIANCES],
            )
        )
    findings += [
        note(
            "host.feature",
            f"{item.use}: not with this Hermes, {item.name} is missing",
            missing=item.name,
        )
        for item in missed
    ]
    return tuple(findings)
