"""Gemini's wire as Vertex AI takes it: below a project, with a bearer token. Knows where the fake's project lies."""

from collections.abc import Mapping

from conformance.agents.reference.wires.gemini_generate import GeminiGenerate


class VertexGenerate(GeminiGenerate):
    models = "/v1beta1/projects/conformance/locations/global/publishers/google/models"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}
