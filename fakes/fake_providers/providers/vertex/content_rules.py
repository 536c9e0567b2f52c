"""Vertex AI's rules on contents, each reported in a sentence of its own, where the Developer API lists bullets or
accepts."""

from fake_providers.providers.vertex.books import BOOK, DOCS
from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.gemini_generate.lenient_reading import contents, field
from fake_providers.wires.gemini_generate.rules.samples import cite, model, sample_request, user, vertex_path

REFERENCE = f"Learn more: {DOCS}/model-reference/gemini"


@BOOK.rule(
    "vertex/contents-missing",
    why="`contents` is missing or empty.",
    confidence="verbatim",
    evidence=cite(
        "users of Vertex AI quoting it, with litellm and with Google's own SDK",
        quote="Unable to submit request because at least one contents field is required.",
    ),
    breaking={"contents": []},
    accepted={"contents": [user("Is it raining in Oslo?")]},
    path=vertex_path(),
)
def contents_missing(context: RequestContext) -> Breach | None:
    if contents(context.body.value):
        return None
    return Breach("contents", f"Unable to submit request because at least one contents field is required. {REFERENCE}")


@BOOK.rule(
    "vertex/role-missing",
    why="A content has no role, which the Developer API treats as the user's.",
    confidence="verbatim",
    evidence=cite("public code quoting it", quote="Please use a valid role: user, model."),
    breaking=sample_request({"parts": [{"text": "Is it raining in Oslo?"}]}),
    accepted=sample_request(user("Is it raining in Oslo?")),
    path=vertex_path(),
)
def role_missing(context: RequestContext) -> Breach | None:
    for i, content in enumerate(contents(context.body.value)):
        if not field(content, "role"):
            return Breach(f"contents[{i}].role", "Please use a valid role: user, model.")
    return None


@BOOK.rule(
    "vertex/parts-missing",
    why=(
        "A content has no parts, or an empty list of them. Google itself sends such a content if the model has no "
        "output; it must not be sent back."
    ),
    confidence="verbatim",
    evidence=cite(
        "anomalyco/opencode#17519",
        "public code quoting it",
        quote="Unable to submit request because it must include at least one parts field, which describes the prompt "
        "input.",
    ),
    breaking=sample_request(user("Rain?"), {"role": "model", "parts": []}, user("Well?")),
    accepted=sample_request(user("Rain?"), model("No."), user("Well?")),
    path=vertex_path(),
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
