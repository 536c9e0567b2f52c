"""Rules of the third stage on thought signatures, which Gemini 3 demands on calls of the current turn."""

from collections.abc import Iterator
from typing import Any

from fakes.ids import Ids
from fakes.rulebook import Breach, RequestContext
from fakes.wires.gemini_generate.lenient_reading import Turn, contents, field, items, turns
from fakes.wires.gemini_generate.rules.rulebook import (
    BOOK,
    GEMINI,
    NEWEST,
    asking,
    call,
    first,
    model,
    posted,
    result,
    said,
    user,
)
from fakes.wires.gemini_generate.thought_signatures import is_corrupted, issue

WHOLE = issue(Ids("rules"))
ALTERED = WHOLE[:-8] + "AAAAAAA="


GEMINI_WORDS = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)


@BOOK.rule(
    "gemini/thought-signature-missing",
    why="Since the last content of the user's own, the first call of a model turn has no thoughtSignature. Parallel "
    "calls after the first need none, nor do earlier turns.",
    models="3 and later; gemini-3-pro-preview was recorded without",
    confidence="verbatim",
    evidence=said(
        "langgenius/dify-official-plugins#2088",
        "NousResearch/hermes-agent#14488",
        "MadAppGang/claudish#26",
        quote="Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance.",
    ),
    breaking=asking(user("Rain?"), model(call(signed=False)), user(result())),
    accepted=asking(user("Rain?"), model(call()), user(result())),
    path=posted(),
    providers=GEMINI,
)
def thought_signature_missing(context: RequestContext) -> Breach | None:
    if "thought-signatures" not in context.traits:
        return None
    return first(unsigned(context.body.value, GEMINI_WORDS))


@BOOK.rule(
    "gemini/thought-signature-corrupted",
    why="A signature came back changed: cut, altered or encoded once more. Those of other origin are let pass, as is "
    "the documented `skip_thought_signature_validator`.",
    models="3",
    confidence="verbatim",
    evidence=said(
        "google-gemini/gemini-cli#13467",
        "RooCodeInc/Roo-Code#10554",
        "charmbracelet/crush#1698",
        quote="Corrupted thought signature.",
    ),
    breaking=asking(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    accepted=asking(user("Rain?"), model({**call(), "thoughtSignature": WHOLE}), user(result())),
    path=posted(),
    providers=GEMINI,
)
def thought_signature_corrupted(context: RequestContext) -> Breach | None:
    return _corrupted(context, "Corrupted thought signature.", newest=False)


@BOOK.rule(
    "gemini/thought-signature-invalid",
    why="A signature came back changed, in the words of the newest models.",
    models="3.7 and later",
    confidence="verbatim",
    evidence=said("lbjlaq/Antigravity-Manager#3342", quote="Invalid thought signature."),
    breaking=asking(user("Rain?"), model({**call(), "thoughtSignature": ALTERED}), user(result())),
    accepted=asking(user("Rain?"), model({**call(), "thoughtSignature": WHOLE}), user(result())),
    path=posted(NEWEST),
    providers=GEMINI,
)
def thought_signature_invalid(context: RequestContext) -> Breach | None:
    return _corrupted(context, "Invalid thought signature.", newest=True)


def _current(body: Any) -> list[Turn]:
    """The turns since the last content of the user's side that holds anything but responses."""
    start = 0
    found = turns(body)
    for i, turn in enumerate(found):
        if not turn.is_model and any(field(part, "function_response") is None for _, part in turn.parts):
            start = i
    return found[start:]


def unsigned(body: Any, words: str) -> Iterator[Breach]:
    """Each turn since the user spoke whose first call has no signature; `words` are told of its name and its place."""
    for turn in _current(body):
        calls = turn.having("function_call") if turn.is_model else []
        if calls and not field(calls[0][1], "thought_signature"):
            index, part = calls[0]
            name = field(field(part, "function_call"), "name")
            yield Breach(f"contents[{index}]", words.format(name=name, position=index + 1))


def _corrupted(context: RequestContext, sentence: str, *, newest: bool) -> Breach | None:
    if "thought-signatures" not in context.traits or ("invalid-signature-wording" in context.traits) is not newest:
        return None
    return first(Breach(at, sentence) for at in corrupted(context.body.value))


def corrupted(body: Any) -> Iterator[str]:
    """The places of parts whose signature was issued here and came back changed."""
    for i, content in enumerate(contents(body)):
        for j, part in enumerate(items(field(content, "parts"))):
            signature = field(part, "thought_signature")
            if isinstance(signature, str) and is_corrupted(signature):
                yield f"contents[{i}].parts[{j}]"
