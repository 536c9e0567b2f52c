"""Bugs with the content of messages: parts of another API, parts without text, other JSON in place of text."""

from agent_conformance.agents.mutants.encoding.bodies import (
    Body,
    each,
    in_body,
    messages_of,
    parts_of,
    results_of,
    spoiled,
)

SCENARIO = "round-trip/result-comes-back"
TEXT_KINDS = ("text", "input_text", "output_text")


def _as_parts(message: Body, kind: str) -> None:
    if isinstance(message.get("content"), str):
        message["content"] = [{"type": kind, "text": message["content"]}]
    elif "parts" in message:
        message["parts"] = [{"type": kind, **part} for part in message["parts"]]


def _parts_of_input(message: Body) -> None:
    if message.get("role") != "user":
        _as_parts(message, "input_text")


def _parts_of_output(message: Body) -> None:
    _as_parts(message, "output_text")


def _plain_parts(message: Body) -> None:
    _as_parts(message, "text")


def _texts_as_parts(message: Body) -> None:
    for key in ("content", "parts"):
        if message.get(key):
            message[key] = ["a text"]


def _empty_part(message: Body) -> None:
    for key in ("content", "parts"):
        if message.get(key):
            old = message[key]
            message[key] = [*([{"type": "text", "text": old}] if isinstance(old, str) else old), {}]


def _parts_without_text(message: Body) -> None:
    _plain_parts(message)
    for part in (*message.get("content", ()), *message.get("parts", ())):
        if isinstance(part, dict):
            part.pop("text", None)


def _null_texts(message: Body) -> None:
    for key in ("content", "parts"):
        if isinstance(message.get(key), str):
            message[key] = None
        for part in message.get(key) or ():
            if "text" in part:
                part["text"] = None


def _content_as_object(message: Body) -> None:
    for key in ("content", "parts"):
        if key in message:
            message[key] = {"text": "hello"}


def _content_left_out(message: Body) -> None:
    for key in ("content", "parts"):
        message.pop(key, None)


def _blank_answers(message: Body) -> None:
    if message.get("role") == "user" and isinstance(message.get("content"), list | str):
        message["content"] = []


def _results_as_json(result: Body) -> None:
    for key in ("content", "output", "response"):
        if key in result:
            result[key] = 21 if key != "response" else "21"


def _null_results(result: Body) -> None:
    for key in ("content", "output", "response"):
        if key in result:
            result[key] = None


def _marks_for_the_cache(body: Body) -> None:
    for message in messages_of(body):
        _plain_parts(message)
    for part in parts_of(body):
        part["cache_control"] = {"type": "ephemeral"}


def _error_as_a_word(result: Body) -> None:
    result["is_error"] = "false"


MUTANTS = (
    spoiled(
        "M61a_parts_of_input",
        "the parts of an answer are not those of a question",
        "recorded refusals of `input_text` in an assistant's message",
        "round-trip/text-beside-a-call",
        each(messages_of, _parts_of_input),
    ),
    spoiled(
        "M61b_parts_of_output",
        "the parts of a question are not those of an answer",
        "recorded refusals of `output_text` in a user's message",
        SCENARIO,
        each(messages_of, _parts_of_output),
    ),
    spoiled(
        "M61c_plain_parts",
        "a text is sent in the form of this API",
        "https://github.com/ollama/ollama/issues/10255",
        SCENARIO,
        each(messages_of, _plain_parts),
    ),
    spoiled(
        "M61d_texts_as_parts",
        "a part of the content is an object",
        "https://github.com/langchain-ai/langgraphjs/issues/370",
        SCENARIO,
        each(messages_of, _texts_as_parts),
    ),
    spoiled(
        "M61e_empty_part",
        "no part is empty",
        "https://github.com/54xzh/FLIT/issues/70",
        SCENARIO,
        each(messages_of, _empty_part),
    ),
    spoiled(
        "M61f_parts_without_text",
        "a part that is a text has it",
        "recorded refusals of text parts without a text",
        SCENARIO,
        each(messages_of, _parts_without_text),
    ),
    spoiled(
        "M61g_null_texts",
        "an empty text is no null",
        "https://github.com/QuantumNous/new-api/issues/4776",
        SCENARIO,
        each(messages_of, _null_texts),
    ),
    spoiled(
        "M61h_content_as_object",
        "the content is a text or a list",
        "recorded refusals of contents that are objects",
        SCENARIO,
        each(messages_of, _content_as_object),
    ),
    spoiled(
        "M61i_content_left_out",
        "a message has its content",
        "recorded refusals of messages without content",
        SCENARIO,
        each(messages_of, _content_left_out),
    ),
    spoiled(
        "M61j_blank_questions",
        "the message of the user is not empty",
        "Mirascope/mirascope, an empty call",
        SCENARIO,
        each(messages_of, _blank_answers),
    ),
    spoiled(
        "M61k_results_as_json",
        "a result that is no text is written as one",
        "https://github.com/HKUDS/nanobot/issues/4356",
        SCENARIO,
        each(results_of, _results_as_json),
    ),
    spoiled(
        "M61l_null_results",
        "a result that is nothing is an empty text",
        "public code that quotes refusals of a null as output",
        SCENARIO,
        each(results_of, _null_results),
    ),
    spoiled(
        "M61m_marks_for_the_cache",
        "marks for the cache are few, and only where the API has them",
        "https://github.com/tghamm/Anthropic.SDK/issues/50",
        "round-trip/text-beside-a-call",
        in_body(_marks_for_the_cache),
    ),
    spoiled(
        "M61n_error_as_a_word",
        "whether a result is an error is true or false",
        "recorded refusals of `is_error` that is no boolean",
        SCENARIO,
        each(results_of, _error_as_a_word),
    ),
)
