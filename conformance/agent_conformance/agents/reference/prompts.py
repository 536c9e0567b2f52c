"""All texts that the agent itself sends to the model, in one place, so that none of them is shown to the user."""

from collections.abc import Iterable

INTERRUPTED = "Error: no result. The turn was interrupted, and it is not known whether this call had an effect."
CUT_OFF = "Error: not run. Your message was cut off before it was complete. Send the call again, more briefly."
DENIED = "Error: not run. The user did not allow this call. Do not repeat it; ask the user what to do instead."
PENDING = "Error: not run yet. The user has not said whether this call may run."
WITHHELD = "Error: not run. The message that held this call was withheld."
UNANSWERED = "(The user went on before these results were answered.)"
CLOSED = "(This message was left without an answer.)"
LEFT_OUT = "(A picture, {media_type}, is left out here: the provider refused it.)"
RETURNED_PICTURES = "(Pictures that the tools returned.)"
SHORTENED = "\n[... {n} characters left out ...]\n"
UNREADABLE = "(a tool call in a form that cannot be run)"
SUMMARISE = "Summarise the conversation so far, for yourself: it is about to be replaced by what you write now."
SUMMARY = "(A summary of the conversation before this:)\n{text}"
REPEATED = (
    "Error: not run again. This call, with these arguments, has given the same result {n} times. Do something else."
)


def listing(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def unknown_tool(name: str, offered: Iterable[str]) -> str:
    """Says that the tool does not exist, not that it is forbidden: models repeat what is forbidden."""
    return f"Error: there is no tool named {name!r}, so nothing was run. The available tools are: {listing(offered)}."


def unreadable_call(names: Iterable[str], offered: Iterable[str]) -> str:
    """For a call written as text that could not run; `names` are the names in it."""
    unknown = [name for name in names if name]
    about = f" No tool is named {listing(unknown)}." if unknown else ""
    return (
        "Your last message had a tool call written as text, and it was not run."
        f"{about} Use a real tool call (available: {listing(offered)}) or answer in plain words."
    )


def bad_arguments(name: str, problem: str) -> str:
    return f"Error: {name} was not run: {problem}. Send the call again with a JSON object."
