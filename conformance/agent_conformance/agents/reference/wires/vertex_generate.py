"""Gemini's wire on Vertex AI: paths below a project, and a bearer token. Knows the project of the fake."""

from collections.abc import Mapping

from agent_conformance.agents.reference.wires.gemini_generate import GeminiGenerate


class VertexGenerate(GeminiGenerate):
    models = "/v1beta1/projects/conformance/locations/global/publishers/google/models"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}
