"""One self-contained page: tables always, plots where they could be drawn.

No script, no request to anywhere: the page forbids both to itself.  Light and
dark follow the reader's system, and a phone scrolls a wide table alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Figures", "Grid", "Page", "Plot", "render"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Short facts in large print: pairs of a figure and what it is."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table; heads with a trailing ``#`` are columns of numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing as SVG text, from :mod:`.plots`.

    Attributes:
        none: what is said where there is no drawing; empty: nothing is shown then.
    """

    title: str
    svg: str
    note: str = ""
    none: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a page shows, in order."""

    title: str
    lead: str
    parts: tuple[Figures | Grid | Plot, ...]


_STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6472; --line: #d9dee6; --back: #fdfdfc;
  --card: #f3f5f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaf0; --soft: #a3adbb; --line: #343c49;
  --back: #14181f; --card: #1e242d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--back); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p { margin: .4rem 0; max-width: 46rem; } .note { color: var(--soft); font-size: .9rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem;
  margin: 1.2rem 0; }
dl div { background: var(--card); border-radius: .6rem; padding: .8rem 1rem; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; font-size: 1.45rem; font-weight: 600; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; min-width: 40%; }
th, td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } th { color: var(--soft); font-weight: 600; }
td:first-child { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; max-width: 36rem; }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(page: Page) -> str:
    """The page as HTML; every text is escaped, drawings are taken as they are."""
    body = "\n".join(text for part in page.parts if (text := _part(part)))
    lead = f"<p>{escape(page.lead)}</p>\n" if page.lead else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(page.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(page.title)}</h1>\n{lead}{body}\n</body>\n</html>\n"
    )


def _part(part: Figures | Grid | Plot) -> str:
    if isinstance(part, Figures):
        items = "".join(
            f"<div><dt>{escape(what)}</dt><dd>{escape(figure)}</dd></div>"
            for figure, what in part.items
        )
        return f"<dl>{items}</dl>"
    if isinstance(part, Plot):
        if not part.svg:
            return f"<h2>{escape(part.title)}</h2>{_note(part.none)}" if part.none else ""
        return (
            f"<h2>{escape(part.title)}</h2>\n"
            f'<figure role="img" aria-label="{escape(part.title)}">{part.svg}</figure>'
            f"{_note(part.note)}"
        )
    if not part.rows:
        return ""
    numbers = [head.endswith("#") for head in part.heads]
    heads = _cells("th", [head.removesuffix("#") for head in part.heads], numbers)
    rows = "\n".join(f"<tr>{_cells('td', row, numbers)}</tr>" for row in part.rows)
    return (
        f'<h2>{escape(part.title)}</h2>\n<div class="wide" tabindex="0"><table>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
        f"{_note(part.note)}"
    )


def _cells(tag: str, cells: Sequence[str], numbers: Sequence[bool]) -> str:
    marks = [' class="number"' if number else "" for number in numbers]
    return "".join(
        f"<{tag}{mark}>{escape(cell)}</{tag}>" for cell, mark in zip(cells, marks, strict=True)
    )


def _note(text: str) -> str:
    return f'\n<p class="note">{escape(text)}</p>' if text else ""
