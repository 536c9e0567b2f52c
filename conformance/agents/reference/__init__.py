"""The reference agent: passes every case, and is written to be read. It shares no code with what judges it.

Start with `loop.py`, which says what comes next, and `parts.py`, which lists the defences. Each has a module of its
own: `healing` and `pruning` mend the history, `pseudo_calls` reads calls that were written as text, `arguments`,
`resolution` and `finishes` decide what may run, `bounds` when it is enough, `provider` what is asked again, and
`wires` how it is said.
"""

from conformance.agents.reference.agent import Adapter
from conformance.agents.reference.parts import Parts

__all__ = ["Adapter", "Parts"]
