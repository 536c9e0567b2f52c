"""The entry point `--agent=conformance.reference:Adapter`. The reference agent is in `conformance.agents.reference`."""

from conformance.agents.reference import Adapter

__all__ = ["Adapter"]
