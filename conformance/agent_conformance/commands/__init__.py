"""The subcommands of `agent-conformance`, one module or folder each; `main` has what each of them offers."""
