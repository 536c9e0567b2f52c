"""The subcommand `node-client`: print the folder of the npm package with which an agent in Node speaks the protocol."""

import argparse

SUMMARY = "print the folder of the npm package for agents in Node"
DESCRIPTION = """\
Print the folder of `agent-conformance-client`, the npm package with which an agent in Node speaks the protocol. It has
no dependencies. It comes with this installation and is not on npm: install it from this folder."""
EXAMPLES = """\
examples:
  npm install "$(agent-conformance node-client)"
  npm install --install-links "$(agent-conformance node-client)"   # a copy instead of a link"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser  # it has no arguments


def run(options: argparse.Namespace) -> int:
    from agent_conformance.attach.programs import client_folder

    del options
    print(client_folder())
    return 0
