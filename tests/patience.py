"""How long a test waits for what must come: a limit for what hangs, which the busiest machine does not reach."""

PATIENCE = 600.0
