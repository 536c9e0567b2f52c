"""The command `mutants`."""
