"""The results of a request: those of the last calls, and whether a text is a tool's result. Knows views, and no law."""

from fakes import View


def last_results(view: View) -> list[str]:
    """The texts of the results after the last message with calls."""
    last = max((i for i, message in enumerate(view.messages) if message.calls), default=-1)
    return [result.text for message in view.messages[last + 1 :] for result in message.results]


def says(text: str, result: str) -> bool:
    """Whether this text is the tool's result, alone or on lines of its own.

    Agents put results into frames: Codex first says how long the tool took, Gemini CLI marks what it does not trust.
    """
    lines, wanted = text.strip().split("\n"), result.strip().split("\n")
    if not result.strip():
        return not text.strip()
    return any(lines[start : start + len(wanted)] == wanted for start in range(len(lines) - len(wanted) + 1))
