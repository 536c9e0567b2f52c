"""The subcommands of `agent-conformance`."""
