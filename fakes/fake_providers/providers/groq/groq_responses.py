"""Groq's Responses: rules as far as they are deduced from those of its chat completions, and the errors of these.

The answers have the members of OpenAI's.
"""

from typing import Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.groq.groq_chat import PROVIDER as CHAT
from fake_providers.providers.groq.groq_chat_rules import MODEL, VALUES, error_body
from fake_providers.providers.shared.chat_reading import INPUT, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.member_types_other_wires import (
    MEMBERS_OF_RESPONSES,
    RULES_OF_RESPONSES,
    ResponsesSamples,
)
from fake_providers.rulebook import ANY_PARAMETER, RequestContext, Rulebook
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule

SOURCE: Final = "worded like the refusals of chat completions"
ROLES: Final = ("user", "assistant", "system", "developer")
BOOK = Rulebook(error_body.refusal)

refuse_unread(BOOK, "groq", INPUT, model=MODEL, not_json="request body is not valid JSON",
    missing="'input' : property 'input' is missing", source=SOURCE)  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> str:
    if found.value is MISSING:
        return f"'{found.dotted}' : property '{found.path[-1]}' is missing"
    if found.types == ("role",):
        return f"'{found.dotted}' : value must be one of {', '.join(ROLES)}"
    return " OR ".join(f"'{found.dotted}' : value must be {VALUES[type_]}" for type_ in found.types)


refuse_wrong_types(BOOK, "groq",
    Dialect(words=_wrong_type, source=SOURCE, members=MEMBERS_OF_RESPONSES, roles=ROLES, required=("model",)),
    ResponsesSamples(MODEL), prefix="responses-", table=RULES_OF_RESPONSES)  # fmt: skip


TOO_LONG = context_length_rule("groq/responses-context-length", inferred={SOURCE: ""})
MISSING_KEY = missing_key_rule("groq/responses-missing-key", reported={SOURCE: ""})


# A table: two rows are to be compared.
# fmt: off
BOOK.row("groq/responses-previous-not-stored",
    "The request continues a stored response, or wants to be stored: Groq stores none.",
    ANY_PARAMETER, lambda body: next((name for name in ("previous_response_id", "store") if body.get(name)), ""),
    "property '{found}' is unsupported", "{found}", checked="2026-11-23", remedy=remedies.NO_STORED_RESPONSES,
    wrong={"model": MODEL, "input": "Hello", "previous_response_id": "resp_1"},
    right={"model": MODEL, "input": "Hello", "previous_response_id": None},
    inferred={"console.groq.com/docs/responses-api lists both as not supported": ""})
# fmt: on


PROVIDER = Provider(
    name="groq",
    base_path="/openai/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, missing_key=MISSING_KEY, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "groq"),
)
