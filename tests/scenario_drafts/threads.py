"""What public threads about agent loops describe, written anew as the files that such an incident leaves.

Each source is of one kind, and of a bug that a mutant has. Nothing is anybody's traffic: words, tools and ids are made
up here, and what our own agents send is recorded while they run.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.recorded_cases.recording import har_cassette, own_cassette, recorded, vcr_cassette
from tests.scenario_drafts.incidents import (
    WEATHER,
    cassette,
    fixtures,
    log,
    pruned_body,
    report,
    results_of,
    trace,
    two_calls,
)

Said = dict[str, Any]
ANTHROPIC_WEATHER = {"name": "get_weather", "description": "Weather.", "input_schema": WEATHER["parameters"]}
CHAT_WEATHER = {"type": "function", "function": WEATHER}


@dataclass(frozen=True, slots=True)
class Thread:
    """`what` is the bug in a few words, `finding` the law or rule by which the mutant fails the drafted scenario."""

    kind: str
    thread: str
    what: str
    mutant: str
    finding: str
    source: Callable[[], str]

    @property
    def row(self) -> str:
        """In a table, with repository and number as GitHub writes them."""
        owner, name, _, number = self.thread.split("/")
        link = f"[{owner}/{name}#{number}](https://github.com/{self.thread})"
        return f"| {self.kind} | {link} | {self.what} | `{self.mutant}` | `{self.finding}` |"


def text(words: str) -> Said:
    return {"type": "text", "text": words}


def use(city: str, id: str, name: str = "get_weather") -> Said:
    return {"type": "tool_use", "id": id, "name": name, "input": {"city": city}}


def used(words: str, id: str) -> Said:
    return {"type": "tool_result", "tool_use_id": id, "content": words}


def anthropic_body(*messages: Said) -> str:
    return json.dumps(
        {"model": "claude-sonnet-4-6", "max_tokens": 100, "messages": messages, "tools": [ANTHROPIC_WEATHER]}
    )


def half_an_emoji() -> str:
    """A result was cut in the middle of its last character."""
    return anthropic_body(
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "content": [use("Oslo", "toolu_1")]},
        {"role": "user", "content": [used("rain and sun \ud83c", "toolu_1")]},
    )


def empty_answer() -> str:
    """A turn was interrupted before the model said anything, and that was stored."""
    messages = [("user", "Weather in Oslo?"), ("assistant", ""), ("user", "Are you there?")]
    said = [{"role": role, "content": content} for role, content in messages]
    return json.dumps({"model": "mistral-large-latest", "messages": said})


def call(city: str, id: str, name: str = "get_weather") -> Said:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps({"city": city})}}


def compacted() -> str:
    """The results stayed after their calls had been summarised, as a JSON list of OpenAI's messages."""
    return json.dumps(
        [
            {"role": "tool", "tool_call_id": "call_3", "content": "rain"},
            {"role": "assistant", "content": "It rains in Oslo."},
            {"role": "user", "content": "And in Rome?"},
        ]
    )


def gemini_restored() -> str:
    """A stored session that begins with a call of the model."""
    made = {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}
    came = {"functionResponse": {"name": "get_weather", "response": {"result": "rain"}}}
    return json.dumps(
        [
            {"role": "model", "parts": [made]},
            {"role": "user", "parts": [came]},
            {"role": "model", "parts": [{"text": "It rains."}]},
            {"role": "user", "parts": [{"text": "And in Rome?"}]},
        ]
    )


def odd_name() -> str:
    """The model made up a name that no declaration may have, and was corrected."""
    messages = [
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "tool_calls": [call("Oslo", "call_1", "fetch: forecast (today)")]},
        {"role": "tool", "tool_call_id": "call_1", "content": "There is no such tool. There is get_weather."},
        {"role": "assistant", "tool_calls": [call("Oslo", "call_2")]},
        {"role": "tool", "tool_call_id": "call_2", "content": "rain"},
        {"role": "assistant", "content": "It rains in Oslo."},
    ]
    return "\n".join(map(json.dumps, messages))


def ids_again() -> str:
    """A local server numbers the calls of each reply anew."""
    messages: list[Said] = []
    for city, found in (("Oslo", "rain"), ("Rome", "sun")):
        messages += [
            {"role": "user", "content": f"Weather in {city}?"},
            {"role": "assistant", "content": [use(city, "call.0")]},
            {"role": "user", "content": [used(found, "call.0")]},
            {"role": "assistant", "content": [text(f"In {city}: {found}.")]},
        ]
    return json.dumps([*messages, {"role": "user", "content": "Thanks."}])


def span(messages: Sequence[Said], output: Sequence[Said] = (), *, number: int = 1, refused: bool = False) -> Said:
    """As an SDK exports one; OTLP is in `incidents.trace`."""
    attributes: Said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.input.messages": list(messages),
        "gen_ai.tool.definitions": [{"type": "function", **WEATHER}],
        **({"gen_ai.output.messages": list(output)} if output else {}),
        **({"error.type": "400"} if refused else {}),
    }
    return {"name": "chat", "context": {"trace_id": "1"}, "start_time": f"{number}", "attributes": attributes}


def part_of_call(city: str, id: str) -> Said:
    return {"type": "tool_call", "id": id, "name": "get_weather", "arguments": {"city": city}}


def said(role: str, *parts: Said) -> Said:
    return {"role": role, "parts": list(parts)}


def words(content: str) -> Said:
    return {"type": "text", "content": content}


def came(response: str, id: str) -> Said:
    return {"type": "tool_call_response", "id": id, "response": response}


def aborted_trace() -> str:
    """The user stopped the turn while its tool ran, and the call stayed without a result."""
    asked = said("user", words("Weather in Oslo?"))
    made = said("assistant", part_of_call("Oslo", "call_1"))
    later = said("user", words("Never mind. And in Rome?"))
    return json.dumps([span([asked], [made]), span([asked, made, later], number=2, refused=True)])


def batch_trace() -> str:
    """Of two results only the last was kept, as log records of the older events."""
    made = {"tool_calls": two_calls()}
    events = [
        ("gen_ai.user.message", {"content": "Weather in Oslo and Rome?"}),
        ("gen_ai.assistant.message", made),
        ("gen_ai.tool.message", {"id": "call_Rome", "content": "sun"}),
    ]
    records = [
        {"timeUnixNano": str(place), "spanId": "s", "eventName": name, "attributes": {}, "body": body}
        for place, (name, body) in enumerate(events)
    ]
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})


def own_run(scenario: str, target: str, agent: str, write: Callable[[Any], str]) -> str:
    return write(recorded(scenario, target, agent=f"agent_conformance.mutants:{agent}"))


def own_report(scenario: str, target: str, agent: str) -> str:
    exchanges = recorded(scenario, target, agent=f"agent_conformance.mutants:{agent}")
    return results_of(exchanges, target.partition("+")[0])


BATCH = ("zeroclaw-labs/zeroclaw/issues/5743", "of several results one is kept", "M8a_one_result_each")
ABORTED = "a turn that was stopped leaves a call open"
WRONG_IDS = ("lezama/openclawp/pull/88", "results with ids of no call", "M4e_id_mismatch")
CALLS = "parallel/all-answered"

THREADS = (
    Thread(
        "request",
        "zeroclaw-labs/zeroclaw/pull/6303",
        "pruned past the user's message",
        "M2a_prune_first_user",
        "accepted:gemini/call-after-user-turn",
        pruned_body,
    ),
    Thread(
        "request",
        "anthropics/claude-code/issues/69927",
        "half an emoji in a result",
        "M48a_half_characters_sent",
        "accepted:anthropic/lone-surrogate",
        half_an_emoji,
    ),
    Thread(
        "request",
        "zeroclaw-labs/zeroclaw/issues/7061",
        "an empty answer in the history",
        "M2k_blanks_left",
        "accepted:mistral/assistant-empty",
        empty_answer,
    ),
    Thread("cassette (vcrpy)", *BATCH, "accepted:openai/tool-calls-unanswered", cassette),
    Thread(
        "cassette (vcrpy)",
        "earendil-works/pi/issues/3344",
        ABORTED,
        "M12_cancel_dangling",
        "accepted:openai/responses-call-without-result",
        partial(own_run, "limits/cancelled-at-a-tool", "openai-responses+stream", "M12_cancel_dangling", vcr_cassette),
    ),
    Thread(
        "cassette (HAR)",
        *BATCH,
        "accepted:gemini/response-count",
        partial(own_run, CALLS, "gemini-generate+stream", "M8a_one_result_each", har_cassette),
    ),
    Thread(
        "cassette (HAR)",
        *WRONG_IDS,
        "accepted:anthropic/tool-result-without-use",
        partial(own_run, CALLS, "anthropic-messages+stream", "M4e_id_mismatch", har_cassette),
    ),
    Thread(
        "cassette (`record`)",
        *BATCH,
        "accepted:anthropic/tool-use-unanswered",
        partial(own_run, CALLS, "anthropic-messages+plain", "M8a_one_result_each", own_cassette),
    ),
    Thread(
        "cassette (`record`)",
        "theopenco/llmgateway/pull/2789",
        "each result under another call",
        "M8b_results_rotated",
        "own-result",
        partial(
            own_run,
            "parallel/results-of-several-tools",
            "ollama-chat+plain",
            "M8b_results_rotated",
            own_cassette,
        ),
    ),
    Thread("fixtures (aimock)", *BATCH, "accepted:openai/tool-calls-unanswered", fixtures),
    Thread(
        "chat log",
        "pydantic/pydantic-ai/issues/3461",
        ABORTED,
        "M12_cancel_dangling",
        "accepted:anthropic/tool-use-unanswered",
        log,
    ),
    Thread(
        "chat log",
        "earendil-works/pi/issues/4570",
        "a second compaction leaves a result without its call",
        "M73a_restored_as_it_is",
        "accepted:openai/tool-without-call",
        compacted,
    ),
    Thread(
        "chat log",
        "zeroclaw-labs/zeroclaw/pull/6303",
        "a restored session begins with a call",
        "M2b_no_sanitizer_on_load",
        "accepted:gemini/call-after-user-turn",
        gemini_restored,
    ),
    Thread(
        "chat log",
        "mudler/LocalAGI/pull/481",
        "an invented name of odd characters",
        "M5k_invented_name_sent_back",
        "accepted:openai/tool-call-name-pattern",
        odd_name,
    ),
    Thread(
        "chat log",
        "charmbracelet/crush/issues/3121",
        "ids of another provider, twice the same",
        "M7_dup_id",
        "accepted:anthropic/tool-use-id",
        ids_again,
    ),
    Thread(
        "trace",
        "openclaw/openclaw/issues/7865",
        "compaction drops calls and keeps results",
        "M73a_restored_as_it_is",
        "accepted:openai/tool-without-call",
        trace,
    ),
    Thread(
        "trace",
        "umbraco/Umbraco.AI/pull/384",
        ABORTED,
        "M12_cancel_dangling",
        "accepted:openai/tool-calls-unanswered",
        aborted_trace,
    ),
    Thread("trace", *BATCH, "accepted:openai/tool-calls-unanswered", batch_trace),
    Thread("report", *BATCH, "accepted:openai/tool-calls-unanswered", report),
    Thread(
        "report",
        *WRONG_IDS,
        "accepted:openai/responses-result-without-call",
        partial(own_report, CALLS, "openai-responses+plain", "M4e_id_mismatch"),
    ),
)


def table() -> str:
    """As documents show it."""
    head = ["| source | incident | what went wrong | mutant | finding |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(one.row for one in THREADS)])
