"""What is said at once of programs that cannot be judged, and that those which work in unusual ways are accused of
nothing."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from agent_conformance.attach.acp import AcpAgent, NotACommand, acp_adapter
from agent_conformance.transcripts.tool_search import is_name_of_search
from tests.trying import ONE_CALL, TWO_CALLS, only_findings, verdicts

TARGET = "openai-chat+plain"
AGENT = Path(__file__).with_name("unusual_agent.py")
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
        pytest.param(("delegates",), marks=pytest.mark.slow),
        pytest.param(("remembers",), marks=pytest.mark.slow),
        pytest.param(("sums-up",), marks=pytest.mark.slow),
        pytest.param(("searches", "guards", "delegates", "remembers", "sums-up"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_program_that_works_in_unusual_ways_is_accused_of_nothing(
    ways: tuple[str, ...], unusual: Callable[..., type[AcpAgent]]
) -> None:
    for scenario, calls in ((ONE_CALL, 1), (TWO_CALLS, 2), (UNTIL_ANSWERED, 1)):
        (verdict,) = verdicts(unusual(*ways), scenario)
        assert [finding for finding in verdict.findings if finding.level == "must"] == []
        assert verdict.executions == calls


def test_program_that_asks_for_long_answers_has_no_model_that_refuses_them_unless_it_is_named(
    unusual: Callable[..., type[AcpAgent]],
) -> None:
    assert only_findings(unusual("wants-much"), ONE_CALL) == {TARGET: []}
    (found,) = only_findings(unusual("wants-much", options="model=gpt-4.1"), ONE_CALL)[TARGET]
    assert found == "accepted:openai/max-tokens-large"
