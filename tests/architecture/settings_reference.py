"""The table of settings in docs/configuration.md, made from the model."""

from __future__ import annotations

from hermes_tool_router.router.settings_fields import SettingField, fields

START = "<!-- settings: made from router/settings_model.py; UPDATE_DOCS=1 rewrites it -->"
END = "<!-- /settings -->"


def rendered() -> str:
    """The table between the markers, with one heading per group."""
    lines: list[str] = []
    group = None
    for field in fields():
        parent = field.path.rpartition(".")[0]
        if parent != group:
            group = parent
            title = f"`{parent}`" if parent else "Routing"
            lines += ["", f"### {title}", "", "| key | default | allowed | meaning |"]
            lines.append("|---|---|---|---|")
        lines.append(_row(field))
    return "\n".join([START, *lines, "", END])


def _row(field: SettingField) -> str:
    unit = f" ({field.unit})" if field.unit else ""
    cells = (f"`{field.path}`", _value(field.default), field.allowed + unit, field.description)
    return f"| {' | '.join(cells)} |"


def _value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return f"`{str(value).lower() if value is not None else 'null'}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(value) + "]`"
    return f"`{value}`"
