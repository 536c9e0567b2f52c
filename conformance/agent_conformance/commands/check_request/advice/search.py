"""Searches the change that takes least away and makes the body accepted. Each is tried on the fake."""

import heapq
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from agent_conformance.cassettes.wires_of_bodies import PATHS
from agent_conformance.commands.check_request.advice.edits import COSTS, ELSEWHERE, Edit, Operation, edited, remove
from agent_conformance.commands.check_request.advice.pairing_edits import order_edits, pairing_edits
from agent_conformance.commands.check_request.advice.refused_request import (
    Place,
    RefusedRequest,
    at,
    refused_request,
    spelled,
    walk,
)
from agent_conformance.commands.check_request.advice.schema_edits import naming_edits, schema_edits
from agent_conformance.commands.check_request.advice.value_edits import missing_edits, value_edits
from agent_conformance.commands.check_request.targets import Target
from fake_providers import Violation, judge
from fake_providers.provider_facts import own_provider

# Edits that remove: what the refusal is about and what is around it, a setting, and lastly a message.

_KEPT = (
    "model messages contents input tools system instructions systemInstruction system_instruction stream conversation"
    " previous_response_id role max_tokens prompt previous_response store"
)
KEPT = frozenset(_KEPT.split())
"""Members that are no settings: without them it is another request."""
OTHER_NAMES = {
    "max_tokens": ("max_completion_tokens", "max_output_tokens"),
    "max_completion_tokens": ("max_tokens", "max_output_tokens"),
    "max_output_tokens": ("max_tokens", "max_completion_tokens"),
    "parameters": ("input_schema",),
    "input_schema": ("parameters",),
    "stop": ("stop_sequences",),
}
NAMES_OF_WIRES = {"input_schema": "anthropic-messages", "stop_sequences": "anthropic-messages"}
NAMES_OF_WIRES |= {"max_output_tokens": "openai-responses", "max_completion_tokens": "openai-chat"}
_NEEDED = (
    "image_url url file file_data source data media_type mimeType mime_type inlineData functionCall functionResponse"
    " function name type arguments args call_id tool_call_id tool_use_id tool_id text thinking output content parts"
    " properties encrypted_content $ref id thoughtSignature tool_name response budget_tokens"
)
NEEDED = frozenset(_NEEDED.split())
"""Members without which what holds them says nothing, however lenient a fake is; they go with what holds them."""
SURPLUS = re.compile(
    "unknown|unrecognized|extra|not permitted|not support|unexpected|cannot find|duplicate", re.IGNORECASE
)
MOST_SETTINGS = 40


def removals(request: RefusedRequest) -> Iterator[Edit]:
    yield from _renamed_keys(request)
    # What the refusal is about, what holds it, and what is directly inside it. A role is never removed.
    for length in range(len(request.place), 0, -1):
        here = request.place[:length]
        # Whether a list would have nothing left: it goes itself then, or what holds it.
        if (
            here[-1] == "role"
            or here in ((request.list_key,), ("model",))
            or (isinstance(here[-1], int) and len(at(request.body, here[:-1])) == 1)
        ):
            continue
        if _is_needed(request, here):
            continue
        depth = len(request.place) - length + bool(request.missing)
        yield remove(request.body, here, more=2 * depth + (12 if len(here) == 2 and isinstance(here[1], int) else 0))
    if request.place and isinstance(request.value, dict) and not request.missing:
        for key in request.value:
            if key != "role" and not _is_needed(request, (*request.place, key)):
                yield remove(request.body, (*request.place, key), more=3)
            yield from _inside(request, (*request.place, key))
    is_list = isinstance(request.value, list) and len(request.place) == 1 and "too-many" not in request.violation.rule
    if is_list and 1 < len(request.value) <= MOST_SETTINGS:
        yield from (remove(request.body, (*request.place, index), more=3) for index in range(len(request.value)))
    if request.place and isinstance(request.place[-1], int):
        for sibling in (request.place[-1] - 1, request.place[-1] + 1):
            here = (*request.place[:-1], sibling)
            siblings = at(request.body, request.place[:-1])
            if 0 <= sibling < len(siblings) and len(request.place) > 2:
                yield remove(request.body, here, more=6)
    # Options anywhere at the top, or in an object of options
    for place in _setting_places(request.body):
        if request.place[: len(place)] != place and not _is_needed(request, place):
            yield remove(request.body, place, more=ELSEWHERE)
    # The end of a list with more entries than the refusal allows
    if request.place and isinstance(request.value, list) and request.place != (request.list_key,):
        numbers = [int(word) for word in re.findall(r"\b\d+\b", request.violation.message)]
        for most in (*numbers, 20, 16):
            if 0 < most < len(request.value):
                places = [(*request.place, index) for index in range(most, len(request.value))]
                edit = remove(request.body, *places)
                yield Edit(
                    "remove",
                    f"{edit.words}: {most} are allowed",
                    edit.operations,
                    COSTS["set"] + 5 + min(len(places), 20),
                )
    # Marks and types of parts of which there are too many, or the wrong ones: each, and all.
    wanted = ("cache_control", "ttl")
    marks = [p for p, _ in walk(request.body) if p and p[-1] in wanted] if "cache" in request.violation.rule else []
    for place in marks[:MOST_SETTINGS]:
        yield remove(request.body, place, more=1)


def _renamed_keys(request: RefusedRequest) -> Iterator[Edit]:
    """A member under the name that this wire has for it."""
    if not request.place or not isinstance(request.place[-1], str):
        return
    holder = at(request.body, request.place[:-1])
    for name in OTHER_NAMES.get(request.place[-1], ()):
        if name not in holder and NAMES_OF_WIRES.get(name, request.wire) == request.wire:
            there = (*request.place[:-1], name)
            operations = (Operation("remove", request.place), Operation("add", there, request.value))
            words = f"rename {spelled(request.place)} to {name}"
            yield Edit("convert", words, operations, COSTS["convert"] + 2)


def _inside(request: RefusedRequest, place: Place) -> Iterator[Edit]:
    """Of what is in a part, the members without which it is still one."""
    value = at(request.body, place)
    for key in value if isinstance(value, dict) and len(place) > 2 else ():
        if key in ("parts", "scheduling", "willContinue") or not _is_needed(request, (*place, key)):
            yield remove(request.body, (*place, key), more=5)


def _is_needed(request: RefusedRequest, place: Place) -> bool:
    key = place[-1]
    is_option = len(place) == 1 or (len(place) == 2 and key not in ("type", "budget_tokens"))
    if key not in NEEDED or is_option:
        return False
    is_surplus = place == request.place and SURPLUS.search(request.violation.message) is not None
    is_item = (
        request.wire == "openai-responses" and key == "id" and at(request.body, place[:-1]).get("type") != "reasoning"
    )
    is_name = key == "name" and len(place) == 3
    return not (is_surplus or is_item or is_name)


def _setting_places(body: Any) -> list[Place]:
    places: list[Place] = []
    for key, value in body.items() if isinstance(body, dict) else ():
        if key in KEPT:
            continue
        places.append((key,))
        if isinstance(value, dict):
            places += [(key, inner) for inner in value if inner not in KEPT]
    return places[:MOST_SETTINGS]


SOURCES: tuple[Callable[[RefusedRequest], Iterator[Edit]], ...] = (
    value_edits,
    missing_edits,
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
        violation = judge(own, PATHS[self.target.wire], json.dumps(body).encode(), JSON_HEADERS)
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
        """Of all edits, as one JSON Patch."""
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
        elif len(change.edits) == 1 and change.edits[0].kind != found[0].edits[0].kind:
            found.append(change)
            break
    return tuple(found)


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
    """Whether the edited body is still the same people's conversation, and one that says something."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    if any(before.get(key) for key in LISTS) and not any(after.get(key) for key in LISTS):
        return False
    return _says_nothing_new(before, after) and _keeps_users_words(before, after) and not _is_left_empty(before, after)


def _says_nothing_new(before: dict[str, Any], after: dict[str, Any]) -> bool:
    said = _said(before)
    for role, texts in _said(after).items():
        if role == "system":
            continue
        earlier = "\n\n".join([*said.get(role, []), *said.get("", [])])
        if any(piece and piece not in earlier for text in texts for piece in text.split("\n\n")):
            return False
    return True


def _keeps_users_words(before: dict[str, Any], after: dict[str, Any]) -> bool:
    said = "\n\n".join(text for texts in _said(after).values() for text in texts)
    kept = Counter(text.strip() for role in ("user", "system") for text in _said(before).get(role, []))
    return all(not text or said.count(text) >= times for text, times in kept.items())


def _said(body: dict[str, Any]) -> dict[str, list[str]]:
    """The texts of the user, the model and the system."""
    said: dict[str, list[str]] = {"system": _texts({"content": body.get("system")})}
    for message in _messages(body):
        role = _speaker(message)
        if role in ("user", "assistant", "system", ""):
            said.setdefault(role, []).extend(_texts(message))
    return said


def _speaker(message: dict[str, Any]) -> str:
    role = message.get("role", "")
    return SPEAKERS.get(role, role) if isinstance(role, str) else ""


def _texts(message: dict[str, Any]) -> list[str]:
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return [content]
    parts = [content] if isinstance(content, dict) else content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    several = [text if isinstance(text, list) else [text] for text in texts]
    return [text for listed in several for text in listed if isinstance(text, str)]


def _messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    found: Any = next((body[key] for key in LISTS if isinstance(body.get(key), list | dict)), [])
    return [message for message in ([found] if isinstance(found, dict) else found) if isinstance(message, dict)]


def _is_left_empty(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a message is empty now, or the user's last words are gone."""
    if _empty_messages(after) > _empty_messages(before) or (_messages(before) and not _messages(after)):
        return True
    had = any(_speaker(message) == "user" for message in _messages(before))
    return had and not any(_speaker(message) == "user" for message in _messages(after))


def _empty_messages(body: dict[str, Any]) -> int:
    """Messages whose list of parts is empty."""
    lists = [value for place, value in walk(_messages(body)) if place and place[-1] in ("content", "parts")]
    return sum(value == [] for value in lists)
