"""Tool calls that models write as text: recognised and run, or hidden, and kept out of a stream.

Knows texts and the names of tools that are offered. It runs nothing and knows no wire.
"""

from agent_conformance.agents.reference.pseudo_calls.reading import Reading, Rules, read_text
from agent_conformance.agents.reference.pseudo_calls.stream_filter import StreamFilter

__all__ = ["Reading", "Rules", "StreamFilter", "read_text"]
