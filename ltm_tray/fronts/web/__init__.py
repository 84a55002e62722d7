"""The web front: the JSON API and the console, on one loopback port."""
