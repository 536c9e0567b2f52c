"""Agents: loading the one that is judged, and those that come with the suite."""
