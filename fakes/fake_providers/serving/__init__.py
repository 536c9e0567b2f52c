"""Serving a fake: the conversation store, scripted replies, transport faults."""
