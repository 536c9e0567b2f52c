"""A crash is placed in the agent's code or in the framework's, by a path that can be found, with its traceback."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent_conformance.run.exceptions.crash_trace import place_in, place_of, shortened, trace_of
from agent_conformance.transcripts.finding import Finding, Trace, Verdict, subject_of
from agent_conformance.transcripts.redaction import Key, without_keys
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, verdicts

ONE_WIRE = "wires: [openai-chat]\n" + ONE_CALL
FRAMEWORK = """\
import json
import sys

class PipelineError(Exception): ...

def run(tool, wrapped=False):
    try:
        return first(tool)
    except ValueError as error:
        if not wrapped:
            raise
        raise PipelineError("a component failed") from error

def first(tool):
    return second(tool)

def second(tool):
    return third(tool)

def third(tool):
    return tool() if tool else json.loads("")
"""
SENDING = """\
import pathlib
path, scope = pathlib.Path('{path}'), {{'__name__': 'requests.api'}}
exec(compile(path.read_text(), path, 'exec'), scope)

def send():
    scope['post']()

def read():
    scope['read']()
"""
CLIENT = """\
class Refused(Exception): ...

def post():
    raise Refused("the server said no")

def read():
    return {}['choices']
"""


@pytest.fixture
def framework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A framework and a client library, as pip installs them."""
    folder = tmp_path / ".venv" / "lib" / "python3" / "site-packages"
    for name, text in (("framy/pipe.py", FRAMEWORK), ("requests/api.py", CLIENT)):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (folder / "framy" / "sending.py").write_text(SENDING.format(path=folder / "requests" / "api.py"))
    monkeypatch.syspath_prepend(folder)
    for name in ("framy", "framy.pipe", "framy.sending"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("framy.pipe")


def raised(work: Any) -> BaseException:
    try:
        work()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def line_of(work: Any) -> int:
    return int(work.__code__.co_firstlineno) + 1


def misread() -> Any:
    return json.loads("")


def unknown_city() -> Any:
    return {}["Oslo"]


def test_crash_in_the_agent_is_placed_from_the_project() -> None:
    assert str(place_of(raised(misread))) == f"tests/run/test_crash_traces.py:{line_of(misread)}"
    assert str(place_of(raised(misread), Path(__file__).parents[1])) == f"run/test_crash_traces.py:{line_of(misread)}"


def test_crash_in_the_agent_outside_the_project_has_its_whole_path(tmp_path: Path) -> None:
    assert str(place_of(raised(misread), tmp_path)).endswith(f"tests/run/test_crash_traces.py:{line_of(misread)}")
    (tmp_path / "elsewhere.py").write_text("def fail():\n    raise KeyError('x')\n")
    code = compile((tmp_path / "elsewhere.py").read_text(), str(tmp_path / "elsewhere.py"), "exec")
    module: dict[str, Any] = {}
    exec(code, module)

    assert str(place_of(raised(module["fail"]))) == f"{tmp_path}/elsewhere.py:2"


def test_crash_in_a_framework_is_placed_there_and_names_who_called_it(framework: ModuleType) -> None:
    def call() -> Any:
        return framework.run(None)

    place = f"framy/pipe.py:21, called from tests/run/test_crash_traces.py:{line_of(call)}"
    assert str(place_of(raised(call))) == place


def test_crash_that_a_framework_wraps_is_placed_where_it_began(framework: ModuleType) -> None:
    error = raised(lambda: framework.run(None, wrapped=True))

    assert str(place_of(error)).startswith("framy/pipe.py:21, called from tests/run/")
    assert [line for line in trace_of(error).whole.split("\n") if " in " not in line] == [
        "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "which led to:",
        "PipelineError: a component failed",
    ]


def test_crash_in_a_tool_that_a_framework_calls_is_the_agents(framework: ModuleType) -> None:
    place = f"tests/run/test_crash_traces.py:{line_of(unknown_city)}"

    assert str(place_of(raised(lambda: framework.run(unknown_city)))) == place
    assert str(place_of(raised(lambda: framework.run(misread, wrapped=True)))).endswith(f":{line_of(misread)}")


def test_error_of_a_client_is_placed_where_the_request_was_sent(framework: ModuleType) -> None:
    sending = importlib.import_module("framy.sending")

    assert str(place_of(raised(sending.send))).startswith("framy/sending.py:6, called from ")


def test_crash_inside_a_client_is_placed_there(framework: ModuleType) -> None:
    sending = importlib.import_module("framy.sending")

    assert str(place_of(raised(sending.read))).startswith("requests/api.py:7, called from tests/run/")


def test_brief_trace_has_the_agents_frames_and_the_last_three_of_a_library(framework: ModuleType) -> None:
    def call() -> Any:
        return framework.run(None)

    trace = trace_of(raised(call))

    brief, whole = trace.brief.split("\n"), trace.whole.split("\n")
    assert f"tests/run/test_crash_traces.py:{line_of(call)} in call: return framework.run(None)" in brief
    assert [line.partition(":")[0] for line in brief if "framy" in line] == ["framy/pipe.py"] * 3
    assert 'framy/pipe.py:21 in third: return tool() if tool else json.loads("")' in brief
    assert "... 1 more frame (--tb=long)" in brief
    assert brief[-1] == whole[-1] == "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    assert "framy/pipe.py:8 in run: return first(tool)" in whole
    assert "framy/pipe.py:8 in run: return first(tool)" not in brief
    assert not any("more frame" in line for line in whole)


def test_deep_recursion_is_shown_in_a_few_lines() -> None:
    def again() -> Any:
        return again()

    trace = trace_of(raised(again))

    assert len(trace.brief.split("\n")) < 10
    assert len(trace.whole.split("\n")) < 10


def test_exception_without_a_frame_of_the_agent_has_no_trace() -> None:
    assert trace_of(ValueError("no")) == Trace("", "")
    assert place_of(ValueError("no")) is None


class Crashes(PlainAgent):
    def send(self, message: str) -> Any:
        super().send(message)
        return {}[message]


class CannotStart(PlainAgent):
    def __init__(self, setup: Any) -> None:
        raise KeyError("OPENAI_API_KEY")


def test_finding_has_the_trace_and_the_narrative_has_no_place() -> None:
    [verdict, *_] = verdicts(Crashes, ONE_WIRE)

    [finding] = verdict.findings
    assert finding.trace is not None
    assert (
        f"tests/run/test_crash_traces.py:{line_of(Crashes.send) + 1} in send: return {{}}[message]"
        in finding.trace.brief
    )
    assert "crash: KeyError: 'What is the weather in Oslo?'" in verdict.narrative
    assert "test_crash_traces" not in verdict.narrative


def test_right_agent_has_no_trace() -> None:
    [verdict, *_] = verdicts(PlainAgent, ONE_WIRE)

    assert not verdict.findings
    assert verdict.trace is None


def test_crash_in_init_is_an_error_with_its_trace() -> None:
    [verdict, *_] = verdicts(CannotStart, ONE_WIRE)

    assert verdict.outcome == "error"
    assert verdict.reason == "the adapter's __init__ raised KeyError: 'OPENAI_API_KEY'"
    assert verdict.trace is not None
    assert 'in __init__: raise KeyError("OPENAI_API_KEY")' in verdict.trace.brief


class Refused(PlainAgent):
    """Its request is refused, and it crashes of that."""

    errors = ()

    def body(self) -> dict[str, Any]:
        return super().body() | {"temperature": "warm"}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except Exception as error:
            raise RuntimeError("the provider said no") from error


def test_crash_that_follows_from_a_refusal_is_shown_on_request() -> None:
    [verdict, *_] = verdicts(Refused, ONE_WIRE)

    [finding] = verdict.findings
    assert finding.id.startswith("accepted:")
    assert finding.trace is not None
    assert finding.trace.brief == ""
    assert "RuntimeError: the provider said no" in finding.trace.whole


def test_keys_are_hidden_in_traces() -> None:
    key = Key("OPENAI_API_KEY", "sk-live-abcdefghijklmnop")
    trace = Trace("in send: use('sk-live-abcdefghijklmnop')", "all of sk-live-abcdefghijklmnop")
    verdict = Verdict("c", "fail", (Finding(subject_of("answers"), "must", trace=trace),), trace=trace)

    hidden = without_keys(verdict, [key])

    assert (
        hidden.trace == hidden.findings[0].trace == Trace("in send: use('$OPENAI_API_KEY')", "all of $OPENAI_API_KEY")
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            'Traceback (most recent call last):\n  File "agent.py", line 3, in x\n  File "loop.py", line 7, in f\n'
            '  File "/x/site-packages/framy/pipe.py", line 9, in g\nKeyError: 1',
            "loop.py:7",
        ),
        (
            "TypeError: x is undefined\n    at ask (file:///app/node_modules/ai/index.js:12:3)\n"
            "    at Agent.send (file:///app/agent.mjs:40:17)\n    at node:internal/process:95:5",
            "/app/agent.mjs:40",
        ),
        ("panic: no\n\ngoroutine 1 [running]:\nmain.run(...)\n\t/app/agent.go:14 +0x1d", "/app/agent.go:14"),
        ("thread 'main' panicked at src/agent.rs:12:5:\nno", "src/agent.rs:12"),
        ("it went wrong", None),
    ],
)
def test_place_is_found_in_the_traceback_of_any_language(text: str, place: str | None) -> None:
    found = place_in(text)

    assert (str(found) if found else None) == place


def test_long_foreign_traceback_is_cut_in_the_middle() -> None:
    lines = [f"at line {number}" for number in range(50)]

    assert shortened("\n".join(lines)).split("\n") == [*lines[:10], "... 30 more lines (--tb=long)", *lines[-10:]]
    assert shortened("\n".join(lines[:20])) == "\n".join(lines[:20])


def test_causes_that_go_round_in_a_circle_have_a_place(framework: ModuleType) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  (any will do)
        framework.run(None)
    first, second = raised.value, framework.PipelineError("a component failed")
    first.__cause__, second.__cause__ = second, first

    assert "json" in str(place_of(first)) or "framy/pipe.py" in str(place_of(first))
    assert trace_of(first).whole
