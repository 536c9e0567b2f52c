"""The process in which cases run: kept as it was, on this machine, and alive."""
