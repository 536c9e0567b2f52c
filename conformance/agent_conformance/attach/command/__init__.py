"""Agents in any language: a command that reads and writes JSON objects, one on each line of its standard streams.

`docs/protocol.md` has the protocol.
"""

from agent_conformance.attach.command.adapter import CommandAgent, command_adapter
from agent_conformance.attach.command.messages import (
    AgentCrashed,
    CommandError,
    NoHello,
    OtherProtocol,
    ProcessDied,
    ProtocolBroken,
    SuiteBrokeProtocol,
)
from agent_conformance.attach.command.schema import protocol_schema

__all__ = [
    "AgentCrashed",
    "CommandAgent",
    "CommandError",
    "NoHello",
    "OtherProtocol",
    "ProcessDied",
    "ProtocolBroken",
    "SuiteBrokeProtocol",
    "command_adapter",
    "protocol_schema",
]
