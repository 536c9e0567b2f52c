"""Rules of the service on documents: their names, and the text beside them. Knows no format."""

import re

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import documents, turns
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.request import members
from fake_providers.wires.bedrock_converse.rules.samples import (
    DOCUMENT,
    LLAMA,
    assistant,
    bedrock_path,
    cite,
    sample_request,
    user,
)

BOOK = Rulebook(envelope)
NAME = re.compile(r"(?!.* {2})[a-zA-Z0-9 \n_()\[\]-]*", re.DOTALL)
"""An underscore is not in the sentence and was accepted, twice; a tab and two spaces were refused."""
NAMES = (
    "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and "
    "square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name "
    "conforms to these restrictions and retry your request."
)
NEEDS_TEXT = "A text block must be included when using documents. Add a text block and retry your request."


@BOOK.rule(
    "bedrock/document-without-text",
    why="A message has a document and no text beside it, also where the document stands with results.",
    confidence="recorded",
    evidence=cite("recordings of nova-pro and of Claude", quote=NEEDS_TEXT),
    breaking=sample_request(user(DOCUMENT)),
    accepted=sample_request(user(DOCUMENT, "a")),
)
def document_without_text(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        found = turn.of_kind("document")
        if found and not turn.of_kind("text"):
            return Breach(found[0].at, NEEDS_TEXT)
    return None


def _named(name: str) -> dict[str, object]:
    return {"document": {**DOCUMENT["document"], "name": name}}


@BOOK.rule(
    "bedrock/document-name",
    models="all but Claude 2, which was recorded to accept a dot",
    why="The name of a document has other characters than letters, digits, single spaces and `-_()[]`, such as a dot.",
    confidence="recorded",
    evidence=cite("vercel/ai#20366", "aws-samples/generative-ai-use-cases#1671", quote=NAMES),
    breaking=sample_request(user("a", _named("a.pdf"))),
    accepted=sample_request(user("a", _named("a_pdf"))),
)
def document_name(context: RequestContext) -> Breach | None:
    for at, document in documents(context) if "as-it-was" not in context.traits else ():
        if not NAME.fullmatch(document["name"]):
            return Breach(f"{at}.name", NAMES)
    return None


@BOOK.rule(
    "bedrock/document-name-duplicate",
    why="Two documents of the request have one name, also in results: number them.",
    confidence="verbatim",
    evidence=cite(
        "maximhq/bifrost#7003",
        "anomalyco/opencode#48756",
        quote="Messages can't contain duplicate document names. Rename the document and retry your request.",
    ),
    breaking=sample_request(user("a", DOCUMENT), assistant("b"), user("c", DOCUMENT)),
    accepted=sample_request(user("a", DOCUMENT), assistant("b"), user("c", _named("other"))),
)
def document_name_duplicate(context: RequestContext) -> Breach | None:
    seen: set[str] = set()
    for at, document in documents(context):
        if document["name"] in seen:
            sentence = "Messages can't contain duplicate document names. Rename the document and retry your request."
            return Breach(f"{at}.name", sentence)
        seen.add(document["name"])
    return None


@BOOK.rule(
    "bedrock/citations-unsupported",
    why="A document asks for citations, which the model does not make.",
    models="Nova, Llama, Pixtral, DeepSeek",
    confidence="verbatim",
    evidence=cite("pydantic/pydantic-ai, measured on 2026-10-20", quote="This model doesn't support citations."),
    breaking=sample_request(user("a", {"document": {**DOCUMENT["document"], "citations": {"enabled": True}}})),
    accepted=sample_request(user("a", {"document": {**DOCUMENT["document"], "citations": {"enabled": False}}})),
    path=bedrock_path(LLAMA),
)
def citations_unsupported(context: RequestContext) -> Breach | None:
    for at, document in documents(context) if "no-citations" in context.traits else ():
        if members(document.get("citations")).get("enabled"):
            return Breach(f"{at}.citations", "This model doesn't support citations.")
    return None
