"""Vertex AI's rules on contents: one plain sentence each, where the Developer API lists bullets or accepts."""

from fakes.rulebook import Breach, RequestContext
from fakes.wires.gemini_generate.lenient_reading import contents, field
from fakes.wires.gemini_generate.rules.rulebook import BOOK, VERTEX, asking, model, posted_to_vertex, said, user
from fakes.wires.gemini_generate.vertex import DOCS

REFERENCE = f"Learn more: {DOCS}/model-reference/gemini"


@BOOK.rule(
    "vertex/contents-missing",
    why="There is nothing to answer: `contents` is missing or empty.",
    confidence="verbatim",
    evidence=said(
        "users of Vertex AI quoting it, with litellm and with Google's own SDK",
        quote="Unable to submit request because at least one contents field is required.",
    ),
    breaking={"contents": []},
    accepted={"contents": [user("Is it raining in Oslo?")]},
    path=posted_to_vertex(),
    providers=VERTEX,
)
def contents_missing(context: RequestContext) -> Breach | None:
    if contents(context.body.value):
        return None
    return Breach("contents", f"Unable to submit request because at least one contents field is required. {REFERENCE}")


@BOOK.rule(
    "vertex/role-missing",
    why="A content without a role, which the Developer API takes for the user's.",
    confidence="verbatim",
    evidence=said("public code quoting it", quote="Please use a valid role: user, model."),
    breaking=asking({"parts": [{"text": "Is it raining in Oslo?"}]}),
    accepted=asking(user("Is it raining in Oslo?")),
    path=posted_to_vertex(),
    providers=VERTEX,
)
def role_missing(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        if not field(content, "role"):
            return Breach(f"contents[{i}].role", "Please use a valid role: user, model.")
    return None


@BOOK.rule(
    "vertex/parts-missing",
    why="A content without parts: none at all, or an empty list. Google itself sends such a one where a model says "
    "nothing, and it must not be sent back.",
    confidence="verbatim",
    evidence=said(
        "anomalyco/opencode#17519",
        "public code quoting it",
        quote="Unable to submit request because it must include at least one parts field, which describes the prompt "
        "input.",
    ),
    breaking=asking(user("Rain?"), {"role": "model", "parts": []}, user("Well?")),
    accepted=asking(user("Rain?"), model("No."), user("Well?")),
    path=posted_to_vertex(),
    providers=VERTEX,
)
def parts_missing(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        if not field(content, "parts"):
            return Breach(
                f"contents[{i}].parts",
                "Unable to submit request because it must include at least one parts field, which describes the "
                f"prompt input. {REFERENCE}",
            )
    return None
