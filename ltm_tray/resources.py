"""Finds the templates, static files and assets, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Return the folder `templates`, `static` or `assets`.

    Raises:
        FileNotFoundError: The installation lacks it.
    """
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        if (root / name).is_dir():
            return root / name
    raise FileNotFoundError(f"this installation of LTM Tray lacks its {name} folder; install again")
