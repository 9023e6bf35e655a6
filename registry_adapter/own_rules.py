"""The rules that a user wrote for one home: ``<HERMES_HOME>/tool-router/rules.yaml``.

Read when a message is decided and the file changed.  A file that does not
validate is left out as a whole, with one warning: the shipped rules go on.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .store_file import FOLDER

if TYPE_CHECKING:
    from ..intent.own import OwnRules
    from ..intent.rulebook import RuleBook

__all__ = ["HomeRules", "own_rules", "own_rules_file"]

_FILE = "rules.yaml"
_MOST_BYTES = 256 * 1024

_log = logging.getLogger(__name__)
_Signature = tuple[int, int, int] | None


def own_rules_file(home: Path) -> Path:
    """Where a home's own rules stand."""
    return home / FOLDER / _FILE


def own_rules(home: Path) -> OwnRules:
    """The own rules of a home, none where there is no file.

    Raises:
        BookError: the file does not read or validate.
    """
    import yaml  # noqa: PLC0415 - only where somebody wrote rules

    from ..intent.compile import BookError  # noqa: PLC0415
    from ..intent.own import OwnRules, read_own  # noqa: PLC0415

    path = own_rules_file(home)
    try:
        data = _parsed(_text(path))
    except FileNotFoundError:
        return OwnRules()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BookError(f"{path.name} does not read: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise BookError(f"{path.name} does not read: it is nested too deeply") from None
    return read_own(data, path.name)


def _text(path: Path) -> str:
    """What stands in the file.

    Raises:
        OSError: it cannot be read, is no plain file (a pipe would be waited for) or is too long.
        UnicodeDecodeError: it is not UTF-8.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a plain file")
    if found.st_size > _MOST_BYTES:
        raise OSError(f"it has {found.st_size:,} bytes; at most {_MOST_BYTES:,} are read")
    return path.read_text(encoding="utf-8")


def _parsed(text: str) -> object:
    """Parse YAML in which ``off``, ``on``, ``yes`` and ``no`` are words, as keys and as patterns.

    YAML 1.1 reads them as booleans; no key of a rule takes one.
    """
    import yaml  # noqa: PLC0415 - only where somebody wrote rules

    class Words(yaml.SafeLoader):
        """The safe loader without booleans, and without keys of which the last one would win."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            met: set[object] = set()
            for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
                if key.value in met:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} stands twice", key.start_mark
                    )
                met.add(key.value)
            return super().construct_mapping(node, deep)

    Words.yaml_implicit_resolvers = {
        first: [entry for entry in found if entry[0] != "tag:yaml.org,2002:bool"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return yaml.load(text, Loader=Words)


class HomeRules:
    """The rule book of each home, its own rules included.  Never raises."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[_Signature, RuleBook]] = {}

    def __call__(self, home: Path, book: RuleBook) -> RuleBook:
        """The book that holds in a home."""
        signature = _signature(home)
        if signature is None:
            return book
        with self._lock:
            known = self._known.get(home)
            if known is None or known[0] != signature:
                known = self._known[home] = (signature, _joined(home, book))
            return known[1]


def _signature(home: Path) -> _Signature:
    # Before every decision, mostly for a file that is not there: asking whether it is costs half
    # of an error, and a text is soonest made.
    path = f"{home}{os.sep}{FOLDER}{os.sep}{_FILE}"
    if not os.access(path, os.F_OK):
        return None
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _joined(home: Path, book: RuleBook) -> RuleBook:
    from ..intent.compile import BookError  # noqa: PLC0415 - only where somebody wrote rules
    from ..intent.own import with_own  # noqa: PLC0415

    try:
        return with_own(book, own_rules(home))
    except BookError as error:
        _log.warning("tool-router: own rules are left out: %s", error)
        return book
