"""The entry point `--agent=agent_conformance.reference:Adapter`. The reference agent is in
`agent_conformance.agents.reference`.
"""

from agent_conformance.agents.reference import Adapter

__all__ = ["Adapter"]
