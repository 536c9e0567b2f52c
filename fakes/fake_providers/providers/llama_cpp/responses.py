"""llama.cpp's `/v1/responses`, which turns a request into one of chat completions.

It takes any parameter of any type, as chat completions do. Its errors are those of its chat completions, and its
answers have the members of OpenAI's.
"""

from dataclasses import replace
from typing import Final

from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.chat import MODEL, envelope
from fake_providers.providers.llama_cpp.chat import PROVIDER as CHAT
from fake_providers.providers.shared.chat_reading import INPUT, refuse_unread
from fake_providers.providers.shared.responses_reading import items
from fake_providers.providers.shared.types_elsewhere import ResponsesSamples
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

SOURCE: Final = "ggml-org/llama.cpp tools/server/server-chat.cpp"
CHECKED: Final = "2026-11-23"
SAMPLES: Final = ResponsesSamples(MODEL)
BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "llama.cpp",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "[json.exception.parse_error.101] parse error: syntax error while parsing value"),
    missing=lambda body: Breach("input", "'input' is required"),
    source=SOURCE,
)


@BOOK.rule(
    "llama.cpp/responses-previous-not-stored",
    why="The request continues a stored response: the server stores none.",
    confidence="reported",
    evidence=cite(SOURCE, "llama.cpp does not support 'previous_response_id'."),
    breaking={"model": MODEL, "input": "Hello", "previous_response_id": "resp_1"},
    accepted={"model": MODEL, "input": "Hello", "previous_response_id": ""},
    checked=CHECKED,
)
def _not_stored(context: RequestContext) -> Breach | None:
    if not context.body.get("previous_response_id"):
        return None
    return Breach("previous_response_id", "llama.cpp does not support 'previous_response_id'.")


@BOOK.rule(
    "llama.cpp/responses-input-type",
    why="The input is neither a string nor a list.",
    confidence="reported",
    evidence=cite(SOURCE, "'input' must be a string or array of objects"),
    breaking={"model": MODEL, "input": 7},
    accepted={"model": MODEL, "input": "Hello"},
    checked=CHECKED,
)
def _input_type(context: RequestContext) -> Breach | None:
    if isinstance(context.body["input"], str | list):
        return None
    return Breach("input", "'input' must be a string or array of objects")


@BOOK.rule(
    "llama.cpp/responses-item-unknown",
    why="An item is none that it reads: a result that is an object, a call without a name, a reference to an item.",
    confidence="reported",
    evidence=cite(SOURCE, "Cannot determine type of 'item'"),
    breaking=SAMPLES.at("input.2.output", {"degrees": 7}),
    accepted=SAMPLES.at("input.2.output", '{"degrees": 7}'),
    checked=CHECKED,
)
def _item_unknown(context: RequestContext) -> Breach | None:
    for at, item in items(context):
        kind = item.get("type", "message")
        known = (
            (kind == "message" and isinstance(item.get("content"), str | list))
            or (
                kind == "function_call"
                and all(isinstance(item.get(one), str) for one in ("name", "call_id", "arguments"))
            )
            or (kind == "function_call_output" and isinstance(item.get("output"), str | list))
            or kind not in ("message", "function_call", "function_call_output", "item_reference")
        )
        if not known:
            return Breach(at, "Cannot determine type of 'item'")
    return None


TOO_LONG = context_length_rule("llama.cpp/responses-context-length", confidence="inferred", evidence=cite(SOURCE))
PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "llama.cpp"),
)
