"""Agents in any language: a command that speaks one JSON object a line on standard input and output.

`docs/protocol.md` is the contract. Knows the adapter's types; must not know scenarios, judging or pytest.
"""

from conformance.agents.command.adapter import CommandAgent, command_adapter
from conformance.agents.command.errors import (
    AgentCrashed,
    CommandError,
    NoGreeting,
    OtherProtocol,
    ProcessDied,
    ProtocolBroken,
    SuiteBroke,
)
from conformance.agents.command.schema import protocol_schema

__all__ = [
    "AgentCrashed",
    "CommandAgent",
    "CommandError",
    "NoGreeting",
    "OtherProtocol",
    "ProcessDied",
    "ProtocolBroken",
    "SuiteBroke",
    "command_adapter",
    "protocol_schema",
]
