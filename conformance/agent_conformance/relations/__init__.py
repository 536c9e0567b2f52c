"""Runs of a case under a change that must not matter, for `--agent-relations`, and the findings where it did matter."""
