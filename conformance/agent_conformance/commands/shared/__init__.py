"""What several subcommands use. A module here is no subcommand."""
