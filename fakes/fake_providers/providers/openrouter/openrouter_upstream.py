"""The makers of models behind OpenRouter: whose rules hold for a model, and in which envelope a refusal comes back.

A maker's rule holds here if OpenRouter is known to pass on its refusals, or those of rules like it. What OpenRouter
mends on its way is no rule: parameters that a model does not know, and longest answers that are too long.
"""

import json
import re
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of, traits
from fake_providers.providers.anthropic import anthropic_chat
from fake_providers.providers.deepseek import deepseek_chat as deepseek
from fake_providers.providers.gemini import gemini_chat as gemini
from fake_providers.providers.mistral import mistral_chat_rules as mistral
from fake_providers.providers.moonshot import moonshot_chat as moonshot
from fake_providers.providers.shared import chat_as_responses
from fake_providers.providers.shared.chat_reading import (
    MESSAGE,
    PART,
    calls,
    messages,
    parts,
    picture_url,
    tools,
)
from fake_providers.providers.shared.makers_book import OF_MESSAGES, OF_RESPONSES, Maker, MakersBook
from fake_providers.providers.shared.translated_book import UNCHANGED, Translation, same, same_place
from fake_providers.providers.xai import xai_chat as xai
from fake_providers.replies.documents import Envelope
from fake_providers.rule import Citation, Remedy, Violation
from fake_providers.rulebook import (
    ANY_PARAMETER,
    WHOLE_REQUEST,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.values.lenient import listed
from fake_providers.wires.openai_chat.rules.samples import PNG, USER, sample_request, sample_with_picture

USER_ID: Final = "user_2conformance0000000000000"
FROM_ELSEWHERE: Final = "Provider returned error"
error_body = Envelope(
    {"error": {"message": "<message>", "code": "<status>", "metadata": "<metadata>"}, "user_id": "<user>"}, user=USER_ID
)


def metadata_of(server: str, raw: str) -> dict[str, Any]:
    """What is said of a refusal by the server of a model, whose own body is `raw`."""
    return {"raw": raw, "provider_name": server, "is_byok": False}


def passed_on(server: str, raw: str, status: int = 400) -> Any:
    return error_body(FROM_ELSEWHERE, status=status, metadata=metadata_of(server, raw))


def _as_messages(body: dict[str, Any]) -> dict[str, Any]:
    """Anthropic's `thinking` is unknown to OpenRouter."""
    return anthropic_chat.as_messages({name: value for name, value in body.items() if name != "thinking"})


def _with_reasoning(body: dict[str, Any]) -> dict[str, Any]:
    """`reasoning` and `reasoning_details` come back to the maker as it sent them, and `reasoning` may turn it off."""
    sent = {name: value for name, value in body.items() if name != "reasoning"}
    if wants_no_reasoning(body):
        sent["thinking"] = {"type": "disabled"}
    sent["messages"] = [_thought(message) for message in listed(body.get("messages"))]
    return sent


def _thought(message: Any) -> Any:
    if not isinstance(message, dict) or "reasoning_content" in message:
        return message
    known = next((message[name] for name in ("reasoning", "reasoning_details") if message.get(name) is not None), None)
    return message if known is None else {**message, "reasoning_content": str(known)}


def _with_signatures(body: dict[str, Any]) -> dict[str, Any]:
    """A message's details that are encrypted have the signature of its first call."""
    return {**body, "messages": [_signed(message) for message in listed(body.get("messages"))]}


def _signed(message: Any) -> Any:
    if not isinstance(message, dict) or not (called := calls(message)):
        return message
    details = [one for one in listed(message.get("reasoning_details")) if isinstance(one, dict)]
    if not any(isinstance(one.get("data") or one.get("signature"), str) for one in details):
        return message
    first, *others = (call for _, call in called)
    return {**message, "tool_calls": [{**first, "extra_content": gemini.SIGNED}, *others]}


KEPT: Final = (
    "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: "
    "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks. Upstream error: "
)


def of_google(sentence: str) -> str:
    """Google's error, as a text."""
    return json.dumps({"error": {"code": 400, "message": sentence, "status": "INVALID_ARGUMENT"}}, indent=2) + "\n"


def needs_signatures(model: str) -> bool:
    return model.startswith(GOOGLE.prefix) and "thought-signatures" in gemini.FAMILIES(model)


def _kept(body: Any) -> str:
    sentence = body[0]["error"]["message"]
    return (KEPT if "thought_signature" in sentence else "") + of_google(sentence)


MENDED: Final = ("reasoning", "reasoning_effort", "temperature", "top_p")


def _as_responses(body: dict[str, Any]) -> dict[str, Any]:
    """Without what a model does not take. An effort that it does not have becomes one that it has, but for none."""
    sent = {name: value for name, value in body.items() if name not in MENDED}
    off = {"reasoning": {"effort": "none"}} if wants_no_reasoning(body) else {}
    return chat_as_responses.as_responses({**sent, **off})


def wants_no_reasoning(body: dict[str, Any]) -> bool:
    asked = body.get("reasoning")
    return isinstance(asked, dict) and (asked.get("enabled") is False or asked.get("effort") == "none")


def _with_mistrals_ids(body: dict[str, Any]) -> dict[str, Any]:
    """The fake's own ids are alike for all models; those of Mistral's have nine characters."""
    text = json.dumps(body.get("messages"))
    return {**body, "messages": json.loads(re.sub(r'"call_\w{15}(\w{9})"', r'"\1"', text))}


SEEN: Final = Citation(
    "OpenRouter's refusals of other rules of this maker, with the maker's own error in `metadata.raw`"
)


def _passed_on(maker: Maker, found: Violation, _model: str) -> Any:
    return passed_on(maker.server, maker.raw(found.body), found.status)


_maker: Final = partial(Maker, passed_on=_passed_on, seen=(SEEN,))
OPENAI: Final = _maker(
    "openai/",
    "OpenAI",
    families_of("openai-responses", "openai"),
    {
        "responses-call-without-result": ("gptme/gptme#650", "No tool output found for function call call_"),
        "responses-result-without-call": None,
        "responses-call-id-too-long": None,
        "responses-tool-name-empty": None,
        "responses-tool-name-too-long": None,
        "responses-tool-name-pattern": None,
        "responses-schema-root-type": (
            "Jeffser/Alpaca#1027",
            "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
        ),
        "responses-schema-array-without-items": None,
        "responses-strict-further-properties": None,
        "responses-strict-optional-property": None,
        "responses-strict-not-permitted": None,
        "responses-format-schema": (
            "dottxt-ai/outlines#1666",
            "Invalid schema for response_format 'default': In context=(), 'additionalProperties' is required",
        ),
        "responses-parameter-range": (
            "recording, openai/gpt-4.1",
            "Invalid 'max_output_tokens': integer below minimum value.",
        ),
        "responses-effort-value": ("recording, openai/o3", "Unsupported value: 'none' is not supported with the"),
        "responses-json-object-unsaid": (
            "reVrost/go-openrouter#21",
            "must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        ),
        "responses-image-empty": None,
        "responses-image-format": None,
    },
    Translation(
        _as_responses,
        chat_as_responses.as_chat,
        chat_as_responses.place_in_chat,
        (),
        pairs={
            "openai/responses-parameter-range": (
                sample_request(model="gpt-4.1", max_tokens=10),
                sample_request(model="gpt-4.1", max_tokens=16),
            ),
            "openai/responses-effort-value": (
                sample_request(model="o3", reasoning={"effort": "none"}),
                sample_request(model="o3", reasoning={"effort": "low"}),
            ),
        },
    ),
    others=("openai/gpt-oss",),
    raw=lambda body: json.dumps(body, indent=2),
)
ANTHROPIC: Final = _maker(
    "anthropic/",
    "Anthropic",
    families_of("anthropic-messages", "anthropic"),
    {
        "tool-result-without-use": ("router-for-me/CLIProxyAPI#497", "unexpected `tool_use_id` found in `tool_result`"),
        "tool-use-unanswered": None,
        "tool-result-twice": None,
        "text-type": (
            "charmbracelet/crush#910",
            "messages.1.content.0.text.text: Input should be a valid string",
        ),
        "tool-name-pattern": None,
        "tool-names-unique": None,
        "tool-schema-union": None,
        "tool-property-name": None,
        "prefill": ("openclaw/openclaw#75395", "This model does not support assistant message prefill."),
        "image-empty": None,
        "image-data": None,
        "image-unreadable": None,
        "image-of-another-type": None,
    },
    replace(anthropic_chat.TRANSLATION, native=_as_messages),
    model=lambda name: name.replace(".", "-"),
)
GOOGLE: Final = _maker(
    "google/",
    "Google AI Studio",
    gemini.FAMILIES,
    {
        "tool-calls-before-user": None,
        "tool-call-signature-missing": (
            "hotovo/aider-desk#513",
            "Function call is missing a thought_signature in functionCall parts.",
        ),
    },
    Translation(_with_signatures, same, same_place, ()),
    others=("google/gemma",),
    raw=_kept,
)
DEEPSEEK: Final = _maker(
    "deepseek/",
    "DeepSeek",
    families_of("openai-chat", "deepseek"),
    {
        "reasoning-content-required": (
            "danny-avila/LibreChat#13366",
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
        )
    },
    Translation(_with_reasoning, same, same_place, ()),
)
MOONSHOT: Final = _maker(
    "moonshotai/",
    "Moonshot AI",
    families_of("openai-chat", "moonshot"),
    {
        "reasoning-content-required": (
            "mnfst/llm-gateway#1862",
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
        )
    },
    Translation(_with_reasoning, same, same_place, ()),
)
MISTRAL: Final = _maker(
    "mistralai/",
    "Mistral",
    families_of("openai-chat", "mistral"),
    {
        "role-order": ("charmbracelet/crush#279", "Unexpected role 'tool' after role 'user'"),
        "tool-call-id": ("openclaw/openclaw#57672", "but must be a-z, A-Z, 0-9, with a length of 9."),
    },
    Translation(_with_mistrals_ids, same, same_place, ()),
)
XAI: Final = _maker(
    "x-ai/",
    "xAI",
    families_of("openai-chat", "xai"),
    {"content-missing": None},
    UNCHANGED,
    deduced=True,
)

OWN: Final = Rulebook(lambda rule, breach, context: passed_on(breach.extra["server"], breach.extra["raw"]))
"""The refusals of makers that are written here: of models that are not on the maker's own wire, or of members of chat
completions that are not."""
MOST_MARKS: Final = 4


def _by_google(sentence: str) -> dict[str, Any]:
    return {"server": GOOGLE.server, "raw": of_google(sentence)}


def _choice_without_tools(body: Any, context: RequestContext) -> bool:
    if body.get("tools") or not body.get("tool_choice") or not context.model.startswith("google/gemini"):
        return False
    return "no-lonely-tool-config" in traits("gemini-generate", context.model)


def _system_for_gemma(message: dict[str, Any], context: RequestContext) -> Breach | None:
    if message.get("role") not in ("system", "developer"):
        return None
    name = context.model.rpartition("/")[2].partition(":")[0]
    sentence = f"Developer instruction is not enabled for models/{name}"
    return Breach("messages", sentence, _by_google(sentence))


def _too_many_marks(body: Any, context: RequestContext) -> Breach | None:
    marked = [part for _, message in messages(context) for _, part in parts(message)]
    marked += [tool for _, tool in tools(context)]
    marks = sum(one.get("cache_control") is not None for one in marked)
    if marks <= MOST_MARKS or not context.model.startswith(ANTHROPIC.prefix):
        return None
    sentence = f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {marks}."
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": sentence}}
    return Breach("messages", sentence, {"server": ANTHROPIC.server, "raw": json.dumps(error)})


def _undecodable(part: dict[str, Any], i: int, j: int, role: str, context: RequestContext) -> Breach | None:
    """What follows the comma of a data URL is sent on as it is; the system message is no content of Google's."""
    data = str(picture_url(part)).partition(",")[2]
    if not data.startswith("data:") or not context.model.startswith("google/gemini"):
        return None
    before = sum(message.get("role") in ("system", "developer") for _, message in messages(context)[:i])
    at = f"contents[{i - before}].parts[{j}].inline_data.data"
    sentence = f"Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for {json.dumps(data)}"
    return Breach(f"messages[{i}].content[{j}]", sentence, _by_google(sentence))


def _marked(count: int) -> dict[str, Any]:
    mark = {"cache_control": {"type": "ephemeral"}}
    pages = [{"type": "text", "text": f"Page {n}.", **(mark if n < count else {})} for n in range(MOST_MARKS + 1)]
    return sample_request({"role": "user", "content": pages}, model="anthropic/claude-sonnet-4.5")


LONELY_CHOICE: Final = "Function calling config is set without function_declarations."
NO_TEMPERATURE: Final = "Unsupported parameter: 'temperature' is not supported with this model."
OF_OPENAI: Final = {"message": NO_TEMPERATURE, "type": "invalid_request_error", "param": "temperature", "code": None}
SYSTEM: Final = {"role": "system", "content": "Be brief."}


# A table: two rows are to be compared.
# fmt: off
OWN.row("openrouter/provider-error",
    "The request has a `tool_choice` for a Gemini model and no tools; Google's refusal is passed on.",
    ANY_PARAMETER, _choice_without_tools, LONELY_CHOICE, "tool_choice",
    models="google/gemini-2.5 and later", checked="2026-11-21", extra=_by_google(LONELY_CHOICE),
    remedy=Remedy("models", "Send `tool_choice` only together with tools."),
    wrong=sample_request(model="google/gemini-2.5-flash", tool_choice="auto"),
    right=sample_request(model="google/gemini-2.5-flash"),
    verbatim={"tailcallhq/forgecode#1404": LONELY_CHOICE, "lobehub/lobehub#7298": ""})
OWN.row("openrouter/google-image-base64", "The data of a picture are no base64, such as a data URL within a data URL.",
    PART, _undecodable, needs="image_url", models="google/gemini", checked="2026-11-30", about="picture",
    remedy=remedies.READABLE_PICTURE,
    wrong=sample_with_picture("data:image/png;base64,data:image/png;base64", model="google/gemini-2.5-pro"),
    right=sample_with_picture(PNG, model="google/gemini-2.5-pro"),
    verbatim={"musistudio/claude-code-router#845": "(TYPE_BYTES), Base64 decoding failed for"})
OWN.row("openrouter/google-system-unsupported", "The conversation has a system message, and the model takes none.",
    MESSAGE, _system_for_gemma, trait="no-system", models="google/gemma-3n", checked="2026-11-29", even_usual=True,
    remedy=Remedy("system", "Put the instructions into the first message of the user for this model."),
    wrong=sample_request(SYSTEM, USER, model="google/gemma-3n-e4b-it:free"),
    right=sample_request({**SYSTEM, "role": "user"}, USER, model="google/gemma-3n-e4b-it:free"),
    recorded={"recording, google/gemma-3n-e4b-it": "Developer instruction is not enabled for models/gemma-3n-e4b-it"})
OWN.row("openrouter/openai-temperature-unsupported", "The request has a temperature for a model that takes none.",
    ANY_PARAMETER, lambda body: isinstance(body.get("temperature"), int | float), NO_TEMPERATURE, "temperature",
    trait="no-temperature", models="openai/gpt-5-image", checked="2026-11-29", remedy=remedies.NO_PARAMETER,
    extra={"server": OPENAI.server, "raw": OPENAI.raw({"error": OF_OPENAI})},
    wrong=sample_request(model="openai/gpt-5-image", temperature=0), right=sample_request(model="openai/gpt-5-image"),
    recorded={"recording, openai/gpt-5-image": NO_TEMPERATURE})
OWN.row("openrouter/anthropic-cache-marks-many", "More than four parts or tools have `cache_control`.",
    WHOLE_REQUEST, _too_many_marks, needs="cache_control", models=ANTHROPIC.prefix, checked="2026-11-29",
    remedy=remedies.FOUR_CACHE_MARKS, wrong=_marked(5), right=_marked(4),
    verbatim={"hotovo/aider-desk#513": "A maximum of 4 blocks with cache_control may be provided. Found 5."})
# fmt: on

_book: Final = partial(MakersBook, "openrouter")
BOOKS: Final[tuple[Rulebook, ...]] = (
    OWN,
    _book(OF_RESPONSES, OPENAI, "openai"),
    _book(OF_MESSAGES, ANTHROPIC, "anthropic"),
    _book(gemini.BOOK, GOOGLE, "gemini"),
    _book(deepseek.BOOK, DEEPSEEK, "deepseek"),
    _book(moonshot.BOOK, MOONSHOT, "moonshot"),
    _book(mistral.CHAT_CONVERSATION_RULES_BOOK, MISTRAL, "mistral"),
    _book(xai.BOOK, XAI, "xai"),
)
