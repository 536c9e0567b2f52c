"""What it costs to judge a request on each wire: a usual one of which everything is new, and a long one that has grown.

    python benchmarks/judging.py [--requests 200] [--rounds 3] [--only TEXT]

Printed are microseconds of CPU: the median of the rounds, with the least and the most. The usual request has three
messages and one tool; the long one sixty-one messages and twenty tools, of which all but the last two messages were in
the request before. No text, id or description was seen before by the process.
"""

import argparse
import itertools
import json
import statistics
import time
from dataclasses import dataclass
from typing import Any

from fake_providers import judge

USUAL, LONG = 70, 150
"""Bounds, in microseconds."""


HEADERS = {
    "authorization": "Bearer any",
    "x-api-key": "any",
    "x-goog-api-key": "any",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
}


@dataclass(frozen=True, slots=True)
class Form:
    """How one provider takes a conversation: the path, and from messages, tools and a text the body."""

    wire: str
    provider: str
    path: str


FORMS = (
    Form("openai-chat", "openai", "/v1/chat/completions"),
    Form("openai-responses", "openai", "/v1/responses"),
    Form("anthropic-messages", "anthropic", "/v1/messages"),
    Form("gemini-generate", "gemini", "/v1beta/models/gemini-2.5-flash:generateContent"),
    Form("ollama-chat", "ollama", "/api/chat"),
    Form("bedrock-converse", "bedrock", "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"),
    Form("cohere-chat", "cohere", "/v2/chat"),
)


def body_of(form: Form, token: str, *, messages: int, tools: int) -> dict[str, Any]:
    """`token` is in every text, id and description; `messages` is odd, so that the last is the user's or a result."""
    names = [f"tool_{number}" for number in range(tools)]
    about = [f"Looks up number {number} of {token}." for number in range(tools)]
    schema = {"type": "object", "properties": {"city": {"type": "string", "description": token}}, "required": ["city"]}
    question = f"What is the weather in {token}? " * 8
    rounds = [
        (f"{token}{number}", names[number % tools], {"city": f"{token} {number}"}, f"{number} degrees in {token}. " * 8)
        for number in range((messages - 1) // 2)
    ]
    return _BODIES[form.wire](question, rounds, list(zip(names, about, strict=True)), schema)


Rounds = list[tuple[str, str, dict[str, str], str]]
Tools = list[tuple[str, str]]


def _chat(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    said: list[Any] = [{"role": "user", "content": question}]
    for id, name, arguments, result in rounds:
        call = {"id": f"call_{id}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"call_{id}", "content": result})
    declared = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about in tools
    ]
    return {"model": "gpt-4.1", "messages": said, "tools": declared}


def _responses(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    said: list[Any] = [{"role": "user", "content": question}]
    for id, name, arguments, result in rounds:
        call = {"type": "function_call", "call_id": f"call_{id}", "name": name, "arguments": json.dumps(arguments)}
        said.append(call)
        said.append({"type": "function_call_output", "call_id": f"call_{id}", "output": result})
    declared = [
        {"type": "function", "name": name, "description": about, "parameters": schema, "strict": False}
        for name, about in tools
    ]
    return {"model": "gpt-4.1", "input": said, "tools": declared}


def _messages(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    said: list[Any] = [{"role": "user", "content": question}]
    for id, name, arguments, result in rounds:
        call = {"type": "tool_use", "id": f"toolu_{id}", "name": name, "input": arguments}
        back = {"type": "tool_result", "tool_use_id": f"toolu_{id}", "content": result}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [back]}]
    declared = [{"name": name, "description": about, "input_schema": schema} for name, about in tools]
    return {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": said, "tools": declared}


def _gemini(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    said: list[Any] = [{"role": "user", "parts": [{"text": question}]}]
    for _, name, arguments, result in rounds:
        said.append({"role": "model", "parts": [{"functionCall": {"name": name, "args": arguments}}]})
        back = {"functionResponse": {"name": name, "response": {"result": result}}}
        said.append({"role": "user", "parts": [back]})
    declared = [{"name": name, "description": about, "parameters": schema} for name, about in tools]
    return {"contents": said, "tools": [{"functionDeclarations": declared}]}


def _ollama(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    said: list[Any] = [{"role": "user", "content": question}]
    for _, name, arguments, result in rounds:
        call = {"function": {"name": name, "arguments": arguments}}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
        said.append({"role": "tool", "tool_name": name, "content": result})
    declared = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about in tools
    ]
    return {"model": "qwen3", "messages": said, "tools": declared, "stream": False}


def _converse(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    said: list[Any] = [{"role": "user", "content": [{"text": question}]}]
    for id, name, arguments, result in rounds:
        call = {"toolUse": {"toolUseId": f"tooluse_{id}", "name": name, "input": arguments}}
        back = {"toolResult": {"toolUseId": f"tooluse_{id}", "content": [{"text": result}]}}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [back]}]
    declared = [
        {"toolSpec": {"name": name, "description": about, "inputSchema": {"json": schema}}} for name, about in tools
    ]
    return {"messages": said, "toolConfig": {"tools": declared}}


def _cohere(question: str, rounds: Rounds, tools: Tools, schema: Any) -> dict[str, Any]:
    body = _chat(question, rounds, tools, schema)
    for message in body["messages"]:
        if message["role"] == "assistant":
            del message["content"]
    return body | {"model": "command-a-03-2025"}


_BODIES = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic-messages": _messages,
    "gemini-generate": _gemini,
    "ollama-chat": _ollama,
    "bedrock-converse": _converse,
    "cohere-chat": _cohere,
}


tokens = (f"Town{number:07}" for number in itertools.count())


def usual(form: Form) -> float:
    """Microseconds of one request."""
    body = json.dumps(body_of(form, next(tokens), messages=3, tools=1)).encode()
    return seconds(form, body) * 1e6


def seconds(form: Form, body: bytes) -> float:
    begun = time.process_time_ns()
    violation = judge(form.provider, form.path, body, HEADERS)
    spent = time.process_time_ns() - begun
    assert violation is None, violation
    return spent / 1e9


def long(form: Form) -> float:
    """Of the last request of a conversation, after the one before it."""
    token = next(tokens)
    before, last = (json.dumps(body_of(form, token, messages=count, tools=20)).encode() for count in (59, 61))
    seconds(form, before)
    return seconds(form, last) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200, help="of one round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="the wires with this text in their names")
    options = parser.parse_args()
    print(f"{'µs CPU of judging':22}{f'usual, all new (bound {USUAL})':>32}{f'long, grown (bound {LONG})':>32}")
    for form in FORMS:
        if options.only not in form.wire:
            continue
        shown = []
        for measure in (usual, long):
            for _ in range(5):
                measure(form)
            rounds = [statistics.median(measure(form) for _ in range(options.requests)) for _ in range(options.rounds)]
            shown.append(f"{statistics.median(rounds):.1f} ({min(rounds):.1f} to {max(rounds):.1f})")
        print(f"{form.wire:22}{shown[0]:>32}{shown[1]:>32}", flush=True)


if __name__ == "__main__":
    main()
