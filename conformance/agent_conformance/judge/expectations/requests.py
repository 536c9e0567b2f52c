"""Expectations of requests, over the neutral view: `requests`, `request_count`, `state`; and their native pictures."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from agent_conformance.judge.calls import change_of_beginning, same_call, same_conversation
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, quoted, unmet
from agent_conformance.judge.laws.arrives import cleared_results
from agent_conformance.judge.shortened_texts import hint, stands_for
from agent_conformance.judge.tool_results import (
    after_last_calls,
    has_exactly,
    has_result,
    last_results,
    request_contains,
    result_contains,
)
from agent_conformance.scenario.base_model import text_of
from agent_conformance.scenario.derived.pictures import tool_pictures
from agent_conformance.scenario.model import Demands, Range, RequestExpectation, ResultExpectation, TextExpectation
from agent_conformance.transcripts.request_purposes import search_tool_of
from agent_conformance.transcripts.transcript import RecordedRequest, TurnRecord
from fake_providers import View, ViewMessage
from fake_providers.values.pictures import Picture
from fake_providers.values.tokens import count_tokens
from fake_providers.view import STORED_REASONING
from fake_providers.wire_facts import WIRE_FACTS

_NAMED = {1: "a request", 2: "a second request", 3: "a third request", "last": "a request", "each": "a request"}


def request_count(record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    wanted = demands.request_count
    count = len(record.counted)
    if wanted is None or _in_range(count, wanted):
        return
    of_others = (hint(record, request) for request in record.counted if request.view.tools)
    said = next(filter(None, of_others), "")
    yield unmet(record, "request_count", f"{range_text(wanted)} requests", f"{count}{said}")


def state(evidence: CaseEvidence, record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """The first request of the turn has each of these texts, or a summary of it: a restarted session still knows it."""
    first = next((request for request in record.requests if request.counts), None)
    if first is None:
        return
    for text in demands.state:
        if not request_contains(first.view, text) and not stands_for(evidence, record, first, text):
            expected = f'a request that still has "{quoted(text)}"'
            yield unmet(record, "state", expected, _texts(first.view), request=first.number)
            return


def requests(evidence: CaseEvidence, record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """Where a turn may end in an error, one that the user was told of before the model was asked needs none of them."""
    if demands.outcome == "either" and record.outcome == "error" and not record.requests:
        return
    for number, wanted in enumerate(demands.requests):
        found = chosen(record, wanted)
        if not found:
            count = len(record.counted)
            nth = _NAMED.get(wanted.at, f"{wanted.at} requests")
            yield unmet(record, "requests", f"{nth} that gets a reply", f"wanted {nth}, got {count}", number=number)
        for request in found:
            left = _without_summed_up(evidence, record, request, wanted)
            difference = next(_differences(evidence, record, request, left), None)
            if difference is not None:
                yield unmet(record, "requests", *difference, request=request.number, number=number)
                break


def chosen(record: TurnRecord, wanted: RequestExpectation) -> list[RecordedRequest]:
    """The requests that `at` names."""
    counted = record.counted
    if wanted.at == "each":
        return counted
    if wanted.at == "last":
        return counted[-1:]
    return counted[wanted.at - 1 : wanted.at]


def _without_summed_up(
    evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest, wanted: RequestExpectation
) -> RequestExpectation:
    """What is left to expect where a summary stands for what was said, or a mark for what a tool returned before."""
    if not (wanted.contains or wanted.in_order or wanted.results):
        return wanted

    def is_summed_up(text: str) -> bool:
        return not request_contains(request.view, text) and stands_for(evidence, record, request, text)

    cleared = cleared_results(evidence, record, request)

    def is_gone(text: str) -> bool:
        return is_summed_up(text) or any(text in returned and text not in sent for returned, sent in cleared)

    results = [(one, one.contains if isinstance(one, ResultExpectation) else [one]) for one in wanted.results or ()]
    texts = ("contains", "in_order")
    left: dict[str, Any] = {name: [text for text in getattr(wanted, name) if not is_gone(text)] for name in texts}
    said = [text for _, texts in results for text in texts]
    if said and all(map(is_summed_up, said)):
        left["results"] = None
    elif said:
        any_text = ResultExpectation()
        left["results"] = [any_text if texts and all(map(is_gone, texts)) else one for one, texts in results]
    return wanted.changed(left)


def _differences(
    evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest, wanted: RequestExpectation
) -> Iterator[tuple[str, str]]:
    """What was expected and what was found, for each field that does not match."""
    view = request.view
    # The counted request before this one, in this turn or an earlier one of its session
    turns = [other for other in evidence.turns if other.turn.session == record.turn.session]
    counted = [other for turn in turns for other in turn.requests if other.counts]
    place = next(i for i, other in enumerate(counted) if other is request)
    previous = counted[place - 1] if place else None
    yield from _tools(view, wanted)
    yield from _shape(evidence, view, wanted)
    yield from _results(view, wanted)
    if wanted.images is not None and (count := len(last_pictures(view))) != wanted.images:
        yield f"{wanted.images} native pictures after its last calls", f"{count}"
    if wanted.added is not None and not _is_second_try(view, previous, wanted.added):
        added = added_text(
            without_carriers(evidence, view), without_carriers(evidence, previous.view) if previous else None
        )
        yield from _text("the new part of the request", added, wanted.added, partial(result_contains, added))
    if wanted.system is not None:
        yield from _text("the system message", view.system, wanted.system)
    if wanted.contains or wanted.lacks:
        whole = TextExpectation(contains=wanted.contains, lacks=wanted.lacks)
        yield from _text("the request", view.texts, whole, partial(request_contains, view))
    place = 0
    stored = _stored_reasoning(record, request)
    for text in wanted.in_order:
        if text in stored:
            continue
        if (place := view.texts.find(text, place) + len(text)) < len(text):
            in_order = ", then ".join(f'"{quoted(one, 60)}"' for one in wanted.in_order)
            yield f"a request with {in_order}", f'no "{quoted(text)}" in its place: "{quoted(view.texts, 300)}"'
            break
    if wanted.thinking is not None:
        kept = any(message.thinking or message.signed for message in view.messages)
        if kept != (wanted.thinking == "kept"):
            yield f"reasoning to be {wanted.thinking}", "it is kept" if kept else "it is absent"
    if wanted.extends == "previous" and previous is not None and not _extends(evidence, view, previous.view):
        yield "a request that extends the one before", _texts(view)
    change = change_of_beginning(previous.view, view) if wanted.extends == "prefix" and previous else None
    if change is not None:
        yield "a request that begins with the one before", f'{change[0]}, now "{quoted(change[1], 100)}"'
    if wanted.waited is not None:
        least = float(wanted.waited["at_least"])
        earlier = _last_answered(record, request)
        if earlier is not None and request.received_at - earlier < least:
            yield f"a wait of at least {least:g} s", f"{request.received_at - earlier:.2f} s"
    if wanted.size is not None and count_tokens(view) > wanted.size["max"]:
        yield f"at most {wanted.size['max']} tokens", f"{count_tokens(view)} tokens"


def _stored_reasoning(record: TurnRecord, request: RecordedRequest) -> str:
    """What the model thought in this turn, where the provider keeps it and the request names it; otherwise nothing."""
    if not any(STORED_REASONING in message.thinking for message in request.view.messages):
        return ""
    replies = (one.reply for one in record.requests[: record.requests.index(request)])
    return "\n".join(reply.thinking for reply in replies if reply is not None and reply.thinking)


def _is_second_try(view: View, previous: RecordedRequest | None, wanted: TextExpectation) -> bool:
    """Whether the agent threw the reply away and requests the same again, which is as right as an answer to it."""
    if wanted.blank is not False or previous is None:
        return False
    return same_conversation(view, previous.view)


def _tools(view: View, wanted: RequestExpectation) -> Iterator[tuple[str, str]]:
    """What a request offers; others than those may be behind a tool of its own that searches for them."""
    names = [tool.name for tool in view.tools]
    offer = f"it offers {', '.join(names) or 'none'}"
    callable_names = [tool.name for tool in view.callable_tools]
    if wanted.tools == "none" and callable_names:
        yield "no tool to be offered", offer
    elif isinstance(wanted.tools, list):
        missing = [name for name in wanted.tools if name not in names]
        if missing and search_tool_of(view, wanted.tools) is None:
            yield f"{', '.join(missing)} to be offered", offer
    offered = [name for name in wanted.lacks_tools if name in callable_names]
    if offered:
        yield f"{', '.join(offered)} not to be offered", offer
    present = [field for field in wanted.without if field in view.fields]
    if present:
        yield f"no field {', '.join(present)}", f"the fields {', '.join(sorted(view.fields))}"


def _shape(evidence: CaseEvidence, view: View, wanted: RequestExpectation) -> Iterator[tuple[str, str]]:
    roles = [message.role for message in without_carriers(evidence, view).messages]
    if wanted.roles is not None and roles != list(wanted.roles):
        yield f"the roles {', '.join(wanted.roles)}", ", ".join(roles)
    if wanted.count is not None:
        limits = wanted.count if isinstance(wanted.count, Range) else Range(min=wanted.count, max=wanted.count)
        if not _in_range(len(roles), limits):
            yield f"{range_text(limits)} messages", f"{len(roles)}"
    if wanted.calls is not None:
        last = next((message.calls for message in reversed(view.messages) if message.calls), ())
        sent = [(call.name, call.arguments) for call in last]
        expected = [next(iter(want.items())) for want in wanted.calls]
        if len(sent) != len(expected) or not all(
            same_call(evidence, name, arguments, want, values)
            for (name, arguments), (want, values) in zip(sent, expected, strict=True)
        ):
            yield f"the calls {expected}", f"{sent}"


def _results(view: View, wanted: RequestExpectation) -> Iterator[tuple[str, str]]:
    if wanted.results is None:
        return
    texts = last_results(view)
    if len(texts) != len(wanted.results):
        yield f"{len(wanted.results)} results after the last calls", f"{len(texts)}: {quoted('; '.join(texts))}"
        return
    for number, (text, want) in enumerate(zip(texts, wanted.results, strict=True), 1):
        if isinstance(want, str):
            yield from _content(f"result {number}", text, want)
        else:
            what = f"result {number}"
            if "value" in want.given:
                yield from _content(what, text, want.value)
            if want.exactly is not None and not has_exactly(text, want.exactly):
                yield f'{what} to be exactly "{quoted(want.exactly)}"', f'"{quoted(text)}"'
            yield from _text(what, text, want, partial(result_contains, text))


def _content(what: str, text: str, wanted: Any) -> Iterator[tuple[str, str]]:
    if not has_result(text, wanted):
        shown = wanted if isinstance(wanted, str) else json.dumps(wanted, ensure_ascii=False)
        yield f'{what} to be "{quoted(shown)}"', f'"{quoted(text)}"'


def _text(
    what: str, text: str, wanted: TextExpectation, contains: Callable[[str], bool] | None = None
) -> Iterator[tuple[str, str]]:
    """`contains` looks into tool results too, which may have the text in an object."""
    contains = contains or text.__contains__
    for part in wanted.contains:
        if not contains(part):
            yield f'{what} to contain "{quoted(part)}"', f'"{quoted(text, 300)}"'
    for part in wanted.lacks:
        if contains(part):
            yield f'{what} without "{quoted(part)}"', f'"{quoted(text, 300)}"'
    if wanted.blank is not None and wanted.blank == bool(text.strip()):
        yield f"{what} {'to be blank' if wanted.blank else 'not to be blank'}", f'"{quoted(text)}"'


def _last_answered(record: TurnRecord, request: RecordedRequest) -> float | None:
    earlier = record.requests[: next(i for i, other in enumerate(record.requests) if other is request)]
    return max((other.answered_at or other.received_at for other in earlier), default=None)


def _extends(evidence: CaseEvidence, view: View, previous: View) -> bool:
    """Every message of the request before is still there, in place; the last of them may have grown.

    What the agent adds to the words of the user, such as the time or a reminder, may change with each request.
    """
    said = [text for turn in evidence.turns if (text := turn.turn.user_text).strip()]
    said += [text_of(message.user) for message in evidence.scenario.history if message.user is not None]

    def is_note(message: ViewMessage) -> bool:
        is_own = message.role == "user" and not message.results
        return is_own and not message.pictures and not any(text in message.text for text in said)

    messages = [message for message in view.messages if not is_note(message)]
    before = [message for message in previous.messages if not is_note(message)]
    if len(messages) < len(before):
        return False
    for new, old in zip(messages, before, strict=False):
        if new.role != old.role:
            return False
        if old.role == "user" and not old.results:
            if not all(text in new.text for text in said if text in old.text):
                return False
        elif not new.text.startswith(old.text):
            return False
        if [call.name for call in new.calls[: len(old.calls)]] != [call.name for call in old.calls]:
            return False
    return True


def _in_range(count: int, wanted: Range) -> bool:
    return (wanted.min is None or count >= wanted.min) and (wanted.max is None or count <= wanted.max)


def range_text(wanted: Range) -> str:
    if wanted.min == wanted.max:
        return f"{wanted.min}"
    low = f"at least {wanted.min}" if wanted.min is not None else ""
    high = f"at most {wanted.max}" if wanted.max is not None else ""
    return " and ".join(part for part in (low, high) if part)


def _texts(view: View) -> str:
    return f'"{quoted(view.texts, 200)}"'


# The text that a request has and the one before had not, without what the model wrote.


def added_text(view: View, previous: View | None) -> str:
    """User texts, results and system text that are new, a line each; a text that grew counts for its growth.

    One that changed, as by a reminder at its end, counts for its new lines.
    """
    now = list(_units(view))
    before = Counter(_units(previous)) if previous is not None else Counter()
    changed = before - Counter(now)
    added: list[str] = []
    for unit in filter(None, now):
        if before[unit]:
            before[unit] -= 1
            continue
        left = [old for old in changed if changed[old] and old]
        start = max((old for old in left if unit.startswith(old)), key=len, default="")
        near = start or next((old for old in left if old.startswith(unit) or _head(old) == _head(unit)), "")
        changed[near] -= 1
        added += [unit[len(start) :]] if start or not near else _new_lines(unit, near)
    return "\n".join(part for part in added if part)


def _head(text: str) -> str:
    return text.partition("\n")[0]


def _new_lines(text: str, before: str) -> Iterator[str]:
    for line in filter(None, text.splitlines()):
        if line not in before:
            yield line
        before = before.replace(line, "", 1)


def _units(view: View) -> list[str]:
    units = [view.system]
    for message in view.messages:
        if message.role != "assistant":
            units.append(message.text)
        units += [result.text for result in message.results]
    return units


# Advice beside the expectation `images`: the pictures of a result stand in the result itself


def pictures_in_results(evidence: CaseEvidence, record: TurnRecord) -> Iterator[Mismatch]:
    """Where wire and model have that place. Beside the result, or in a message after it, is right too."""
    if not tool_pictures(evidence.scenario):
        return
    for number, wanted in enumerate(record.turn.expect.requests):
        for request in chosen(record, wanted) if wanted.images else []:
            if _has_the_place(evidence.wire, request.view) and not pictures_in_last_results(request.view):
                expected, got = "the pictures of a result in the result itself", "they stand beside it"
                yield unmet(record, "requests", expected, got, request=request.number, number=number, part="images")
            elif is_sent_twice(request.view):
                expected, got = "each picture of a result once", "one stands in its result and beside it"
                yield unmet(record, "requests", expected, got, request=request.number, number=number, part="images")


def _has_the_place(wire: str, view: View) -> bool:
    """A failed result has none on Anthropic's wire."""
    if not last_pictures(view) or any(result.is_error for message in view.messages for result in message.results):
        return False
    return WIRE_FACTS[wire].pictures_in_results or (wire == "gemini-generate" and "gemini-3" in view.model)


def last_pictures(view: View) -> tuple[Picture, ...]:
    """The pictures after the last message with calls, in results or beside them; each once."""
    found = (picture for message in _after_last_calls(view) for picture in (*in_results(message), *message.pictures))
    return tuple({picture.digest: picture for picture in found}.values())


def pictures_in_last_results(view: View) -> tuple[Picture, ...]:
    return tuple(picture for message in _after_last_calls(view) for picture in in_results(message))


def is_sent_twice(view: View) -> bool:
    """Whether a picture of the last results is in its result, and once more beside it."""
    beside = {picture.digest for message in _after_last_calls(view) for picture in message.pictures}
    return any(picture.digest in beside for picture in pictures_in_last_results(view))


def in_results(message: ViewMessage) -> tuple[Picture, ...]:
    return tuple(picture for result in message.results for picture in result.pictures)


def without_carriers(evidence: CaseEvidence, view: View) -> View:
    """The request without user messages after results that have only the results' pictures and the agent's labels."""
    said = [text for text in map(flat, _user_texts(evidence)) if text]
    returned = [one.result for record in evidence.transcript.turns for one in record.attempts if one.result.strip()]
    kept = tuple(
        message
        for before, message in zip((None, *view.messages), view.messages, strict=False)
        if before is None or not _is_carrier(before, message, said, returned)
    )
    return view if len(kept) == len(view.messages) else replace(view, messages=kept)


def _is_carrier(before: ViewMessage, message: ViewMessage, said: list[str], returned: list[str]) -> bool:
    """What a tool returned may stand there alone, where its result is only that a job was started."""
    if message.role != "user" or not message.pictures or before.role != "tool":
        return False
    text = flat(message.text)
    sent = "\n".join(result.text for result in before.results)
    return not any(one in text for one in said) and not any(one in message.text and one not in sent for one in returned)


def _user_texts(evidence: CaseEvidence) -> list[str]:
    texts = [record.turn.user_text for record in evidence.transcript.turns]
    said = (message.user for message in evidence.scenario.history if message.user is not None)
    return texts + [text_of(one) for one in said]


def _after_last_calls(view: View) -> tuple[ViewMessage, ...]:
    return tuple(message for message in after_last_calls(view) if message.role != "assistant")
