"""Rules on the other fields of the request, in the provider's order, and on unknown keys.

Last come the rules on the request as a whole, which are outside the rulebooks: its size,
its JSON, the key, and the context window. Those that depend on a header or on the total size have no sample requests.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy, Rule
from fake_providers.rulebook import ANY_PARAMETER, RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed, members
from fake_providers.wires.anthropic_messages.betas import of_known_names
from fake_providers.wires.anthropic_messages.conversation import blocks
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import (
    PROBES,
    SMALL,
    TOOL,
    TOOL_PROBES,
    measured,
    sample_request,
)

BOOK = Rulebook(envelope)
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
"""Enough to tell an address from an id."""


def _metadata(value: Any) -> values.FieldError | None:
    if fault := values.must_be_object(value):
        return fault
    if (key := values.unknown_key(value, ("user_id",))) is not None:
        return f".{key[0]}", values.EXTRA
    fault = values.optional(values.string)(value.get("user_id"))
    return (".user_id", fault[1]) if fault else None


def _container(value: Any) -> values.FieldError | None:
    """A recorded request whose object has an id and no skills was refused (pydantic/pydantic-ai, claude-sonnet-4-5)."""
    if isinstance(value, dict) and "id" in value and not value.get("skills"):
        return values.string(value)
    if value is None or isinstance(value, str | dict):
        return None
    return ".ContainerParams", values.SHAPE


def _marks(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    """Each cache mark that is an object, with its place: of the request, of tools, of the system, and of blocks."""
    body = context.body
    marked = [("", body)]
    marked += [(f"tools.{i}.custom.", one) for i, one in enumerate(listed(body.get("tools")))]
    marked += [(f"system.{i}.", one) for i, one in enumerate(listed(body.get("system")))]
    marked += [(f"{block.at}.{block.type}.", block.body) for block in blocks(context)]
    for at, one in marked:
        if isinstance(mark := one.get("cache_control"), dict):
            yield mark, f"{at}cache_control"


CACHE_MARK = Selector(_marks, "{path}", ("path",), "request", ("conversation", "tool"))
EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING = ("adaptive", "disabled", "enabled")
LARGE = "claude-opus-4-8"
CACHED = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}


def _mark_fault(mark: dict[str, Any]) -> tuple[str, str] | None:
    """The place in the mark, and what is said of it."""
    if "type" not in mark:
        return ".type", values.REQUIRED
    if mark["type"] != "ephemeral":
        return "", values.unknown_tag(mark["type"], ("ephemeral",))
    if mark.get("ttl") not in (None, "5m", "1h"):
        return ".ephemeral.ttl", "Input should be '5m' or '1h'"
    extra = values.unknown_key(mark, ("type", "ttl"))
    return (f".ephemeral.{extra[0]}", values.EXTRA) if extra else None


def _field(
    name: str, why: str, check: values.ValueCheck, bad: Any, good: Any, quote: str, remedy: Remedy = remedies.VALUE
) -> None:
    """Add the rule on one field: a value that is refused, one that is accepted, and the measured sentence."""
    BOOK.row(
        f"anthropic/{name.replace('_', '-')}-type",
        why,
        ANY_PARAMETER,
        lambda body: check(body[name]) if name in body else None,
        "{at}: {found[1]}",
        name + "{found[0]}",
        remedy=remedy,
        wrong=sample_request(**{"model": SMALL, name: bad}),
        right=sample_request(**{"model": SMALL, name: good}),
        recorded=measured(quote),
    )


def _user_id(body: Any) -> str:
    return members(body.get("metadata")).get("user_id") or ""


# A table: two rows are to be compared.
# fmt: off
_field("system", "`system` is neither a string nor a list of text blocks; leave it out if there is none.",
    values.text_or_blocks, None, "b", "system: Input should be a valid array", remedy=remedies.JOIN_INSTRUCTIONS)
_field("thinking", "`thinking` is not an object; leave it out to go without.",
    values.obj, None, {"type": "disabled"}, "thinking: Input should be an object", remedy=remedies.THINKING_OBJECT)
_field("output_config", "`output_config` is not an object.",
    values.must_be_object, None, {}, "output_config: Input does not match the expected shape.",
    remedy=remedies.FORMAT_SHAPE)
BOOK.row("anthropic/effort-value", "The effort is none of Anthropic's words; `none` and `minimal` are OpenAI's.",
    ANY_PARAMETER, lambda body: (effort := members(body.get("output_config")).get("effort")) is not None
        and effort not in EFFORTS, "{at}: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    "output_config.effort", needs="output_config", checked="2026-11-29", remedy=remedies.EFFORT_OF_MODEL,
    wrong=sample_request(model=LARGE, output_config={"effort": "minimal"}),
    right=sample_request(model=LARGE, output_config={"effort": "low"}),
    verbatim={"ten public projects, measured in 2026-07":
        "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"})
BOOK.row("anthropic/thinking-type-unknown", "The type of thinking is none of Anthropic's words, such as `auto`.",
    ANY_PARAMETER, lambda body: isinstance(kind := members(body.get("thinking")).get("type"), str)
        and kind not in (*THINKING, "between_tools") and values.unknown_tag(kind, THINKING), "thinking: {found}",
    "thinking.type", needs="thinking", given=of_known_names, checked="2026-11-29", remedy=remedies.THINKING_OBJECT,
    wrong=sample_request(model=LARGE, thinking={"type": "auto"}),
    right=sample_request(model=LARGE, thinking={"type": "adaptive"}),
    inferred={"worded like the refusal of a `tool_choice`": ""})
BOOK.row("anthropic/cache-control-member",
    "A cache mark has no type, another lifetime than `5m` and `1h`, or a further member such as `scope`.",
    CACHE_MARK, _mark_fault, "{at}: {found[1]}", "{found[0]}", needs="cache_control", given=of_known_names,
    checked="2026-11-29", remedy=remedies.FOUR_CACHE_MARKS,
    wrong=sample_request(system=[{**CACHED, "cache_control": {"type": "ephemeral", "scope": "global"}}]),
    right=sample_request(system=[CACHED]),
    verbatim={"ten public projects, of 2026": "system.1.cache_control.ephemeral.scope: Extra inputs are not permitted",
        "QwenLM/qwen-code#4020: with the beta prompt-caching-scope-2026-01-05 it is accepted": ""})
_field("cache_control", "`cache_control` is not an object.",
    values.optional(values.obj), "x", {"type": "ephemeral"}, "cache_control: Input should be an object",
    remedy=remedies.FOUR_CACHE_MARKS)
BOOK.row("anthropic/max-tokens-missing", "`max_tokens` is missing; unlike on other wires it is required.",
    ANY_PARAMETER, lambda body: "max_tokens" not in body, "max_tokens: Field required", "max_tokens",
    remedy=remedies.WHOLE_NUMBER,
    wrong=sample_request(max_tokens=...), right=sample_request(),
    recorded=measured("max_tokens: Field required"))
_field("max_tokens", "`max_tokens` is not an integer, or it is negative.",
    values.not_negative, None, 16, "max_tokens: Input should be a valid integer", remedy=remedies.WHOLE_NUMBER)
_field("metadata", "`metadata` is not an object, or it has a key other than `user_id`.",
    _metadata, {"bogus": "x"}, {}, "metadata.bogus: Extra inputs are not permitted", remedy=remedies.METADATA)
_field("stop_sequences", "`stop_sequences` is not a list of strings.",
    values.array_of(values.string), "ZZ", ["ZZ"], "stop_sequences: Input should be a valid array",
    remedy=remedies.VALUE)
_field("temperature", "`temperature` is above 1, where OpenAI allows 2, or it is null.",
    values.at_most_one, 2, 1, "temperature: range: 0..1", remedy=remedies.VALUE)
_field("service_tier", "`service_tier` is neither `auto` nor `standard_only`.",
    values.one_of("auto", "standard_only"), "default", "auto",
    "service_tier: Input should be 'auto' or 'standard_only'", remedy=remedies.VALUE)
_field("top_k", "`top_k` is not an integer; null is refused.",
    values.integer, None, 5, "top_k: Input should be a valid integer", remedy=remedies.VALUE)
_field("top_p", "`top_p` is above 1 or null.",
    values.at_most_one, 1.5, 1, "top_p: range: 0..1", remedy=remedies.VALUE)
_field("stream", "`stream` is not a boolean; null is refused.",
    values.boolean, None, False, "stream: Input should be a valid boolean", remedy=remedies.VALUE)
_field("container", "`container` is neither a string nor an object with skills; an id alone must be a string.",
    _container, 7, None, "container.ContainerParams: Input does not match the expected shape.",
    remedy=Remedy("server-tools", "Send the id of the container as a text, or leave `container` out."))
_field("inference_geo", "`inference_geo` is not a string.",
    values.optional(values.string), 7, "us", "inference_geo: Input should be a valid string", remedy=remedies.VALUE)
BOOK.row("anthropic/stop-sequence-blank", "A stop sequence is empty or only white space, such as a line break.",
    ANY_PARAMETER, lambda body: not all(one.strip() for one in body.get("stop_sequences", ())),
    "stop_sequences: each stop sequence must contain non-whitespace", "stop_sequences", needs="stop_sequences",
    checked="2026-11-23", remedy=Remedy("parameters", "Leave out stop sequences that are only white space."),
    wrong=sample_request(stop_sequences=["\n"]), right=sample_request(stop_sequences=["\nHuman:"]),
    verbatim={"ten public projects": "stop_sequences: each stop sequence must contain non-whitespace"})
BOOK.row("anthropic/user-id-personal", "`metadata.user_id` is an email address; a UUID or a hash is accepted.",
    ANY_PARAMETER, lambda body: EMAIL.search(_user_id(body)),
    "{at}: user_id appears to contain an email address. Please send a uuid or hash value instead.", "metadata.user_id",
    needs="user_id", checked="2026-11-27", remedy=remedies.HASH_ID,
    wrong=sample_request(metadata={"user_id": "ada@example.com"}), right=sample_request(metadata={"user_id": "3f1c"}),
    reported={"BerriAI/litellm#10106": "metadata.user_id: user_id appears to contain an email address. Please send",
        "two public projects that hash it therefore": "user_id appears to contain an email address"})
BOOK.row("anthropic/user-id-too-long", "`metadata.user_id` has more than 256 characters.",
    ANY_PARAMETER, lambda body: len(_user_id(body)) > 256, "{at}: String should have at most 256 characters",
    "metadata.user_id", needs="user_id", checked="2026-11-27", remedy=remedies.HASH_ID,
    wrong=sample_request(metadata={"user_id": "0" * 257}), right=sample_request(metadata={"user_id": "0" * 256}),
    inferred={"https://platform.claude.com/docs/en/api/messages: at most 256 characters": "",
        "worded like the refusals of other long texts": ""})
BOOK.row("anthropic/extra-key",
    "The request has an unknown key, and names no beta or version whose keys are not known: `n`, `seed`, "
        "`parallel_tool_calls`, and other wires' keys set to null are refused.",
    ANY_PARAMETER, lambda body: values.unknown_key(body, values.FIELDS), "{at}: Extra inputs are not permitted",
    "{found[0]}", given=of_known_names, remedy=remedies.KNOWN_MEMBERS,
    wrong=sample_request(parallel_tool_calls=True), right=sample_request(),
    recorded=(*measured("zzz_unknown: Extra inputs are not permitted"), Citation("Aider-AI/aider#4404"),
        Citation("anthropics/claude-code#31033: fields of a beta are refused without its header")))
# fmt: on


MODEL_BOOK = Rulebook(envelope)
CHOICES = ("auto", "any", "tool", "none")


def _choose(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


def _unknown_choice(body: Any) -> str | None:
    choice = body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in CHOICES:
        return None
    return f": {values.unknown_tag(choice['type'], CHOICES)}" if "type" in choice else ".type: Field required"


def _unnamed_choice(body: Any) -> str | None:
    choice = members(body.get("tool_choice"))
    if choice.get("type") != "tool" or isinstance(choice.get("name"), str):
        return None
    return "Input should be a valid string" if "name" in choice else values.REQUIRED


CHECKED = "2026-11-20"
LARGEST = 32 * 1024 * 1024
"""The most bytes that a request may have; the server in front of the API refuses a larger one unread."""


# fmt: off
NOT_JSON = Rule("anthropic/not-json", 400, "The body is not JSON.", "all", "verbatim",
    (Citation("anthropics/claude-code#77525", "The request body is not valid JSON: unexpected control character"),),
    CHECKED, b"{", json.dumps(sample_request()).encode(), remedy=remedies.JSON_LIBRARY)
LONE_SURROGATE = Rule("anthropic/lone-surrogate", 400,
    "A string contains half of a surrogate pair, which is left when text is cut in the middle of an emoji.", "all",
    "verbatim",
    (Citation("anthropics/claude-code#3277", "The request body is not valid JSON: no low surrogate in string"),
        Citation("anthropics/claude-code#60394", "no low surrogate in string: line 1 column 195621 (char 195620)")),
    CHECKED, json.dumps(sample_request("7 \ud83d")).encode(),
    json.dumps(sample_request("7 \U0001f600")).encode(),
    remedy=remedies.WHOLE_CHARACTERS)
NOT_OBJECT = Rule("anthropic/body-type", 400, "The body is JSON but not an object.", "all", "inferred",
    (Citation(PROBES, "tool_choice: Input should be an object"),), CHECKED, [], sample_request(),
    remedy=remedies.ONE_OBJECT)
TOO_LARGE = Rule("anthropic/request-too-large", 413, "The request is larger than 32 MB.", "all", "verbatim",
    (Citation("anthropics/anthropic-sdk-python#938", "32 MB for the Messages API"),
        Citation("the API's documentation of errors", "Request exceeds the maximum allowed number of bytes.")),
    CHECKED, None, None, remedy=remedies.SHORTEN)
KEY_MISSING = Rule("anthropic/key-missing", 401,
    "The request has no key, neither in `x-api-key` nor as a bearer token.", "all", "recorded",
    (Citation("recordings of 2026", "x-api-key header is required"),), CHECKED, None, None, remedy=remedies.KEY)
TOO_LONG = Rule("anthropic/prompt-too-long", 400, "The conversation is longer than the model's context window.", "all",
    "recorded", (Citation("recordings", "prompt is too long: 200021 tokens > 200000 maximum"),), CHECKED, None, None,
    remedy=remedies.SHORTEN)
# fmt: on
RULES = (TOO_LARGE, NOT_JSON, LONE_SURROGATE, NOT_OBJECT, KEY_MISSING, TOO_LONG)


# A table: two rows are to be compared.
# fmt: off
MODEL_BOOK.row("anthropic/model-missing", "The request has no `model`.",
    ANY_PARAMETER, lambda body: "model" not in body, "model: Field required", "model", remedy=remedies.MODEL_NAME,
    wrong=sample_request(model=...), right=sample_request(),
    recorded=measured("model: Field required"))
MODEL_BOOK.row("anthropic/model-type", "The model's name is not a string, or it is empty.",
    ANY_PARAMETER,
    lambda body: values.string(body.get("model"))
        or (not body["model"] and ("", "String should have at least 1 character")), "model: {found[1]}", "model",
    remedy=remedies.MODEL_NAME,
    wrong=sample_request(model=""), right=sample_request(),
    recorded=measured("model: String should have at least 1 character"))
MODEL_BOOK.row("anthropic/tool-choice-type", "`tool_choice` is not an object; other wires accept a string or null.",
    ANY_PARAMETER, lambda body: not isinstance(body.get("tool_choice", {}), dict),
    "tool_choice: Input should be an object", "tool_choice", needs="tool_choice", remedy=remedies.CHOICE_SHAPE,
    wrong=_choose("auto"), right=_choose({"type": "auto"}),
    recorded=measured("tool_choice: Input should be an object"))
MODEL_BOOK.row("anthropic/tool-choice-unknown",
    "The type of `tool_choice` is not auto, any, tool or none; `required` and `function` are OpenAI's.",
    ANY_PARAMETER, _unknown_choice, "tool_choice{found}", "tool_choice", needs="tool_choice",
    remedy=remedies.CHOICE_SHAPE,
    wrong=_choose({"type": "required"}), right=_choose({"type": "any"}),
    recorded={TOOL_PROBES: "tool_choice: Input tag 'required' found using 'type' does not match any"})
MODEL_BOOK.row("anthropic/tool-choice-name", "A `tool_choice` of type `tool` has no name.",
    ANY_PARAMETER, _unnamed_choice, "tool_choice.tool.name: {found}", "tool_choice.name", needs="tool_choice",
    remedy=remedies.CHOICE_SHAPE,
    wrong=_choose({"type": "tool"}), right=_choose({"type": "tool", "name": "f"}),
    inferred=measured("messages.0.content.0.type: Field required"))
# fmt: on
