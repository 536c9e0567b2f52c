"""Bodies that break two rules, and the rule that is reported. Each row was measured or follows from two that were."""

from itertools import pairwise
from typing import Any

import pytest
from chat_requests import TOOL, USER, call_message, chat, result, violation_of

NO_MODEL = {"messages": [USER], "zzz": 1}
NO_MESSAGES = {"model": "gpt-5", "zzz": 1}

ROWS: list[tuple[str, dict[str, Any], str]] = [
    ("a missing model before an unknown key", NO_MODEL, "model-missing"),
    ("missing messages before an unknown key", NO_MESSAGES, "messages-missing"),
    ("an unknown key before a wrong type", chat(model="gpt-5", zzz=1, n="2"), "unknown-parameter"),
    ("an unknown key before empty messages", {"model": "gpt-5", "messages": [], "zzz": 1}, "unknown-parameter"),
    ("an unknown key before a refused parameter", chat(model="gpt-5", zzz=1, stop=["a"]), "unknown-parameter"),
    ("messages before tools", chat({"role": "bogus", "content": "a"}, tools=[]), "role-unknown"),
    ("an earlier message before a later one", chat({"role": "a"}, {"content": "b"}), "role-unknown"),
    (
        "a content's type before empty calls",
        chat({"role": "assistant", "content": 7, "tool_calls": []}),
        "content-type",
    ),
    ("tools before parallel_tool_calls", chat(tools="x", parallel_tool_calls="y"), "tools-type"),
    ("an earlier tool before a later one", chat(tools=[{"type": "function"}, {}]), "tool-function-missing"),
    ("parallel_tool_calls before n", chat(tools=[TOOL], n="x", parallel_tool_calls="y"), "parameter-type"),
    ("a type before a refused value", chat(model="gpt-5", temperature=0.5, n="x"), "parameter-type"),
    ("a range before a refused parameter", chat(model="gpt-5", stop=["a"], n=0), "parameter-range"),
    (
        "a role that the model does not take before temperature",
        chat({"role": "system", "content": "Be brief."}, model="o1-mini", temperature=0.5),
        "role-unsupported",
    ),
    ("stop before temperature", chat(model="gpt-5", stop=["a"], temperature=0.5), "stop-unsupported"),
    (
        "empty calls before what the model does not take",
        chat(USER, {"role": "assistant", "content": "a", "tool_calls": []}, model="gpt-5", temperature=0.5),
        "tool-calls-empty",
    ),
    (
        "a type of a later content before a content that is missing",
        chat({"role": "user"}, {"role": "user", "content": 7}),
        "content-type",
    ),
    (
        "a later role before a content that is missing",
        chat({"role": "user"}, {"role": "bogus", "content": "a"}),
        "role-unknown",
    ),
    (
        "a refused value before a content that is missing",
        chat({"role": "user"}, model="gpt-5", temperature=0.5),
        "temperature-unsupported",
    ),
    ("a low number before a content that is missing", chat({"role": "user"}, max_tokens=0), "parameter-range"),
    (
        "a result of another call before the call that stays open",
        chat(USER, call_message("call_1"), result("call_2")),
        "result-of-unknown-call",
    ),
    (
        "an open call before a content that is missing",
        chat(USER, call_message("call_1"), {"role": "user"}),
        "tool-calls-unanswered",
    ),
]


@pytest.mark.parametrize(("body", "rule"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_first_of_two_broken_rules_is_reported(body: dict[str, Any], rule: str) -> None:
    violation = violation_of(body)

    assert violation is not None
    assert violation.rule == f"openai/{rule}"


ADJACENT = [
    "tools",
    "parallel_tool_calls",
    "max_completion_tokens",
    "n",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "top_logprobs",
    "user",
    "seed",
    "safety_identifier",
    "prompt_cache_options",
    "prompt_cache_key",
    "service_tier",
    "stream",
    "store",
    "metadata",
    "verbosity",
]


@pytest.mark.parametrize(("first", "second"), list(pairwise(ADJACENT)))
def test_earlier_of_two_parameters_is_reported(first: str, second: str) -> None:
    violation = violation_of(chat(**{second: [[]], first: [[]]}))

    assert violation is not None
    assert violation.body["error"]["param"].startswith(first)
