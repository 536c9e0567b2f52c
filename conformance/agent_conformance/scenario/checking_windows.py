"""What a scenario may say with `window`. Knows no line and no wire but Ollama's."""

from agent_conformance.scenario.mistakes import Found
from agent_conformance.scenario.model import Scenario

TRUNCATES = ["ollama-chat"]
REPEATED = (408, 409, 425, 429)
"""Statuses with which clients send the same request again by themselves, as they do from 500 on."""


def check_window(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    window = scenario.window
    if window is None:
        return
    if window.words is not None:
        status = window.words.status
        if not 400 <= status < 500 or status in REPEATED:
            path = ("window", "words", "status")
            yield path, f"`status` is {status}, which clients repeat or which refuses nothing. Give 400, 413 or 422."
    if window.how != "truncate":
        return
    if window.words is not None:
        yield ("window", "words"), "a window that truncates refuses nothing, so it has no `words`. Keep one of the two."
    if scenario.limits.context_tokens is None:
        yield ("window", "how"), "nobody tells an agent of this window but `limits: {context_tokens: n}`. Give it."
    if scenario.wires != TRUNCATES:
        yield ("window", "how"), "only Ollama truncates like this. Write `wires: [ollama-chat]`."
