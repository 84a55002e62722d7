"""Where memories live: one module per store behind the contract of `ports`."""
