"""The reference agent finds Vertex AI where Google's own client would, and brings a token, not a key."""

from agent_conformance.agents.reference.history import Entry
from agent_conformance.agents.reference.wires import CompletionRequest, wire_of


def request(*, stream: bool) -> CompletionRequest:
    return CompletionRequest("gemini-2.5-flash", stream, (Entry("user", "Rain?"),), None, {}, "vertex")


def test_request_goes_below_a_project_with_a_token() -> None:
    wire = wire_of("gemini-generate", "vertex")
    below = "/v1beta1/projects/conformance/locations/global/publishers/google/models/gemini-2.5-flash"

    assert wire.encode(request(stream=False)).path == f"{below}:generateContent"
    assert wire.encode(request(stream=True)).path == f"{below}:streamGenerateContent?alt=sse"
    assert wire.headers("k", "", b"") == {"authorization": "Bearer k"}


def test_other_providers_have_the_paths_of_their_wire() -> None:
    assert type(wire_of("gemini-generate", "gemini")) is type(wire_of("gemini-generate", ""))
    developers = wire_of("gemini-generate", "").encode(request(stream=False))
    assert developers.path == "/v1beta/models/gemini-2.5-flash:generateContent"
