"""The suite. The names that adapters need are here; `agent_conformance.adapter` documents them.

PYTEST_DONT_REWRITE: pytest warns otherwise where this is imported before it.
"""

from agent_conformance.adapter.types import (
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
    StructuredResult,
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
    "StructuredResult",
    "Tool",
    "ToolCall",
    "ToolError",
    "Withdrawn",
]
