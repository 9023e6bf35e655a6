"""Arrays out of an ``.npz`` file, read without Python's own parser.

numpy reads the header of every array with ``ast.literal_eval``.  On CPython 3.11 two
threads that make syntax trees at the same time can fail with ``SystemError: AST
constructor recursion depth mismatch``: the depth is counted once for all of them.  The
encoder loads in a thread, and Hermes parses the sources of its tools with a gateway's
first request (hermes-agent 0.19.0 tools/registry.py:60), which then answered 500.
"""

from __future__ import annotations

import math
import re
import zipfile
from contextlib import closing
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Archive"]

_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=][biufcSU]\d+)', 'fortran_order': (True|False), "
    rb"'shape': \(([\d, ]*)\), \} *\n"
)
"""What numpy writes for a plain array (numpy.lib.format); structures and objects are not read."""


class Archive:
    """The arrays of an ``.npz`` file by name; what ``numpy.load`` gives, but read-only.

    Args:
        file: its path, or the open file.

    Raises:
        OSError: it cannot be opened.
        zipfile.BadZipFile: it is no archive.
    """

    def __init__(self, file: str | IO[bytes], *, allow_pickle: bool = False) -> None:
        if allow_pickle:
            raise ValueError("pickled objects are not read")
        self._zip = zipfile.ZipFile(file)
        self.files = [name.removesuffix(".npy") for name in self._zip.namelist()]

    def __enter__(self) -> Self:
        """Return the open archive."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._zip.close()

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        """Read one array.

        Raises:
            KeyError: there is none of that name.
            ValueError: it is no plain array, or its data is cut short.
        """
        with closing(self._zip.open(f"{name}.npy")) as member:
            return _array(member.read(), name)


def _array(data: bytes, name: str) -> NDArray[np.generic]:
    import numpy as np  # noqa: PLC0415 - extra [local]

    start = 10 if data[6:7] == b"\x01" else 12  # two or four bytes of length
    header = _HEADER.fullmatch(data, start, start + int.from_bytes(data[8:start], "little"))
    if not data.startswith(_MAGIC) or header is None:
        raise ValueError(f"{name!r} is no array that is read here")
    kind: Any = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[3].split(b",") if size.strip())
    count = math.prod(shape)
    flat = np.frombuffer(data, kind, count, header.end())
    return flat.reshape(shape, order="F" if header[2] == b"True" else "C")
