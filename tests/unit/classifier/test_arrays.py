"""Arrays are read as numpy reads them, without Python's parser."""

from __future__ import annotations

import ast
import io
from typing import Any

import pytest

from hermes_tool_router.classifier.arrays import Archive

np = pytest.importorskip("numpy")

ARRAYS = {
    "bytes": np.arange(12, dtype=np.uint8).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "number": np.float64(0.25),
    "nothing": np.empty((0, 3), dtype=np.int64),
    "deep": np.arange(24, dtype="<i2").reshape(2, 3, 4),
}


def packed(**arrays: Any) -> io.BytesIO:
    """An archive as numpy writes it."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    out.seek(0)
    return out


def no_parser(*_: object, **__: object) -> None:
    """Stands where a syntax tree would be made."""
    raise AssertionError("the parser was asked")


def test_every_plain_array_is_what_numpy_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types, shapes, orders and values; and no syntax tree is made for them."""
    file = packed(**ARRAYS)
    monkeypatch.setattr(ast, "parse", no_parser)
    monkeypatch.setattr(ast, "literal_eval", no_parser)

    with Archive(file) as archive:
        found = {name: archive[name] for name in archive.files}

    assert found.keys() == ARRAYS.keys()
    for name, wanted in ARRAYS.items():
        assert found[name].dtype == wanted.dtype
        assert found[name].shape == wanted.shape
        assert np.array_equal(found[name], wanted)


def test_what_is_no_plain_array_is_refused() -> None:
    """Structures would need the parser, objects would need pickle."""
    file = packed(pair=np.zeros(2, dtype=[("a", "<i4"), ("b", "<f4")]), plain=np.zeros(2))

    with Archive(file) as archive:
        with pytest.raises(ValueError, match="'pair' is no array that is read here"):
            archive["pair"]
        with pytest.raises(KeyError):
            archive["missing"]
    with pytest.raises(ValueError, match="pickled"):
        Archive(file, allow_pickle=True)
