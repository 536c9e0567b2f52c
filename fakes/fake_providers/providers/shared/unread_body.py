"""The two refusals that every provider has: a body that is not a JSON object, and one without a conversation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_shared.request_body import NOT_JSON

CHECKED: Final = "2026-11-21"
USER: Final = {"role": "user", "content": "What is the weather in Oslo?"}


@dataclass(frozen=True, slots=True)
class ConversationMember:
    """The member of a body that has the conversation. `rules` begins the ids of its wire's rules."""

    name: str
    rules: str
    absent: str
    is_present: Callable[[dict[str, Any]], bool]


MESSAGES: Final = ConversationMember(
    "messages",
    "",
    "The request has no messages, or they are not a list.",
    lambda body: isinstance(body.get("messages"), list),
)
INPUT: Final = ConversationMember(
    "input",
    "responses-",
    "The request has no input.",
    lambda body: "input" in body or bool(body.get("prompt")),
)


def refuse_unread(
    book: Rulebook,
    provider: str,
    member: ConversationMember,
    *,
    model: str,
    not_json: Breach,
    missing: Callable[[Any], Breach],
    status: int = 400,
    source: str,
) -> None:
    """Add both rules; after them `RequestContext.body` is an object that has the member."""
    accepted = {"model": model, member.name: [USER]}

    @book.rule(
        f"{provider}/{member.rules}body-not-json",
        status=status,
        why="The body is not a JSON object.",
        confidence="inferred",
        evidence=(Citation(source),),
        breaking=f'{{"model": "{model}", "{member.name}": ['.encode(),
        accepted=accepted,
        checked=CHECKED,
    )
    def _not_json(context: RequestContext) -> Breach | None:
        return not_json if context.body is NOT_JSON or not isinstance(context.body, dict) else None

    @book.rule(
        f"{provider}/{member.rules}{member.name}-missing",
        status=status,
        why=member.absent,
        confidence="inferred",
        evidence=(Citation(source),),
        breaking={"model": model},
        accepted=accepted,
        checked=CHECKED,
    )
    def _missing(context: RequestContext) -> Breach | None:
        return None if member.is_present(context.body) else missing(context.body)
