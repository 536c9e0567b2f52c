"""The native pictures of a request, and the messages that an agent adds only to show them."""

from msgspec.structs import replace

from agent_conformance.judge.case_evidence import CaseEvidence, flat
from agent_conformance.judge.tool_results import after_last_calls
from agent_conformance.scenario.base_model import text_of
from fake_providers import View, ViewMessage
from fake_providers.values.pictures import Picture


def last_pictures(view: View) -> tuple[Picture, ...]:
    """The pictures after the last message with calls, in results or beside them; each once."""
    found = (picture for message in _after_last_calls(view) for picture in (*in_results(message), *message.pictures))
    return tuple({picture.digest: picture for picture in found}.values())


def pictures_in_last_results(view: View) -> tuple[Picture, ...]:
    return tuple(picture for message in _after_last_calls(view) for picture in in_results(message))


def is_sent_twice(view: View) -> bool:
    """Whether a picture of the last results is in its result, and once more beside it."""
    beside = {picture.digest for message in _after_last_calls(view) for picture in message.pictures}
    return any(picture.digest in beside for picture in pictures_in_last_results(view))


def in_results(message: ViewMessage) -> tuple[Picture, ...]:
    return tuple(picture for result in message.results for picture in result.pictures)


def without_carriers(evidence: CaseEvidence, view: View) -> View:
    """The request without user messages after results that have only the results' pictures and the agent's labels."""
    said = [text for text in map(flat, _user_texts(evidence)) if text]
    kept = tuple(
        message
        for before, message in zip((None, *view.messages), view.messages, strict=False)
        if before is None or not _is_carrier(before, message, said)
    )
    return view if len(kept) == len(view.messages) else replace(view, messages=kept)


def _is_carrier(before: ViewMessage, message: ViewMessage, said: list[str]) -> bool:
    if message.role != "user" or not message.pictures or before.role != "tool":
        return False
    text = flat(message.text)
    return not any(one in text for one in said)


def _user_texts(evidence: CaseEvidence) -> list[str]:
    texts = [record.turn.user_text for record in evidence.transcript.turns]
    said = (message.user for message in evidence.scenario.history if message.user is not None)
    return texts + [text_of(one) for one in said]


def _after_last_calls(view: View) -> tuple[ViewMessage, ...]:
    return tuple(message for message in after_last_calls(view) if message.role != "assistant")
