"""Advice beside the expectation `images`: the pictures of a result stand in the result itself."""

from collections.abc import Iterator

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, unmet
from agent_conformance.judge.expectations.requests import chosen
from agent_conformance.judge.pictures import last_pictures, pictures_in_last_results
from agent_conformance.scenario.derived.pictures import tool_pictures
from agent_conformance.transcripts.transcript import TurnRecord
from fake_providers import View

WIRES_WITH_THE_PLACE = ("openai-responses", "anthropic-messages", "ollama-chat", "bedrock-converse")
"""Gemini has it from Gemini 3 on. In chat completions not every model sees a picture in a tool message."""


def pictures_in_results(evidence: CaseEvidence, record: TurnRecord) -> Iterator[Mismatch]:
    """Where wire and model have that place. Beside the result, or in a message after it, is right too."""
    if not tool_pictures(evidence.scenario):
        return
    for number, wanted in enumerate(record.turn.expect.requests):
        for request in chosen(record, wanted) if wanted.images else []:
            if _has_the_place(evidence.wire, request.view) and not pictures_in_last_results(request.view):
                expected, got = "the pictures of a result in the result itself", "they stand beside it"
                yield unmet(record, "requests", expected, got, request=request.number, number=number, part="images")


def _has_the_place(wire: str, view: View) -> bool:
    """A failed result has none on Anthropic's wire."""
    if not last_pictures(view) or any(result.is_error for message in view.messages for result in message.results):
        return False
    return wire in WIRES_WITH_THE_PLACE or (wire == "gemini-generate" and "gemini-3" in view.model)
