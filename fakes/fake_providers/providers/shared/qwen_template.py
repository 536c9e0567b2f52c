"""What the chat template of Qwen3.5 and later raises about, on each server that runs it.

The source: the template beside the model, huggingface.co/Qwen/Qwen3.5-27B, `chat_template.jinja`.
"""

from collections.abc import Callable
from typing import Final

from fake_providers.providers.shared.chat_reading import messages
from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import NEAR_MESSAGES, Breach, RequestContext, Rulebook
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

    def add(id: str, why: str, evidence: tuple[Citation, ...], breaking: str, accepted: str) -> None:
        def check(context: RequestContext) -> Breach | None:
            for index, message in messages(context):
                said = message.get("role")
                if (index and said == "system") if id == "system-not-first" else said not in ROLES:
                    return Breach(f"messages[{index}].role", words(FIRST if id == "system-not-first" else UNKNOWN))
            return None

        rule = Rule(
            f"{provider}/{id}",
            400,
            why,
            "Qwen3.5 and later",
            "verbatim" if id == "system-not-first" else role_is,
            evidence,
            "2026-11-28",
            sample_request(USER, {**BRIEF, "role": breaking}, model=model),
            sample_request(USER, {**BRIEF, "role": accepted}, model=model),
        )
        book.add(rule, NEAR_MESSAGES, check, trait=TRAIT)

    add("system-not-first", "A system message comes after another message.", system, "system", "user")
    if role:
        why = "A message has another role than the four that the model's template knows; `developer` is none."
        add("role-unexpected", why, role, "developer", "user")
