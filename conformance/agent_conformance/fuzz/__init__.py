"""Scenario documents made up by Hypothesis, and the search for findings with them."""
