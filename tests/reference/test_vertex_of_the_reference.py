"""The reference agent finds Vertex AI where Google's own client would, and brings a token, not a key."""

from conformance.agents.reference.turns import Turn
from conformance.agents.reference.wires import WIRES, wire_of
from conformance.agents.reference.wires.wire import Asking


def asking(*, stream: bool) -> Asking:
    return Asking("gemini-2.5-flash", stream, (Turn("user", "Rain?"),), None, {}, "vertex")


def test_request_goes_below_a_project_with_a_token() -> None:
    wire = wire_of("gemini-generate", "vertex")
    below = "/v1beta1/projects/conformance/locations/global/publishers/google/models/gemini-2.5-flash"

    assert wire.encode(asking(stream=False)).path == f"{below}:generateContent"
    assert wire.encode(asking(stream=True)).path == f"{below}:streamGenerateContent?alt=sse"
    assert wire.headers("k") == {"authorization": "Bearer k"}


def test_other_providers_have_their_wires_own() -> None:
    assert wire_of("gemini-generate", "gemini") is WIRES["gemini-generate"]
    developers = WIRES["gemini-generate"].encode(asking(stream=False))
    assert developers.path == "/v1beta/models/gemini-2.5-flash:generateContent"
