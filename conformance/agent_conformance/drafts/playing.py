"""Whether a conversation can be played, and what was there before an agent pruned it. Knows no document."""

from collections.abc import Sequence
from dataclasses import replace

from agent_conformance.drafts.evidence import Evidence, Message

BEGIN = "Do what is next."
ROUNDS = 3
"""Rounds of calls that are too many for an agent that keeps the last few messages, and too few for a loop."""
TOKENS = 1000
CHARACTERS = 4 * TOKENS * 6 // 5
"""More than such a window holds."""


def obstacle_to_playing(messages: Sequence[Message]) -> str:
    """Why a model and tools cannot have led to these messages; "" where they can."""
    if not messages or messages[0].role != "user":
        return "it does not begin with the user"
    waiting: list[str | None] = []
    for message in messages:
        if message.role == "tool":
            if message.id not in waiting:
                return "a result is without its call"
            waiting.remove(message.id)
        elif waiting:
            return "a call is without its result"
        waiting += [call.id for call in message.calls]
    return ""


def before_pruning(evidence: Evidence, *, is_whole: bool) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """A conversation that is too long for a window of 1,000 tokens, and what of it is made up."""
    made_up = ["The agent's window is not known."]
    messages = evidence.messages
    if not is_whole:
        messages = _with_rounds(_paired(evidence.sent))
        made_up.append(
            f"What was there before the first message is not known: `{BEGIN}` and earlier calls are made up."
        )
    if sum(map(_characters, messages)) < CHARACTERS and any(one.role == "tool" for one in messages):
        messages = _lengthened(messages)
        made_up.append("The results are longer than they were.")
    return messages, tuple(made_up)


def window_for(messages: Sequence[Message]) -> int:
    """Tokens that the conversation does not fit into."""
    return max(TOKENS, sum(map(_characters, messages)) // 6)


def _paired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Without results of calls that are not there, from the first call or user on."""
    made = {call.id for message in messages for call in message.calls}
    return tuple(message for message in messages if message.role != "tool" or message.id in made)


def _with_rounds(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """After a made-up user, with the first round of calls repeated before it until there are enough."""
    calling = [place for place, message in enumerate(messages) if message.calls]
    if not calling:
        return (Message("user", BEGIN), *messages)
    first = calling[0]
    end = next((place for place in range(first + 1, len(messages)) if messages[place].role != "tool"), len(messages))
    earlier: list[Message] = []
    for number in range(max(0, ROUNDS - len(calling))):
        earlier += [_with_other_ids(message, number) for message in messages[first:end]]
    return (Message("user", BEGIN), *earlier, *messages)


def _with_other_ids(message: Message, number: int) -> Message:
    calls = tuple(replace(call, id=f"{call.id}e{number}") for call in message.calls)
    return replace(message, calls=calls, id=message.id and f"{message.id}e{number}")


def _lengthened(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    count = sum(1 for message in messages if message.role == "tool")
    return tuple(_longer(one, CHARACTERS // count) if one.role == "tool" else one for one in messages)


def _longer(message: Message, length: int) -> Message:
    text = message.text.strip() or "done"
    return replace(message, text=" ".join([text] * (length // (len(text) + 1) + 1)))


def _characters(message: Message) -> int:
    return len(message.text) + len(message.thinking) + sum(len(call.arguments_text) for call in message.calls)
