"""What is wrong with the shape of a scenario, which pydantic finds, in sentences for its author."""

from collections.abc import Iterable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from msgspec import Struct, ValidationError
from msgspec.structs import fields

from agent_conformance.scenario import base_model as parts
from agent_conformance.scenario import model
from agent_conformance.scenario.yaml_files.examples import KEY
from agent_conformance.scenario.yaml_files.problems import described, did_you_mean, listed, nearest
from agent_conformance.scenario.yaml_files.reading import KeyPath

NOUNS: dict[type[parts.Strict], str] = {
    model.Scenario: "a scenario",
    model.ToolSpec: "a tool",
    parts.PartSpec: "a part",
    parts.ImageSpec: "a picture",
    model.CallSpec: "a call",
    model.SourceSpec: "a source of a reply's text",
    model.UsageSpec: "the tokens of a reply",
    model.ServerCallSpec: "a call of the provider's own tools",
    model.ArgumentsMeaning: "the `means` of a call",
    model.AssistantMessage: "an assistant's message",
    model.ThinkingSpec: "`thinking` of the history",
    model.ToolMessage: "a tool's message",
    model.HistoryMessage: "a message of the history",
    model.TextMeaning: "`means`",
    model.FaultSpec: "a fault",
    model.ReplySpec: "a reply of the model",
    model.ReplyExpectation: "`reply`",
    model.ExecutedExpectation: "`executed`",
    model.Range: "a range",
    model.TextExpectation: "the expectation of a text",
    model.RequestExpectation: "an expectation of `requests`",
    model.Demands: "`should`",
    model.Expectations: "`expect`",
    model.Cancel: "`cancel`",
    model.Crash: "`crash`",
    model.Steer: "`steer`",
    model.FallbackSpec: "`fallback`",
    model.Switch: "`switch`",
    model.Turn: "a turn",
    model.NamedToolSpec: "`tool_choice`",
    model.LimitSpec: "`limits`",
    model.Window: "`window`",
    model.WindowWords: "`words`",
}

_EXPECTED = {
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "list_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
}

MOST_ERRORS = 200
"""Of one row: a sentence for each takes a while, where it looks for what was meant."""

_SHORT_FORMS: dict[str | int, str] = {"reply": "a text", "executed": "a list", "request_count": "a whole number"}


class _Error(Struct, frozen=True):
    """One of pydantic's errors. `union` is the path at which one of several shapes was tried, if any."""

    path: KeyPath
    kind: str
    value: Any
    context: Mapping[str, Any]
    message: str
    union: KeyPath | None
    is_key: bool
    root: type[parts.Strict]


def messages_of(
    error: ValidationError, data: Any, root: type[parts.Strict] = model.Scenario
) -> list[tuple[KeyPath, str]]:
    """Path and sentence of each mistake in a `root`, whose nouns are in `NOUNS` or in a member `NOUN` of its classes.

    `error` is what reading it raised.

    What follows from an unknown `$key` is left out, it is reported elsewhere.
    """
    from agent_conformance.scenario.pydantic_types import errors_in

    errors = [_error_at(details, data, root) for details in errors_in(data, root)[:MOST_ERRORS]]
    if not errors:
        return [((), f"it cannot be read: {error}.")]
    explained = set(_explained_paths(errors))
    errors = [one for one in errors if one.kind != "missing" or one.path not in explained]
    # Errors of one union together, every other alone.
    groups: dict[KeyPath, list[_Error]] = {}
    for index, one in enumerate(errors):
        key = ("union", *one.union) if one.union is not None else ("alone", index)
        groups.setdefault(key, []).append(one)
    return [sentence for group in list(groups.values()) for sentence in _sentences(group)]


def _explained_paths(errors: Iterable[_Error]) -> Iterator[KeyPath]:
    """Missing fields whose absence another mistake explains: a typo of it."""
    for one in errors:
        if one.kind == "extra_forbidden":
            container = one.path[:-1]
            for owner in _models_at(container, one.root):
                meant = nearest(str(one.path[-1]), owner.__struct_fields__)
                yield from ((*container, field) for field in meant)


def _error_at(details: Mapping[str, Any], data: Any, root: type[parts.Strict]) -> _Error:
    path: list[str | int] = []
    union: KeyPath | None = None
    current = data
    parts = details["loc"]
    is_key = bool(parts) and parts[-1] == "[key]"
    for index, part in enumerate(parts[:-1] if is_key else parts):
        is_last = index == len(parts) - 1
        if _holds(current, part):
            current = current[part]
            path.append(part)
        elif is_last and details["type"] == "missing":
            path.append(part)
        elif union is None:
            union = tuple(path)
    context = details.get("ctx", {})
    return _Error(tuple(path), details["type"], details["input"], context, details["msg"], union, is_key, root)


def _holds(current: Any, part: str | int) -> bool:
    if isinstance(current, dict):
        return part in current
    return isinstance(current, list) and isinstance(part, int) and part < len(current)


def _sentences(group: list[_Error]) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(group[0].value, str) and KEY.fullmatch(group[0].value):
        return
    union = group[0].union
    inside = [one for one in group if union is not None and len(one.path) > len(union)]
    if inside:  # one of the shapes was meant: what is wrong is inside it
        for one in inside:
            if not any(deeper.path[: len(one.path)] == one.path != deeper.path for deeper in inside):
                yield one.path, _sentence([one])
        return
    bounds = [one for one in group if one.kind not in _EXPECTED and one.kind != "literal_error"]
    yield group[0].path, _sentence(bounds[:1] if bounds else group)


def _sentence(group: list[_Error]) -> str:
    first = group[0]
    field = _shown(first.path)
    if first.kind == "extra_forbidden":
        return _unknown_field(first)
    if first.kind == "missing":
        return f"{_noun(first.path[:-1], first.root)} has no `{first.path[-1]}`, which it needs."
    if first.kind == "value_error":
        return first.message.removeprefix("Value error, ")
    if first.kind == "greater_than_equal":
        return f"{field} is {first.value}; it is at least {first.context['ge']}."
    if first.kind == "less_than_equal":
        return f"{field} is {first.value}; it is at most {first.context['le']}."
    if first.kind == "string_too_long":
        return f"{field} has {len(first.value)} characters; at most {first.context['max_length']} are allowed."
    if first.kind == "too_short":
        return f"{field} is empty; it has at least one entry."
    words = [word for one in group if one.kind == "literal_error" for word in _words(one.context["expected"])]
    short = [_SHORT_FORMS[first.path[-1]]] if first.path and first.path[-1] in _SHORT_FORMS else []
    kinds = list(dict.fromkeys([*short, *(_EXPECTED[one.kind] for one in group if one.kind in _EXPECTED)]))
    if not words and not kinds:
        return f"{field} is {described(first.value)}, which does not fit here."
    if first.is_key:
        near = did_you_mean(str(first.path[-1]), words)
        return f"`{first.path[-1]}` is no key of {_shown(first.path[:-1])}.{near} Allowed: {listed(words)}."
    near = did_you_mean(first.value, words) if isinstance(first.value, str) else ""
    if words:
        allowed = ", or ".join([listed(words), *kinds])
        return f"{field} is {described(first.value)}.{near} Allowed: {allowed}."
    quote = first.value is None or isinstance(first.value, bool | int | float)
    hint = " Quote it to make it a text." if "a text" in kinds and quote else ""
    if "executed" in first.path and kinds == ["a mapping"] and isinstance(first.value, str):
        hint = f" Write the call with its arguments: `{{{first.value}: {{...}}}}`."
    if kinds == ["a list"] and isinstance(first.value, str) and len(first.value) <= 40:
        hint = f" Write `[{first.value}]`."
    return f"{field} is {described(first.value)}; expected {' or '.join(kinds)}.{hint}"


def _unknown_field(error: _Error) -> str:
    name = str(error.path[-1])
    classes = list(_models_at(error.path[:-1], error.root))
    allowed = [field for one in classes for field in one.__struct_fields__]
    if model.Scenario in classes:
        allowed.append("examples")
    owner = _noun(error.path[:-1], error.root)
    return f"`{name}` is no field of {owner}.{did_you_mean(name, allowed)} Allowed: {listed(allowed)}."


def _shown(path: KeyPath) -> str:
    """The field's own name; for an item of a list, its list's name and its number from 1."""
    if not path:
        return "the file"
    if isinstance(path[-1], int):
        owner = path[:-2] if path[-2:-1] == ("in_order",) else path[:-1]  # a plain list is read as that
        return f"item {path[-1] + 1} of {_shown(owner)}"
    return f"`{path[-1]}`"


def _noun(path: KeyPath, root: type[parts.Strict]) -> str:
    for one in _models_at(path, root):
        return NOUNS.get(one) or str(getattr(one, "NOUN", one.__name__))
    return _shown(path)


def _words(expected: str) -> list[str]:
    """The values in pydantic's `'a', 'b' or 'c'`."""
    return [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]


def _models_at(path: KeyPath, root: type[parts.Strict]) -> Iterator[type[parts.Strict]]:
    """The types that a value at this path may have, as the model's annotations say."""
    reached: list[Any] = [root]
    for part in path:
        reached = [inner for annotation in reached for inner in _inside(annotation, part)]
    for annotation in reached:
        for one in _members(annotation):
            if isinstance(one, type) and issubclass(one, parts.Strict):
                yield one


def _inside(annotation: Any, part: str | int) -> Iterator[Any]:
    for one in _members(annotation):
        origin, arguments = get_origin(one), get_args(one)
        if origin is list and isinstance(part, int):
            yield arguments[0]
        elif origin is dict and isinstance(part, str):
            yield arguments[1]
        elif isinstance(one, type) and issubclass(one, parts.Strict):
            yield from (field.type for field in fields(one) if field.name == part)


def _members(annotation: Any) -> Iterator[Any]:
    """The annotation itself, or the members of a union of them."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _members(get_args(annotation)[0])
    elif origin is Union or origin is UnionType:
        for one in get_args(annotation):
            yield from _members(one)
    else:
        yield annotation
