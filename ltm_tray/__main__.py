"""The entry of the programs `ltm-tray` and `ltm-trayw`, and of `python -m ltm_tray`."""

from __future__ import annotations

import io
import os
import sys

from ltm_tray.fronts.cli.main import program


def main() -> None:
    """Run the command line; the process exits with the command's code."""
    os.umask(0o077)  # whatever this program writes is its user's alone
    for stream in (sys.stdout, sys.stderr):  # None in the windowless program
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    program(prog_name="ltm-tray")


if __name__ == "__main__":
    main()
