"""The public adapter API."""
