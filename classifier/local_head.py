"""The trained head: a sentence vector in, the chance that each toolset is needed out.

The head is one linear layer with a logistic output per toolset.  Where any one of
several toolsets would do (``terminal`` or ``code_execution`` for a computation), it
was taught to name the cheapest; :attr:`Head.stand_ins` says who takes over on a
surface that lacks it.  Probabilities are never rounded or clipped: useful cuts lie
between .002 and .03.

The file is an ``.npz`` read with ``allow_pickle=False``, written by
``benchmarks/train_head.py``; ``docs/model-card.md`` says what it learned from.

numpy belongs to the extra ``[local]``.  It is imported inside functions, so that
nothing here costs a user without the extra anything.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..router.errors import RuleError
from ..router.values import ToolsetName
from .arrays import Archive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FORMAT", "Head", "described_text", "load_head", "pack_head"]

FORMAT = 1
"""Version of the file layout; a file of another version does not load."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Head:
    """Weights and what has to be known to use them.

    Attributes:
        names: toolsets, in the order of the columns of ``weights``.
        weights: ``(dimensions, toolsets)``, float32; applied to a vector of unit length.
        bias: ``(toolsets,)``, float32.
        language: ``(dimensions + 1,)``, float32: weights and bias of the log-odds that the
            text is in a language which the encoder was trained on.
        stand_ins: for a toolset that a surface may lack, who answers the same need,
            best first.  Its chance passes to the first one that is granted.
        similarity: slope and intercept that turn the cosine between a message and
            the description of an unknown toolset into log-odds that it is needed.
        encoder: distribution whose vectors the weights were trained on.
        encoder_version: its exact version; vectors of another may differ.
        head_chars: characters kept from the start of a long text.
        tail_chars: characters kept from its end.
    """

    names: tuple[ToolsetName, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    language: NDArray[np.float32]
    stand_ins: Mapping[ToolsetName, tuple[ToolsetName, ...]]
    similarity: tuple[float, float]
    encoder: str
    encoder_version: str
    head_chars: int
    tail_chars: int

    def probabilities(
        self, vector: NDArray[np.float32], granted: frozenset[ToolsetName]
    ) -> dict[ToolsetName, float]:
        """Chance that each granted toolset is needed, for those the head knows.

        Args:
            vector: sentence vector of unit length.
            granted: toolsets of the surface.

        Returns:
            Probabilities in the head's own order; toolsets the head does not know
            are left out.
        """
        logits = (vector @ self.weights + self.bias).tolist()
        chance = dict(zip(self.names, map(_logistic, logits), strict=True))
        for name, stand_ins in self.stand_ins.items():
            if name in granted:
                continue
            heir = next((other for other in stand_ins if other in granted), None)
            if heir is not None:  # either need is enough: 1 - (1-p)(1-q)
                chance[heir] = 1.0 - (1.0 - chance[heir]) * (1.0 - chance[name])
        return {name: p for name, p in chance.items() if name in granted}

    def confidence(self, vector: NDArray[np.float32]) -> float:
        """Chance that the encoder knows the language of the text at all."""
        return _logistic(float(vector @ self.language[:-1] + self.language[-1]))

    def described(self, cosine: float) -> float:
        """Chance that a toolset is needed which only its description speaks for."""
        slope, intercept = self.similarity
        return _logistic(slope * cosine + intercept)


def _logistic(logit: float) -> float:
    """``1 / (1 + exp(-logit))`` without overflow at either end."""
    if logit >= 0.0:
        return 1.0 / (1.0 + math.exp(-logit))
    odds = math.exp(logit)
    return odds / (1.0 + odds)


def load_head(data: bytes) -> Head:
    """Read a head from the bytes of its file.

    Weights are stored as eight-bit integers with one scale per toolset.

    Raises:
        ImportError: numpy is not installed.
        RuleError: the bytes are no head of this format, or do not fit together.
    """
    import numpy as np  # noqa: PLC0415 - extra [local]

    try:
        with Archive(io.BytesIO(data)) as archive:
            meta = json.loads(archive["meta"].tobytes())
            whole = archive["weights"].astype(np.float32)
            scale = archive["scale"].astype(np.float32)
            bias = archive["bias"].astype(np.float32)
            language = archive["language"].astype(np.float32)
    except (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise RuleError(f"local head cannot be read: {error}; reinstall the plugin") from error
    if meta.get("format") != FORMAT:
        raise RuleError(f"local head has format {meta.get('format')!r}, expected {FORMAT}")
    names = tuple(ToolsetName(name) for name in meta["names"])
    weights = whole * scale
    if weights.ndim != 2 or weights.shape[1] != len(names) or bias.shape != (len(names),):
        raise RuleError(
            f"local head: weights {weights.shape} and bias {bias.shape} "
            f"do not fit {len(names)} toolsets"
        )
    if language.shape != (len(weights) + 1,):
        raise RuleError(f"local head: language weights {language.shape} do not fit {weights.shape}")
    if not all(np.isfinite(array).all() for array in (weights, bias, language)):
        raise RuleError("local head holds a weight that is not a finite number")
    return Head(
        names=names,
        weights=weights,
        bias=bias,
        language=language,
        stand_ins={
            ToolsetName(name): tuple(ToolsetName(other) for other in others)
            for name, others in meta["stand_ins"].items()
        },
        similarity=(float(meta["similarity"][0]), float(meta["similarity"][1])),
        encoder=meta["encoder"],
        encoder_version=meta["encoder_version"],
        head_chars=int(meta["head_chars"]),
        tail_chars=int(meta["tail_chars"]),
    )


def pack_head(head: Head, provenance: Mapping[str, object] | None = None) -> bytes:
    """Write a head; the inverse of :func:`load_head` up to eight-bit rounding.

    The same head gives the same bytes: entries carry no time stamp.

    Args:
        head: what to write.
        provenance: further facts for the reader of the file, JSON values only.

    Raises:
        ImportError: numpy is not installed.
    """
    import numpy as np  # noqa: PLC0415 - extra [local]

    scale = np.maximum(np.abs(head.weights).max(axis=0), 1e-12) / 127.0
    meta = {
        "format": FORMAT,
        "names": list(head.names),
        "stand_ins": {name: list(others) for name, others in head.stand_ins.items()},
        "similarity": list(head.similarity),
        "encoder": head.encoder,
        "encoder_version": head.encoder_version,
        "head_chars": head.head_chars,
        "tail_chars": head.tail_chars,
        "provenance": dict(provenance or {}),
    }
    text = json.dumps(meta, sort_keys=True, ensure_ascii=True).encode("ascii")
    return _archive(
        {
            "meta": np.frombuffer(text, dtype=np.uint8),
            "weights": np.rint(head.weights / scale).astype(np.int8),
            "scale": scale.astype(np.float32),
            "bias": head.bias.astype(np.float32),
            "language": head.language.astype(np.float32),
        }
    )


def _archive(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """An ``.npz`` whose bytes depend on the arrays alone."""
    import numpy as np  # noqa: PLC0415 - extra [local]

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entry.getvalue())
    return out.getvalue()


def described_text(name: str, description: str, lines: Sequence[str], limit: int) -> str:
    """One passage that stands for a toolset nobody trained on.

    Args:
        name: of the toolset, such as ``mcp-github``.
        description: a few words of purpose, may be empty.
        lines: first lines of its tools' descriptions, in their order.
        limit: most characters returned.
    """
    words = name.removeprefix("mcp-").removeprefix("mcp_").replace("_", " ").replace("-", " ")
    passage = ". ".join(part for part in (words, description, *lines) if part)
    return passage[:limit]
