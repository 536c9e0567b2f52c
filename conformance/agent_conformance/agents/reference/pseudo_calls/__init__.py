"""Tool calls that models write as text: recognised and run, or hidden, and kept out of a stream."""

from agent_conformance.agents.reference.pseudo_calls.reading import Reading, Rules, StreamFilter, read_text

__all__ = ["Reading", "Rules", "StreamFilter", "read_text"]
