"""Scenario documents drafted from what an incident left: a request, a cassette, a log, a trace, a report."""
