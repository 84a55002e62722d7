"""Frozen values and pure rules: what a memory is, whatever stores it or asks for it."""
