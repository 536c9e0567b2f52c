"""Pictures of tools and users, on their way to the model."""

from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.parts import Draw, chance, document, one_of, question, reply_to, turn
from agent_conformance.minimise.documents import Document

SEEING = {"ollama-chat": "qwen3-vl:8b"}
"""Where a picture needs a model that takes one."""
CALL = {"name": "screenshot", "arguments": {"page": "first"}}
TOO_LARGE = {
    "status": 400,
    "body": {
        "error": {"type": "invalid_request_error", "message": "media exceeds size limit: max 10485760 bytes (2013)"}
    },
}


@st.composite
def pictures(draw: Draw) -> Document:
    """Pictures of tools and users, now and then one that no provider takes."""
    image: dict[str, Any] = {"width": one_of(draw, (64, 80)), "height": 64}
    media = one_of(draw, ("png", "png", "jpeg", "gif"))
    picture = {"image": {**image, **({"media_type": media} if media != "png" else {})}}
    how = draw(st.integers(0, 5))
    answer, later = reply_to(draw), reply_to(draw, 2)
    after = turn(question(draw, 2), [{"text": later}], {"reply": later})
    if how == 0:
        return _picture_of_the_user(picture, answer, after)
    if how == 1:
        return _pictures_in_results(draw, picture, answer)
    if how == 2:
        return _restored_picture(draw, picture, answer)
    return _picture_that_is_not_taken(draw, how, image, answer, after)


def _screenshot(**fields: Any) -> dict[str, Any]:
    return {"name": "screenshot", "description": "A picture of the page.", "parameters": {"page": "string"}, **fields}


def _picture_of_the_user(picture: dict[str, Any], answer: str, after: dict[str, Any]) -> Document:
    said = "What does the sign say?"
    expect = {"requests": [{"at": 1, "images": 1, "contains": [said]}], "reply": answer}
    turns = [turn([{"text": said}, picture], [{"text": answer}], expect), after]
    return document("a picture of the user reaches the model", turns, model=dict(SEEING))


def _pictures_in_results(draw: Draw, picture: dict[str, Any], answer: str) -> Document:
    calls = [CALL, {"name": "screenshot", "arguments": {"page": "second"}}][: draw(st.integers(1, 2))]
    results = [{"parts": [{"text": "the login page"}, picture]}, {"parts": [picture, {"text": "the cart"}]}]
    wanted = {"at": 2, "images": len(calls), "contains": ["the login page", "the cart"][: len(calls)]}
    turns = [turn(question(draw), [{"calls": calls}, {"text": answer}], {"requests": [wanted], "reply": answer})]
    tools = [_screenshot(results=results)]
    return document("a picture in a result reaches the model", turns, tools=tools, model=dict(SEEING))


def _restored_picture(draw: Draw, picture: dict[str, Any], answer: str) -> Document:
    result: dict[str, Any] = {
        "id": "call000001",
        "result": {"parts": [{"text": "There is no such link."}, picture]},
        **({"error": True} if chance(draw, 50) else {}),
    }
    history = [
        {"user": "Open the cart."},
        {"assistant": {"calls": [{"id": "call000001", **CALL}]}},
        {"tool": result},
    ]
    wanted: dict[str, Any] = {"at": 1, "images": 1, "contains": ["There is no such link."]}
    if chance(draw, 50):
        history.append({"assistant": "I could not."})
        del wanted["images"]  # an agent may leave out those of earlier answers
    turns = [turn(question(draw), [{"text": answer}], {"requests": [wanted], "reply": answer})]
    return document(
        "a picture of a restored result reaches the model",
        turns,
        tools=[_screenshot(returns="done")],
        history=history,
        model=dict(SEEING),
    )


def _picture_that_is_not_taken(
    draw: Draw, how: int, image: dict[str, Any], answer: str, after: dict[str, Any]
) -> Document:
    """Of a type that no provider takes, of too many pixels, or refused by this provider."""
    first = turn(question(draw), [{"calls": [CALL]}, {"text": answer, "spare": True}], {"outcome": "either"})
    page = {"text": "the login page"}
    fields: dict[str, Any] = {}
    if how == 3:
        content = [{"text": "a plan of the hall"}, {"image": {**image, "media_type": "svg"}}]
    elif how == 4:
        content = [page, {"image": {"width": 1440, "height": 8570}}]
        fields = {"wires": ["anthropic-messages"]}
    else:
        content = [page, {"image": {"width": 1440, "height": 900}}]
        fields = {"wires": "first", "needs": ["images"]}
        first["model"].insert(1, {"fault": TOO_LARGE, "spare": True})
        first["expect"] = {"outcome": "either", "should": {"outcome": "reply"}}
    tools = [_screenshot(content=content)]
    return document("a picture that is not taken leaves the conversation", [first, after], tools=tools, **fields)
