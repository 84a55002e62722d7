"""The agent front: what the coding agent is told about its memory."""
