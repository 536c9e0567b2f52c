"""Rules on roles and the order of turns. They check contents of one side joined.

Recorded requests with a call without a response, with responses in several contents, and with calls in several contents
were accepted, so they break no rule.
"""

from collections.abc import Iterator
from typing import Any

from fake_providers.ids import Ids
from fake_providers.rulebook import ALL_MESSAGES, ANY_MESSAGE, NEAR_MESSAGES, WHOLE_REQUEST, Breach, RequestContext
from fake_providers.wires.gemini_generate.proto_messages import Turn, contents, data_of, field, is_model, items, turns
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, GEMINI, first_breach
from fake_providers.wires.gemini_generate.rules.samples import (
    NEWEST,
    call,
    cite,
    gemini_path,
    model,
    result,
    sample_request,
    user,
)
from fake_providers.wires.gemini_generate.thought_signatures import is_corrupted, is_foreign, issue

ROLES = ("user", "model", "function")


def role_unknown(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        role = field(content, "role")
        if role and role not in ROLES:
            return Breach(f"contents[{i}].role", "Please use a valid role: user, model.")
    return None


def call_mixed_with_response(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        members = {name for part in items(field(content, "parts")) for name in data_of(part)}
        if {"function_call", "function_response"} <= members:
            return Breach(
                f"contents[{i}]",
                "Please ensure that function call turn contains at least one function_call part which can not be "
                "mixed with function_response parts.",
            )
    return None


def call_after_user_turn(context: RequestContext) -> Breach | None:
    for turn in turns_of(context)[:1]:
        if turn.calls:
            return Breach(
                f"contents[{turn.calls[0][0]}]",
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn.",
            )
    return None


def response_after_call_turn(context: RequestContext) -> Breach | None:
    called = False
    for turn in turns_of(context):
        if turn.responses and not called:
            return Breach(
                f"contents[{turn.responses[0][0]}]",
                "Please ensure that function response turn comes immediately after a function call turn.",
            )
        called = bool(turn.calls)
    return None


def response_count(context: RequestContext) -> Breach | None:
    calls = 0
    for turn in turns_of(context):
        if turn.responses and len(turn.responses) != calls:
            return Breach(
                f"contents[{turn.responses[0][0]}]",
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn.",
            )
        calls = len(turn.calls)
    return None


def ends_with_model(context: RequestContext) -> Breach | None:
    found = contents(context.body.value)
    if "no-prefill" not in context.traits or not found or not is_model(found[-1]):
        return None
    return Breach(f"contents[{len(found) - 1}]", "Requests ending with a model turn are not supported.")


def response_mixed_with_text(context: RequestContext) -> Breach | None:
    found = contents(context.body.value)
    if "no-prefill" not in context.traits or not found or is_model(found[-1]):
        return None
    parts = items(field(found[-1], "parts"))
    responses = any(field(part, "function_response") is not None for part in parts)
    if not responses or not any(field(part, "text") for part in parts):
        return None
    return Breach(f"contents[{len(found) - 1}]", "Requests ending with a model turn are not supported.")


INTACT = issue(Ids("rules"))
ALTERED = INTACT[:-8] + "AAAAAAA="


MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)


def thought_signature_missing(context: RequestContext) -> Breach | None:
    if "thought-signatures" not in context.traits:
        return None
    return first_breach(unsigned_calls(context.body.value, MISSING))


def thought_signature_corrupted(context: RequestContext) -> Breach | None:
    return _corrupted_breach(context, "Corrupted thought signature.", newest=False)


def thought_signature_invalid(context: RequestContext) -> Breach | None:
    return _corrupted_breach(context, "Invalid thought signature.", newest=True)


def turns_of(context: RequestContext) -> list[Turn]:
    """Found once for all rules."""
    found: list[Turn] | None = context.read.get("turns")
    if found is None:
        found = context.read["turns"] = turns(context.body.value)
    return found


def _current_turns(body: Any) -> list[Turn]:
    """The turns since the last content of the user that has anything but responses."""
    start = 0
    found = turns(body)
    for i, turn in enumerate(found):
        if not turn.is_model and any(field(part, "function_response") is None for _, part in turn.parts):
            start = i
    return found[start:]


def unsigned_calls(body: Any, words: str) -> Iterator[Breach]:
    """Each model turn since the user's last message whose first call has no signature; `words` is formatted with the
    call's name and position."""
    for turn in _current_turns(body):
        if turn.calls and not field(turn.calls[0][1], "thought_signature"):
            index, part = turn.calls[0]
            name = field(field(part, "function_call"), "name")
            yield Breach(f"contents[{index}]", words.format(name=name, position=index + 1))


def _corrupted_breach(context: RequestContext, sentence: str, *, newest: bool) -> Breach | None:
    if "thought-signatures" not in context.traits or ("invalid-signature-wording" in context.traits) is not newest:
        return None
    return first_breach(Breach(at, sentence) for at in corrupted_places(context.body.value))


def corrupted_places(body: Any) -> Iterator[str]:
    """The places of parts whose signature was issued by this fake and has been changed, or by another provider."""
    for i, content in enumerate(contents(body)):
        for j, part in enumerate(items(field(content, "parts"))):
            signature = field(part, "thought_signature")
            if isinstance(signature, str) and (is_corrupted(signature) or is_foreign(signature)):
                yield f"contents[{i}].parts[{j}]"


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/role-unknown",
    "The role of a content is not user or model. `function` and a missing role are accepted.",
    ANY_MESSAGE, role_unknown, path=gemini_path(),
    wrong=sample_request(user("Rain?"), {"role": "assistant", "parts": [{"text": "No."}]}, user("Sure?")),
    right=sample_request(user("Rain?"), {"role": "model", "parts": [{"text": "No."}]}, user("Sure?")),
    recorded=cite("Vertex AI recordings of a role `invalid_role`", "public code quoting it",
        quote="Please use a valid role: user, model."))
BOOK.row("gemini/call-mixed-with-response", "One content has both a call and a response.",
    ANY_MESSAGE, call_mixed_with_response, needs=("functionResponse", "function_response"), path=gemini_path(),
    wrong=sample_request(user("Rain?"), model(call(), result()), user("Well?")),
    right=sample_request(user("Rain?"), model(call()), user("Well?")),
    verbatim=cite("googleapis/python-genai#81",
        quote="Please ensure that function call turn contains at least one function_call part which can not be mixed "
        "with function_response parts."))
BOOK.row("gemini/call-after-user-turn",
    "A call comes before any user content, because the history was pruned in the middle or at its beginning.",
    NEAR_MESSAGES, call_after_user_turn, needs=("functionCall", "function_call"), path=gemini_path(),
    wrong=sample_request(model(call()), user(result())),
    right=sample_request(user("Rain?"), model(call()), user(result())),
    verbatim=cite("google-gemini/gemini-cli#11814", "google-gemini/gemini-cli#26486", "continuedev/continue#11047",
        "lobehub/lobehub#7298", "zeroclaw-labs/zeroclaw#6303",
        quote="Please ensure that function call turn comes immediately after a user turn or after a function "
        "response turn."))
BOOK.row("gemini/response-after-call-turn",
    "A response has no call in the turn before it, because the call was pruned.",
    NEAR_MESSAGES, response_after_call_turn, needs=("functionResponse", "function_response"), path=gemini_path(),
    wrong=sample_request(user("Rain?"), model("One moment."), user(result())),
    right=sample_request(user("Rain?"), model("One moment.", call()), user(result())),
    verbatim=cite("langchain-ai/langchain#27799", "lobehub/lobehub#7298",
        quote="Please ensure that function response turn comes immediately after a function call turn."))
BOOK.row("gemini/response-count",
    "Only some calls of a turn have a response, or there are more responses than calls. A turn without any "
        "response is accepted.",
    NEAR_MESSAGES, response_count, needs=("functionResponse", "function_response"), path=gemini_path(),
    wrong=sample_request(user("Rain?"), model(call(), call("get_news", signed=False)), user(result())),
    right=sample_request(user("Rain?"), model(call(), call("get_news", signed=False)),
        user(result(), result("get_news"))),
    verbatim=cite("microsoft/vscode#299295", "google-gemini/gemini-cli#16132", "google-gemini/gemini-cli#2321",
        quote="Please ensure that the number of function response parts is equal to the number of function call parts "
        "of the function call turn."))
BOOK.row("gemini/ends-with-model", "The last content is the model's; these models do not support prefill.",
    NEAR_MESSAGES, ends_with_model, needs="model", trait="no-prefill", models="3.5-flash-lite, 3.6, 3.7 and later",
    path=gemini_path(NEWEST),
    wrong=sample_request(user("Rain?"), {"role": "model", "parts": [{"text": "The"}]}),
    right=sample_request(user("Rain?"), {"role": "user", "parts": [{"text": "The"}]}),
    verbatim=cite("pipecat-ai/pipecat#5821", "LibreChat-AI/agents#323", "LibreChat-AI/agents#412",
        quote="Requests ending with a model turn are not supported."))
BOOK.row("gemini/response-mixed-with-text",
    "The last content has responses and text together, which these models treat as a model turn. Put the text into "
        "a content of its own.",
    NEAR_MESSAGES, response_mixed_with_text, needs=("functionResponse", "function_response"), trait="no-prefill",
    models="3.5-flash-lite, 3.6, 3.7 and later", path=gemini_path(NEWEST),
    wrong=sample_request(user("Rain?"), model(call()), user(result(), "Be brief.")),
    right=sample_request(user("Rain?"), model(call()), user(result())),
    reported=cite("vellum-ai/vellum-assistant#39495", quote="Requests ending with a model turn are not supported."))
BOOK.row("gemini/thought-signature-missing",
    "The first call of a model turn since the last user content has no thoughtSignature. Later calls of the same "
        "turn and earlier turns need none.",
    WHOLE_REQUEST, thought_signature_missing, needs=("functionCall", "function_call"), trait="thought-signatures",
    models="3 and later; gemini-3-pro-preview signs its calls, was recorded without the signature in one accepted "
        "request of the Developer API, and is said to refuse it in the first of these reports",
    path=gemini_path(), providers=GEMINI,
    wrong=sample_request(user("Rain?"), model(call(signed=False)), user(result())),
    right=sample_request(user("Rain?"), model(call()), user(result())),
    verbatim=cite("langgenius/dify-official-plugins#2088", "NousResearch/hermes-agent#14488", "MadAppGang/claudish#26",
        quote="Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance."))
BOOK.row("gemini/thought-signature-corrupted",
    "A signature was changed: cut, altered or encoded twice; or Anthropic or OpenAI issued it. The documented "
        "`skip_thought_signature_validator` is accepted, for calls of another model.",
    ALL_MESSAGES, thought_signature_corrupted, needs=("thoughtSignature", "thought_signature"),
    trait="thought-signatures", models="3", path=gemini_path(), providers=GEMINI,
    wrong=sample_request(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    right=sample_request(user("Rain?"), model({**call(), "thoughtSignature": INTACT}), user(result())),
    verbatim=cite("google-gemini/gemini-cli#13467", "RooCodeInc/Roo-Code#10554", "charmbracelet/crush#1698",
        "router-for-me/CLIProxyAPI#994", "decolua/9router#4136", quote="Corrupted thought signature."))
BOOK.row("gemini/thought-signature-invalid",
    "A signature was changed; the newest models report it with another sentence.",
    ALL_MESSAGES, thought_signature_invalid, needs=("thoughtSignature", "thought_signature"),
    trait="thought-signatures", models="3.7 and later", path=gemini_path(NEWEST), providers=GEMINI,
    wrong=sample_request(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    right=sample_request(user("Rain?"), model({**call(), "thoughtSignature": INTACT}), user(result())),
    verbatim=cite("lbjlaq/Antigravity-Manager#3342", quote="Invalid thought signature."))
# fmt: on
