"""What frameworks, coding agents and tracing services keep of a conversation is read, each in its own format."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.commands.check_request.command import Posted, posted_in
from agent_conformance.scenario_drafts.incident import CannotDraft, Evidence
from agent_conformance.scenario_drafts.sources import evidence_in

ASKED, ANSWER, RESULT = "What is the weather in Oslo?", "It rains in Oslo.", "7 degrees and rain"
CALL: dict[str, Any] = {"city": "Oslo"}
CHAT = [
    {"role": "user", "content": ASKED},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": json.dumps(CALL)}}
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
]
ANSWERED = {"role": "assistant", "content": ANSWER}


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def langchain(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, "additional_kwargs": {}, "response_metadata": {}, **more}


def constructed(name: str, **kwargs: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}


LANGCHAIN = [
    langchain("human", ASKED),
    langchain("ai", "", tool_calls=[{"name": "get_weather", "args": CALL, "id": "call_1", "type": "tool_call"}]),
    langchain("tool", RESULT, tool_call_id="call_1", name="get_weather"),
    langchain("ai", ANSWER, tool_calls=[]),
]
CONSTRUCTED = [
    constructed("HumanMessage", content=ASKED, type="human"),
    constructed("AIMessage", content="", tool_calls=[{"name": "get_weather", "args": CALL, "id": "call_1"}]),
    constructed("ToolMessage", content=RESULT, tool_call_id="call_1"),
]
FLAT = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": ASKED,
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "call_1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "get_weather",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": json.dumps(CALL),
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.content": RESULT,
    "llm.input_messages.2.message.tool_call_id": "call_1",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": ANSWER,
}
NESTED = {
    "llm": {
        "input_messages": [
            {"message.role": "user", "message.content": ASKED},
            {
                "message": {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "tool_call": {
                                "id": "call_1",
                                "function": {"name": "get_weather", "arguments": json.dumps(CALL)},
                            }
                        }
                    ],
                }
            },
            {"message": {"role": "tool", "content": RESULT, "tool_call_id": "call_1"}},
        ],
        "output_messages": [{"message": {"role": "assistant", "contents": [{"message_content": {"text": ANSWER}}]}}],
    }
}
SDK_CALL = {"type": "tool-call", "toolCallId": "call_1", "toolName": "get_weather", "input": CALL}
SDK_RESULT = {"type": "tool-result", "toolCallId": "call_1", "toolName": "get_weather"}
LOGS = {
    "LangChain messages": json.dumps(LANGCHAIN),
    "LangChain messages_to_dict": json.dumps([{"type": one["type"], "data": one} for one in LANGCHAIN]),
    "LangChain dumps": json.dumps([*CONSTRUCTED, constructed("AIMessage", content=[{"type": "text", "text": ANSWER}])]),
    "LangChain with calls as OpenAI has them": json.dumps(
        [
            *CONSTRUCTED[:1],
            constructed("AIMessageChunk", content="", additional_kwargs={"tool_calls": CHAT[1]["tool_calls"]}),
            *CONSTRUCTED[2:],
            constructed("AIMessage", content=ANSWER),
        ]
    ),
    "LangGraph updates": lines(
        {"input": {"messages": LANGCHAIN[:1]}},
        {"agent": {"messages": LANGCHAIN[1:2]}},
        {"tools": {"messages": LANGCHAIN[2:3]}},
        {"agent": {"messages": [langchain("ai", ANSWER)]}},
    ),
    "LangGraph state": json.dumps({"messages": LANGCHAIN}),
    "LangGraph history": json.dumps([{"values": {"messages": LANGCHAIN}}, {"values": {"messages": LANGCHAIN[:1]}}]),
    "Claude Code": lines(
        {"type": "summary", "summary": "Weather", "leafUuid": "u4"},
        {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": ASKED}},
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "<caveat>"}},
        {
            "type": "assistant",
            "message": {
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "I look.", "signature": "s"}],
            },
        },
        {
            "type": "assistant",
            "message": {
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "call_1", "name": "get_weather", "input": CALL}],
            },
        },
        {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": "of a subagent"}},
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_1",
                        "content": [{"type": "text", "text": RESULT}],
                    }
                ],
            },
        },
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}},
    ),
    "Codex": lines(
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "1", "cwd": "/home/me"}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        },
        {"type": "event_msg", "payload": {"type": "user_message", "message": ASKED}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [], "encrypted_content": "x"}},
        {
            "type": "response_item",
            "payload": {
                "type": "function_call",
                "name": "get_weather",
                "arguments": json.dumps(CALL),
                "call_id": "call_1",
            },
        },
        {
            "type": "response_item",
            "payload": {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": json.dumps({"output": RESULT, "metadata": {"exit_code": 0}}),
            },
        },
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
        },
    ),
    "Gemini CLI": json.dumps(
        {
            "sessionId": "s",
            "projectHash": "h",
            "messages": [
                {"id": "1", "type": "user", "content": [{"text": ASKED}]},
                {"id": "2", "type": "info", "content": "an update is there"},
                {
                    "id": "3",
                    "type": "gemini",
                    "content": "",
                    "toolCalls": [
                        {
                            "id": "call_1",
                            "name": "get_weather",
                            "args": CALL,
                            "status": "success",
                            "result": [
                                {
                                    "functionResponse": {
                                        "id": "call_1",
                                        "name": "get_weather",
                                        "response": {"output": RESULT},
                                    }
                                }
                            ],
                        }
                    ],
                },
                {"id": "4", "type": "gemini", "content": ANSWER},
            ],
        }
    ),
    "Gemini CLI in lines": lines(
        {"sessionId": "s", "projectHash": "h", "startTime": "t"},
        {"id": "1", "type": "user", "content": "before a checkpoint"},
        {"$set": {"messages": [{"id": "1", "type": "user", "content": ASKED}]}},
        {
            "id": "2",
            "type": "gemini",
            "content": "",
            "toolCalls": [{"id": "call_1", "name": "get_weather", "args": CALL, "result": [{"text": RESULT}]}],
        },
        {"id": "3", "type": "gemini", "content": ANSWER},
    ),
    "OpenCode": json.dumps(
        {
            "info": {"id": "ses_1", "directory": "/home/me"},
            "messages": [
                {"info": {"role": "user"}, "parts": [{"type": "text", "text": ASKED}]},
                {
                    "info": {"role": "assistant"},
                    "parts": [
                        {"type": "step-start"},
                        {
                            "type": "tool",
                            "callID": "call_1",
                            "tool": "get_weather",
                            "state": {"status": "completed", "input": CALL, "output": RESULT},
                        },
                    ],
                },
                {"info": {"role": "assistant"}, "parts": [{"type": "text", "text": ANSWER}]},
            ],
        }
    ),
    "Pi": lines(
        {"type": "session", "version": 3, "id": "1", "cwd": "/home/me"},
        {"type": "model_change", "modelId": "x"},
        {"type": "message", "id": "a", "message": {"role": "user", "content": ASKED}},
        {
            "type": "message",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "I look."},
                    {"type": "toolCall", "id": "call_1", "name": "get_weather", "arguments": CALL},
                ],
            },
        },
        {
            "type": "message",
            "message": {
                "role": "toolResult",
                "toolCallId": "call_1",
                "toolName": "get_weather",
                "content": [{"type": "text", "text": RESULT}],
            },
        },
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}},
    ),
    "LangSmith": json.dumps(
        {
            "id": "r",
            "name": "agent",
            "run_type": "chain",
            "inputs": {"messages": LANGCHAIN[:1]},
            "child_runs": [
                {
                    "run_type": "llm",
                    "inputs": {"messages": [CONSTRUCTED]},
                    "outputs": {
                        "generations": [[{"text": ANSWER, "message": constructed("AIMessage", content=ANSWER)}]]
                    },
                }
            ],
        }
    ),
    "Langfuse": json.dumps(
        {
            "id": "t",
            "observations": [
                {"type": "SPAN", "input": {"city": "Oslo"}, "output": RESULT},
                {"type": "GENERATION", "input": {"messages": CHAT}, "output": ANSWERED},
            ],
        }
    ),
    "Langfuse with JSON as text": json.dumps(
        [{"type": "GENERATION", "input": json.dumps(CHAT), "output": json.dumps(ANSWERED)}]
    ),
    "Phoenix spans": json.dumps([{"name": "llm", "attributes": FLAT}]),
    "Phoenix nested": lines({"name": "chain", "attributes": {}}, {"name": "llm", "attributes": NESTED}),
    "Phoenix columns": json.dumps(
        [
            {
                "attributes.llm.input_messages": NESTED["llm"]["input_messages"],
                "attributes.llm.output_messages": NESTED["llm"]["output_messages"],
            }
        ]
    ),
    "OpenInference over OTLP": json.dumps(
        {
            "resourceSpans": [
                {
                    "scopeSpans": [
                        {"spans": [{"attributes": [{"key": k, "value": {"stringValue": v}} for k, v in FLAT.items()]}]}
                    ]
                }
            ]
        }
    ),
    "AI SDK messages": json.dumps(
        [
            {"role": "user", "content": [{"type": "text", "text": ASKED}]},
            {"role": "assistant", "content": [SDK_CALL]},
            {"role": "tool", "content": [{**SDK_RESULT, "output": {"type": "text", "value": RESULT}}]},
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        ]
    ),
    "AI SDK messages of the interface": json.dumps(
        {
            "messages": [
                {"role": "user", "parts": [{"type": "text", "text": ASKED}]},
                {
                    "role": "assistant",
                    "parts": [
                        {"type": "step-start"},
                        {
                            "type": "tool-get_weather",
                            "toolCallId": "call_1",
                            "state": "output-available",
                            "input": CALL,
                            "output": RESULT,
                        },
                        {"type": "text", "text": ANSWER},
                    ],
                },
            ]
        }
    ),
    "AutoGen state": json.dumps(
        {
            "messages": [
                {"source": "user", "type": "TextMessage", "content": ASKED},
                {
                    "source": "helper",
                    "type": "ToolCallRequestEvent",
                    "content": [{"id": "call_1", "name": "get_weather", "arguments": json.dumps(CALL)}],
                },
                {
                    "source": "helper",
                    "type": "ToolCallExecutionEvent",
                    "content": [{"call_id": "call_1", "name": "get_weather", "content": RESULT, "is_error": False}],
                },
                {"source": "helper", "type": "ToolCallSummaryMessage", "content": RESULT},
                {"source": "helper", "type": "TextMessage", "content": ANSWER},
            ]
        }
    ),
    "Goose": lines(
        {"working_dir": "/home/ada", "description": "weather", "message_count": 4},
        {"role": "user", "created": 1, "content": [{"type": "text", "text": ASKED}]},
        {
            "role": "assistant",
            "created": 2,
            "content": [
                {
                    "type": "toolRequest",
                    "id": "call_1",
                    "toolCall": {"status": "success", "value": {"name": "get_weather", "arguments": CALL}},
                }
            ],
        },
        {
            "role": "user",
            "created": 3,
            "content": [
                {
                    "type": "toolResponse",
                    "id": "call_1",
                    "toolResult": {"status": "success", "value": [{"type": "text", "text": RESULT}]},
                }
            ],
        },
        {"role": "assistant", "created": 4, "content": [{"type": "text", "text": ANSWER}]},
    ),
    "curl": f"curl https://api.openai.com/v1/chat/completions -H 'content-type: application/json' -d '"
    f"{json.dumps({'model': 'gpt-4.1', 'messages': CHAT})}'\n",
    "openai-python": "2026-11-22 10:00:00 DEBUG openai._base_client: Request options: "
    f"{ {'method': 'post', 'json_data': {'messages': CHAT, 'model': 'gpt-4.1'}}!r}\n"
    '2026-11-22 10:00:01 INFO httpx: HTTP Request: POST https://api.openai.com/v1/chat/completions "HTTP/1.1 200 OK"\n',
    "openai-python's own": "[2026-11-22 10:00:00 - openai._base_client:482 - DEBUG] Request options: "
    f"{ {'method': 'post', 'json_data': {'messages': CHAT, 'model': 'gpt-4.1'}}!r}\n",
}
REQUESTS = ("curl", "openai-python", "openai-python's own")
"""These have what was asked, and no answer."""
STEPS = {
    "steps": [
        {"text": "", "content": [SDK_CALL, {**SDK_RESULT, "output": RESULT}], "finishReason": "tool-calls"},
        {"text": ANSWER, "content": [{"type": "text", "text": ANSWER}], "finishReason": "stop"},
    ]
}


def read(folder: Path, text: str) -> Evidence:
    path = folder / "log"
    path.write_text(text, encoding="utf-8")
    return evidence_in(path)


@pytest.mark.parametrize("name", LOGS)
def test_log_of_any_kind_says_the_same_conversation(tmp_path: Path, name: str) -> None:
    evidence = read(tmp_path, LOGS[name])

    user, call, result, *answer = evidence.messages
    assert [message.role for message in evidence.messages[:3]] == ["user", "assistant", "tool"]
    assert (user.text, result.text) == (ASKED, RESULT)
    assert [message.text for message in answer] == ([] if name in REQUESTS else [ANSWER])
    assert [(one.name, one.arguments) for one in call.calls] == [("get_weather", CALL)]
    assert result.id == call.calls[0].id
    assert evidence.refusal is None


@pytest.mark.parametrize("name", LOGS)
def test_check_request_takes_the_same_logs(tmp_path: Path, name: str) -> None:
    path = tmp_path / "log"
    path.write_text(LOGS[name], encoding="utf-8")

    found = list(posted_in(str(path)))

    assert [type(one) for one in found] == [Posted]
    assert {"messages", "contents", "input"} & {*json.loads(found[0].body)}
    assert ASKED in found[0].body.decode()


@pytest.mark.parametrize(
    "messages",
    [
        CHAT,
        [{"role": "user", "parts": [{"text": ASKED}]}],
        [{"role": "user", "content": [{"type": "text", "text": ASKED}]}],
    ],
    ids=["OpenAI", "Gemini", "of any"],
)
def test_check_request_takes_a_list_of_messages(tmp_path: Path, messages: Any) -> None:
    path = tmp_path / "log"
    path.write_text(json.dumps(messages), encoding="utf-8")

    (found,) = posted_in(str(path))

    assert isinstance(found, Posted)
    body = json.loads(found.body)
    assert len(body.get("messages", body.get("contents"))) == len(messages)


def test_check_request_takes_a_list_of_something_else_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text('[{"a": 1}]')

    assert [one.body for one in posted_in(str(path)) if isinstance(one, Posted)] == [b'[{"a": 1}]']


def test_steps_of_a_run_have_the_reply_and_no_user(tmp_path: Path) -> None:
    evidence = read(tmp_path, json.dumps(STEPS))

    assert [message.role for message in evidence.messages] == ["assistant", "tool", "assistant"]


def test_result_that_a_log_lacks_is_lacking(tmp_path: Path) -> None:
    evidence = read(tmp_path, json.dumps([LANGCHAIN[0], LANGCHAIN[1], langchain("human", "Never mind.")]))

    assert evidence.refusal is not None
    assert evidence.refusal.rule == "openai/tool-calls-unanswered"


def test_debug_log_that_was_cut_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotDraft, match="none of its lines `Request options"):
        read(tmp_path, "DEBUG openai: Request options: {'method': 'post', 'json_data': {'messages': [{'role'\n")


def test_session_in_which_nobody_says_anything_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotDraft, match="it looks like Codex, and nobody says anything in it"):
        read(tmp_path, lines({"type": "session_meta", "payload": {}}, {"type": "event_msg", "payload": {}}))


@pytest.mark.parametrize("name", ["messages", "values", "steps", "child_runs", "data", "output", "value"])
def test_log_that_is_nested_deep_is_no_crash(tmp_path: Path, name: str) -> None:
    deep = f'{{"{name}": [' * 400 + "]}" * 400
    for text in (deep, f'{{"run_type": "llm", "inputs": {deep}, "outputs": {deep}, "child_runs": [{deep}]}}'):
        with suppress(CannotDraft):
            read(tmp_path, text)


@pytest.mark.parametrize("damage", [None, 5, "text", [], {}, [[]], {"content": 7}, [{"type": 3}]])
@pytest.mark.parametrize("name", ["Claude Code", "Codex", "Gemini CLI in lines", "Pi", "LangGraph state"])
def test_odd_values_in_a_log_are_no_crash(tmp_path: Path, name: str, damage: object) -> None:
    first, *rest = LOGS[name].splitlines()
    odd = [{**json.loads(first), "messages": damage}, *map(json.loads, rest), damage]
    odd += [
        {**one, "message": damage, "payload": damage, "content": damage} for one in odd[:3] if isinstance(one, dict)
    ]

    with suppress(CannotDraft):
        read(tmp_path, lines(*odd))
