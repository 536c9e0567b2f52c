"""llama.cpp's `/v1/responses`, which turns a request into one of chat completions.

It reads the types of few parameters, as chat completions do. Its errors are those of its chat completions. Of an answer
it sends the items, the usage and the status; reasoning is in the `content` of its item, where it wants it back.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.llama_cpp_chat import (
    MODEL,
    NOT_JSON,
    ONLY_PARAMETERS,
    PARAMETERS,
    SCHEMA,
    error_body,
    wrong_parameter,
)
from fake_providers.providers.llama_cpp.llama_cpp_chat import PROVIDER as CHAT
from fake_providers.providers.shared.chat_reading import LOCAL_INPUT, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.member_types_other_wires import (
    RULES_OF_RESPONSES,
    ResponsesSamples,
    items,
    objects,
)
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, Check, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Answers, Members, Provider
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

SOURCE: Final = "ggml-org/llama.cpp tools/server/server-chat.cpp"
CHECKED: Final = "2026-11-23"
LATELY: Final = "2026-11-27"
SAMPLES: Final = ResponsesSamples(MODEL)
BOOK = Rulebook(error_body.but(type="invalid_request_error").refusal)
refuse_unread(BOOK, "llama.cpp", LOCAL_INPUT, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("input", "'input' is required"), source=SOURCE)  # fmt: skip


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/responses-previous-not-stored", "The request continues a stored response: the server stores none.",
    ANY_PARAMETER, lambda body: isinstance(body.get("previous_response_id"), str) and body["previous_response_id"],
    "llama.cpp does not support 'previous_response_id'.", "previous_response_id", checked=CHECKED,
    remedy=remedies.NO_STORED_RESPONSES,
    wrong={"model": MODEL, "input": "Hello", "previous_response_id": "resp_1"},
    right={"model": MODEL, "input": "Hello", "previous_response_id": ""},
    reported={SOURCE: "..."})
BOOK.row("llama.cpp/responses-input-type", "The input is neither a string nor a list.",
    ANY_PARAMETER, lambda body: not isinstance(body["input"], str | list),
    "'input' must be a string or array of objects", "input", checked=CHECKED, remedy=remedies.MESSAGE_LIST,
    wrong={"model": MODEL, "input": 7}, right={"model": MODEL, "input": "Hello"},
    reported={SOURCE: "..."})
# fmt: on


refuse_wrong_types(BOOK, "llama.cpp",
    Dialect(words=wrong_parameter, source=SOURCE, members=PARAMETERS.replace("max_tokens", "max_output_tokens"),
        known={"parameter-type": ("reported", SCHEMA)}), SAMPLES, prefix="responses-", rules=ONLY_PARAMETERS,
    table=RULES_OF_RESPONSES)  # fmt: skip

QUESTION: Final = {"role": "user", "content": "What is the weather in Oslo?"}
SAID: Final = {"type": "message", "role": "assistant", "content": "A moment."}
THOUGHT: Final = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Oslo."}]}


def _sample(*items: dict[str, Any]) -> dict[str, Any]:
    return {"model": MODEL, "input": [QUESTION, *items, QUESTION]}


def _without(name: str, item: dict[str, Any]) -> dict[str, Any]:
    return {other: value for other, value in item.items() if other != name}


Known = Mapping[str, tuple[Callable[[dict[str, Any]], bool], str]]
"""By type: whether a part of it has what it needs, and the sentence where it lacks that."""
OF_USER: Final[Known] = {
    "input_text": (lambda part: "text" in part, "'Input text' requires 'text'"),
    "input_image": (lambda part: "image_url" in part, "'image_url' is required"),
    "input_file": (lambda part: False, "'input_file' is not supported by llamacpp at this moment"),
}
OF_MODEL: Final[Known] = {
    "output_text": (lambda part: isinstance(part.get("text"), str), "'Output text' requires 'text'"),
    "input_text": (lambda part: isinstance(part.get("text"), str), "'Output text' requires 'text'"),
    "refusal": (lambda part: isinstance(part.get("refusal"), str), "'Refusal' requires 'refusal'"),
}
Fault = tuple[str, str, str]
"""The name of the rule that an item breaks, the place in it, and the sentence."""


def _faults_of_parts(content: Any, known: Known, otherwise: str) -> Iterator[Fault]:
    for j, part in objects(content):
        is_whole, sentence = known.get(str(part.get("type")), (None, otherwise))
        if is_whole is None:
            yield "content-part-unknown", f".content[{j}].type", sentence
        elif not is_whole(part):
            yield "content-part-unknown", f".content[{j}]", sentence


def _faults(item: dict[str, Any]) -> Iterator[Fault]:
    def has(name: str, *types: type) -> bool:
        return isinstance(item.get(name), types)

    kind, role, content = item.get("type"), item.get("role"), item.get("content")
    if role in ("user", "system", "developer") and has("content", str, list):
        yield from _faults_of_parts(
            content, OF_USER, "'type' must be one of 'input_text', 'input_image', or 'input_file'"
        )
    elif role == "assistant" and kind == "message":
        yield from _faults_of_parts(content, OF_MODEL, "'type' must be one of 'output_text' or 'refusal'")
    elif kind == "function_call_output" and has("call_id", str) and has("output", str, list):
        for j, part in objects(item["output"]):
            if part.get("type") != "input_text":
                yield "result-part-unknown", f".output[{j}].type", "Output of tool call should be 'Input text'"
    elif kind == "reasoning" and has("summary", list):
        if not isinstance(content, list) or not content:
            what = "empty" if content == [] else "not an array"
            yield "reasoning-content", ".content", f"item['content'] is {what}"
        elif not isinstance(content[0], dict) or not isinstance(content[0].get("text"), str):
            yield "reasoning-content", ".content[0].text", "item['content']['text'] is not a string"
    elif kind != "function_call" or not all(has(name, str) for name in ("arguments", "call_id", "name")):
        yield "item-unknown", "", "Cannot determine type of 'item'"


def _first(rule: str) -> Check:
    """Finds the first fault of all items, where it is one of this rule: so the order of the rules is of no matter."""

    def check(context: RequestContext) -> Breach | None:
        if "item fault" not in context.read:
            found = ((at, fault) for at, item in items(context) for fault in _faults(item))
            context.read["item fault"] = next(found, ("", ("", "", "")))
        at, (name, place, sentence) = context.read["item fault"]
        return Breach(at + place, sentence) if name == rule else None

    return check


def _thought(item_id: str, thinking: str, secret: str | None) -> Members:
    content = [{"text": thinking, "type": "reasoning_text"}]
    item = {"id": item_id, "summary": [], "type": "reasoning", "content": content}
    return {**item, "encrypted_content": "", "status": "completed"}


TOO_LONG = context_length_rule("llama.cpp/responses-context-length", inferred={SOURCE: ""})


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/responses-item-unknown",
    "An item is none that it reads: an answer of the model without `type`, a result that is an object, a call "
        "without a name, a custom tool's call, a reference to an item.",
    WHOLE_REQUEST, _first("item-unknown"), checked=LATELY, remedy=remedies.OWN_ITEMS,
    wrong=_sample(_without("type", SAID)), right=_sample(SAID),
    verbatim={"tidyverse/ellmer#1153": "Cannot determine type of 'item'", "NousResearch/hermes-agent#76695": "",
        "ggml-org/llama.cpp#26394": "", SOURCE: ""})
BOOK.row("llama.cpp/responses-reasoning-content",
    "A reasoning item has no text in its `content`, such as one of OpenAI's, which has a summary.",
    WHOLE_REQUEST, _first("reasoning-content"), checked=LATELY,
    remedy=Remedy("reasoning-sent-back",
        "Send reasoning back as it came, with its text in `content`, and leave out reasoning of other providers."),
    wrong=_sample(_without("content", THOUGHT), SAID), right=_sample(THOUGHT, SAID),
    verbatim={"ggml-org/llama.cpp#28737": "item['content'] is not an array", SOURCE: ""})
BOOK.row("llama.cpp/responses-content-part-unknown", "A part of a content is none that it reads, or has no text.",
    WHOLE_REQUEST, _first("content-part-unknown"), checked=LATELY, remedy=remedies.PART_TYPES,
    wrong=_sample({**SAID, "content": [{"type": "text", "text": "A moment."}]}),
    right=_sample({**SAID, "content": [{"type": "output_text", "text": "A moment."}]}),
    reported=(*cite(SOURCE, "'type' must be one of 'output_text' or 'refusal'"), *cite(SOURCE)))
BOOK.row("llama.cpp/responses-result-part-unknown", "A part of a result is no `input_text`.",
    WHOLE_REQUEST, _first("result-part-unknown"), checked=LATELY,
    remedy=Remedy("results", "Write the parts of a result as `input_text`, or the whole result as one string."),
    wrong=SAMPLES.at("input.2.output", [{"type": "output_text", "text": "7 degrees"}]),
    right=SAMPLES.at("input.2.output", [{"type": "input_text", "text": "7 degrees"}]),
    reported=(*cite(SOURCE, "Output of tool call should be 'Input text'"), *cite(SOURCE)))
BOOK.row("llama.cpp/responses-tools-type", "The tools are no list.",
    ANY_PARAMETER, lambda body: "tools" in body and not isinstance(body["tools"], list),
    "'tools' must be an array of objects", "tools", checked=LATELY, remedy=remedies.TOOL_SHAPE,
    wrong={"model": MODEL, "input": "Hello", "tools": {}}, right={"model": MODEL, "input": "Hello", "tools": []},
    reported={SOURCE: "..."})

PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=Answers(
        id=lambda ids: ids.make("resp_", 32),
        call_id=lambda ids, number: ids.make("fc_", 32),
        item_id=lambda kind, response_id, number, ids: ids.make(f"{kind}_", 32),
        unfinished_response=lambda context, response_id, streamed: {
            "created_at": CREATED, "id": response_id, "model": model_of(body_of(context.request)), "object": "response",
            "output": []},
        reasoning_item=_thought,
        message_item=lambda item_id, part, commentary: {
            "content": [part], "id": item_id, "role": "assistant", "status": "completed", "type": "message"},
        call_item=lambda item_id, call_id, name, arguments: {
            "type": "function_call", "id": item_id, "status": "completed", "arguments": arguments, "call_id": call_id,
            "name": name},
        text_part=lambda text: {"type": "output_text", "annotations": [], "logprobs": [], "text": text},
        usage=lambda tokens: {
            "input_tokens": tokens.input, "output_tokens": tokens.output, "total_tokens": tokens.total},
        reasoning_member="content"),
    books=(BOOK,),
    traits=families_of("openai-responses", "llama.cpp"))
# fmt: on
