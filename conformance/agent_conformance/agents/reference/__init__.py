"""The reference agent: it passes every case, and is written to be read. It shares no code with what judges it.

Start with `loop.py`, which decides what comes next, and `defences.py`, which lists the defences. Each has a module:
`history_repair` and `pruning` prepare the history, `pseudo_calls` reads calls that were written as text, `arguments`,
`tool_name_resolution` and `answers` decide what may run, `bounds` when a turn must end, `provider` which requests are
retried, and `wires` has the HTTP formats.
"""

from agent_conformance.agents.reference.agent import Adapter
from agent_conformance.agents.reference.defences import Defences

__all__ = ["Adapter", "Defences"]
