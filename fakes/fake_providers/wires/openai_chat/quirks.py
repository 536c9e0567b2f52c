"""How some servers send a reply otherwise than OpenAI. Changes a response that is right; knows no provider.

Who does it, as reported:

- `same-index`: every call has index 0. Ollama, ai-dynamo: ollama/ollama#15457, vercel/ai#14277, ai-dynamo/dynamo#4723
- `no-index`: no piece has an index. Gemini's compatible endpoint: openai/openai-python#2806, AstrBotDevs/AstrBot#6692
- `growing-index`: the last piece of a call has the next index. Nebius: pipecat-ai/pipecat#4688, dirac-run/dirac#215
- `late-id`: the id comes in a piece after the name. Azure through LiteLLM, Mistral: pipecat-ai/pipecat#5023
- `id-in-every-delta`: JetBrains/koog#2052, InternLM/lmdeploy#3412 (SGLang)
- `repeated-name`: NVIDIA's NIM, Fireworks, Kimi: NousResearch/hermes-agent#12230, NousResearch/hermes-agent#8094
- `interleaved`: the pieces of all calls in turn: QwenLM/Qwen-Agent#943, continuedev/continue#13223
- `empty-choices`: chunks without choices that nobody asked for: before the first piece (Azure), in the middle, and with
  the usage at the end. DashScope, Fireworks, NIM: bojieli/ai-agent-book#915, BerriAI/litellm#36553
- `empty-calls`: an empty list of calls in every piece without one: vercel/ai#20203, anomalyco/opencode#47875
- `finish-with-the-last-delta`: vLLM, Mistral, LiteLLM: vllm-project/vllm#36944, jeremychone/rust-genai#164,
  docker/docker-agent#2992
- `arguments-as-object`: llama.cpp, LiteLLM: ggml-org/llama.cpp#20198, BerriAI/litellm#37792
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fake_providers.reply import CannotExpress, Quirk
from fake_providers.wires.openai_chat.quirks_of_calls import OF_CALLS, with_changed_calls
from fake_providers.wires.openai_shared.events import Chunk, event


def plain_with_quirks(completion: dict[str, Any], quirks: Sequence[Quirk]) -> dict[str, Any]:
    """The body of a plain response. Raises `CannotExpress` for a quirk that only a stream can have."""
    if any(quirk != "arguments-as-object" for quirk in quirks):
        raise CannotExpress("stream-quirk")
    if quirks:
        for choice in completion["choices"]:
            for call in choice["message"].get("tool_calls") or ():
                call["function"] = {**call["function"], "arguments": json.loads(call["function"]["arguments"])}
    return completion


def stream_with_quirks(
    chunks: Sequence[bytes], quirks: Sequence[Quirk], *, usage: Mapping[str, Any]
) -> tuple[bytes, ...]:
    """The events of a stream, each of which is one chunk."""
    if not quirks:
        return tuple(chunks)
    events = [_parsed(chunk) for chunk in chunks]
    if any(quirk in quirks for quirk in OF_CALLS):
        events = with_changed_calls(events, quirks)
    if "empty-calls" in quirks:
        events = [_with_empty_calls(one) for one in events]
    if "finish-with-the-last-delta" in quirks:
        events = _with_early_finish(events)
    if "empty-choices" in quirks:
        events = _with_empty_choices(events, usage)
    return tuple(event(one) for one in events)


def _parsed(chunk: bytes) -> Chunk:
    try:
        value = json.loads(chunk.removeprefix(b"data:"))
    except ValueError:  # a comment, or the end of the stream
        return chunk
    return value if isinstance(value, dict) else chunk


def _with_empty_calls(one: Chunk) -> Chunk:
    if isinstance(one, bytes):
        return one
    choices = [{**choice, "delta": {"tool_calls": [], **choice["delta"]}} for choice in one.get("choices") or ()]
    return {**one, "choices": choices}


def _with_early_finish(events: list[Chunk]) -> list[Chunk]:
    """The finish reason in the chunk before its own, unless its own has text or calls already."""
    place = next((place for place, one in enumerate(events) if _ends(one)), 0)
    before, end = events[place - 1], events[place]
    if not place or isinstance(before, bytes) or isinstance(end, bytes) or not before.get("choices"):
        return events
    if any(end["choices"][0]["delta"].get(member) for member in ("content", "tool_calls")):
        return events
    choice = {**end["choices"][0], "delta": before["choices"][0]["delta"]}
    return [*events[: place - 1], {**end, "choices": [choice]}, *events[place + 1 :]]


def _ends(one: Chunk) -> bool:
    return isinstance(one, dict) and bool(one.get("choices")) and bool(one["choices"][0].get("finish_reason"))


def _with_empty_choices(events: list[Chunk], usage: Mapping[str, Any]) -> list[Chunk]:
    """One before all others, one in the middle, and at the end one with the usage, unless there is one."""
    places = [place for place, one in enumerate(events) if isinstance(one, dict) and one.get("choices")]
    empty = {**events[places[0]], "choices": []}  # type: ignore[dict-item]
    end = places[-1] + 1
    counted = any(isinstance(one, dict) for one in events[end:])
    added: list[Chunk] = [] if counted else [{**empty, "usage": dict(usage)}]
    middle = places[len(places) // 2]
    return [*events[: places[0]], empty, *events[places[0] : middle], empty, *events[middle:end], *added, *events[end:]]
