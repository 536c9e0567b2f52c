"""Scenarios made smaller while the same finding remains: delta debugging on the document of a scenario."""
