"""Scenario files: read strictly, checked, written out. Nothing here runs or judges anything."""
