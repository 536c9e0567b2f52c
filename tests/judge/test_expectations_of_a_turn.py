"""Each expectation of a turn passes what it asks for, and says what was expected and what was found."""

from collections.abc import Iterator
from typing import Any

import pytest

from agent_conformance.baseline.case_report import facts_of
from tests.agents.plain import GaveUp, PlainAgent
from tests.tables import rows
from tests.trying import WEATHER, only_findings, verdicts

NARRATED = (
    WEATHER
    + """
  - name: get_news
    description: News of a city.
    parameters: {city: string}
    returns: none
    enabled: false
wires: [openai-chat]
system: Be brief.
conversation:
  - user: How is the weather in Oslo and Rome?
    model:
      - text: I will look it up.
        calls:
          - {name: get_weather, arguments: {city: Oslo}}
          - {name: get_weather, arguments: {city: Rome}}
      - text: Rain in both.
      - {text: It still rains., spare: true}
    expect:
"""
)
TWICE = NARRATED.replace(
    "      - text: Rain in both.\n",
    "      - calls: [{name: get_weather, arguments: {city: Bergen}}]\n      - text: Rain in both.\n",
)
OSLO, ROME = "{get_weather: {city: Oslo}}", "{get_weather: {city: Rome}}"
RAN = 'get_weather {"city": "Oslo"}, get_weather {"city": "Rome"}'
RESULT = "7 degrees and rain"


def second(expectation: str) -> str:
    return f"requests: [{{at: 2, {expectation}}}]"


# The expectation that is met, the one that is not, and the lines `expected` and `got` of its finding.
EXPECTATIONS = [
    (second("tools: [get_weather]"), second("tools: none"), "no tool to be offered", "it offers get_weather"),
    (
        second("tools: [get_weather]"),
        second("tools: [get_weather, get_news]"),
        "get_news to be offered",
        "it offers get_weather",
    ),
    (
        second("lacks_tools: [get_news]"),
        second("lacks_tools: [get_weather, get_news]"),
        "get_weather not to be offered",
        "it offers get_weather",
    ),
    (
        second("without: [tool_choice]"),
        second("without: [tools, tool_choice]"),
        "no field tools",
        "the fields tools",
    ),
    (
        second("roles: [user, assistant, tool]"),
        second("roles: [user, assistant]"),
        "the roles user, assistant",
        "user, assistant, tool",
    ),
    (second("count: 3"), second("count: 2"), "2 messages", "3"),
    (second("count: {min: 3}"), second("count: {min: 4}"), "at least 4 messages", "3"),
    (second("count: {max: 3}"), second("count: {max: 2}"), "at most 2 messages", "3"),
    (second("count: {min: 1, max: 3}"), second("count: {min: 1, max: 2}"), "at least 1 and at most 2 messages", "3"),
    (
        second(f"calls: [{OSLO}, {ROME}]"),
        second(f"calls: [{ROME}, {OSLO}]"),
        "the calls [('get_weather', {'city': 'Rome'}), ('get_weather', {'city': 'Oslo'})]",
        "[('get_weather', {'city': 'Oslo'}), ('get_weather', {'city': 'Rome'})]",
    ),
    (
        second(f"calls: [{OSLO}, {ROME}]"),
        second(f"calls: [{OSLO}]"),
        "the calls [('get_weather', {'city': 'Oslo'})]",
        "[('get_weather', {'city': 'Oslo'}), ('get_weather', {'city': 'Rome'})]",
    ),
    (
        second(f"results: [{RESULT}, {RESULT}]"),
        second(f"results: [{RESULT}]"),
        "1 results after the last calls",
        f"2: {RESULT}; {RESULT}",
    ),
    (
        second(f"results: [{RESULT}, {RESULT}]"),
        second(f"results: [{RESULT}, sunny]"),
        'result 2 to be "sunny"',
        f'"{RESULT}"',
    ),
    (
        second(f"results: [{RESULT}, {{exactly: {RESULT}}}]"),
        second(f"results: [{RESULT}, {{exactly: 7 degrees}}]"),
        'result 2 to be exactly "7 degrees"',
        f'"{RESULT}"',
    ),
    (
        second("results: [{contains: [degrees]}, {lacks: [sun]}]"),
        second("results: [{contains: [degrees]}, {lacks: [rain]}]"),
        'result 2 without "rain"',
        f'"{RESULT}"',
    ),
    (second("thinking: absent"), second("thinking: kept"), "reasoning to be kept", "it is absent"),
    (
        second("added: {contains: [rain]}"),
        second("added: {contains: [Oslo]}"),
        'the new part of the request to contain "Oslo"',
        f'"{RESULT}\\n{RESULT}"',
    ),
    (
        second(f"in_order: [How is, Oslo, {RESULT}, {RESULT}]"),
        second(f"in_order: [{RESULT}, How is]"),
        f'a request with "{RESULT}", then "How is"',
        None,
    ),
    (
        second("added: {blank: false}"),
        second("added: {blank: true}"),
        "the new part of the request to be blank",
        f'"{RESULT}\\n{RESULT}"',
    ),
    (
        second("system: {contains: [brief]}"),
        second("system: {lacks: [brief]}"),
        'the system message without "brief"',
        '"Be brief."',
    ),
    (second("size: {max: 500}"), second("size: {max: 2}"), "at most 2 tokens", None),
    (second("waited: {at_least: 0}"), second("waited: {at_least: 30}"), "a wait of at least 30 s", None),
    (
        "requests: [{at: last, count: 3}]",
        "requests: [{at: 3, count: 3}]",
        "a third request that gets a reply",
        "wanted a third request, got 2",
    ),
    (
        "requests: [{at: each, tools: [get_weather]}]",
        "requests: [{at: each, count: 1}]",
        "1 messages",
        "3",
    ),
    ("request_count: {max: 2}", "request_count: {max: 1}", "at most 1 requests", "2"),
    ("request_count: {min: 2}", "request_count: {min: 3}", "at least 3 requests", "2"),
    (
        "state: [How is the weather]",
        "state: [How is the weather, Be brief., Thank you]",
        'a request that still has "Thank you"',
        None,
    ),
    (f"executed: [{OSLO}, {ROME}]", f"executed: [{ROME}, {OSLO}]", None, RAN),
    (
        f"executed: {{any_order: [{ROME}, {OSLO}]}}",
        f"executed: {{any_order: [{ROME}, {ROME}]}}",
        None,
        RAN,
    ),
    (
        f"executed: {{any_order: [{ROME}, {OSLO}]}}",
        f"executed: {{any_order: [{ROME}, {OSLO}, {OSLO}]}}",
        None,
        RAN,
    ),
    (f"executed: {{one_of: [[], [{OSLO}, {ROME}]]}}", f"executed: {{one_of: [[], [{OSLO}]]}}", None, RAN),
    ("narration: hidden", "narration: shown", '"I will look it up." to be shown', '"\\nRain in both."'),
    ("outcome: reply", "outcome: error", "the turn to end in error", 'the reply "Rain in both."'),
    ("reply: Rain in both.", "reply: Sun in both.", 'the reply "Sun in both."', '"Rain in both."'),
    (
        "reply: {exactly: Rain in both.}",
        "reply: {exactly: Rain in both}",
        'exactly the reply "Rain in both"',
        '"Rain in both."',
    ),
    (
        "reply: {one_of: [Sun., Rain in both.]}",
        "reply: {one_of: [Sun., Snow.]}",
        'one of the replies "Sun.", "Snow."',
        '"Rain in both."',
    ),
    (
        "reply: {contains: [Rain, both]}",
        "reply: {contains: [Rain, Oslo]}",
        'a reply that contains "Oslo"',
        '"Rain in both."',
    ),
    ("reply: {lacks: [Sun]}", "reply: {lacks: [Sun, Rain]}", 'a reply without "Rain"', '"Rain in both."'),
    ("reply: {matches: ^Rain}", "reply: {matches: ^both}", "a reply that matches ^both", '"Rain in both."'),
]


@rows("met, unmet, expected, got", EXPECTATIONS, ids=lambda row: row[1])
def test_expectation_passes_what_it_asks_for_and_names_what_it_finds(
    met: str, unmet: str, expected: str | None, got: str | None
) -> None:
    assert only_findings(PlainAgent, f"{NARRATED}      {met}\n") == {"openai-chat+plain": []}

    (verdict,) = verdicts(PlainAgent, f"{NARRATED}      {unmet}\n")
    (finding,) = verdict.findings
    facts = dict(facts_of(finding))
    assert finding.id == f"1.{unmet.partition(':')[0]}{'[0]' if unmet.startswith('requests:') else ''}"
    assert (finding.level, finding.again) == ("must", 0)
    assert expected in (None, facts["expected"])
    assert got in (None, facts["got"])


class Tells(PlainAgent):
    """What the model says beside its calls comes before the answer."""

    def begin(self, message: str) -> None:
        super().begin(message)
        self.said: list[str] = []

    def ask(self) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().ask()
        self.said.append(text)
        return text, calls

    def reply(self, text: str) -> str:
        return "\n".join(self.said)


def test_narration_that_is_shown_is_found_where_it_is_to_be_hidden() -> None:
    (verdict,) = verdicts(Tells, f"{NARRATED}      narration: hidden\n")

    finding = next(finding for finding in verdict.findings if finding.id == "1.narration")
    assert finding.expected == '"I will look it up." not to be shown'


class TellsInLines(Tells):
    """As `Tells`, with a line for each word."""

    def reply(self, text: str) -> str:
        return "\n".join([*self.said[0].split(), text])


@pytest.mark.parametrize("agent", [Tells, TellsInLines])
def test_narration_may_stand_before_the_reply_in_other_lines(agent: type[PlainAgent]) -> None:
    found = [verdicts(agent, f"{NARRATED}      reply: {word} in both.\n")[0] for word in ("Rain", "Sun")]

    assert [[finding.id for finding in verdict.at_level("must")] for verdict in found] == [[], ["1.reply"]]


FIRST_ROUND = 4
"""The user's message, the calls, and a result for each."""


def changing(change: Any) -> type[PlainAgent]:
    """An agent that changes its messages before the last request."""

    class Changing(PlainAgent):
        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            super().answer(results)
            if len(self.messages) > FIRST_ROUND:
                self.messages = list(change(self.messages))

    return Changing


def other_words(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield messages[0]
    yield messages[1] | {"content": "Let me see."}
    yield from messages[2:]


def grown(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": f"{messages[0]['content']} Be quick."}
    yield from messages[1:]


CHANGES = [(list, True), (grown, True), (other_words, False)]


@rows("change, extends", CHANGES, ids=lambda row: getattr(row[0], "__name__", "row"))
def test_request_extends_the_one_before_if_each_of_its_messages_is_still_in_place(change: Any, extends: bool) -> None:
    found = only_findings(changing(change), f"{TWICE}      requests: [{{at: 3, extends: previous}}]\n")

    assert found == {"openai-chat+plain": [] if extends else ["steady-prefix", "1.requests[0]"]}


def test_request_of_as_many_tokens_as_it_may_have_is_right() -> None:
    def tokens_over(most: int) -> list[str]:
        text = NARRATED.partition("    expect:")[0] + f"    expect: {{requests: [{{at: 1, size: {{max: {most}}}}}]}}\n"
        (verdict,) = verdicts(PlainAgent, text)
        return [finding.got for finding in verdict.findings]

    (got,) = tokens_over(1)
    tokens = int(got.removesuffix(" tokens"))

    assert tokens_over(tokens) == []
    assert tokens_over(tokens - 1) == [got]


def test_call_that_the_parameters_refuse_is_named_beside_what_ran() -> None:
    text = (
        NARRATED.replace("{city: Oslo}", "{town: 5}")
        + "      executed: [{get_weather: {city: Rome}}, {get_weather: {city: Rome}}]\n"
    )
    refused = 'get_weather {"town": 5} was called, which the tool\'s parameters refuse'

    (verdict,) = verdicts(PlainAgent, text)

    (finding,) = [finding for finding in verdict.findings if finding.id == "1.executed"]
    assert finding.got == f'get_weather {{"city": "Rome"}}; {refused}'


AT_ALL = """
wires: [openai-chat]
limits: {context_tokens: 1000}
conversation:
  - {user: Say hello., model: [{text: Hello.}]}
  - user: {repeat: "worker 7: retry of part 12. ", times: 400}
    model:
      - {text: It was retried., spare: true}
    expect: {outcome: either, requests: [{at: each, size: {max: 2000}}]}
"""


class SaysItIsTooLong(PlainAgent):
    """Right: it sends nothing, and the user is told."""

    features = PlainAgent.features | {"context-limit"}

    def send(self, message: str) -> Any:
        return self.at_its_length() if len(message) > 4000 else super().send(message)

    def at_its_length(self) -> str:
        raise GaveUp("your message is longer than I can read")


class AnswersByItself(SaysItIsTooLong):
    """Wrong: the model was asked nothing, and the user is told of no failure."""

    def at_its_length(self) -> str:
        return "Done."


def test_turn_that_may_end_in_an_error_needs_no_request() -> None:
    assert only_findings(SaysItIsTooLong, AT_ALL) == {"openai-chat+plain": []}
    assert only_findings(AnswersByItself, AT_ALL) == {
        "openai-chat+plain": ["error: the fake received no request in turn 2"]
    }
