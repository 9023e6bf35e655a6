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
    *(
        Reliance(name=name, use=use, needed=False)
        for use, names in (
            ("describing toolsets", ("toolsets:TOOLSETS",)),
            ("telling plugin tools apart", ("hermes_cli.plugins:get_plugin_manager",)),
            (
                "settings per profile",
                (
                    "hermes_cli.profiles:get_active_profile_name",
                    "hermes_cli.profiles:profile_exists",
                ),
            ),
            (
                "the risk gate",
                (
                    "hermes_cli.plugins:VALID_HOOKS.pre_tool_call",
                    "hermes_cli.plugins:VALID_HOOKS.post_approval_response",
                    "tools.approval:request_tool_approval",
                    "tools.approval:_is_interactive_cli",
                    "tools.approval:_is_gateway_approval_context",
                ),
            ),
            (
                "the verifier",
                (
                    "hermes_cli.plugins:VALID_HOOKS.pre_verify",
                    "hermes_cli.plugins:VALID_HOOKS.post_tool_call",
                    "hermes_cli.plugins:VALID_HOOKS.transform_llm_output",
                    "hermes_cli.plugins:VALID_HOOKS.on_session_end",
                ),
            ),
            (
                "hermes tool-router",
                (
                    "hermes_cli.plugins:PluginContext.register_cli_command",
                    "hermes_cli.config:get_config_path",
                    "hermes_cli.config:set_config_value",
                    "hermes_cli.config:get_managed_system",
                    "hermes_cli.config:is_managed",
                    "hermes_cli.managed_scope:is_key_managed",
                    "hermes_cli.managed_scope:get_managed_dir",
                    "hermes_cli.tools_config:_get_platform_tools",
                    "model_tools:get_tool_definitions",
                ),
            ),
            (
                "/router",
                (
                    "hermes_cli.plugins:PluginContext.register_command",
                    "hermes_cli.plugins:VALID_HOOKS.pre_gateway_dispatch",
                    "gateway.session_context:get_session_env",
                    "hermes_constants:set_hermes_home_override",
                    "hermes_constants:reset_hermes_home_override",
                ),
            ),
            ("the onboarding skill", ("hermes_cli.plugins:PluginContext.register_skill",)),
        )
        for name in names
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
    for use in dict.fromkeys(item.use for item in missed):
        names = [item.name for item in missed if item.use == use]
        text = f"this Hermes limits {use}: it has no {', no '.join(names)}"
        findings.append(note("host.feature", text, missing=names))
    return tuple(findings)
