"""Bugs with pictures of tools and users: lost, late, as text, or sent for ever after a refusal."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.memory import last_user_message
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences, pictures
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires.wire import CompletionRequest

PI = "https://github.com/earendil-works/pi/issues/7337"


def _never_left_out(defences: Defences) -> Defences:
    return replace(defences, refuses_pictures=lambda error, sent: False)


@dataclass(slots=True)
class _TextsCompared(Bounds):
    def record_result(self, key: str, result: str) -> None:
        Bounds.record_result(self, key, result[:20])


MUTANTS = Mutants()


@MUTANTS.add(
    "M46a_pictures_dropped",
    "the pictures of a result reach the model",
    "https://github.com/github/copilot-cli/issues/4536",
    (("images/picture-in-a-result", "1.requests*"), ("images/picture-before-gemini-3", "1.requests*")),
)
def _pictures_dropped(defences: Defences) -> Defences:
    async def run_tool(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        return replace(await defences.run_tool(tool, call, arguments), pictures=())

    return replace(defences, run_tool=run_tool)


@MUTANTS.add(
    "M46b_pictures_of_history_dropped",
    "the pictures of a restored result reach the model",
    "https://github.com/vellum-ai/vellum-assistant/issues/18387",
    (("images/picture-of-a-failure", "1.requests*"),),
)
def _history_without_pictures(defences: Defences) -> Defences:
    def texts(history: History) -> History:
        return tuple(replace(entry, results=tuple(replace(r, pictures=()) for r in entry.results)) for entry in history)

    return replace(defences, repair_passes=(*defences.repair_passes, texts))


@MUTANTS.add(
    "M46c_parts_as_text",
    "a picture is no text",
    "https://github.com/whoz-oss/coday/issues/554",
    (
        ("images/text-beside-a-picture", "no-picture-text"),
        ("pairs/images-and-*", "no-picture-text"),
        ("pairs/switch-and-images", "no-picture-text"),
    ),
)
def _parts_as_text(defences: Defences) -> Defences:
    async def run_tool(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        value = await tool.acall(dict(arguments))
        listed = [asdict(part) for part in value] if isinstance(value, list) else value
        return Result(call.id, call.name, listed if isinstance(listed, str) else json.dumps(listed))

    return replace(defences, run_tool=run_tool)


@MUTANTS.add(
    "M46d_only_text_expected",
    "a result may have a picture",
    "https://github.com/huggingface/smolagents/issues/1152",
    (("images/text-beside-a-picture", "answers"),),
)
def _only_text_expected(defences: Defences) -> Defences:
    async def run_tool(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        result = await defences.run_tool(tool, call, arguments)
        if result.pictures:
            raise ValueError("unsupported content type: image")
        return result

    return replace(defences, run_tool=run_tool)


@MUTANTS.add(
    "M46e_a_request_late",
    "the request after a result has its pictures",
    "https://github.com/anthropics/claude-ai-mcp/issues/643",
    (("images/picture-in-a-result", "1.requests*"),),
)
def _a_request_late(defences: Defences) -> Defences:
    def late(request: CompletionRequest) -> CompletionRequest:
        *before, last = request.history
        results = tuple(replace(result, pictures=()) for result in last.results)
        return replace(request, history=(*before, replace(last, results=results)))

    return replace(defences, full_request=late)


@MUTANTS.add(
    "M46f_link_for_picture",
    "a picture of the user is sent as a picture",
    "https://github.com/AAswordman/Operit/issues/646",
    (("images/picture-of-the-user", "1.requests*"),),
)
def _link_for_picture(defences: Defences) -> Defences:
    def linked(entry: Entry) -> Entry:
        links = [f"[{picture.media_type}](picture-{n})" for n, picture in enumerate(entry.pictures)]
        return replace(entry, text="\n".join([entry.text, *links]), pictures=())

    def with_links(request: CompletionRequest) -> CompletionRequest:
        return replace(request, history=tuple(map(linked, request.history)))

    return replace(defences, full_request=with_links)


MUTANTS.add(
    "M47a_never_left_out",
    "a picture that is refused leaves the conversation",
    PI,
    (
        ("images/refused-by-the-provider[live, restarted]", "accepted:anthropic/image-dimensions"),
        ("images/more-than-twenty", "accepted:anthropic/image-dimensions-many"),
        ("long-sessions/screens-pile-up", "accepted:anthropic/image-dimensions-many"),
    ),
)(_never_left_out)


@MUTANTS.add(
    "M47b_own_turn_alone",
    "a picture that is refused leaves the conversation, also one of an earlier turn",
    "https://github.com/anthropics/claude-code/issues/45543",
    (("images/restored-and-refused", "accepted:anthropic/image-dimensions"),),
)
def _own_turn_alone(defences: Defences) -> Defences:
    def of_this_turn(history: History) -> History:
        now = last_user_message(history)
        return (*history[:now], *pictures.leave_out_pictures(history[now:]))

    return replace(defences, leave_out_pictures=of_this_turn)


@MUTANTS.add(
    "M47c_one_wording",
    "a refused picture is recognised in the words of any provider",
    "https://github.com/NousResearch/hermes-agent/issues/76039",
    (("images/refused-in-other-words[minimax, patches]", "1.should.outcome"),),
)
def _one_wording(defences: Defences) -> Defences:
    def says_so(error: ProviderError, sent: History) -> bool:
        return "image exceeds" in str(error) or "image dimensions" in str(error)

    return replace(defences, refuses_pictures=says_so)


@MUTANTS.add(
    "M47d_svg_as_picture",
    "a picture that no model reads is sent as text or not at all",
    "https://github.com/NVIDIA/TensorRT-LLM/pull/19236",
    (("images/picture-that-is-a-text", "accepted:*"),),
)
def _svg_as_picture(defences: Defences) -> Defences:
    async def run_tool(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        value = await tool.acall(dict(arguments))
        images = tuple(part for part in value if part.type == "image") if isinstance(value, list) else ()
        return Result(call.id, call.name, Tool.text(value), pictures=images)

    return replace(_never_left_out(defences), run_tool=run_tool)


@MUTANTS.add(
    "M47e_same_text_same_result",
    "a result with another picture is another result",
    "https://github.com/xuzhougeng/wisp-science/pull/1064",
    (("images/same-words-other-picture", "1.executed"),),
)
def _same_text_same_result(defences: Defences) -> Defences:
    return replace(defences, bounds=lambda limits: _TextsCompared(limits.requests or 0))
