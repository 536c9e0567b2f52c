"""`agent-conformance init`: an adapter, a configuration, a scenario and a workflow for the project at hand."""
