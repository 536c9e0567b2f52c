"""Ready-made adapters for well-known frameworks and programs, found by the names of `attach/ready_made.py`."""
