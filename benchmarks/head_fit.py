"""Fit and judge a linear head: logistic regression of all toolsets at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..router.values import ToolsetName
from .head_data import Row

__all__ = ["Floats", "calibrate", "fit", "folds", "hit_and_saving", "logits", "targets"]

Floats = NDArray[np.float32]
L2 = 6e-5
"""Weight of the squared norm beside the mean loss; 3e-5 to 1e-4 score alike on held-out sources."""
STEPS = 300
TOLERANCE = 1e-10
"""Unit vectors make the loss flat: a coarser one stops at weights half their size."""
BIG = 10
"""Sources held out one by one; the rest are held out in two halves."""


def targets(rows: Sequence[Row], names: Sequence[str]) -> Floats:
    """``(rows, toolsets)``: 1 where a row teaches the toolset."""
    return np.array([[name in row.needs for name in names] for row in rows], dtype=np.float32)


def fit(vectors: Floats, wanted: Floats, weights: Floats) -> Floats:
    """Weights ``(dimensions + 1, toolsets)``, the bias in the last row.

    Starts from zero and is deterministic for one BLAS build on one thread.
    """
    count, width = wanted.shape
    inputs = np.concatenate([vectors, np.ones((count, 1), np.float32)], axis=1)
    share = (weights / weights.mean()).astype(np.float32)[:, None] / count

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        theta = flat.reshape(-1, width).astype(np.float32)
        scores = inputs @ theta
        residual = 1.0 / (1.0 + np.exp(-scores)) - wanted
        value = float(np.sum(share * (np.logaddexp(0, scores) - wanted * scores), dtype=np.float64))
        gradient = (inputs.T @ (share * residual)).astype(np.float64)
        body = flat.reshape(-1, width)[:-1]
        gradient[:-1] += L2 * body
        return value + 0.5 * L2 * float(np.sum(body**2)), gradient.ravel()

    start = np.zeros((inputs.shape[1], width))
    start[-1] = -4.0  # most toolsets are needed by one message in fifty or fewer
    limits = {"maxiter": STEPS, "maxfun": 2 * STEPS, "gtol": 1e-8, "ftol": TOLERANCE}
    found: Any = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options=limits)
    return np.asarray(found.x, dtype=np.float32).reshape(-1, width)


def logits(theta: Floats, vectors: Floats) -> Floats:
    """Log-odds of every toolset for every vector."""
    return np.asarray(vectors @ theta[:-1] + theta[-1], dtype=np.float32)


def folds(sources: Sequence[str], keep: Collection[str] = ()) -> list[frozenset[str]]:
    """Sets of sources to hold out: the biggest one by one, the others in two halves.

    Args:
        sources: of every row.
        keep: sources that are never held out.
    """
    names, counts = np.unique([name for name in sources if name not in keep], return_counts=True)
    ranked = [str(name) for name in names[np.lexsort((names, -counts))]]
    singles = [frozenset([name]) for name in ranked[:BIG]]
    rest = [frozenset(ranked[BIG::2]), frozenset(ranked[BIG + 1 :: 2])]
    return singles + [names for names in rest if names]


def hit_and_saving(
    chances: Floats,
    rows: Sequence[Row],
    names: Sequence[str],
    surface: Mapping[str, int],
    floor: Collection[ToolsetName],
    price: float,
) -> tuple[float, float]:
    """Share of rows whose needs are kept, and mean share of tokens that are not sent.

    A toolset is kept when its chance is at least ``price`` times its tokens.  Needs
    outside the surface are not counted.
    """
    costs = np.array([surface.get(name, 0) for name in names], dtype=np.float32)
    kept = (chances >= price * costs) & (costs > 0)
    column = {name: at for at, name in enumerate(names)}
    hits = [
        all(
            need in floor or kept[at, column[need]]
            for need in row.needs
            if need in column and need in surface
        )
        for at, row in enumerate(rows)
    ]
    outside = np.array([name not in floor for name in names])
    total = sum(surface.values())
    base = sum(surface[name] for name in floor if name in surface)
    sent = base + (kept[:, outside] @ costs[outside])
    return float(np.mean(hits)), float(1.0 - np.mean(sent) / total)


def calibrate(scores: Floats, wanted: Floats, weights: Floats) -> tuple[float, float]:
    """Slope and intercept that make held-out log-odds honest, one pair for all toolsets."""
    flat, truth = scores.ravel().astype(np.float64), wanted.ravel().astype(np.float64)
    share = np.repeat(weights.astype(np.float64), wanted.shape[1])
    share /= share.sum()

    def loss(pair: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = pair[0] * flat + pair[1]
        residual = share * (1.0 / (1.0 + np.exp(-odds)) - truth)
        value = float(np.sum(share * (np.logaddexp(0, odds) - truth * odds)))
        return value, np.array([residual @ flat, residual.sum()])

    found: Any = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B")
    return float(found.x[0]), float(found.x[1])
