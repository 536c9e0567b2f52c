"""Vertex AI's error messages and responses, where they differ from the Developer API's.

Each reports the first wrong schema in a sentence of its own.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from fake_providers import remedies
from fake_providers.http import Request, json_encoder
from fake_providers.rulebook import ALL_MESSAGES, ANY_PARAMETER, WHOLE_REQUEST, RequestContext, Rulebook, Selector
from fake_providers.wires.gemini_generate import proto_messages as proto
from fake_providers.wires.gemini_generate import rules
from fake_providers.wires.gemini_generate.errors import (
    NO_CREDENTIAL,
    SENTENCES,
    error_body,
    missing_credential,
    retry_info,
)
from fake_providers.wires.gemini_generate.provider import Provider
from fake_providers.wires.gemini_generate.request_validator import BAD_NAME, FUNCTION_NAME
from fake_providers.wires.gemini_generate.rules import samples
from fake_providers.wires.gemini_generate.rules.rulebook import MISSING_CREDENTIAL, envelope, first_breach
from fake_providers.wires.gemini_generate.rules.turns import ALTERED, INTACT, corrupted_places, unsigned_calls

DOCS = "https://cloud.google.com/vertex-ai/generative-ai/docs"

BOOK = Rulebook(envelope)
"""Contents and declarations, which are checked before the rules that Vertex and the Gemini API word alike."""

SIGNATURES = Rulebook(envelope)
"""Thought signatures, which are checked last."""
BOOKS = (rules.FORM, BOOK, rules.BOOK, SIGNATURES)
REFERENCE = f"Learn more: {DOCS}/model-reference/gemini"
FUNCTIONS = f"Learn more: {DOCS}/multimodal/function-calling"
STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"city": STRING}}
UNION = {"anyOf": [STRING, {"type": "integer"}]}


def _nodes(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for where, declaration in proto.declarations(context.body.value):
        parameters = proto.field(declaration, "parameters")
        if isinstance(parameters, dict):
            yield from _within(parameters, f"{where}.parameters", "parameters", proto.field(declaration, "name"))


def _within(schema: Any, where: str, path: str, function: Any) -> Iterator[tuple[Any, ...]]:
    yield schema, where, path, function
    properties = proto.field(schema, "properties")
    named = properties.items() if isinstance(properties, dict) else ()
    inner = [(f".properties[{key}]", key, child) for key, child in named]
    inner.append((".items", "items", proto.field(schema, "items")))
    inner += [
        (f".any_of[{i}]", f"any_of[{i}]", branch) for i, branch in enumerate(proto.items(proto.field(schema, "any_of")))
    ]
    for below, name, child in inner:
        if isinstance(child, dict):
            yield from _within(child, where + below, f"{path}.{name}", function)


SCHEMA_WITHIN: Final = Selector(_nodes, "{where}", ("where", "path", "function"), "parts", ("tool",))
"""Every schema of every declaration's `parameters`, outer ones first. `path` is Vertex AI's spelling,
`parameters.a.b`; `where` is the place in the body."""
DECLARATION: Final = Selector(lambda context: ((one, where) for where, one in proto.declarations(context.body.value)),
    "{where}", ("where",), "parts", ("tool",))  # fmt: skip
CONTENT: Final = Selector(lambda context: ((one, i) for i, one in enumerate(proto.contents(context.body.value))),
    "contents[{i}]", ("i",), "parts", ("conversation",))  # fmt: skip


def range_sentence(name: str, value: float) -> str:
    """The refusal of this value of a parameter; empty where it is in the range or no number."""
    low, low_counts, high, high_counts = RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if (low <= value if low_counts else low < value) and (value <= high if high_counts else value < high):
        return ""
    words = ["exclusive", "inclusive"]
    return (
        f"Unable to submit request because it has a {name} value of {value:g} but the supported range is from {low:g} "
        f"({words[low_counts]}) to {high} ({words[high_counts]}). Update the value and try again."
    )


RANGES: Final[Mapping[str, tuple[float, bool, float, bool]]] = {
    "temperature": (0, True, 2.0001, False),
    "maxOutputTokens": (1, True, 65537, False),
}
"""Each with its least and its largest value, and whether these belong to it. Older models write less than 65536."""


def _outside_range(body: Any) -> Any:
    config = proto.field(body.value, "generation_config")
    found = (
        (name, range_sentence(name, proto.field(config, proto.snake(name))))
        for name in RANGES
        if isinstance(config, dict)
    )
    return next(({"name": name, "sentence": sentence} for name, sentence in found if sentence), None)


def _wrong_budget(body: Any) -> str:
    budget = proto.thinking(body.value, "thinking_budget")
    if budget == 0 and isinstance(budget, int):
        return "the model does not support setting thinking_budget to 0"
    taken = not isinstance(budget, int) or budget == -1 or 128 <= budget <= 32768
    return "" if taken else "thinking_budget is out of range; supported values are integers from 128 to 32768"


def _configured(**config: Any) -> dict[str, Any]:
    return {**samples.sample_request(samples.user("Rain?")), "generationConfig": config}


def _thinking(**config: Any) -> dict[str, Any]:
    return _configured(thinkingConfig=config)


def _signed(**signature: Any) -> dict[str, Any]:
    return samples.sample_request(
        samples.user("Rain?"),
        samples.model({**samples.call(signed=False), **signature}),
        samples.user(samples.result()),
    )


MISSING = (
    "Unable to submit request because function call `default_api:{name}` in the {position}. content block is missing a "
    "`thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
)


CREATED = "2026-11-20T12:00:00.000000Z"

OWN_SENTENCES = {
    401: NO_CREDENTIAL,
    403: "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/{resource}' "
    "(or it may not exist).",
    404: "Publisher Model `{resource}` was not found or your project does not have access to it. Please ensure you are "
    f"using a valid model version. For more information, see: {DOCS}/learn/model-versions",
    429: f"Resource exhausted. Please try again later. Please refer to {DOCS}/error-code-429 for more details.",
    500: "Internal error encountered.",
    503: "The service is currently unavailable.",
}
"""The sentences of 401 and 404 are recorded; those of 403, 429, 500 and 503 are quoted by users. The others are the
Developer API's."""


def status_body(status: int, request: Request, *, retry_after: float | None = None) -> dict[str, Any]:
    """Vertex AI's body for this status. A scripted delay is in `RetryInfo`, which Vertex AI itself does not send."""
    path = unquote(request.path.partition("?")[0])
    resource = re.sub(r"^/*v1\w*/|:\w+$", "", path)
    sentence = OWN_SENTENCES.get(status) or SENTENCES.get(status, "Unknown Error.")
    details = missing_credential(request) if status == 401 else []
    return error_body(status, sentence.format(resource=resource), [*details, *retry_info(retry_after)])


def to_vertex(body: dict[str, Any], *, is_last: bool, has_avg_logprobs: bool) -> dict[str, Any]:
    """The Developer API's body with the members and the order of Vertex AI, as recorded. A stream has its token counts
    in the last chunk."""
    if "candidates" in body:
        candidates = [_candidate(candidate, has_avg_logprobs=has_avg_logprobs) for candidate in body["candidates"]]
        answered = {"candidates": candidates}
    else:
        answered = {"promptFeedback": body["promptFeedback"]}
    return {
        **answered,
        "usageMetadata": _usage(body["usageMetadata"]) if is_last else {"trafficType": "ON_DEMAND"},
        "modelVersion": body["modelVersion"],
        "createTime": CREATED,
        "responseId": body["responseId"],
    }


def _candidate(candidate: dict[str, Any], *, has_avg_logprobs: bool) -> dict[str, Any]:
    """The role before the parts, no index of the first, and a finish message only if something went wrong."""
    ordered: dict[str, Any] = {}
    content = candidate.get("content")
    if content is not None:
        ordered["content"] = {name: content[name] for name in ("role", "parts") if name in content}
    if "finishReason" in candidate:
        ordered["finishReason"] = candidate["finishReason"]
        if has_avg_logprobs and "parts" in ordered.get("content", {}):
            ordered["avgLogprobs"] = candidate.get("avgLogprobs", -0.25)
        if "logprobsResult" in candidate:
            result = candidate["logprobsResult"]
            ordered["logprobsResult"] = {name: result[name] for name in result if name != "logProbabilitySum"}
        if "finishMessage" in candidate and candidate["finishReason"] != "STOP":
            ordered["finishMessage"] = candidate["finishMessage"]
    return {**ordered, "index": candidate["index"]} if candidate["index"] else ordered


def _usage(usage: dict[str, Any]) -> dict[str, Any]:
    counts = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")
    ordered: dict[str, Any] = {name: usage[name] for name in counts if name in usage}
    ordered |= {"trafficType": "ON_DEMAND", "promptTokensDetails": usage["promptTokensDetails"]}
    if "candidatesTokenCount" in usage:
        counted = {"modality": "TEXT", "tokenCount": usage["candidatesTokenCount"]}
        ordered["candidatesTokensDetails"] = [counted]
    more = ("cachedContentTokenCount", "cacheTokensDetails", "thoughtsTokenCount")
    ordered |= {name: usage[name] for name in more if name in usage}
    return ordered


PROVIDER = Provider(
    name="vertex",
    books=BOOKS,
    missing_key=MISSING_CREDENTIAL,
    validate=lambda body: (),  # Vertex AI does not have this validator: it reports one thing at a time
    status_body=status_body,
    arrange=to_vertex,
    to_json=json_encoder(",", ": "),
    makes_call_ids=False,
    ends_with_last_piece=True,
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("vertex/contents-missing", "`contents` is missing or empty.",
    ALL_MESSAGES, lambda body: not proto.contents(body.value),
    f"Unable to submit request because at least one contents field is required. {REFERENCE}", "contents",
    path=samples.vertex_path(), remedy=remedies.CONVERSATION,
    wrong={"contents": []}, right={"contents": [samples.user("Is it raining in Oslo?")]},
    verbatim={"users of Vertex AI quoting it, with litellm and with Google's own SDK":
        "Unable to submit request because at least one contents field is required."})
BOOK.row("vertex/role-missing", "A content has no role, which the Developer API treats as the user's.",
    CONTENT, lambda one: not proto.field(one, "role"), "Please use a valid role: user, model.", ".role",
    path=samples.vertex_path(), remedy=remedies.ROLE_OF_MESSAGE,
    wrong=samples.sample_request({"parts": [{"text": "Is it raining in Oslo?"}]}),
    right=samples.sample_request(samples.user("Is it raining in Oslo?")),
    verbatim={"public code quoting it": "..."})
BOOK.row("vertex/parts-missing",
    "A content has no parts, or an empty list of them. Google itself sends such a content if the model has no "
        "output; it must not be sent back.",
    CONTENT, lambda one: not proto.field(one, "parts"),
    "Unable to submit request because it must include at least one parts field, which describes the prompt "
        f"input. {REFERENCE}", ".parts", path=samples.vertex_path(), remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=samples.sample_request(samples.user("Rain?"), {"role": "model", "parts": []}, samples.user("Well?")),
    right=samples.sample_request(samples.user("Rain?"), samples.model("No."), samples.user("Well?")),
    verbatim={"anomalyco/opencode#17519":
        "Unable to submit request because it must include at least one parts field, which describes the prompt "
        "input.", "public code quoting it": ""})
BOOK.row("vertex/function-name-invalid",
    "A declared name has characters other than letters, digits and _.:- or does not start with a letter or underscore.",
    DECLARATION, lambda one: not isinstance(name := proto.field(one, "name"), str) or not FUNCTION_NAME.fullmatch(name),
    BAD_NAME, ".name", path=samples.vertex_path(), remedy=remedies.TOOL_NAMES,
    wrong=samples.sample_with_tools(samples.declaration_of(SCHEMA, name="get weather")),
    right=samples.sample_with_tools(samples.declaration_of(SCHEMA)),
    verbatim={"google-gemini/gemini-cli#2966": "Invalid function name. Must start with a letter or an underscore."})
BOOK.row("vertex/parameters-not-object",
    "`parameters` is not of type OBJECT. A function without arguments must leave it out.",
    SCHEMA_WITHIN, lambda schema, path: path == "parameters" and proto.type_of(schema) != "OBJECT",
    "Unable to submit request because `{function}` functionDeclaration parameters schema should be of type OBJECT. "
        + FUNCTIONS, path=samples.vertex_path(), remedy=remedies.OBJECT_SCHEMA,
    wrong=samples.sample_with_tools(samples.declaration_of({"properties": {"city": STRING}})),
    right=samples.sample_with_tools(samples.declaration_of(SCHEMA)),
    verbatim={"dyad-sh/dyad#2300": "functionDeclaration parameters schema should be of type OBJECT.",
        "spring-projects/spring-ai#1373": ""})
BOOK.row("vertex/any-of-siblings",
    "A schema has `anyOf` and any other key; the Developer API accepts a description there.",
    SCHEMA_WITHIN,
    lambda schema: proto.field(schema, "any_of") and sum(value is not None for value in schema.values()) > 1,
    "Unable to submit request because `{function}` functionDeclaration `{path}` schema specified "
        "other fields alongside any_of. When using any_of, it must be the only field set. " + FUNCTIONS,
    path=samples.vertex_path(), remedy=remedies.NO_ROOT_UNION,
    wrong=samples.sample_with_property({**UNION, "description": "A city."}), right=samples.sample_with_property(UNION),
    verbatim={"BerriAI/litellm#11164":
        "schema specified other fields alongside any_of. When using any_of, it must be the only field set.",
        "jenslys/opencode-gemini-auth#57": "", "anomalyco/opencode#15795": "",
        "langchain-ai/langchain-google#1216": ""})
BOOK.row("vertex/schema-type-missing", "A schema below the root has neither a type nor `anyOf`.",
    SCHEMA_WITHIN, lambda schema: not {proto.snake(key) for key in schema} & {"type", "any_of", "ref"},
    "Unable to submit request because `{function}` functionDeclaration `{path}` schema didn't "
        "specify the schema type field. " + FUNCTIONS, path=samples.vertex_path(), remedy=remedies.CONVERT_SCHEMA,
    wrong=samples.sample_with_property({"description": "A city."}),
    right=samples.sample_with_property({"description": "A city.", "type": "string"}),
    verbatim={"google-gemini/gemini-cli#2282": "schema didn't specify the schema type field.", "directus/mcp#8": ""})
BOOK.row("vertex/value-outside-range",
    "The temperature is above 2, or the longest answer is below 1 or above 65536 tokens.",
    ANY_PARAMETER, _outside_range, "{sentence}", "generationConfig.{name}", path=samples.vertex_path(),
    remedy=remedies.KEEP_IN_RANGE,
    wrong=_configured(temperature=1000), right=_configured(temperature=2),
    recorded={"recording, gemini-1.5-flash-002": "it has a temperature value of 1000 but the supported range is from 0",
        "public code that quotes it": "it has a maxOutputTokens value of 256000 but the supported range is"})
BOOK.row("vertex/thinking-level-unsupported", "A thinking level is set for a model that has budgets.",
    ANY_PARAMETER, lambda body: proto.thinking(body.value, "thinking_level") is not None,
    f"Unable to submit request because thinking_level is not supported by this model.. {REFERENCE}",
    "generationConfig.thinkingConfig.thinkingLevel", trait="no-thinking-level", models="gemini-2.5",
    checked="2026-11-27", path=samples.vertex_path("gemini-2.5-pro"), remedy=remedies.THINKING_OF_MODEL,
    wrong=_thinking(thinkingLevel="LOW"), right=_thinking(),
    verbatim={"QwenLM/qwen-code#9019": "...", "google-gemini/gemini-cli#14025": "",
        "juspay/neurolink#1707, measured with pro, flash and flash-lite": ""})
BOOK.row("vertex/thinking-budget-range", "The thinking budget is below 128 or above 32768; -1 leaves it to the model.",
    ANY_PARAMETER, _wrong_budget, f"Unable to submit request because {{found}}. {REFERENCE}",
    "generationConfig.thinkingConfig.thinkingBudget",
    given=lambda context: {"no-thinking-level", "always-thinks"} <= context.traits, models="gemini-2.5-pro",
    checked="2026-11-27", path=samples.vertex_path("gemini-2.5-pro"), remedy=remedies.THINKING_OF_MODEL,
    wrong=_thinking(thinkingBudget=1), right=_thinking(thinkingBudget=128),
    reported={"notes of a public project that probed it on 2026-02-23, and two that quote it":
        "thinking_budget is out of range; supported values are integers from 128 to 32768"})
SIGNATURES.row("vertex/thought-signature-missing",
    "The first call of a model turn since the last user content has no thoughtSignature.",
    WHOLE_REQUEST, lambda context: first_breach(unsigned_calls(context.body.value, MISSING)),
    trait=("thought-signatures", "thought-signatures-on-vertex"), needs=("functionCall", "function_call"),
    models="3 and later, gemini-3-pro-preview too", path=samples.vertex_path(), remedy=remedies.SIGNATURE_STORED,
    wrong=_signed(),
    right=samples.sample_request(samples.user("Rain?"), samples.model(samples.call()), samples.user(samples.result())),
    verbatim={"Piebald-AI/piebald-issues#21": "in the 2. content block is missing a `thought_signature`",
        "JohnnyZ93/oai-compatible-copilot#49": ""})
SIGNATURES.row("vertex/thought-signature-invalid",
    "A signature was changed: cut, altered or encoded twice; or another provider issued it.",
    ALL_MESSAGES, lambda body: next(iter(corrupted_places(body.value)), ""),
    f"Unable to submit request because Thought signature is not valid.. {REFERENCE}", "{found}",
    trait="thought-signatures", models="3 and later", path=samples.vertex_path(), remedy=remedies.SIGNATURE_UNCHANGED,
    wrong=_signed(thoughtSignature=ALTERED), right=_signed(thoughtSignature=INTACT),
    verbatim={"decolua/9router#301": "Thought signature is not valid", "lobehub/lobehub#12604": ""})
# fmt: on
