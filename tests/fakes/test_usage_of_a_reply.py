"""The tokens that a reply says: each provider on each wire reports them in its own names and sums, plain and streamed.

The names of each are written out here, as the official SDKs read them.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from fake_providers import PROVIDERS, Reply, Request, ScriptedFake, Usage
from fake_providers.models import default_model
from fake_providers.replies.event_frames import decode_frames
from tests.fakes.load.load_requests import KEYS
from tests.wire_samples import BODIES, PATHS

USAGE = Usage(input=1000, output=200, cached=600, reasoning=50)
ROWS = [(provider, wire) for provider, wires in PROVIDERS.items() for wire in wires if wire in BODIES]
WITHOUT_CACHE = {
    ("gemini", "openai-chat"),
    ("vertex", "openai-chat"),
    ("llama.cpp", "openai-responses"),
    ("bedrock", "openai-chat"),
    ("ollama", "openai-chat"),
    ("ollama", "ollama-chat"),
    ("ollama", "anthropic-messages"),
}
WITHOUT_REASONING = {
    ("llama.cpp", "openai-responses"),
    ("vertex", "openai-chat"),
    ("anthropic", "openai-chat"),
    ("bedrock", "bedrock-converse"),
    ("bedrock", "openai-chat"),
    ("cerebras", "openai-chat"),
    ("moonshot", "openai-chat"),
    ("gemini", "openai-chat"),
    ("groq", "openai-chat"),
    ("llama.cpp", "openai-chat"),
    ("mistral", "openai-chat"),
    ("ollama", "openai-chat"),
    ("ollama", "ollama-chat"),
    ("vllm", "openai-chat"),
    *((name, "openai-chat") for name in ("fireworks", "lm-studio", "sglang", "together")),
    *((name, "anthropic-messages") for name in ("azure", "deepseek", "llama.cpp", "ollama", "vertex", "vllm")),
}
"""They report no count of reasoning, or, as Groq and DeepSeek, only beside reasoning."""
COMPLETION_WITHOUT_REASONING = {("xai", "openai-chat"), ("gemini", "openai-chat")}


def answer(provider: str, wire: str, reply: Reply, *, stream: bool) -> Mapping[str, Any]:
    """The usage in a response."""
    path, body = PATHS[wire], {**BODIES[wire]}
    if wire == "gemini-generate":
        path = path.replace(":generateContent", ":streamGenerateContent?alt=sse") if stream else path
    elif wire == "bedrock-converse":
        path += "-stream" if stream else ""
    else:
        body |= {"model": default_model(wire, provider), "stream": stream}
        body |= {"stream_options": {"include_usage": True}} if stream and wire == "openai-chat" else {}
    if (provider, wire) == ("azure", "openai-chat"):
        path = "/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21"
    if (provider, wire) == ("vertex", "anthropic-messages"):
        path = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-6:rawPredict"
    elif (provider, wire) == ("vertex", "gemini-generate"):
        path = "/v1beta1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash" + path[path.rindex(":") :]
    fake = ScriptedFake(provider, [reply], wire=wire, strict_replies=False)
    response = fake.handle(
        Request("POST", path, {"content-type": "application/json", **KEYS}, json.dumps(body).encode())
    )
    assert response.status == 200, response.body
    if wire == "bedrock-converse" and stream:
        *_, last = decode_frames(response.body)
        return json.loads(last.payload)["usage"]  # type: ignore[no-any-return]
    text = response.body.decode()
    found = [
        json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line[:1] == "{" or "{" in line[:7]
    ]
    usage: dict[str, Any] = {}
    for event in found:
        body = event.get("response", event)
        body = event.get("delta", body) if wire == "cohere-chat" else body
        named = body.get("usage") or body.get("usageMetadata") or body.get("message", {}).get("usage")
        usage |= named or {name: body[name] for name in body if name.endswith("eval_count")}
    return usage


def sums(wire: str, usage: Mapping[str, Any]) -> dict[str, int | None]:
    """What an SDK's user reads of it, in the words of `Usage`."""
    if wire == "anthropic-messages":
        cached = usage.get("cache_read_input_tokens")
        thought = usage.get("output_tokens_details", {}).get("thinking_tokens")
        read = usage["input_tokens"] + (cached or 0)
        return {"input": read, "output": usage["output_tokens"], "cached": cached, "reasoning": thought}
    if wire == "bedrock-converse":
        cached = usage["cacheReadInputTokens"]
        read = usage["inputTokens"] + cached
        assert usage["totalTokens"] == read + usage["outputTokens"]
        return {"input": read, "output": usage["outputTokens"], "cached": cached, "reasoning": None}
    if wire == "gemini-generate":
        thought = usage.get("thoughtsTokenCount", 0)
        assert usage["totalTokenCount"] == usage["promptTokenCount"] + usage["candidatesTokenCount"] + thought
        output = usage["candidatesTokenCount"] + thought
        cached = usage.get("cachedContentTokenCount")
        return {"input": usage["promptTokenCount"], "output": output, "cached": cached, "reasoning": thought}
    if wire == "ollama-chat":
        return {"input": usage["prompt_eval_count"], "output": usage["eval_count"], "cached": None, "reasoning": None}
    if wire == "cohere-chat":
        tokens = usage["tokens"]
        read, reasoning = {name: tokens[f"{name}_tokens"] for name in ("input", "output")}, tokens["reasoning_tokens"]
        return {**read, "cached": usage["cached_tokens"], "reasoning": reasoning}
    sent, said = ("input", "output") if wire == "openai-responses" else ("prompt", "completion")
    cached = (usage.get(f"{sent}_tokens_details") or {}).get("cached_tokens")
    reasoning = (usage.get(f"{said}_tokens_details") or {}).get("reasoning_tokens")
    return {
        "input": usage[f"{sent}_tokens"],
        "output": usage["total_tokens"] - usage[f"{sent}_tokens"],
        "cached": cached,
        "reasoning": reasoning,
    }


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize(("provider", "wire"), ROWS, ids=[f"{wire}:{provider}" for provider, wire in ROWS])
def test_provider_reports_what_the_reply_says(provider: str, wire: str, stream: bool) -> None:
    usage = answer(provider, wire, Reply(text="Hello.", usage=USAGE), stream=stream)

    found = sums(wire, usage)
    assert (found["input"], found["output"]) == (1000, 200)
    assert found["cached"] == (None if (provider, wire) in WITHOUT_CACHE else 600)
    if (provider, wire) not in WITHOUT_REASONING:
        assert found["reasoning"] == 50


@pytest.mark.parametrize(("provider", "wire"), [("openai", "openai-chat"), ("anthropic", "anthropic-messages")])
def test_what_is_left_out_is_counted(provider: str, wire: str) -> None:
    counted = sums(wire, answer(provider, wire, Reply(text="Hello."), stream=False))
    partly = sums(wire, answer(provider, wire, Reply(text="Hello.", usage=Usage(input=1000)), stream=False))

    assert counted["input"] != 1000
    assert partly == {**counted, "input": 1000}


def test_total_of_a_stream_is_what_the_reply_says() -> None:
    """The last count of Gemini's stream, whose earlier ones grow with the text."""
    usage = answer("gemini", "gemini-generate", Reply(text="word " * 200, usage=Usage(output=9)), stream=True)

    assert usage["candidatesTokenCount"] == 9


@pytest.mark.parametrize(
    ("usage", "message"),
    [
        ({"input": -1}, "`input` is -1. Tokens are counted from 0."),
        ({"input": 5, "cached": 6}, "`cached` is 6, more than `input`, which has 5 and includes it."),
        ({"output": 5, "reasoning": 6}, "`reasoning` is 6, more than `output`, which has 5 and includes it."),
        ({"cached": 6}, "`cached` is a part of `input`, which is not given. Give both."),
    ],
)
def test_numbers_that_no_provider_reports_are_refused(usage: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.") + "$"):
        Usage(**usage)
