"""vLLM's `/v1/responses`: its model of pydantic, with the envelope and the errors of its chat completions.

The answers have the members of OpenAI's.
"""

from dataclasses import replace
from typing import Final

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import INPUT, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.types_elsewhere import MEMBERS_OF_RESPONSES, RULES_OF_RESPONSES, ResponsesSamples
from fake_providers.providers.vllm.chat import MODEL, envelope
from fake_providers.providers.vllm.chat import PROVIDER as CHAT
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

SOURCE: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/protocol.py"
SAMPLES: Final = ResponsesSamples(MODEL)
ROLES: Final = ("user", "assistant", "system", "developer")
BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "vllm",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "[{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': {}}]"),
    missing=lambda body: Breach("input", "[{'type': 'missing', 'loc': ('body', 'input'), 'msg': 'Field required'}]"),
    source=SOURCE,
)


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    owner = context.body
    for part in found.path[:-1]:
        owner = owner[part]
    problems = problems_of(found, ["body", *found.path], whole=owner, roles=ROLES)
    return Breach(found.at, str([{**problem, "loc": tuple(problem["loc"])} for problem in problems]))


refuse_wrong_types(
    BOOK,
    "vllm",
    Dialect(
        words=_wrong_type,
        source=SOURCE,
        members=MEMBERS_OF_RESPONSES,
        lax=True,
        types={"model": "string", "input[].role": "string"},
        required=(),
    ),
    SAMPLES,
    prefix="responses-",
    table=RULES_OF_RESPONSES,
)


@BOOK.rule(
    "vllm/responses-store-and-background",
    why="A response is to run in the background, and is not to be stored.",
    confidence="reported",
    evidence=cite(SOURCE, "background can only be used when `store` is true"),
    breaking={"model": MODEL, "input": "Hello", "background": True, "store": False},
    accepted={"model": MODEL, "input": "Hello", "background": False, "store": False},
    checked="2026-11-23",
)
def _background(context: RequestContext) -> Breach | None:
    if context.body.get("background") is not True or context.body.get("store") is not False:
        return None
    return Breach("background", "background can only be used when `store` is true")


@BOOK.rule(
    "vllm/responses-previous-id-form",
    why="The id of the response that is continued does not begin as vLLM's do.",
    confidence="reported",
    evidence=cite(SOURCE, "Invalid 'previous_response_id': 'abc'. Expected an ID that begins with 'resp'."),
    breaking={"model": MODEL, "input": "Hello", "previous_response_id": "abc"},
    accepted={"model": MODEL, "input": "Hello", "previous_response_id": "resp_1"},
    checked="2026-11-23",
)
def _id_form(context: RequestContext) -> Breach | None:
    id_ = context.body.get("previous_response_id")
    if id_ is None or id_.startswith("resp_"):
        return None
    sentence = f"Invalid 'previous_response_id': '{id_}'. Expected an ID that begins with 'resp'."
    return Breach("previous_response_id", sentence)


TOO_LONG = context_length_rule("vllm/responses-context-length", confidence="inferred", evidence=cite(SOURCE))
PROVIDER = Provider(
    name="vllm",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "vllm"),
)
