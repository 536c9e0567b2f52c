"""The model of a case: what it answers to each request, and what the agent declares of its requests."""
