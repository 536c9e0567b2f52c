"""Searches the change that takes least away and makes the body accepted. Each is tried on the fake.

Here are also the edits of what is declared: names of tools, their schemas, and that of the answer.
"""

import heapq
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from agent_conformance.commands.check_request.advice.conversation_edits import order_edits, pairing_edits, suited
from agent_conformance.commands.check_request.advice.refused_request import (
    COSTS,
    ELSEWHERE,
    Edit,
    Operation,
    Place,
    RefusedRequest,
    at,
    declared,
    edited,
    listed,
    refused_request,
    remove,
    set_to,
    spelled,
    walk,
)
from agent_conformance.commands.check_request.advice.value_edits import everywhere, value_edits
from agent_conformance.commands.check_request.targets import Target
from agent_conformance.transcripts.redaction import redacted
from fake_providers import Violation, judge
from fake_providers.provider_facts import own_provider
from fake_providers.wire_facts import WIRE_FACTS

SCHEMAS = ("schema", "strict", "propert", "parameters", "any-of", "unknown-field", "invalid-value", "tools-type")
"""Of the names of rules that are about schemas."""
MOST_SCHEMAS = 400


def schema_edits(request: RefusedRequest) -> Iterator[Edit]:
    if not any(word in request.violation.rule for word in SCHEMAS):
        return
    alike: dict[tuple[Any, ...], list[Edit]] = {}
    for edit in _edits_of_schemas(request):
        operation = edit.operations[0]
        alike.setdefault((edit.kind, operation.op, operation.place[-1]), []).append(edit)
    for edits in alike.values():
        edits.sort(key=lambda edit: edit.cost)
        yield from edits[:10]
        if len(edits) > 1:
            yield everywhere(edits)


def _edits_of_schemas(request: RefusedRequest) -> Iterator[Edit]:
    count = 0
    for place, schema in walk(request.body):
        if not isinstance(schema, dict) or "messages" in place or (count := count + 1) > MOST_SCHEMAS:
            continue
        more = 0 if request.place[: len(place)] == place or place[: len(request.place)] == request.place else 6
        if schema.get("strict") is True:
            yield set_to((*place, "strict"), False, more=5 if request.place[:2] == place[:2] else 10)
        types = schema.get("type")
        if isinstance(types, list) and (named := [name for name in types if name != "null"]):
            # Of a list of types, the one besides null, with `nullable` where null was among them
            yield set_to((*place, "type"), named[0], more=more - (named == types))
            if named != types and request.wire == "gemini-generate":
                words = f'set {spelled((*place, "type"))} to "{named[0]}" and add nullable: true'
                value = {**schema, "type": named[0], "nullable": True}
                yield Edit("set", words, (Operation("replace", place, value),), COSTS["set"] + more - 1)
        properties, required = schema.get("properties"), schema.get("required")
        if isinstance(properties, dict) and (required is None or isinstance(required, list)):
            left = [name for name in properties if name not in (required or [])]
            for names in (left, left[:1]) if left else ():
                words = f"require {', '.join(names[:5])}{' and others' if len(names) > 5 else ''} in {spelled(place)}"
                operation = Operation(
                    "add" if required is None else "replace", (*place, "required"), [*(required or []), *names]
                )
                yield Edit("add", words, (operation,), COSTS["add"] + more - (names != left))
        if (
            isinstance(required, list)
            and (known := [name for name in required if str(name) in (properties or {})]) != required
        ):
            yield set_to((*place, "required"), known, more=more)
        if place[-1:] and place[-1] != "properties":
            for key in schema:
                if "properties" in (schema.keys() | {*place[:-1]}) and key not in (
                    "type",
                    "properties",
                    "items",
                    "description",
                    "$ref",
                ):
                    yield remove(request.body, (*place, key), more=more)


def naming_edits(request: RefusedRequest) -> Iterator[Edit]:
    yield from _twice_declared(request)
    if not request.place or request.missing or request.place[-1] != "name":
        return
    place, value = request.place, request.value
    taken = frozenset(name for _, name in declared(request) if name != value)
    if not isinstance(value, str) or not value or "tool_choice" in place:
        yield from (set_to(place, name) for name in sorted(taken)[:1] if len(taken) == 1 or "tool_choice" in place)
    if isinstance(value, dict | list):
        return
    new = suited(str(value or "unnamed"), taken=taken)
    if value != new:
        same = [where for where, inner in walk(request.body) if inner == value and where[-1] == "name"]
        for places in (same, [place]) if value and isinstance(value, str) else ():
            words = f'rename "{redacted(value)[:60]}" to "{new}" at {listed(places)}'
            operations = tuple(Operation("replace", where, new) for where in places)
            yield Edit("rename", words, operations, COSTS["rename"] - 7 // len(places))
        yield set_to(place, new, more=6, note="" if value else "the name of the tool")


def _twice_declared(request: RefusedRequest) -> Iterator[Edit]:
    """The second of two tools of one name goes if both are the same, and gets another name if not."""
    if "tools" not in request.place and "declar" not in request.violation.message.lower():
        return
    met: dict[str, Place] = {}
    for (*way, _), name in declared(request):
        place = tuple(way)
        if name in met and at(request.body, met[name]) == at(request.body, place):
            words = f"remove {spelled(place)}, which {spelled(met[name])} declares already"
            yield Edit("remove", words, (Operation("remove", place),), COSTS["add"])
        elif name in met:
            words = f'rename "{redacted(name)[:60]}" to "{name}_2" at {spelled((*place, "name"))}'
            yield Edit("rename", words, (Operation("replace", (*place, "name"), f"{name}_2"),), COSTS["rename"] - 7)
        met.setdefault(name, place)


# Edits that remove: what the refusal is about and what is around it, a setting, and lastly a message.

_KEPT = (
    "model messages contents input tools system instructions systemInstruction system_instruction stream conversation"
    " previous_response_id role max_tokens prompt previous_response store"
)
KEPT = frozenset(_KEPT.split())
"""Members that are no settings: without them it is another request."""
_NEEDED = (
    "image_url url file file_data source data media_type mimeType mime_type inlineData functionCall functionResponse"
    " function name type arguments args call_id tool_call_id tool_use_id tool_id text thinking output content parts"
    " properties encrypted_content toolUse toolResult $ref id thoughtSignature tool_name response budget_tokens"
)
NEEDED = frozenset(_NEEDED.split())
"""Members without which what holds them says nothing, however lenient a fake is; they go with what holds them."""
SURPLUS = re.compile(
    "unknown|unrecognized|extra|not permitted|not support|unexpected|cannot find|duplicate", re.IGNORECASE
)
MOST_SETTINGS = 40


def removals(request: RefusedRequest) -> Iterator[Edit]:
    place, body = request.place, request.body
    # What the refusal is about, what holds it, what is directly inside it, and its neighbours in a list
    around = [
        (place[:length], 2 * (len(place) - length + bool(request.missing))) for length in range(len(place), 0, -1)
    ]
    if place and not request.missing:
        keys = list(request.value) if isinstance(request.value, dict) else []
        if isinstance(request.value, list) and len(place) == 1 and "too-many" not in request.violation.rule:
            keys = list(range(len(request.value)))
        around += [((*place, key), 3) for key in keys[:MOST_SETTINGS]]
        around += [(where, 5) for where, _ in walk(request.value, place) if len(where) == len(place) + 2 > 4]
    if len(place) > 2 and isinstance(place[-1], int):
        around += [((*place[:-1], place[-1] + step), 6) for step in (-1, 1)]
    for here, more in around:
        with suppress(LookupError):
            if not _is_needed(request, here):
                yield remove(body, here, more=more + (12 if len(here) == 2 and isinstance(here[1], int) else 0))
    # Options anywhere at the top, or in an object of options
    options: list[Place] = [(key,) for key in body if key not in KEPT] if isinstance(body, dict) else []
    options += [(*option, key) for option in options if isinstance(at(body, option), dict) for key in at(body, option)]
    for option in options[:MOST_SETTINGS]:
        if place[: len(option)] != option and option[-1] not in KEPT and not _is_needed(request, option):
            yield remove(body, option, more=ELSEWHERE)
    # The end of a list with more entries than the refusal allows
    if place and isinstance(request.value, list) and place != (request.list_key,):
        for most in (*(int(word) for word in re.findall(r"\b\d+\b", request.violation.message)), 20, 16):
            if 0 < most < len(request.value):
                edit = remove(body, *((*place, index) for index in range(most, len(request.value))))
                cost = COSTS["set"] + 5 + min(len(edit.operations), 20)
                yield replace(edit, words=f"{edit.words}: {most} are allowed", cost=cost)
    # Marks of a cache of which there are too many, or the wrong ones
    if "cache" in request.violation.rule:
        marks = [where for where, _ in walk(body) if where and where[-1] in ("cache_control", "ttl")]
        yield from (remove(body, where, more=1) for where in marks[:MOST_SETTINGS])


def _is_needed(request: RefusedRequest, place: Place) -> bool:
    """A role, the conversation, the only entry of a list, and members without which what holds them says nothing."""
    key, holder = place[-1], at(request.body, place[:-1])
    if key == "role" or place in ((request.list_key,), ("model",)) or (isinstance(key, int) and len(holder) == 1):
        return True
    is_option = len(place) == 1 or (len(place) == 2 and key not in ("type", "budget_tokens"))
    is_surplus = place == request.place and SURPLUS.search(request.violation.message) is not None
    is_item = request.wire == "openai-responses" and key == "id" and holder.get("type") != "reasoning"
    is_name = key == "name" and len(place) == 3
    return key in NEEDED and not (is_option or is_surplus or is_item or is_name)


SOURCES: tuple[Callable[[RefusedRequest], Iterator[Edit]], ...] = (
    value_edits,
    naming_edits,
    pairing_edits,
    order_edits,
    schema_edits,
    removals,
)
MOST_TRIES = 600
MOST_BYTES = 8 * 1024 * 1024
"""Of the bodies that are judged: it bounds the time for a large one, and gives the same advice on every machine."""
FEWEST_TRIES = 40
JSON_HEADERS = {"content-type": "application/json"}
MOST_EDITS = 8
ANOTHER_EDIT = 2
"""What each further edit of a change costs."""
DEARER = 45
"""How much more than the best change an alternative may cost."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Where edited bodies are sent."""

    target: Target
    headers: Mapping[str, str]

    def judge(self, body: Any) -> Violation | None:
        return judge(self.target.provider, self.target.path, json.dumps(body).encode(), self.headers)

    def own_rule(self, body: Any) -> str:
        """The rule of the wire's own provider that the body breaks, or "". Others may not check what it does."""
        own = own_provider(self.target.wire)
        if self.target.provider == own or self.target.wire == "gemini-generate":
            return ""
        violation = judge(own, WIRE_FACTS[self.target.wire].path, json.dumps(body).encode(), JSON_HEADERS)
        return violation.rule if violation else ""


@dataclass(frozen=True, slots=True)
class Change:
    """Edits after which the provider accepts the body, in their order."""

    edits: tuple[Edit, ...]

    @property
    def words(self) -> str:
        return "; then ".join(f"{edit.words} ({edit.note})" if edit.note else edit.words for edit in self.edits)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations of all edits, as one JSON Patch."""
        return tuple(operation for edit in self.edits for operation in edit.operations)


@dataclass(frozen=True, slots=True)
class _State:
    body: Any
    edits: tuple[Edit, ...]
    violation: Violation
    known: frozenset[tuple[str, str, str]]


def changes(trial: Trial, body: Any, violation: Violation) -> tuple[Change, ...]:
    """The change that costs least, and one of another kind if there is one; none within the bound: nothing."""
    found: list[Change] = []
    limit = None
    for cost, change in _accepted(trial, body, violation):
        if limit is not None and cost > limit:
            break
        if not found:
            found.append(change)
            limit = cost + DEARER
            if len(change.edits) > 1:
                break
        elif _is_alternative(change, to=found[0]):
            found.append(change)
            break
    return tuple(found)


def _is_alternative(change: Change, to: Change) -> bool:
    """Whether it is of another kind, and not another value at the same place."""
    one, other = change.edits[0], to.edits[0]
    is_value = {one.kind, other.kind} <= {"set", "convert"} and one.operations[0].place == other.operations[0].place
    return len(change.edits) == 1 and one.kind != other.kind and not is_value


def _accepted(trial: Trial, body: Any, violation: Violation) -> Iterator[tuple[int, Change]]:
    """Changes that are accepted, the cheapest first."""
    numbers = count()
    start = _State(body, (), violation, frozenset({_fault(violation)}))
    waiting: list[tuple[int, int, _State, Edit]] = []
    _extend(waiting, numbers, trial, start, 0)
    tried: set[str] = set()
    own_rule = trial.own_rule(body)
    most = left = max(FEWEST_TRIES, min(MOST_TRIES, MOST_BYTES // max(1, len(json.dumps(body)))))
    while waiting and left:
        cost, _, state, edit = heapq.heappop(waiting)
        after = _after(body, state, edit)
        if after is None or (text := json.dumps(after, sort_keys=False)) in tried:
            continue
        tried.add(text)
        left -= 1
        violation_left = trial.judge(after)
        if violation_left is None and trial.own_rule(after) not in ("", own_rule):
            continue
        edits = (*state.edits, edit)
        if violation_left is None:
            yield cost, Change(edits)
            left = min(left, most // 6)
        elif _fault(violation_left) not in state.known and len(edits) < MOST_EDITS:
            known = state.known | {_fault(violation_left)}
            _extend(waiting, numbers, trial, _State(after, edits, violation_left, known), cost + ANOTHER_EDIT)


def _after(first: Any, state: _State, edit: Edit) -> Any:
    """The edited body; None where an edit does not fit, changes nothing, or breaks a promise."""
    try:
        after = edited(state.body, edit.operations)
    except (LookupError, TypeError):
        return None
    return after if after != state.body and keeps_promises(first, after) else None


def _extend(
    waiting: list[tuple[int, int, _State, Edit]], numbers: Iterator[int], trial: Trial, state: _State, cost: int
) -> None:
    request = refused_request(trial.target.provider, trial.target.format, state.body, state.violation)
    # What was set or removed is not set again; entries of a list change their places.
    touched = {
        operation.place
        for edit in state.edits
        for operation in edit.operations
        if operation.op == "replace" or (operation.op == "remove" and isinstance(operation.place[-1], str))
    }
    for source in SOURCES:
        for edit in source(request):
            if touched and any(operation.place in touched for operation in edit.operations):
                continue
            heapq.heappush(waiting, (cost + edit.cost, next(numbers), state, edit))


def _fault(violation: Violation) -> tuple[str, str, str]:
    """The same refusal again is no progress."""
    return violation.rule, violation.at, violation.message


LISTS = ("messages", "contents", "input")
SPEAKERS = {"model": "assistant", "ai": "assistant", "bot": "assistant", "human": "user", "developer": "system"}


def keeps_promises(before: Any, after: Any) -> bool:
    """Whether the edited body is still the same people's conversation, and one that says something.

    Nobody says what they did not say, the user's and the system's words stay, and nothing is left empty.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    said, says = _said(before), _said(after)
    nameless = said.get("", [])
    earlier = {role: "\n\n".join([*said.get(role, []), *nameless]) for role in says}
    for role, texts in says.items():
        if role != "system" and any(piece not in earlier[role] for text in texts for piece in text.split("\n\n")):
            return False
    everything = "\n\n".join(text for texts in says.values() for text in texts)
    kept = Counter(text.strip() for role in ("user", "system") for text in said.get(role, []))
    if any(text and everything.count(text) < times for text, times in kept.items()):
        return False
    is_said, is_left = (any(body.get(key) for key in LISTS) for body in (before, after))
    if (is_said and not is_left) or (_messages(before) and not _messages(after)):
        return False
    return ("user" not in said or "user" in says) and _empties(after) <= _empties(before)


def _said(body: dict[str, Any]) -> dict[str, list[str]]:
    """The texts of the user, the model and the system."""
    said = {"system": _texts(body.get("system"))}
    for message in _messages(body):
        role = message.get("role", "")
        role = SPEAKERS.get(role, role) if isinstance(role, str) else ""
        if role in ("user", "assistant", "system", ""):
            said.setdefault(role, []).extend(_texts(message.get("content", message.get("parts"))))
    return said


def _texts(content: Any) -> list[str]:
    if isinstance(content, list):
        return [text for part in content for text in _texts(part)]
    return [content] if isinstance(content, str) else _texts(content.get("text")) if isinstance(content, dict) else []


def _messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    found: Any = next((body[key] for key in LISTS if isinstance(body.get(key), list | dict)), [])
    return [message for message in ([found] if isinstance(found, dict) else found) if isinstance(message, dict)]


def _empties(body: dict[str, Any]) -> int:
    """Messages and results whose list of parts is empty."""
    return sum(value == [] for place, value in walk(_messages(body)) if place and place[-1] in ("content", "parts"))
