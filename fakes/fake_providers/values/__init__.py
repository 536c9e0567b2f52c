"""Values that strangers send: JSON, schemas, patterns, pictures and tokens, read in bounded time."""
