"""What is right in a scenario and was perhaps meant otherwise: each doubt with its place and what to do.

`doubts_of` is about one row, `twins_in` about all of them.
"""

import json
import re
import string
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from agent_conformance.scenario.base_model import FieldSort
from agent_conformance.scenario.checks import Found, demands_of
from agent_conformance.scenario.checks.unmeetable import improbable
from agent_conformance.scenario.derived.half_characters import texts_in
from agent_conformance.scenario.derived.pictures import doubtful_parts
from agent_conformance.scenario.model import Demands, Range, ReplySpec, RequestExpectation, Scenario, fields_of
from agent_conformance.scenario.yaml_files.reading import KeyPath

Name = TypeVar("Name")

MOST_CHARACTERS = 1_000_000
"""Of all texts of a scenario together: a request with more than that is refused for its size anyway."""
MOST_MESSAGES = 500
MOST_REPLIES = 200
LONGEST_SAMPLE = 200
"""Characters of a reply, and replies: patterns come from strangers, and for some the time is a power of the length."""
SAMPLES = ("", "x", "No.", "It is 7 degrees\nand raining in Oslo.", "{}", "é 1")

MARKS_A_CALL = re.compile(
    r"""<\|?/?(?:tool_?calls?|function_?calls?|function\s*=|invoke\b|tool_use|tool_request)
    |\[/?TOOL_(?:CALL|REQUEST)|<\|(?:python_tag|tool_call|call|tool▁call)
    |^Action:[ ]\w+\s*\nAction[ ]Input:""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
MAY_BE_A_CALL = re.compile(
    r'[{,]\s*"(?:name|tool|function)"\s*:\s*"[\w.-]+"\s*,\s*"(?:arguments|parameters|args|input)"\s*:'
)
"""JSON without a mark may be an answer as well, which is shown."""


def doubts_of(scenario: Scenario) -> Found:
    """Path and sentence of each doubt."""
    yield from doubtful_parts(scenario)
    size = sum(map(len, texts_in(scenario.data(only_given=True))))
    if size > MOST_CHARACTERS:
        yield (), f"the scenario has {size} characters, more than {MOST_CHARACTERS}. Use the smallest data that fails."
    if len(scenario.history) > MOST_MESSAGES:
        yield ("history",), f"`history` has {len(scenario.history)} messages, more than {MOST_MESSAGES}. Shorten it."
    for index, turn in enumerate(scenario.conversation):
        for place, reply in enumerate(turn.model):
            if reply.times > MOST_REPLIES:
                at = ("conversation", index, "model", place, "times")
                yield at, f"the reply is sent {reply.times} times, more than {MOST_REPLIES}. Use `forever`, or fewer."
    yield from improbable(scenario)
    for tool, wanted in scenario.effects.items():
        yield from _of_range(wanted, ("effects", tool))
    for index, turn in enumerate(scenario.conversation):
        all_demands = list(demands_of(turn, index))
        is_explained = any(demands.reply or demands.executed for demands, _ in all_demands)
        for place, reply in enumerate(turn.model):
            yield from _of_reply(reply, ("conversation", index, "model", place), is_explained=is_explained)
        # Replies that an agent may give: few patterns match all of them that are meant to match one
        texts = [(reply.text or "")[:LONGEST_SAMPLE] for reply in turn.model[:LONGEST_SAMPLE]]
        samples = (*SAMPLES, *texts, "\n".join(texts), "\n".join(texts * 2))
        for demands, path in all_demands:
            yield from _of_demands(demands, path, samples)
        if turn.expect.should is not None:
            yield from _said_twice(turn.expect, turn.expect.should, ("conversation", index, "expect", "should"))


def _of_reply(reply: ReplySpec, path: KeyPath, *, is_explained: bool) -> Found:
    """A text that looks like a call says what it is, and what of it the user must not see."""
    mark = MARKS_A_CALL.search(reply.text or "")
    found = mark or MAY_BE_A_CALL.search(reply.text or "")
    if found is None:
        return
    text = " ".join(found[0].split())
    if reply.means is None and not is_explained:
        yield (*path, "text"), f"the text looks like a call (`{text}`), and nothing says what it is. Add `means`."
    elif mark and reply.means and reply.means.handling != "show" and not reply.means.never_show:
        message = f"the text looks like a call (`{text}`), and may be shown. Add its marks to `never_show`."
        yield (*path, "means"), message


def _of_demands(demands: Demands, path: KeyPath, samples: Iterable[str]) -> Found:
    reply = demands.reply
    if reply is not None:
        yield from _empty_texts(reply.contains, (*path, "reply", "contains"))
        if reply.matches is not None:
            yield from _of_regex(reply.matches, (*path, "reply", "matches"), samples)
    yield from _empty_texts(demands.state, (*path, "state"))
    yield from _of_range(demands.request_count, (*path, "request_count"))
    for index, request in enumerate(demands.requests):
        yield from _of_request(request, (*path, "requests", index))


def _of_regex(pattern: str, path: KeyPath, samples: Iterable[str]) -> Found:
    if reason := reason_to_explode(pattern):
        yield path, f"`matches` may take forever on a long reply: {reason}. Write it without, or use `contains`."
    elif all(re.search(pattern, sample) for sample in samples):
        yield path, "`matches` matches any reply. Begin and end it with `^` and `$`, or leave it out."


def _of_request(request: RequestExpectation, path: KeyPath) -> Found:
    for field in ("contains", "in_order"):
        yield from _empty_texts(getattr(request, field), (*path, field))
    for field in ("added", "system"):
        text = getattr(request, field)
        yield from _empty_texts(text.contains if text else (), (*path, field, "contains"))
    if isinstance(request.count, Range):
        yield from _of_range(request.count, (*path, "count"))
    if request.waited is not None and request.waited.get("at_least", 0) <= 0:
        yield (*path, "waited"), "every request waits at least 0 seconds. Say how many, or leave it out."


def _of_range(wanted: Range | None, path: KeyPath) -> Found:
    if wanted is not None and not wanted.min and wanted.max is None:
        yield path, "any number is at least 0. Say how many, or leave it out."


def _empty_texts(texts: Iterable[Any], path: KeyPath) -> Found:
    for index, text in enumerate(texts):
        if text == "":
            yield (*path, index), "every text contains an empty one. Write what it contains, or leave it out."


def _said_twice(above: Demands, should: Demands, path: KeyPath) -> Found:
    """Advice that a demand above it makes already."""
    for field in sorted(should.given):
        if field in above.given and getattr(should, field) == getattr(above, field):
            yield (*path, field), f"`{field}` is demanded above, so this advice is never given. Leave it out."


LONG_MESSAGE = 2_000
"""Characters."""


def identity_of(scenario: Scenario) -> str:
    """What a run of it depends on, apart from case, white space and the words of the user and of descriptions. How long
    a message of the user is counts where it is long: agents cut such ones."""
    left_out = fields_of(*FieldSort, model=type(scenario))
    data = scenario.data(only_given=True, without=left_out)
    for tool in data.get("tools", ()):
        tool.pop("description", None)
    for message in (*data.get("history", ()), *data["conversation"]):
        if isinstance(message.get("user"), str):
            message["user"] = len(message["user"]) // LONG_MESSAGE
    return " ".join(json.dumps(data, sort_keys=True, default=str).lower().split())


def twins_in(named: Iterable[tuple[Name, Scenario]]) -> Iterator[tuple[Name, Name]]:
    """The name of each scenario that is nearly the same as an earlier one, and the earlier one's."""
    first: dict[str, Name] = {}
    for name, scenario in named:
        earlier = first.setdefault(identity_of(scenario), name)
        if earlier is not name:
            yield name, earlier


_parser: Any = vars(re)["_parser"]  # the only parser of Python's own syntax; private since Python 3.11
_ALPHABET = frozenset(string.printable + "é€")
_WORDS = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
LONGEST = 2000
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")


def reason_to_explode(pattern: str) -> str | None:
    """Why matching may take time that grows exponentially with the text; None if no reason is found."""
    if len(pattern) > LONGEST:
        return f"it has {len(pattern)} characters"
    try:
        return next(_reasons(_parser.parse(pattern)), None)
    except (re.error, OverflowError):  # no pattern at all, which is reported elsewhere
        return None
    except RecursionError:
        return "it is nested too deeply"


def _reasons(items: Iterable[Any]) -> Iterator[str]:
    for item in items:
        name, value = str(item[0]), item[1]
        if name in _REPEATS and value[1] > 1 and _is_unbounded(value):
            body = list(_without_groups(value[2]))
            if any(not _is_separated(body, inner) for inner in _repeats_in(body)):
                yield "it repeats what is repeated already"
            if any(_overlap(branches) for branches in _branches_in(body)):
                yield "it repeats alternatives that begin alike"
        for inner in _inside(name, value):
            yield from _reasons(inner)


def _without_groups(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if str(item[0]) == "SUBPATTERN":
            yield from _without_groups(item[1][3])
        else:
            yield item


def _is_unbounded(value: Any) -> bool:
    return bool(value[1] == _parser.MAXREPEAT)


def _inside(name: str, value: Any) -> list[Any]:
    if name in _REPEATS:
        return [value[2]]
    if name == "SUBPATTERN":
        return [value[3]]
    if name == "BRANCH":
        return list(value[1])
    return [value[1]] if name in ("ASSERT", "ASSERT_NOT") else []


def _repeats_in(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        name, value = str(item[0]), item[1]
        if name in _REPEATS and _is_unbounded(value):
            yield item
        for inner in _inside(name, value):
            yield from _repeats_in(inner)


def _branches_in(items: Iterable[Any]) -> Iterator[list[Any]]:
    for item in items:
        name, value = str(item[0]), item[1]
        if name == "BRANCH":
            yield list(value[1])
        if name in ("SUBPATTERN", "BRANCH"):
            for inner in _inside(name, value):
                yield from _branches_in(inner)


def _is_separated(body: list[Any], repeat: Any) -> bool:
    """Whether each round has a character of its own, so that the text falls apart into rounds in one way only."""
    eaten = _characters(repeat[1][2])
    return any(not _may_be_empty([item]) and not _characters([item]) & eaten for item in body if item is not repeat)


def _overlap(branches: list[Any]) -> bool:
    firsts = [_first(branch) for branch in branches]
    if sum(_may_be_empty(branch) for branch in branches) > 1:
        return True
    return any(one & other for place, one in enumerate(firsts) for other in firsts[place + 1 :])


def _may_be_empty(items: Iterable[Any]) -> bool:
    for item in items:
        name, value = str(item[0]), item[1]
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return False
        if name in _REPEATS and value[0] and not _may_be_empty(value[2]):
            return False
        if name == "SUBPATTERN" and not _may_be_empty(value[3]):
            return False
        if name == "BRANCH" and not any(_may_be_empty(branch) for branch in value[1]):
            return False
    return True


def _first(items: Iterable[Any]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for item in items:
        name, value = str(item[0]), item[1]
        parts = _inside(name, value) if not name.startswith("ASSERT") else []
        found |= frozenset().union(*map(_first, parts)) if parts else _characters([item])
        if not _may_be_empty([item]):
            break
    return found


def _characters(items: Iterable[Any]) -> frozenset[str]:
    """The characters that these items may take, of those that are looked at."""
    found: frozenset[str] = frozenset()
    for item in items:
        name, value = str(item[0]), item[1]
        if name == "LITERAL":
            found |= {chr(value)}
        elif name == "NOT_LITERAL":
            found |= _ALPHABET - {chr(value)}
        elif name == "ANY":
            found |= _ALPHABET
        elif name == "IN":
            found |= _of_class(value)
        elif not name.startswith("ASSERT"):
            for inner in _inside(name, value):
                found |= _characters(inner)
    return found


def _of_class(members: Iterable[Any]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    is_negated = False
    for kind, value in members:
        name = str(kind)
        if name == "NEGATE":
            is_negated = True
        elif name == "LITERAL":
            found |= {chr(value)}
        elif name == "RANGE":
            found |= {char for char in _ALPHABET if value[0] <= ord(char) <= value[1]}
        elif name == "CATEGORY":
            found |= _of_category(str(value))
    return _ALPHABET - found if is_negated else found


def _of_category(name: str) -> frozenset[str]:
    word = _WORDS[name.rpartition("_")[2]]
    inside = frozenset(char for char in _ALPHABET if re.match(word, char))
    return _ALPHABET - inside if "_NOT_" in name else inside
