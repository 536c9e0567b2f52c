"""Which messages and results of a scenario have pictures, and what is wrong with their parts."""

from typing import Any

from msgspec import ValidationError

from agent_conformance.scenario.base_model import Parts, has_picture, is_parts, parts_of
from agent_conformance.scenario.checks import Found, demands_of
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.yaml_files.reading import KeyPath
from agent_conformance.scenario.yaml_files.validation_messages import flaws_in


def user_pictures(scenario: Scenario) -> bool:
    """Whether the user sends a picture, in a turn or in the history."""
    messages = [*(turn.user for turn in scenario.conversation), *(message.user for message in scenario.history)]
    return any(has_picture(message) for message in messages if message and not isinstance(message, str))


def tool_pictures(scenario: Scenario) -> bool:
    """Whether a tool returns a picture, or has returned one in the history."""
    results = [message.tool.result for message in scenario.history if message.tool is not None]
    results += [result for tool in scenario.tools for result in tool.results or ()]
    return any(has_picture(tool.content) for tool in scenario.tools) or any(map(_has_picture, results))


def has_pictures(scenario: Scenario) -> bool:
    return user_pictures(scenario) or tool_pictures(scenario)


def check_parts(scenario: Scenario) -> Found:
    """Path and sentence of each mistake in parts, and of each picture that is expected and comes from nowhere."""
    wrong = list(_wrong_parts(scenario))
    yield from wrong
    if not wrong and not has_pictures(scenario):
        for number, turn in enumerate(scenario.conversation):
            for demands, path in demands_of(turn, number):
                for index, request in enumerate(demands.requests):
                    if request.images:
                        message = "`images` expects pictures, and no tool, user or history of this scenario has one."
                        yield (*path, "requests", index, "images"), f"{message} Give a tool `content` with an `image`."


def doubtful_parts(scenario: Scenario) -> Found:
    """JSON that looks like parts, and is none: an author may have meant a picture."""
    for index, tool in enumerate(scenario.tools):
        values: list[tuple[KeyPath, Any]] = [(("returns",), tool.returns)]
        values += [(("results", place), result) for place, result in enumerate(tool.results or ())]
        for path, value in values:
            listed = value.get("parts") if path == ("returns",) and is_parts(value) else value
            if isinstance(listed, list) and any(
                (isinstance(item, dict) and ("image" in item or item.get("type") == "image")) for item in listed
            ):
                message = f"`{path[0]}` is JSON, and no picture is made of it. For a picture write `content`."
                yield ("tools", index, *path), message


def _wrong_parts(scenario: Scenario) -> Found:
    for index, tool in enumerate(scenario.tools):
        for place, result in enumerate(tool.results or ()):
            yield from _of_result(result, ("tools", index, "results", place))
    for index, message in enumerate(scenario.history):
        if message.tool is not None:
            yield from _of_result(message.tool.result, ("history", index, "tool", "result"))


def _of_result(result: Any, path: KeyPath) -> Found:
    if not is_parts(result):
        return
    try:
        parts_of(result)
    except ValidationError:
        at = next(flaws_in(result["parts"], Parts)).path
        expected = "a list of `{text: ...}` and `{image: {width: 64, height: 64}}`"
        yield (*path, "parts", *at), f"this is no part of a result. `parts` is {expected}."


def _has_picture(result: Any) -> bool:
    return is_parts(result) and has_picture(parts_of(result))
