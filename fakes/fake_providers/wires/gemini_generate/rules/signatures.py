"""Rules on thought signatures, which Gemini 3 requires on the calls of the current turn."""

from collections.abc import Iterator
from typing import Any

from fake_providers.ids import Ids
from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.gemini_generate.lenient_reading import Turn, contents, field, items, turns
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

INTACT = issue(Ids("rules"))
ALTERED = INTACT[:-8] + "AAAAAAA="


MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)


@BOOK.rule(
    "gemini/thought-signature-missing",
    why=(
        "The first call of a model turn since the last user content has no thoughtSignature. Later calls of the same "
        "turn and earlier turns need none."
    ),
    models="3 and later; gemini-3-pro-preview was recorded without",
    confidence="verbatim",
    evidence=cite(
        "langgenius/dify-official-plugins#2088",
        "NousResearch/hermes-agent#14488",
        "MadAppGang/claudish#26",
        quote="Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance.",
    ),
    breaking=sample_request(user("Rain?"), model(call(signed=False)), user(result())),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
    path=gemini_path(),
    providers=GEMINI,
)
def thought_signature_missing(context: RequestContext) -> Breach | None:
    if "thought-signatures" not in context.traits:
        return None
    return first_breach(unsigned_calls(context.body.value, MISSING))


@BOOK.rule(
    "gemini/thought-signature-corrupted",
    why=(
        "A signature was changed: cut, altered or encoded twice; or Anthropic or OpenAI issued it. The documented "
        "`skip_thought_signature_validator` is accepted, for calls of another model."
    ),
    models="3",
    confidence="verbatim",
    evidence=cite(
        "google-gemini/gemini-cli#13467",
        "RooCodeInc/Roo-Code#10554",
        "charmbracelet/crush#1698",
        "router-for-me/CLIProxyAPI#994",
        "decolua/9router#4136",
        quote="Corrupted thought signature.",
    ),
    breaking=sample_request(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    accepted=sample_request(user("Rain?"), model({**call(), "thoughtSignature": INTACT}), user(result())),
    path=gemini_path(),
    providers=GEMINI,
)
def thought_signature_corrupted(context: RequestContext) -> Breach | None:
    return _corrupted_breach(context, "Corrupted thought signature.", newest=False)


@BOOK.rule(
    "gemini/thought-signature-invalid",
    why="A signature was changed; the newest models report it with another sentence.",
    models="3.7 and later",
    confidence="verbatim",
    evidence=cite("lbjlaq/Antigravity-Manager#3342", quote="Invalid thought signature."),
    breaking=sample_request(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    accepted=sample_request(user("Rain?"), model({**call(), "thoughtSignature": INTACT}), user(result())),
    path=gemini_path(NEWEST),
    providers=GEMINI,
)
def thought_signature_invalid(context: RequestContext) -> Breach | None:
    return _corrupted_breach(context, "Invalid thought signature.", newest=True)


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
        calls = turn.parts_with("function_call") if turn.is_model else []
        if calls and not field(calls[0][1], "thought_signature"):
            index, part = calls[0]
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
