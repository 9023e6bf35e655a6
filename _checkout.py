"""Parent package for a script that is run by path (PEP 366).

Every module here uses relative imports, because Hermes loads a plugin folder
as one namespaced package.  A script started as ``python diagnostics.py`` has
no parent package, so it asks :func:`mount` for one before its first relative
import.  Nothing is installed and ``sys.path`` is not edited.
"""

from __future__ import annotations

import sys
from importlib import util
from pathlib import Path

PACKAGE = "hermes_tool_router"
ROOT = Path(__file__).resolve().parent


def mount(subpackage: str = "") -> str:
    """Import the checkout beside this file as ``hermes_tool_router``.

    Args:
        subpackage: folder of the calling script inside the package, empty for
            a script at the root.

    Returns:
        The value for the script's ``__package__``.  An installed copy of the
        same name is shadowed in this process, so a script always reports on
        the files that it lies next to.

    Raises:
        ImportError: the checkout has no ``__init__.py``.
    """
    spec = util.spec_from_file_location(
        PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package at {str(ROOT)!r}: __init__.py is missing")
    package = util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    return f"{PACKAGE}.{subpackage}" if subpackage else PACKAGE
