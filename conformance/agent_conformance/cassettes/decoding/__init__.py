"""What the model said in a recorded response, on any wire the fakes know: text, reasoning, calls, finish, usage.

`wire_of` finds the wire and the provider of an exchange, `decode` reads its response, plain or streamed.
"""

from agent_conformance.cassettes.decoding.decoded_reply import DecodedReply, Usage
from agent_conformance.cassettes.decoding.wires import WireOfExchange, decode, wire_of

__all__ = ["DecodedReply", "Usage", "WireOfExchange", "decode", "wire_of"]
