"""The harness. What an adapter needs is here; everything else is in the modules."""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)

from conformance.adapter.types import (
    AgentError,
    Cancelled,
    CannotRestore,
    Limits,
    Message,
    Part,
    Reply,
    Setup,
    Tool,
    ToolCall,
    ToolError,
)

__all__ = [
    "AgentError",
    "Cancelled",
    "CannotRestore",
    "Limits",
    "Message",
    "Part",
    "Reply",
    "Setup",
    "Tool",
    "ToolCall",
    "ToolError",
]
