"""Opens addresses and files in the program the user has for them."""

from __future__ import annotations

import logging
import threading

logger = logging.getLogger(__name__)


def show(uri: str) -> bool:
    """Open an address or a file in the program the user has for it; False if there is none.

    Some programs keep the caller waiting until they end.
    """
    import webbrowser  # seldom needed

    try:
        shown = webbrowser.open(uri)
    except webbrowser.Error:
        shown = False
    if not shown:
        # Without its query, which may hold a secret.
        logger.warning("No program on this desktop opens %s", uri.partition("?")[0])
    return shown


def show_in_background(uri: str) -> None:
    """Do the same without waiting."""
    threading.Thread(target=show, args=(uri,), name="ltm-open", daemon=True).start()
