"""The command line: one file per group of commands, over the same service as every front."""
