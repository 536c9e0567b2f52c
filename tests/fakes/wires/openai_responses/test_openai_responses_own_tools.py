"""Calls of OpenAI's own tools and of custom tools: read by the vendor's SDK, plain and streamed, and sent back."""

from collections.abc import Sequence
from typing import Any

import openai
import pytest
from openai.types.responses import Response
from responses_requests import USER, encode_reply, events, plain, responses_body, violation_of

import fake_providers
from fake_providers import Call, CannotExpress, Reply, ReplyContext, ServerCall, Source
from fake_providers.ids import Ids
from fake_providers.registry import wire_for

TOOLS: list[Any] = [
    {"type": "web_search"},
    {"type": "file_search", "vector_store_ids": ["vs_1"]},
    {"type": "code_interpreter", "container": {"type": "auto"}},
    {"type": "image_generation"},
    {"type": "mcp", "server_label": "docs", "server_url": "https://example.org/mcp"},
    {"type": "custom", "name": "write"},
    {"type": "apply_patch"},
    {"type": "shell"},
]
SEARCH = ServerCall("web_search", {"query": "Oslo"}, "Rain.")
PATCH = {"type": "create_file", "path": "a.txt", "diff": "+a"}
STEPS: dict[str, tuple[Reply, list[str]]] = {
    "web_search_call": (
        Reply(text="Rain.", server_calls=(SEARCH,)),
        ["web_search_call.in_progress", "web_search_call.searching", "web_search_call.completed"],
    ),
    "file_search_call": (
        Reply(text="Rain.", server_calls=(ServerCall("file_search", {"query": "Oslo"}, "Rain."),)),
        ["file_search_call.in_progress", "file_search_call.searching", "file_search_call.completed"],
    ),
    "code_interpreter_call": (
        Reply(text="2", server_calls=(ServerCall("code_interpreter", {"code": "1+1"}, "2"),)),
        [
            "code_interpreter_call.in_progress",
            "code_interpreter_call_code.delta",
            "code_interpreter_call_code.done",
            "code_interpreter_call.interpreting",
            "code_interpreter_call.completed",
        ],
    ),
    "image_generation_call": (
        Reply(text="Here.", server_calls=(ServerCall("image_generation", {"prompt": "a cat"}, ""),)),
        [
            "image_generation_call.in_progress",
            "image_generation_call.generating",
            "image_generation_call.completed",
        ],
    ),
    "mcp_call": (
        Reply(text="Seven.", server_calls=(ServerCall("find", {"q": "a"}, "7", server="docs"),)),
        [
            "mcp_list_tools.in_progress",
            "mcp_list_tools.completed",
            "mcp_call.in_progress",
            "mcp_call_arguments.delta",
            "mcp_call_arguments.done",
            "mcp_call.completed",
        ],
    ),
    "custom_tool_call": (
        Reply(calls=(Call("write", arguments_text="all"),)),
        ["custom_tool_call_input.delta", "custom_tool_call_input.done"],
    ),
    "apply_patch_call": (Reply(calls=(Call("apply_patch", PATCH),)), []),
    "shell_call": (
        Reply(calls=(Call("shell", {"commands": ["ls"]}),)),
        ["shell_call_command.added", "shell_call_command.delta", "shell_call_command.done"],
    ),
}
OF_EVERY_REPLY = ("created", "in_progress", "output_item", "content_part", "output_text", "completed")


def steps(sent: Sequence[dict[str, Any]]) -> list[str]:
    """The names of the events of the call itself, repetitions removed."""
    names = [event["type"].removeprefix("response.") for event in sent]
    own = [name for name in names if name.partition(".")[0] not in OF_EVERY_REPLY]
    return [name for index, name in enumerate(own) if name not in own[:index]]


def asked(reply: Reply, **fields: Any) -> dict[str, Any]:
    return plain(reply, responses_body(USER, tools=TOOLS, **fields))


@pytest.mark.parametrize("kind", STEPS)
def test_stream_has_the_steps_of_the_call_and_ends_in_the_plain_response(kind: str) -> None:
    reply, expected = STEPS[kind]
    sent = events(encode_reply(reply, responses_body(USER, tools=TOOLS, stream=True)))

    assert steps(sent) == expected
    assert [event["sequence_number"] for event in sent] == list(range(len(sent)))
    done = [event["item"] for event in sent if event["type"] == "response.output_item.done"]
    assert done == sent[-1]["response"]["output"]
    assert kind in [item["type"] for item in done]
    assert {item["type"] for item in done} == {item["type"] for item in asked(reply)["output"]}


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize("streamed", [False, True])
def test_sdk_reads_the_call_and_it_is_accepted_where_it_comes_back(kind: str, streamed: bool) -> None:
    with fake_providers.serve("openai", wire="openai-responses", replies=[STEPS[kind][0], Reply(text="Ok.")]) as fake:
        with openai.OpenAI(base_url=fake.base_url, api_key="any") as client:
            response: Response
            if streamed:
                with client.responses.stream(model="gpt-5.4", input="Hi.", tools=TOOLS) as stream:
                    response = [event for event in stream if event.type == "response.completed"][-1].response
            else:
                response = client.responses.create(model="gpt-5.4", input="Hi.", tools=TOOLS)
            item: Any = next(item for item in response.output if item.type == kind)
            results = (
                [{"type": f"{kind}_output", "call_id": item.call_id, "output": outputs(kind)}] if is_open(kind) else []
            )
            patched = (
                [{**result, "status": "completed"} for result in results] if kind == "apply_patch_call" else results
            )
            history: Any = [{"role": "user", "content": "Hi."}, *response.output, *patched, USER]
            again = client.responses.create(model="gpt-5.4", input=history, tools=TOOLS, store=False)

        assert type(item).__module__ != "openai._models"  # a type of its own, and not a guess
        assert again.output_text == "Ok."
        assert not fake.violations


def is_open(kind: str) -> bool:
    return kind in ("custom_tool_call", "apply_patch_call", "shell_call")


def outputs(kind: str) -> Any:
    ran = {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
    return [ran] if kind == "shell_call" else "done"


@pytest.mark.parametrize("kind", ["apply_patch_call", "custom_tool_call", "shell_call"])
def test_call_that_the_client_runs_needs_a_result(kind: str) -> None:
    items = asked(STEPS[kind][0])["output"]
    refused = violation_of(responses_body(USER, *items, tools=TOOLS))

    assert refused is not None
    assert refused.rule == "openai/responses-call-without-result"


def test_shell_in_a_container_needs_none() -> None:
    shell = [{"type": "shell", "environment": {"type": "container_auto"}}]
    reply = Reply(text="a", server_calls=(ServerCall("shell", {"commands": ["ls"]}, "a"),))
    items = plain(reply, responses_body(USER, tools=shell))["output"]

    assert [item["type"] for item in items] == ["shell_call", "shell_call_output", "message"]
    assert violation_of(responses_body(USER, *items, USER, tools=shell)) is None


def test_call_of_a_server_asks_for_approval_and_runs_once_it_is_given() -> None:
    first = asked(Reply(server_calls=(ServerCall("find", {"q": "a"}, server="docs"),)))["output"]
    approved = {"type": "mcp_approval_response", "approval_request_id": first[-1]["id"], "approve": True}
    body = responses_body(USER, *first, approved, tools=TOOLS)
    second = plain(Reply(text="Seven.", server_calls=(ServerCall("find", None, "7", server="docs"),)), body)["output"]

    assert [item["type"] for item in first] == ["mcp_list_tools", "mcp_approval_request"]
    assert [item["type"] for item in second] == ["mcp_call", "message"]
    assert (second[0]["approval_request_id"], second[0]["arguments"]) == (first[-1]["id"], '{"q":"a"}')


def test_list_of_a_servers_tools_has_what_strict_readers_of_it_want() -> None:
    """The AI SDK refuses the whole response where a description or the annotations are null."""
    listed, *_ = asked(STEPS["mcp_call"][0])["output"]
    (tool,) = listed["tools"]

    assert list(listed) == ["id", "type", "server_label", "tools"]
    assert list(tool) == ["annotations", "description", "input_schema", "name"]
    assert tool["annotations"] == {"read_only": False}
    assert tool["description"]


def test_what_was_found_is_in_the_response_only_where_the_request_includes_it() -> None:
    reply = Reply(text="2", server_calls=(ServerCall("code_interpreter", {"code": "1+1"}, "2"),))
    bare = asked(reply)["output"][0]
    whole = asked(reply, include=["code_interpreter_call.outputs"])["output"][0]

    assert (bare["outputs"], whole["outputs"]) == (None, [{"type": "logs", "logs": "2"}])


def test_tool_that_the_request_does_not_declare_is_not_called() -> None:
    output = plain(STEPS["mcp_call"][0], responses_body(USER, tools=TOOLS[:1]))["output"]

    assert [item["type"] for item in output] == ["message"]
    assert output[0]["content"][0]["text"] == "I have no tool for that."


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call("write", {"input": "a\nb"}), "a\nb"),
        (Call("write", {"a": 1}), '{"a":1}'),
        (Call("write", arguments_text="{"), "{"),
    ],
)
def test_custom_tool_gets_text(call: Call, text: str) -> None:
    assert asked(Reply(calls=(call,)))["output"][0]["input"] == text


def test_sources_are_annotations_of_the_cited_part() -> None:
    sources = (Source("https://example.org", title="Oslo", text="Rain"), Source(file="oslo.txt"))
    reply = Reply(text="Rain in Oslo.", server_calls=(SEARCH,), sources=sources)
    sent = events(encode_reply(reply, responses_body(USER, tools=TOOLS, stream=True)))
    part = asked(reply)["output"][-1]["content"][0]
    added = [event for event in sent if event["type"] == "response.output_text.annotation.added"]

    page, file = part["annotations"]
    place = {"start_index": 0, "end_index": 4}
    assert page == {"type": "url_citation", "title": "Oslo", "url": "https://example.org", **place}
    assert (file["type"], file["filename"], file["index"]) == ("file_citation", "oslo.txt", 13)
    assert [event["annotation"] for event in added] == part["annotations"]
    assert [event["annotation_index"] for event in added] == [0, 1]


@pytest.mark.parametrize("reply", [Reply(server_calls=(SEARCH,)), Reply(text="a", sources=(Source(file="a"),))])
def test_provider_without_tools_of_its_own_cannot_send_them(reply: Reply) -> None:
    request = fake_providers.Request("POST", "/v1/responses", {}, b"{}")

    with pytest.raises(CannotExpress):
        wire_for("xai", "openai-responses").encode(reply, ReplyContext(request, "xai", Ids("own tools")))


def test_conversation_beyond_its_threshold_is_compacted() -> None:
    management = [{"type": "compaction", "compact_threshold": 1000}]
    long = {"role": "user", "content": "Rain. " * 1000}

    short = asked(Reply(text="Ok."), context_management=management)["output"]
    output = plain(Reply(text="Ok."), responses_body(long, context_management=management))["output"]

    assert [item["type"] for item in short] == ["message"]
    assert [item["type"] for item in output] == ["compaction", "message"]
    assert violation_of(responses_body(*output, USER)) is None
