"""The suite. The names that adapters need are here; `conformance.adapter` documents them."""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)

from conformance.adapter.types import (
    AgentError,
    Cancelled,
    CannotRestore,
    Fallback,
    Limits,
    Message,
    NamedTool,
    Part,
    Pending,
    Reply,
    Setup,
    Tool,
    ToolCall,
    ToolError,
    Withdrawn,
)

__all__ = [
    "AgentError",
    "Cancelled",
    "CannotRestore",
    "Fallback",
    "Limits",
    "Message",
    "NamedTool",
    "Part",
    "Pending",
    "Reply",
    "Setup",
    "Tool",
    "ToolCall",
    "ToolError",
    "Withdrawn",
]
