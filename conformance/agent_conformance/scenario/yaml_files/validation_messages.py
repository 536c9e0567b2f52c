"""What is wrong with the shape of a scenario, in sentences for its author: one walk over type and data together."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import chain, islice
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import NODEFAULT, Meta, Struct, ValidationError, convert
from msgspec.structs import fields, replace

from agent_conformance.scenario import base_model as parts
from agent_conformance.scenario import model
from agent_conformance.scenario.base_model import Strict
from agent_conformance.scenario.yaml_files import described, did_you_mean, listed, nearest
from agent_conformance.scenario.yaml_files.examples import KEY
from agent_conformance.scenario.yaml_files.reading import KeyPath

FlawKind = Literal["type", "words", "bound", "missing", "unknown", "together"]

_NAMES: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "`true` or `false`",
    date: "a date",
}


class Flaw(Struct, frozen=True):
    """One mistake at a path. `union` is the path at which one of several shapes was tried, if any.

    `said`: what is expected in place of a wrong `type`; what is wrong with a value beyond a `bound`, behind the name of
    its field; the sentence about fields that do not go `together`. `words` are those that are allowed. `is_key`: it is
    the last key of the path that is wrong, and not what stands there.
    """

    path: KeyPath
    kind: FlawKind
    value: Any
    said: str = ""
    words: tuple[str, ...] = ()
    union: KeyPath | None = None
    is_key: bool = False


def flaws_in(data: Any, kind: Any, path: KeyPath = (), union: KeyPath | None = None) -> Iterator[Flaw]:
    """In the order of the type's fields; none where the data is a value of the type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _of_bounded(data, inner[0], [one for one in inner[1:] if isinstance(one, Meta)], path, union)
    elif origin is Union or origin is UnionType:
        yield from _of_union(data, inner, path, union)
    elif origin is Literal:
        if not any(type(data) is type(word) and data == word for word in inner):
            yield Flaw(path, "words", data, words=tuple(map(str, inner)), union=union)
    elif origin is list:
        if isinstance(data, list):
            for index, item in enumerate(data):
                yield from flaws_in(item, inner[0], (*path, index), union)
        else:
            yield Flaw(path, "type", data, "a list", union=union)
    elif origin is dict or (isinstance(kind, type) and issubclass(kind, Strict)):
        if not isinstance(data, dict):
            yield Flaw(path, "type", data, "a mapping", union=union)
        elif origin is dict:
            yield from _of_dict(data, inner[0], inner[1], path, union)
        else:
            yield from _of_part(data, kind, path, union)
    elif kind is not Any:
        try:
            convert(data, kind)
        except (ValidationError, UnicodeEncodeError):  # the latter of half a character
            yield Flaw(path, "type", data, _NAMES[kind], union=union)


def _of_union(data: Any, members: tuple[Any, ...], path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    """What is wrong by each of its types, unless one fits."""
    others = [one for one in members if one is not type(None)]
    if data is None and len(others) < len(members):
        return
    if len(others) == 1:
        yield from flaws_in(data, others[0], path, union)
        return
    tried = [list(flaws_in(data, one, path, path if union is None else union)) for one in others]
    if all(tried):
        yield from chain.from_iterable(tried)


def _of_dict(data: dict[str, Any], key: Any, value: Any, path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    for name, inner in data.items():
        yield from (replace(flaw, is_key=True) for flaw in flaws_in(name, key, (*path, name), union))
        yield from flaws_in(inner, value, (*path, name), union)


def _of_part(data: dict[str, Any], kind: type[Strict], path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    found: list[Flaw] = []
    for field in fields(kind):
        if field.name in data:
            found += flaws_in(data[field.name], field.type, (*path, field.name), union)
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            found.append(Flaw((*path, field.name), "missing", data, union=union))
    unknown = [name for name in data if name not in kind.__struct_fields__]
    found += (Flaw((*path, name), "unknown", data[name], union=union) for name in unknown)
    yield from found
    if not found and (mistake := convert(data, kind).mistake(data.keys())) is not None:
        yield Flaw(path, "together", data, mistake, union=union)


def _of_bounded(data: Any, kind: Any, bounds: list[Meta], path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    found = list(flaws_in(data, kind, path, union))
    yield from found
    if not found:
        beyond = (said for bound in bounds if (said := _beyond(data, bound)) is not None)
        yield from (Flaw(path, "bound", data, said, union=union) for said in beyond)


def _beyond(value: Any, bound: Meta) -> str | None:
    """What is wrong with a value of the right type, if anything."""
    if bound.ge is not None and value < bound.ge:
        return f"is {value}; it is at least {bound.ge}."
    if bound.le is not None and value > bound.le:
        return f"is {value}; it is at most {bound.le}."
    if bound.max_length is not None and len(value) > bound.max_length:
        return f"has {len(value)} characters; at most {bound.max_length} are allowed."
    if bound.min_length is not None and len(value) < bound.min_length:
        return "is empty; it has at least one entry."
    if bound.pattern is not None and re.search(bound.pattern, value) is None:
        return "is written in another way."
    return None


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

MOST_FLAWS = 200
"""Of one row: a sentence for each takes a while, where it looks for what was meant."""

_SHORT_FORMS: dict[str | int, str] = {"reply": "a text", "executed": "a list", "request_count": "a whole number"}


def messages_of(
    error: ValidationError, data: Any, root: type[parts.Strict] = model.Scenario
) -> list[tuple[KeyPath, str]]:
    """Path and sentence of each mistake in a `root`, whose nouns are in `NOUNS` or in a member `NOUN` of its classes.

    `error` is what reading it raised.

    What follows from an unknown `$key` is left out, it is reported elsewhere.
    """
    flaws = list(islice(flaws_in(data, root), MOST_FLAWS))
    if not flaws:
        return [((), f"it cannot be read: {error}.")]
    explained = set(_explained_paths(flaws, root))
    # Those of one union together, every other alone.
    groups: dict[KeyPath, list[Flaw]] = {}
    for index, flaw in enumerate(flaws):
        if flaw.kind != "missing" or flaw.path not in explained:
            key = ("alone", index) if flaw.union is None else ("union", *flaw.union)
            groups.setdefault(key, []).append(flaw)
    return [sentence for group in groups.values() for sentence in _sentences(group, root)]


def _explained_paths(flaws: Iterable[Flaw], root: type[parts.Strict]) -> Iterator[KeyPath]:
    """Missing fields whose absence another mistake explains: a typo of it."""
    for flaw in flaws:
        if flaw.kind == "unknown":
            container = flaw.path[:-1]
            for owner in _models_at(container, root):
                meant = nearest(str(flaw.path[-1]), owner.__struct_fields__)
                yield from ((*container, field) for field in meant)


def _sentences(group: list[Flaw], root: type[parts.Strict]) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(group[0].value, str) and KEY.fullmatch(group[0].value):
        return
    union = group[0].union
    inside = [one for one in group if union is not None and len(one.path) > len(union)]
    if inside:  # one of the shapes was meant: what is wrong is inside it
        for one in inside:
            if not any(deeper.path[: len(one.path)] == one.path != deeper.path for deeper in inside):
                yield one.path, _sentence([one], root)
        return
    others = [one for one in group if one.kind not in ("type", "words")]
    yield group[0].path, _sentence(others[:1] if others else group, root)


def _sentence(group: list[Flaw], root: type[parts.Strict]) -> str:
    first = group[0]
    field = _shown(first.path)
    if first.kind == "unknown":
        return _unknown_field(first, root)
    if first.kind == "missing":
        return f"{_noun(first.path[:-1], root)} has no `{first.path[-1]}`, which it needs."
    if first.kind == "together":
        return first.said
    if first.kind == "bound":
        return f"{field} {first.said}"
    words = [word for one in group for word in one.words]
    short = [_SHORT_FORMS[first.path[-1]]] if first.path and first.path[-1] in _SHORT_FORMS else []
    kinds = list(dict.fromkeys([*short, *(one.said for one in group if one.kind == "type")]))
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


def _unknown_field(flaw: Flaw, root: type[parts.Strict]) -> str:
    name = str(flaw.path[-1])
    classes = list(_models_at(flaw.path[:-1], root))
    allowed = [field for one in classes for field in one.__struct_fields__]
    if model.Scenario in classes:
        allowed.append("examples")
    owner = _noun(flaw.path[:-1], root)
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
