"""Vertex AI's error messages and responses, where they differ from the Developer API's.

Each reports the first wrong schema in a sentence of its own.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from fake_providers.http import Request, json_encoder
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_TOOL,
    WHOLE_REQUEST,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.gemini_generate import rules
from fake_providers.wires.gemini_generate.errors import (
    NO_CREDENTIAL,
    SENTENCES,
    error_body,
    missing_credential,
    retry_info,
)
from fake_providers.wires.gemini_generate.proto_messages import (
    contents,
    declarations,
    field,
    items,
    snake,
    thinking,
    type_of,
)
from fake_providers.wires.gemini_generate.provider import Provider
from fake_providers.wires.gemini_generate.request_validator import BAD_NAME, FUNCTION_NAME
from fake_providers.wires.gemini_generate.rules.rulebook import MISSING_CREDENTIAL, envelope, first_breach
from fake_providers.wires.gemini_generate.rules.samples import (
    call,
    cite,
    declaration_of,
    model,
    result,
    sample_request,
    sample_with_property,
    sample_with_tools,
    user,
    vertex_path,
)
from fake_providers.wires.gemini_generate.rules.turns import ALTERED, INTACT, corrupted_places, unsigned_calls

DOCS = "https://cloud.google.com/vertex-ai/generative-ai/docs"

BOOK = Rulebook(envelope)
"""Contents and declarations, which are checked before the rules that Vertex and the Gemini API word alike."""

SIGNATURES = Rulebook(envelope)
"""Thought signatures, which are checked last."""


BOOKS = (rules.FORM, BOOK, rules.BOOK, SIGNATURES)


REFERENCE = f"Learn more: {DOCS}/model-reference/gemini"


def contents_missing(context: RequestContext) -> Breach | None:
    if contents(context.body.value):
        return None
    return Breach("contents", f"Unable to submit request because at least one contents field is required. {REFERENCE}")


def role_missing(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        if not field(content, "role"):
            return Breach(f"contents[{i}].role", "Please use a valid role: user, model.")
    return None


def parts_missing(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        if not field(content, "parts"):
            return Breach(
                f"contents[{i}].parts",
                "Unable to submit request because it must include at least one parts field, which describes the "
                f"prompt input. {REFERENCE}",
            )
    return None


FUNCTIONS = f"Learn more: {DOCS}/multimodal/function-calling"
STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"city": STRING}}
UNION = {"anyOf": [STRING, {"type": "integer"}]}


class Node(NamedTuple):
    """A schema within declared parameters. `path` is Vertex AI's spelling, `parameters.a.b`; `at` is the place in the
    body."""

    function: str
    path: str
    at: str
    schema: Any


def nodes(body: Any) -> Iterator[Node]:
    """Every schema of every declaration's `parameters`, outer ones first."""
    for at, declaration in declarations(body):
        parameters = field(declaration, "parameters")
        name = str(field(declaration, "name"))
        if isinstance(parameters, dict):
            yield from _within(Node(name, "parameters", f"{at}.parameters", parameters))


def _within(node: Node) -> Iterator[Node]:
    yield node
    name, path, at, schema = node
    properties = field(schema, "properties")
    for key, child in properties.items() if isinstance(properties, dict) else ():
        if isinstance(child, dict):
            yield from _within(Node(name, f"{path}.{key}", f"{at}.properties[{key}]", child))
    item_schema = field(schema, "items")
    if isinstance(item_schema, dict):
        yield from _within(Node(name, f"{path}.items", f"{at}.items", item_schema))
    for i, branch in enumerate(items(field(schema, "any_of"))):
        if isinstance(branch, dict):
            yield from _within(Node(name, f"{path}.any_of[{i}]", f"{at}.any_of[{i}]", branch))


def function_name_invalid(context: RequestContext) -> Breach | None:
    for at, declaration in declarations(context.body.value):
        name = field(declaration, "name")
        if not isinstance(name, str) or not FUNCTION_NAME.fullmatch(name):
            return Breach(f"{at}.name", BAD_NAME)
    return None


def parameters_not_object(context: RequestContext) -> Breach | None:
    for node in nodes(context.body.value):
        if node.path == "parameters" and type_of(node.schema) != "OBJECT":
            return Breach(
                node.at,
                f"Unable to submit request because `{node.function}` functionDeclaration parameters schema should be "
                f"of type OBJECT. {FUNCTIONS}",
            )
    return None


def any_of_siblings(context: RequestContext) -> Breach | None:
    for node in nodes(context.body.value):
        if field(node.schema, "any_of") and len([key for key in node.schema if node.schema[key] is not None]) > 1:
            return Breach(
                node.at,
                f"Unable to submit request because `{node.function}` functionDeclaration `{node.path}` schema "
                "specified other fields alongside any_of. When using any_of, it must be the only field set. "
                f"{FUNCTIONS}",
            )
    return None


def schema_type_missing(context: RequestContext) -> Breach | None:
    for node in nodes(context.body.value):
        if not {snake(key) for key in node.schema} & {"type", "any_of", "ref"}:
            return Breach(
                node.at,
                f"Unable to submit request because `{node.function}` functionDeclaration `{node.path}` schema didn't "
                f"specify the schema type field. {FUNCTIONS}",
            )
    return None


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


def value_outside_range(context: RequestContext) -> Breach | None:
    config = field(context.body.value, "generation_config")
    for name in RANGES if isinstance(config, dict) else ():
        if sentence := range_sentence(name, field(config, snake(name))):
            return Breach(f"generationConfig.{name}", sentence)
    return None


LEVEL_UNSUPPORTED = f"Unable to submit request because thinking_level is not supported by this model.. {REFERENCE}"


def thinking_level_unsupported(context: RequestContext) -> Breach | None:
    if "no-thinking-level" not in context.traits or thinking(context.body.value, "thinking_level") is None:
        return None
    return Breach("generationConfig.thinkingConfig.thinkingLevel", LEVEL_UNSUPPORTED)


LEAST_BUDGET, MOST_BUDGET = 128, 32768


def thinking_budget_range(context: RequestContext) -> Breach | None:
    budget = thinking(context.body.value, "thinking_budget")
    if not {"no-thinking-level", "always-thinks"} <= context.traits or not isinstance(budget, int):
        return None
    if budget == -1 or LEAST_BUDGET <= budget <= MOST_BUDGET:
        return None
    reason = f"thinking_budget is out of range; supported values are integers from {LEAST_BUDGET} to {MOST_BUDGET}"
    if budget == 0:
        reason = "the model does not support setting thinking_budget to 0"
    place = "generationConfig.thinkingConfig.thinkingBudget"
    return Breach(place, f"Unable to submit request because {reason}. {REFERENCE}")


MISSING = (
    "Unable to submit request because function call `default_api:{name}` in the {position}. content block is missing a "
    "`thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
)
NOT_VALID = (
    f"Unable to submit request because Thought signature is not valid.. Learn more: {DOCS}/model-reference/gemini"
)
"""The two full stops are Vertex AI's."""


def thought_signature_missing(context: RequestContext) -> Breach | None:
    if not context.traits & {"thought-signatures", "thought-signatures-on-vertex"}:
        return None
    return first_breach(unsigned_calls(context.body.value, MISSING))


def thought_signature_invalid(context: RequestContext) -> Breach | None:
    if "thought-signatures" not in context.traits:
        return None
    return first_breach(Breach(at, NOT_VALID) for at in corrupted_places(context.body.value))


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
    ALL_MESSAGES, contents_missing, path=vertex_path(),
    wrong={"contents": []}, right={"contents": [user("Is it raining in Oslo?")]},
    verbatim=cite("users of Vertex AI quoting it, with litellm and with Google's own SDK",
        quote="Unable to submit request because at least one contents field is required."))
BOOK.row("vertex/role-missing", "A content has no role, which the Developer API treats as the user's.",
    ANY_MESSAGE, role_missing, path=vertex_path(),
    wrong=sample_request({"parts": [{"text": "Is it raining in Oslo?"}]}),
    right=sample_request(user("Is it raining in Oslo?")),
    verbatim=cite("public code quoting it", quote="Please use a valid role: user, model."))
BOOK.row("vertex/parts-missing",
    "A content has no parts, or an empty list of them. Google itself sends such a content if the model has no "
        "output; it must not be sent back.",
    ANY_MESSAGE, parts_missing, path=vertex_path(),
    wrong=sample_request(user("Rain?"), {"role": "model", "parts": []}, user("Well?")),
    right=sample_request(user("Rain?"), model("No."), user("Well?")),
    verbatim=cite("anomalyco/opencode#17519", "public code quoting it",
        quote="Unable to submit request because it must include at least one parts field, which describes the prompt "
        "input."))
BOOK.row("vertex/function-name-invalid",
    "A declared name has characters other than letters, digits and _.:- or does not start with a letter or "
        "underscore.",
    ANY_TOOL, function_name_invalid, path=vertex_path(),
    wrong=sample_with_tools(declaration_of(SCHEMA, name="get weather")),
    right=sample_with_tools(declaration_of(SCHEMA)),
    verbatim=cite("google-gemini/gemini-cli#2966",
        quote="Invalid function name. Must start with a letter or an underscore."))
BOOK.row("vertex/parameters-not-object",
    "`parameters` is not of type OBJECT. A function without arguments must leave it out.",
    ANY_TOOL, parameters_not_object, path=vertex_path(),
    wrong=sample_with_tools(declaration_of({"properties": {"city": STRING}})),
    right=sample_with_tools(declaration_of(SCHEMA)),
    verbatim=cite("dyad-sh/dyad#2300", "spring-projects/spring-ai#1373",
        quote="functionDeclaration parameters schema should be of type OBJECT."))
BOOK.row("vertex/any-of-siblings",
    "A schema has `anyOf` and any other key; the Developer API accepts a description there.",
    ANY_TOOL, any_of_siblings, path=vertex_path(),
    wrong=sample_with_property({**UNION, "description": "A city."}), right=sample_with_property(UNION),
    verbatim=cite("BerriAI/litellm#11164", "jenslys/opencode-gemini-auth#57", "anomalyco/opencode#15795",
        "langchain-ai/langchain-google#1216",
        quote="schema specified other fields alongside any_of. When using any_of, it must be the only field set."))
BOOK.row("vertex/schema-type-missing", "A schema below the root has neither a type nor `anyOf`.",
    ANY_TOOL, schema_type_missing, path=vertex_path(),
    wrong=sample_with_property({"description": "A city."}),
    right=sample_with_property({"description": "A city.", "type": "string"}),
    verbatim=cite("google-gemini/gemini-cli#2282", "directus/mcp#8",
        quote="schema didn't specify the schema type field."))
BOOK.row("vertex/value-outside-range",
    "The temperature is above 2, or the longest answer is below 1 or above 65536 tokens.",
    ANY_PARAMETER, value_outside_range, path=vertex_path(),
    wrong={**sample_request(user("Rain?")), "generationConfig": {"temperature": 1000}},
    right={**sample_request(user("Rain?")), "generationConfig": {"temperature": 2}},
    recorded=(
        *cite("recording, gemini-1.5-flash-002",
        quote="it has a temperature value of 1000 but the supported range is from 0"),
        *cite("public code that quotes it",
        quote="it has a maxOutputTokens value of 256000 but the supported range is")))
BOOK.row("vertex/thinking-level-unsupported", "A thinking level is set for a model that has budgets.",
    ANY_PARAMETER, thinking_level_unsupported, models="gemini-2.5", checked="2026-11-27",
    path=vertex_path("gemini-2.5-pro"),
    wrong={**sample_request(user("Rain?")), "generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}},
    right={**sample_request(user("Rain?")), "generationConfig": {"thinkingConfig": {}}},
    verbatim=cite("QwenLM/qwen-code#9019", "google-gemini/gemini-cli#14025",
        "juspay/neurolink#1707, measured with pro, flash and flash-lite", quote=LEVEL_UNSUPPORTED))
BOOK.row("vertex/thinking-budget-range", "The thinking budget is below 128 or above 32768; -1 leaves it to the model.",
    ANY_PARAMETER, thinking_budget_range, models="gemini-2.5-pro", checked="2026-11-27",
    path=vertex_path("gemini-2.5-pro"),
    wrong={**sample_request(user("Rain?")), "generationConfig": {"thinkingConfig": {"thinkingBudget": 1}}},
    right={**sample_request(user("Rain?")), "generationConfig": {"thinkingConfig": {"thinkingBudget": 128}}},
    reported=cite("notes of a public project that probed it on 2026-02-23, and two that quote it",
        quote="thinking_budget is out of range; supported values are integers from 128 to 32768"))
SIGNATURES.row("vertex/thought-signature-missing",
    "The first call of a model turn since the last user content has no thoughtSignature.",
    WHOLE_REQUEST, thought_signature_missing, needs=("functionCall", "function_call"),
    trait=("thought-signatures", "thought-signatures-on-vertex"), models="3 and later, gemini-3-pro-preview too",
    path=vertex_path(),
    wrong=sample_request(user("Rain?"), model(call(signed=False)), user(result())),
    right=sample_request(user("Rain?"), model(call()), user(result())),
    verbatim=cite("Piebald-AI/piebald-issues#21", "JohnnyZ93/oai-compatible-copilot#49",
        quote="in the 2. content block is missing a `thought_signature`"))
SIGNATURES.row("vertex/thought-signature-invalid",
    "A signature was changed: cut, altered or encoded twice; or another provider issued it.",
    ALL_MESSAGES, thought_signature_invalid, models="3 and later", path=vertex_path(),
    wrong=sample_request(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    right=sample_request(user("Rain?"), model({**call(), "thoughtSignature": INTACT}), user(result())),
    verbatim=cite("decolua/9router#301", "lobehub/lobehub#12604", quote="Thought signature is not valid"))
# fmt: on
