"""What is said at once of programs that cannot be judged, and that those which work in unusual ways are accused of
nothing."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from agent_conformance.attach.acp import AcpAgent, NotACommand, acp_adapter
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.transcripts.request_purposes import is_name_of_search
from tests.trying import ONE_CALL, TWO_CALLS, only_findings, verdicts

TARGET = "openai-chat+plain"
AGENT = Path(__file__).with_name("unusual_agent.py")
ODD = AGENT.with_name("odd_agent.py")
WITHOUT_TOOLS = """
conversation:
  - user: Say hello to everybody.
    model:
      - text: Hello everybody.
    expect: {request_count: 1}
"""
BOTH_OFFERED = (
    "tools:"
    + bundled_scenarios()
    .joinpath("declarations/kept-in-every-request.yaml")
    .read_text(encoding="utf-8")
    .partition("tools:")[2]
)
UNTIL_ANSWERED = ONE_CALL.replace("{city: Oslo}}]\n", "{city: Oslo}}]\n        until: answered\n")


@pytest.fixture(scope="session")
def unusual() -> Callable[..., type[AcpAgent]]:
    """Gives the adapter of the unusual agent."""

    @cache
    def adapter(*ways: str, options: str = "") -> type[AcpAgent]:
        return acp_adapter(f"{options} {sys.executable} {AGENT} {' '.join(ways)}")

    return adapter


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("withholds", r"it took the tools, and its requests offer others: bash\. Where .* turn that off"),
        (
            "codes-only",
            "its tools are found by search_tools and run by code, with run_script: only calls that the model",
        ),
        ("writes", "it took the tools, and describes them in the text of its requests, which offer none"),
        ("login", "without a request for a model; it answered 'You are not logged in: run `unusual login`.'"),
    ],
)
def test_program_that_cannot_be_judged_is_told_so_before_the_first_case(way: str, words: str) -> None:
    with pytest.raises(NotACommand, match=words):
        acp_adapter(f"{sys.executable} {AGENT} {way}")


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("terminal", "the agent ended with 1; its standard error says: Error: odd needs an interactive terminal"),
        ("killed", "the agent ended with -9; "),
        ("leaves", "the agent ended with 0; "),
        ("no-output", "the agent closed its input or output, and runs on; "),
        ("refuses", "the licence of odd has run out; "),
        ("version", "it speaks version 99 of the protocol, and the suite 1; "),
        ("nothing", "the answer to initialize is none of the protocol's: it: Input should be a valid dictionary"),
        ("no-session", "the answer to session/new is none of the protocol's: sessionId: Field required; "),
        ("account", "Authentication required: run `odd login`; "),
        ("no-prompt", "no turn over ACP: no such method; "),
    ],
)
def test_odd_program_is_one_sentence(way: str, words: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(NotACommand) as raised:
        acp_adapter(f"{sys.executable} {ODD} {way}")

    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    assert caplog.text == ""


WAIT = 10.0
"""Seconds that a program has to start, and in which this one does not answer."""
UNANSWERED = "no answer to initialize within 10 s (--agent-timeout=20 gives it longer); "


SILENT = {
    "wizard": f"{UNANSWERED}.*it printed, among the protocol's messages: Which provider do you use?",
    "stderr": f"{UNANSWERED}its standard error says: {{",
    "garbage": f"{UNANSWERED}.*it printed, among the protocol's messages: {{",
    "framed": f"{UNANSWERED}.*it printed, among the protocol's messages: Content-Length: ",
    "indented": f'{UNANSWERED}.*it printed, among the protocol\'s messages: {{ "jsonrpc": ',
    "code": "no answer to session/new within 10 s; its standard error says: Open https://odd.example/device",
}


@pytest.mark.slow
def test_odd_program_that_does_not_answer_is_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    def sentence(way: str) -> str:
        with pytest.raises(NotACommand) as raised:
            acp_adapter(f"{sys.executable} {ODD} {way}", timeout=WAIT)
        return str(raised.value)

    with ThreadPoolExecutor(len(SILENT)) as pool:
        said = dict(zip(SILENT, pool.map(sentence, SILENT), strict=True))

    for way, words in SILENT.items():
        beginning, _, end = words.partition(".*")
        assert beginning in said[way]
        assert end in said[way]
    assert caplog.text == ""


@pytest.mark.slow
def test_program_that_closes_its_input_does_not_answer_or_has_closed_it() -> None:
    with pytest.raises(NotACommand) as raised:
        acp_adapter(f"{sys.executable} {ODD} no-input", timeout=WAIT)

    said = (UNANSWERED, "the agent closed its input or output, and runs on; ")
    assert any(f"{one}its standard error says: nothing" in str(raised.value) for one in said)


@pytest.mark.parametrize("way", ["wants-capabilities", "searches"])
def test_program_that_can_be_judged_is_found_out(way: str, unusual: Callable[..., type[AcpAgent]]) -> None:
    adapter = unusual(way)

    assert (adapter.wires, adapter.modes) == (("openai-chat",), ("plain",))
    assert "own-tools" in adapter.features
    assert ("tool-search" in adapter.features) == (way == "searches")


def test_tool_that_searches_for_tools_is_known_by_its_name() -> None:
    searching = (
        "ToolSearch tool_search search_tools search_tool_functions find_tools discoverTools mcp__x__search_tools"
    )
    others = "search_tool web_search_tool WebSearch search_files DeferredToolPlaceholder run_tools list_tools grep"

    assert [name for name in searching.split() if not is_name_of_search(name)] == []
    assert [name for name in others.split() if is_name_of_search(name)] == []


@pytest.mark.parametrize(
    "ways",
    [
        ("searches",),
        ("searches", "forgets"),
        ("guards",),
        ("notes",),
        pytest.param(("delegates",), marks=pytest.mark.slow),
        pytest.param(("remembers",), marks=pytest.mark.slow),
        pytest.param(("sums-up",), marks=pytest.mark.slow),
        pytest.param(("searches", "guards", "delegates", "remembers", "sums-up"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_program_that_works_in_unusual_ways_is_accused_of_nothing(
    ways: tuple[str, ...], unusual: Callable[..., type[AcpAgent]], caplog: pytest.LogCaptureFixture
) -> None:
    for scenario, calls in ((ONE_CALL, 1), (TWO_CALLS, 2), (UNTIL_ANSWERED, 1), (WITHOUT_TOOLS, 0)):
        (verdict,) = verdicts(unusual(*ways), scenario)
        assert (verdict.outcome, verdict.reason) == ("pass", "")
        assert [finding for finding in verdict.findings if finding.level == "must"] == []
        assert verdict.executions == calls
    assert caplog.text == ""


def test_name_that_a_listed_program_asks_for_is_no_conversation(unusual: Callable[..., type[AcpAgent]]) -> None:
    listed = type("Listed", (unusual("names"),), {"main": None})  # it is sent nothing before its first case

    assert only_findings(listed, WITHOUT_TOOLS) == {TARGET: []}


def test_tool_that_waits_behind_a_search_need_not_be_offered(unusual: Callable[..., type[AcpAgent]]) -> None:
    assert only_findings(unusual("searches"), BOTH_OFFERED) == {TARGET: []}


def test_program_that_asks_for_long_answers_has_no_model_that_refuses_them_unless_it_is_named(
    unusual: Callable[..., type[AcpAgent]],
) -> None:
    assert only_findings(unusual("wants-much"), ONE_CALL) == {TARGET: []}
    (found,) = only_findings(unusual("wants-much", options="model=gpt-4.1"), ONE_CALL)[TARGET]
    assert found == "accepted:openai/max-tokens-large"
