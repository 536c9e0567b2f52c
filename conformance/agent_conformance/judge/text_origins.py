"""Who wrote a text: the user, the model, a tool, the scenario, or the agent itself."""

from collections.abc import Callable

from agent_conformance.judge.evidence import CaseEvidence
from agent_conformance.scenario.derived.half_characters import texts_in

LEAST = 16
"""Characters; shorter lines of the agent's own may be words that anybody would use."""


def known_texts(evidence: CaseEvidence) -> str:
    """Everything that somebody other than the agent wrote in this case, joined by zero bytes."""
    scenario = evidence.scenario
    parts: list[str] = [scenario.system]
    for tool in scenario.tools:
        parts += [tool.name, tool.description, *texts_in(tool.parameters)]
        parts += [*texts_in(tool.returns), *texts_in(tool.results), tool.raises or ""]
        parts += [part.text for part in tool.content or () if part.text]
    for message in scenario.history:
        parts += texts_in(message.model_dump())
    for record in evidence.transcript.turns:
        parts.append(record.turn.user_text)
        parts += [attempt.result for attempt in record.attempts]
        for request in record.requests:
            if request.reply is not None and request.kind != "side":
                parts += [request.reply.text or "", request.reply.thinking or ""]
                parts += [call.arguments_text or "" for call in request.reply.calls]
            if request.violation is not None:
                parts.append(request.violation.message)
            if request.spec is not None:
                parts += texts_in(request.spec.model_dump(exclude_defaults=True))
    return "\0".join(parts)


def agents_own_texts(evidence: CaseEvidence, known: Callable[[], str]) -> list[str]:
    """Lines that the agent put into requests as system, user or result text, and that nobody else wrote.

    What it sends as the assistant's words is what it showed to its user, and may be shown.
    """
    lines: dict[str, None] = {}
    read: set[str] = set()  # each request repeats the texts of those before
    shown = "\n".join(f"{record.reply}\n{''.join(record.deltas)}" for record in evidence.transcript.turns)
    for _, request in evidence.transcript.requests():
        texts = [request.view.system]
        for message in request.view.messages:
            if message.role == "user":
                texts.append(message.text)
            texts += [result.text for result in message.results]
        for text in texts:
            if len(text) < LEAST or text in read:
                continue
            read.add(text)
            for line in map(str.strip, text.splitlines()):
                if len(line) >= LEAST and line in shown and line not in known():
                    lines[line] = None
    return list(lines)
