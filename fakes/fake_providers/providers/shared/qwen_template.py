"""What the chat template of Qwen3.5 raises about, on each server that runs it.

The source: the template beside the model, huggingface.co/Qwen/Qwen3.5-27B, `chat_template.jinja`.
"""

from collections.abc import Callable
from typing import Any, Final

from fake_providers import remedies
from fake_providers.providers.shared.chat_reading import NEAR
from fake_providers.rule import Citation, Confidence, Remedy
from fake_providers.rulebook import Rulebook
from fake_providers.wires.openai_chat.rules.samples import USER, sample_request

TRAIT: Final = "system-first"
FIRST: Final = "System message must be at the beginning."
UNKNOWN: Final = "Unexpected message role."
ROLES: Final = ("system", "user", "assistant", "tool")
BRIEF: Final = {"role": "system", "content": "Be brief."}


def refuse_by_qwen(
    book: Rulebook,
    provider: str,
    *,
    model: str,
    system: tuple[Citation, ...],
    role: tuple[Citation, ...] = (),
    role_is: Confidence = "verbatim",
    words: Callable[[str], str] = lambda sentence: sentence,
) -> None:
    """Add the rule about the place of system messages, and with evidence for it that about roles. `words` are the
    server's for what the template raises."""

    def add(
        name: str, why: str, remedy: Remedy, wrong: str, says: str, finds: Callable[[int, Any], bool], **sure: Any
    ) -> None:
        book.row(
            f"{provider}/{name}",
            why,
            NEAR,
            lambda found: next(({"i": i} for i, message in found if finds(i, message.get("role"))), None),
            words(says).replace("{", "{{").replace("}", "}}"),
            "messages[{i}].role",
            trait=TRAIT,
            models="Qwen3.5",
            checked="2026-11-28",
            remedy=remedy,
            wrong=sample_request(USER, {**BRIEF, "role": wrong}, model=model),
            right=sample_request(USER, {**BRIEF, "role": "user"}, model=model),
            **sure,
        )

    why = "A system message comes after another message."
    add(
        "system-not-first",
        why,
        remedies.SYSTEM_FIRST,
        "system",
        FIRST,
        lambda i, role: i > 0 and role == "system",
        verbatim=system,
    )
    if role:
        why = "A message has another role than the four that the model's template knows; `developer` is none."
        strange: dict[str, Any] = {role_is: role}
        add("role-unexpected", why, remedies.FOUR_ROLES, "developer", UNKNOWN, lambda _, r: r not in ROLES, **strange)
