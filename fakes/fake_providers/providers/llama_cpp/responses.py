"""llama.cpp's `/v1/responses`, which turns a request into one of chat completions.

It reads the types of few parameters, as chat completions do. Its errors are those of its chat completions. Of an answer
it sends the items, the usage and the status; reasoning is in the `content` of its item, where it wants it back.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import replace

from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.chat import (
    MODEL,
    ONLY_PARAMETERS,
    PARAMETERS,
    SCHEMA,
    error_body,
    wrong_parameter,
)
from fake_providers.providers.llama_cpp.chat import PROVIDER as CHAT
from fake_providers.providers.shared.chat_reading import INPUT, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.types_elsewhere import RULES_OF_RESPONSES, ResponsesSamples, items, objects
from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import ANY_PART, WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Answers, Members, Provider
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

SOURCE: Final = "ggml-org/llama.cpp tools/server/server-chat.cpp"
CHECKED: Final = "2026-11-23"
SAMPLES: Final = ResponsesSamples(MODEL)
BOOK = Rulebook(error_body.but(type="invalid_request_error").refusal)

refuse_unread(
    BOOK,
    "llama.cpp",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "[json.exception.parse_error.101] parse error: syntax error while parsing value"),
    missing=lambda body: Breach("input", "'input' is required"),
    source=SOURCE,
)


def _not_stored(context: RequestContext) -> Breach | None:
    continued = context.body.get("previous_response_id")
    if not isinstance(continued, str) or not continued:
        return None
    return Breach("previous_response_id", "llama.cpp does not support 'previous_response_id'.")


def _input_type(context: RequestContext) -> Breach | None:
    if isinstance(context.body["input"], str | list):
        return None
    return Breach("input", "'input' must be a string or array of objects")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/responses-previous-not-stored", "The request continues a stored response: the server stores none.",
    ANY_PART, _not_stored, even_usual=True, checked=CHECKED,
    wrong={"model": MODEL, "input": "Hello", "previous_response_id": "resp_1"},
    right={"model": MODEL, "input": "Hello", "previous_response_id": ""},
    reported={SOURCE: "llama.cpp does not support 'previous_response_id'."})
BOOK.row("llama.cpp/responses-input-type", "The input is neither a string nor a list.",
    WHOLE_REQUEST, _input_type, checked=CHECKED,
    wrong={"model": MODEL, "input": 7}, right={"model": MODEL, "input": "Hello"},
    reported={SOURCE: "'input' must be a string or array of objects"})
# fmt: on


refuse_wrong_types(
    BOOK,
    "llama.cpp",
    Dialect(
        words=wrong_parameter,
        source=SOURCE,
        members=PARAMETERS.replace("max_tokens", "max_output_tokens"),
        known={"parameter-type": ("reported", SCHEMA)},
    ),
    SAMPLES,
    prefix="responses-",
    rules=ONLY_PARAMETERS,
    table=RULES_OF_RESPONSES,
)
QUESTION: Final = {"role": "user", "content": "What is the weather in Oslo?"}
SAID: Final = {"type": "message", "role": "assistant", "content": "A moment."}
THOUGHT: Final = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Oslo."}]}


def _sample(*items: dict[str, Any]) -> dict[str, Any]:
    return {"model": MODEL, "input": [QUESTION, *items, QUESTION]}


def _said(**part: Any) -> dict[str, Any]:
    return _sample({**SAID, "content": [part]})


RULES: Final[tuple[tuple[str, str, tuple[Citation, ...], Any, Any], ...]] = (
    (
        "item-unknown",
        "An item is none that it reads: an answer of the model without `type`, a result that is an object, a call "
        "without a name, a custom tool's call, a reference to an item.",
        (
            *cite("tidyverse/ellmer#1153", "Cannot determine type of 'item'"),
            *cite("NousResearch/hermes-agent#76695"),
            *cite("ggml-org/llama.cpp#26394"),
        ),
        _sample({name: value for name, value in SAID.items() if name != "type"}),
        _sample(SAID),
    ),
    (
        "reasoning-content",
        "A reasoning item has no text in its `content`, such as one of OpenAI's, which has a summary.",
        cite("ggml-org/llama.cpp#28737", "item['content'] is not an array"),
        _sample({name: value for name, value in THOUGHT.items() if name != "content"}, SAID),
        _sample(THOUGHT, SAID),
    ),
    (
        "content-part-unknown",
        "A part of a content is none that it reads, or has no text.",
        cite(SOURCE, "'type' must be one of 'output_text' or 'refusal'"),
        _said(type="text", text="A moment."),
        _said(type="output_text", text="A moment."),
    ),
    (
        "result-part-unknown",
        "A part of a result is no `input_text`.",
        cite(SOURCE, "Output of tool call should be 'Input text'"),
        SAMPLES.at("input.2.output", [{"type": "output_text", "text": "7 degrees"}]),
        SAMPLES.at("input.2.output", [{"type": "input_text", "text": "7 degrees"}]),
    ),
)
"""What it refuses of an item: the name of the rule, why, the evidence, and the samples."""
TYPES_OF_USER: Final = ("input_text", "input_image")


def _fault_of(item: dict[str, Any]) -> tuple[str, str, str]:
    """The name of the rule that the item breaks, the place in it and the sentence; empty texts if it is read."""

    def has(name: str, *types: type) -> bool:
        return isinstance(item.get(name), types)

    kind, role = item.get("type"), item.get("role")
    if role in ("user", "system", "developer") and has("content", str, list):
        return next(filter(any, map(_user_part, _parts(item))), ("", "", ""))
    if role == "assistant" and kind == "message":
        return next(filter(any, map(_assistant_part, _parts(item))), ("", "", ""))
    if kind == "function_call" and has("arguments", str) and has("call_id", str) and has("name", str):
        return "", "", ""
    if kind == "function_call_output" and has("call_id", str) and has("output", str, list):
        others = (i for i, part in objects(item["output"]) if part.get("type") != "input_text")
        wrong = next(others, None)
        sentence = "Output of tool call should be 'Input text'"
        return ("", "", "") if wrong is None else ("result-part-unknown", f".output[{wrong}].type", sentence)
    if kind == "reasoning" and has("summary", list):
        return _reasoning(item.get("content"))
    return "item-unknown", "", "Cannot determine type of 'item'"


def _parts(item: dict[str, Any]) -> Iterable[tuple[int, dict[str, Any]]]:
    return objects(item.get("content"))


def _user_part(placed: tuple[int, dict[str, Any]]) -> tuple[str, str, str]:
    index, part = placed
    kind, at = part.get("type"), f".content[{index}]"
    if kind == "input_text" and "text" not in part:
        return "content-part-unknown", at, "'Input text' requires 'text'"
    if kind == "input_image" and "image_url" not in part:
        return "content-part-unknown", at, "'image_url' is required"
    if kind == "input_file":
        return "content-part-unknown", at, "'input_file' is not supported by llamacpp at this moment"
    if kind not in TYPES_OF_USER:
        sentence = "'type' must be one of 'input_text', 'input_image', or 'input_file'"
        return "content-part-unknown", f"{at}.type", sentence
    return "", "", ""


def _assistant_part(placed: tuple[int, dict[str, Any]]) -> tuple[str, str, str]:
    index, part = placed
    kind, at = part.get("type"), f".content[{index}]"
    if kind in ("output_text", "input_text"):
        fits = isinstance(part.get("text"), str)
        return ("", "", "") if fits else ("content-part-unknown", at, "'Output text' requires 'text'")
    if kind == "refusal":
        fits = isinstance(part.get("refusal"), str)
        return ("", "", "") if fits else ("content-part-unknown", at, "'Refusal' requires 'refusal'")
    return "content-part-unknown", f"{at}.type", "'type' must be one of 'output_text' or 'refusal'"


def _reasoning(content: Any) -> tuple[str, str, str]:
    if not isinstance(content, list):
        return "reasoning-content", ".content", "item['content'] is not an array"
    if not content:
        return "reasoning-content", ".content", "item['content'] is empty"
    first = content[0]
    if not isinstance(first, dict) or not isinstance(first.get("text"), str):
        return "reasoning-content", ".content[0].text", "item['content']['text'] is not a string"
    return "", "", ""


def _first_fault(context: RequestContext) -> tuple[str, str, str]:
    if "item fault" not in context.read:
        faults = ((at, _fault_of(item)) for at, item in items(context))
        found = ((rule, f"{at}{place}", sentence) for at, (rule, place, sentence) in faults if rule)
        context.read["item fault"] = next(found, ("", "", ""))
    fault: tuple[str, str, str] = context.read["item fault"]
    return fault


def _refuse_item(name: str, why: str, evidence: tuple[Citation, ...], breaking: Any, accepted: Any) -> None:
    def check(context: RequestContext) -> Breach | None:
        rule, at, sentence = _first_fault(context)
        return Breach(at, sentence) if rule == name else None

    sure: Confidence = "reported" if evidence[0].source == SOURCE else "verbatim"
    evidence, id = (*evidence, Citation(SOURCE)), f"llama.cpp/responses-{name}"
    BOOK.add(Rule(id, 400, why, "all", sure, evidence, "2026-11-27", breaking, accepted), WHOLE_REQUEST, check)


for row in RULES:
    _refuse_item(*row)


def _tools_type(context: RequestContext) -> Breach | None:
    if "tools" not in context.body or isinstance(context.body["tools"], list):
        return None
    return Breach("tools", "'tools' must be an array of objects")


def _thought(item_id: str, thinking: str, secret: str | None) -> Members:
    content = [{"text": thinking, "type": "reasoning_text"}]
    item = {"id": item_id, "summary": [], "type": "reasoning", "content": content}
    return {**item, "encrypted_content": "", "status": "completed"}


TOO_LONG = context_length_rule("llama.cpp/responses-context-length", inferred={SOURCE: ""})


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/responses-tools-type", "The tools are no list.",
    ANY_PART, _tools_type, even_usual=True, checked="2026-11-27",
    wrong={"model": MODEL, "input": "Hello", "tools": {}}, right={"model": MODEL, "input": "Hello", "tools": []},
    reported={SOURCE: "'tools' must be an array of objects"})
# fmt: on
PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=Answers(
        id=lambda ids: ids.make("resp_", 32),
        call_id=lambda ids, number: ids.make("fc_", 32),
        item_id=lambda kind, response_id, number, ids: ids.make(f"{kind}_", 32),
        unfinished_response=lambda context, response_id, streamed: {
            "created_at": CREATED,
            "id": response_id,
            "model": model_of(body_of(context.request)),
            "object": "response",
            "output": [],
        },
        reasoning_item=_thought,
        message_item=lambda item_id, part, commentary: {
            "content": [part],
            "id": item_id,
            "role": "assistant",
            "status": "completed",
            "type": "message",
        },
        call_item=lambda item_id, call_id, name, arguments: {
            "type": "function_call",
            "id": item_id,
            "status": "completed",
            "arguments": arguments,
            "call_id": call_id,
            "name": name,
        },
        text_part=lambda text: {"type": "output_text", "annotations": [], "logprobs": [], "text": text},
        usage=lambda tokens: {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "total_tokens": tokens.total,
        },
        reasoning_member="content",
    ),
    books=(BOOK,),
    traits=families_of("openai-responses", "llama.cpp"),
)
