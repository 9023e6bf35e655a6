"""Learn the lexicon: ``python -m hermes_tool_router.benchmarks.learn_lexicon --help``.

One logistic regression a toolset over the keys of :mod:`..intent.features`,
written as whole numbers in a text table that is compiled into the rule book.
Seeded and single-threaded: the same input gives the same table.  Needs
scikit-learn, which only developers have.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from ..intent.compile import concept_rows, language_rows
from ..intent.concepts import annotate, arrange, pack
from ..intent.dictionary import Dictionary, Sources, dictionary
from ..intent.features import MAX_TOKENS, keys
from ..intent.language import TongueTable, identify
from ..intent.lexicon import NOTHING_LEARNED
from ..intent.load import tongue_table
from ..intent.reading import instruction
from ..intent.tokens import fold
from ..registry_adapter.rule_files import sources
from .head_data import PICK, own_rows
from .head_data import Row as HeadRow

__all__ = ["Row", "fit", "main", "rows_of", "table"]

Row = dict[str, Any]
SEED = 20261130
NONE, VAGUE = "none", "vague"
"""Lanes beside the toolsets: nothing is needed; nothing is named."""
BESIDE = ("messaging",)
"""Toolsets with a lane that the reference surface lacks: hosts that let the model send have it."""
UNCLEAR = frozenset(("followup", "vague", "bare"))
OWN = "authored-routes"
STRENGTH = 10.0
"""Inverse regularisation; 3 to 30 score alike on held-out sources."""
SCALE = 0.08
"""Log-odds of one unit, so that one byte reaches from -10 to 10."""
DEAD = 3
"""Units below which a weight is dropped: |w| < 0.24 moves no decision."""


def rows_of(path: Path) -> list[Row]:
    """Read a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _own(row: HeadRow) -> Row:
    """A row of our training prompts in the form of the others; its needs are chosen already."""
    return {
        "prompt": row.text,
        "source": row.source,
        "kind": row.kind,
        "required_toolsets": sorted(row.needs),
    }


def needs(row: Row) -> set[str]:
    """Lanes that a row teaches."""
    if row.get("kind") in UNCLEAR:
        return {VAGUE}
    wanted = set(row.get("required_toolsets") or [])
    for group in row.get("required_any") or []:
        if not wanted & set(group):
            wanted.update(PICK.get(frozenset(group), tuple(group[:1])))
    return wanted or {NONE}


def row_keys(row: Row, known: Dictionary, tongues: TongueTable) -> list[str]:
    """Lexicon keys of a row, read as the router reads it."""
    folded = fold(row["prompt"])
    tokens, _ = instruction(folded, row["prompt"])
    tokens = tokens[:MAX_TOKENS]
    entries = [known[token.kind][token.text] for token in tokens]
    near = identify(entries, tongues.covered).near
    return keys(tokens, annotate(tokens, entries, folded.text, near))


def the_tables() -> tuple[Dictionary, TongueTable]:
    """What the rule book says of words but for what is to be learned, and its languages."""
    book = sources()
    tongues = tongue_table(language_rows(book["languages"]["languages"]))
    tables = Sources(
        concepts=arrange(pack(concept_rows(book["concepts"]["concepts"]))),
        tongues=tongues,
        lexicon=NOTHING_LEARNED,
        index={},
    )
    return dictionary(tables), tongues


def _matrix(samples: Sequence[list[str]], vocabulary: dict[str, int]) -> sparse.csr_matrix:
    starts, columns, data = [0], [], []
    for sample in samples:
        known = [vocabulary[key] for key in sample if key in vocabulary]
        columns += known
        data += [1 / np.sqrt(max(len(known), 1))] * len(known)
        starts.append(len(columns))
    return sparse.csr_matrix((data, columns, starts), shape=(len(samples), len(vocabulary)))


def fit(rows: Sequence[Row], lanes: Sequence[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Learn weights: keys, one column a toolset, and the biases.

    A key counts when two sources or more use it, or when it is one word of
    our own cases.
    """
    known, tongues = the_tables()
    samples = [row_keys(row, known, tongues) for row in rows]
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for row, sample in zip(rows, samples, strict=True):
        for key in sample:
            sources[key].add(row["source"])
    names = sorted(
        key
        for key, seen in sources.items()
        if len(seen) >= 2 or (OWN in seen and " " not in key and not key.startswith("^"))
    )
    matrix = _matrix(samples, {key: at for at, key in enumerate(names)})
    wanted = [needs(row) for row in rows]
    coefficients = np.zeros((len(names), len(lanes)))
    bias = np.full(len(lanes), -7.0)
    clear = np.array([row.get("kind") not in UNCLEAR for row in rows])
    for at, lane in enumerate(lanes):
        # A message that names nothing teaches only that it is one.
        used = np.ones(len(rows), dtype=bool) if lane == VAGUE else clear
        target = np.array([lane in want for want in wanted])[used]
        if target.sum() < 3:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=SEED)
            model.fit(matrix[used], target)
        coefficients[:, at] = model.coef_[0]
        bias[at] = model.intercept_[0]
    return names, coefficients, bias


def table(
    names: Sequence[str], coefficients: np.ndarray, bias: np.ndarray, lanes: Sequence[str]
) -> str:
    """The text that is committed: a header line, then one key a line."""
    units = np.clip(np.rint(coefficients / SCALE), -127, 127).astype(int)
    units[np.abs(units) < DEAD] = 0
    header = {"lanes": list(lanes), "bias": [round(float(b), 4) for b in bias], "scale": SCALE}
    lines = [json.dumps(header, sort_keys=True)]
    for key, row in zip(names, units, strict=True):
        cells = " ".join(f"{at}:{value}" for at, value in enumerate(row) if value)
        # A word without weight stays: it still says that the word is known.
        if cells or (key[0] not in "@^<" and " " not in key and key[-1] != "*"):
            lines.append(f"{key}\t{cells}")
    return "\n".join(lines) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Learn from the training rows and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--train", type=Path, action="append", required=True)
    parser.add_argument(
        "--prompts", type=Path, action="append", default=[], help="our own, as training/*.yaml"
    )
    parser.add_argument("--surface", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(argv)
    surface = json.loads(options.surface.read_text(encoding="utf-8"))
    lanes = [*sorted({*surface, *BESIDE}), NONE, VAGUE]
    rows = [row for path in options.train for row in rows_of(path)]
    rows = [row for row in rows if row.get("split", "train") == "train"]
    rows = [row for row in rows if row["source"] != "swebench-lite"]
    rows += [_own(row) for path in options.prompts for row in own_rows(path)]
    names, coefficients, bias = fit(rows, lanes)
    options.out.write_text(table(names, coefficients, bias, lanes), encoding="utf-8")
    print(f"{len(names)} keys from {len(rows)} rows", dict(Counter(r["source"] for r in rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
