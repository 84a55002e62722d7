"""LTM Tray: long-term memory for the Pi coding agent, on the user's own desktop."""

__version__ = "0.1.0"
