"""Tool calls that models write as text: recognised and run, or hidden, and kept out of a stream.

Knows texts and the names of tools that are offered. It runs nothing and knows no wire.
"""

from agent_conformance.agents.reference.pseudo_calls.reading import Reading, Rules, StreamFilter, read_text

__all__ = ["Reading", "Rules", "StreamFilter", "read_text"]
