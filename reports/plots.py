"""Drawings as SVG text, where matplotlib (extra ``[report]``) is installed.

Without it each function returns an empty text, and the page's tables stand
alone.  Text and axes take the reader's own colour, so that one drawing serves
light and dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["bars", "histogram", "is_installed", "lowest", "reliability", "steps", "why_none"]

_INK = "#010203"
"""Stands for the page's own text colour; replaced after drawing."""
_COLOURS = ("#4c8bd6", "#e08a3c", "#57a773", "#b86fc6", "#d1605e", "#8a8f98")
"""Middle tones that stand out on white and on near-black."""


_WIDTH = 5.2
"""Inches; on a phone a point is then about a pixel, and a label can be read."""


def is_installed() -> bool:
    """Whether drawings can be made."""
    try:
        import matplotlib  # noqa: F401, PLC0415 - optional
    except ImportError:
        return False
    return True


def why_none(text: str) -> str:
    """``text`` where drawings could be made; empty where the library is missing."""
    return text if is_installed() else ""


def lowest(rows: Mapping[str, float], *, limit: int) -> dict[str, float]:
    """The lowest values of many, the lowest first; few stay in their order."""
    if len(rows) <= limit:
        return dict(rows)
    return dict(sorted(rows.items(), key=lambda item: (item[1], item[0]))[:limit])


def histogram(values: Sequence[float], *, across: str) -> str:
    """How often each tenth of shares from 0 to 1 occurs; values outside go to the ends."""
    inside = [min(1.0, max(0.0, value)) for value in values]
    if not inside:
        return ""

    def draw(axes: Any) -> None:
        axes.hist(inside, bins=[n / 10 for n in range(11)], color=_COLOURS[0], rwidth=0.92)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel(across)
        axes.set_ylabel("how often")

    return _drawn(draw, f"histogram {across}", height=2.6)


def bars(rows: Mapping[str, float], *, across: str, percent: bool = False) -> str:
    """One bar a row, in the order of the rows, from the top; a single row is no drawing."""
    if len(rows) < 2:
        return ""

    def draw(axes: Any) -> None:
        places = range(len(rows))
        axes.barh(places, list(rows.values()), color=_COLOURS[0], height=0.7)
        for place, value in zip(places, rows.values(), strict=True):
            axes.annotate(
                f"{value:.1%}" if percent else f"{value:,.3g}",
                (max(0.0, value), place),  # right of the axis: left of it stand the names
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
            )
        axes.margins(x=0.14)
        axes.set_yticks(places, list(rows))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.axvline(0, color=_INK, linewidth=0.8)
        if percent:
            axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axes.set_xlabel(across)

    return _drawn(draw, f"bars {across}", height=0.8 + 0.26 * len(rows))


def steps(lines: Mapping[str, Sequence[float]], *, across: str, up: str) -> str:
    """Stepped lines over request numbers from 1 on."""
    if not any(lines.values()):
        return ""

    def draw(axes: Any) -> None:
        for number, (name, values) in enumerate(lines.items()):
            axes.step(
                range(1, len(values) + 1),
                values,
                where="mid",
                label=name,
                color=_COLOURS[number % len(_COLOURS)],
                linewidth=2,
            )
        axes.set_ylim(bottom=0)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.legend(frameon=False, labelcolor=_INK, loc="best")

    return _drawn(draw, f"steps {across}", height=2.8)


def reliability(points: Sequence[tuple[float, float]]) -> str:
    """What was said against what came true, both 0 to 1; the diagonal is a tier that is right."""
    if len(points) < 2:
        return ""

    def draw(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], color=_INK, linewidth=0.8, linestyle=":")
        axes.plot(*zip(*points, strict=True), color=_COLOURS[0], marker="o", linewidth=2)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axes.set_xlabel("said")
        axes.set_ylabel("came true")

    return _drawn(draw, "reliability", height=4.0)


def _drawn(draw: Callable[[Any], None], salt: str, *, height: float) -> str:
    if not is_installed():
        return ""
    with _style(salt):
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional

        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.subplots()
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata=dict.fromkeys(_METADATA))
    return _inline(out.getvalue())


_METADATA = ("Date", "Creator", "Format", "Type")


@contextmanager
def _style(salt: str) -> Iterator[None]:
    import matplotlib as mpl  # noqa: PLC0415 - optional

    look: dict[str, Any] = {
        "svg.fonttype": "none",  # the reader's fonts: smaller, selectable, searchable
        "svg.hashsalt": salt,  # same figures, same bytes; another drawing, other ids
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK
        ),
    }
    with mpl.rc_context(look):
        yield


def _inline(svg: str) -> str:
    """An SVG file as an element of a page: no prolog, no metadata, no address."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\s(width|height)="[0-9.]+pt"', "", svg, count=2)
    svg = re.sub(r"font: ([0-9.]+px) [^;\"]*", r"font: \1 system-ui, sans-serif", svg)
    return svg.replace(_INK, "currentColor").strip()
