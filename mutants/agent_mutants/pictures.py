"""Bugs with pictures of tools and users: lost, late, as text, or sent for ever after a refusal."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from agent_conformance.adapter.types import Setup, Tool
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result, leave_out_pictures
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_mutants.memory import last_user_message
from agent_mutants.mutant import RIGHT, Mutants

PI = "https://github.com/earendil-works/pi/issues/7337"


def never_refused(error: ProviderError, sent: History) -> bool:
    return False


def without_pictures(history: History) -> History:
    bare = (replace(entry, results=tuple(replace(r, pictures=()) for r in entry.results)) for entry in history)
    return tuple(replace(entry, pictures=()) for entry in bare)


@dataclass(slots=True)
class _TextsCompared(Bounds):
    def record_result(self, key: str, result: str) -> None:
        Bounds.record_result(self, key, result[:20])


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("run_tool", "the pictures of a result reach the model",
    "https://github.com/github/copilot-cli/issues/4536",
    {"images/picture-in-a-result": "1.requests*", "images/picture-before-gemini-3": "1.requests*"})
async def M46a_pictures_dropped(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    return replace(await RIGHT.run_tool(tool, call, arguments), pictures=())

@MUTANTS.replaces("run_tool", "all pictures of a result reach the model",
    "an agent that has room for one picture in each result", {"images/several-in-each-result": "1.requests*"})
async def M965_first_picture_of_a_result(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    result = await RIGHT.run_tool(tool, call, arguments)
    return replace(result, pictures=result.pictures[:1])

@MUTANTS.replaces("last_pass", "the pictures of a restored result reach the model",
    "https://github.com/vellum-ai/vellum-assistant/issues/18387", {"images/picture-of-a-failure": "1.requests*"})
def M46b_pictures_of_history_dropped(history: History) -> History:
    return tuple(replace(entry, results=tuple(replace(r, pictures=()) for r in entry.results)) for entry in history)

@MUTANTS.replaces("run_tool", "a picture is no text",
    "https://github.com/whoz-oss/coday/issues/554",
    {"images/text-beside-a-picture": "no-picture-text", "pairs/images-and-*": "no-picture-text",
     "pairs/switch-and-images": "no-picture-text", "pairs/*-with-pictures": "no-picture-text"})
async def M46c_parts_as_text(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    value = await tool.acall(dict(arguments))
    listed = [asdict(part) for part in value] if isinstance(value, list) else value
    return Result(call.id, call.name, listed if isinstance(listed, str) else json.dumps(listed))

@MUTANTS.replaces("run_tool", "a result may have a picture",
    "https://github.com/huggingface/smolagents/issues/1152", {"images/text-beside-a-picture": "answers"})
async def M46d_only_text_expected(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    result = await RIGHT.run_tool(tool, call, arguments)
    if result.pictures:
        raise ValueError("unsupported content type: image")
    return result

@MUTANTS.replaces("full_request", "the request after a result has its pictures",
    "https://github.com/anthropics/claude-ai-mcp/issues/643", {"images/picture-in-a-result": "1.requests*"})
def M46e_a_request_late(request: CompletionRequest) -> CompletionRequest:
    *before, last = request.history
    results = tuple(replace(result, pictures=()) for result in last.results)
    return replace(request, history=(*before, replace(last, results=results)))

@MUTANTS.replaces("full_request", "a picture of the user is sent as a picture",
    "https://github.com/AAswordman/Operit/issues/646", {"images/picture-of-the-user": "1.requests*"})
def M46f_link_for_picture(request: CompletionRequest) -> CompletionRequest:
    def linked(entry: Entry) -> Entry:
        links = [f"[{picture.media_type}](picture-{n})" for n, picture in enumerate(entry.pictures)]
        return replace(entry, text="\n".join([entry.text, *links]), pictures=())

    return replace(request, history=tuple(map(linked, request.history)))

MUTANTS.row("M860_users_picture_for_ever", "a picture of the user that is refused leaves the conversation", PI,
    {"images/users-picture-refused[live, restarted]": tuple(f"accepted:{rule}" for rule in (
        "openai/image-format", "openai/responses-image-format", "anthropic/image-unreadable",
        "gemini/picture-unreadable", "bedrock/claude-image-unreadable"))},
    refuses_pictures=never_refused)

@MUTANTS.replaces("refuses_pictures", "a refused picture of the user is recognised in the words of any provider",
    "https://github.com/MoonshotAI/kimi-code/issues/3087",
    {"images/users-picture-refused[live, restarted]": ("accepted:openai/image-format",
        "accepted:openai/responses-image-format", "accepted:gemini/picture-unreadable")})
def M863_words_of_one_maker(error: ProviderError, sent: History) -> bool:
    return "Could not process image" in str(error)

@MUTANTS.replaces("leave_out_pictures", "a picture of the user that is refused is no different from one of a result",
    "https://github.com/anthropics/claude-code/issues/53228",
    {"images/users-picture-refused[live, restarted]": "accepted:*"})
def M864_pictures_of_results_alone(history: History) -> History:
    cleared = leave_out_pictures(history)
    return tuple(replace(new, text=old.text, pictures=old.pictures) for old, new in zip(history, cleared, strict=True))

MUTANTS.row("M47a_never_left_out", "a picture that is refused leaves the conversation", PI,
    {"images/refused-by-the-provider[live, restarted]": "accepted:anthropic/image-dimensions",
     "images/more-than-twenty": "accepted:anthropic/image-dimensions-many",
     "long-sessions/screens-pile-up": "accepted:anthropic/image-dimensions-many"},
    refuses_pictures=never_refused)

@MUTANTS.replaces("leave_out_pictures",
    "a picture that is refused leaves the conversation, also one of an earlier turn",
    "https://github.com/anthropics/claude-code/issues/45543",
    {"images/restored-and-refused": "accepted:anthropic/image-dimensions"})
def M47b_own_turn_alone(history: History) -> History:
    now = last_user_message(history)
    return (*history[:now], *leave_out_pictures(history[now:]))

@MUTANTS.replaces("leave_out_pictures", "the user's words stay where the picture beside them is left out",
    "https://github.com/NousResearch/hermes-agent/issues/25837",
    {"images/users-picture-refused[live, restarted]": "asked"})
def M861_words_go_with_the_picture(history: History) -> History:
    return leave_out_pictures(
        tuple(replace(entry, text="") if entry.pictures else entry for entry in history))

@MUTANTS.replaces("leave_out_pictures", "pictures that were accepted stay where another is refused",
    "https://github.com/anthropics/claude-code/issues/45543",
    {"images/users-picture-refused[live, restarted]": "3.should.requests*"})
def M862_every_picture_goes(history: History) -> History:
    earlier = history[:last_user_message(history)]
    return (*leave_out_pictures(earlier), *leave_out_pictures(history[len(earlier):]))

@MUTANTS.replaces("refuses_pictures", "a refused picture is recognised in the words of any provider",
    "https://github.com/NousResearch/hermes-agent/issues/76039",
    {"images/refused-in-other-words[minimax, patches]": "1.should.outcome"})
def M47c_one_wording(error: ProviderError, sent: History) -> bool:
    return "image exceeds" in str(error) or "image dimensions" in str(error)

@MUTANTS.replaces("run_tool", "a picture that no model reads is sent as text or not at all",
    "https://github.com/NVIDIA/TensorRT-LLM/pull/19236", {"images/picture-that-is-a-text": "accepted:*"},
    refuses_pictures=never_refused)
async def M47d_svg_as_picture(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    value = await tool.acall(dict(arguments))
    images = tuple(part for part in value if part.type == "image") if isinstance(value, list) else ()
    return Result(call.id, call.name, Tool.text(value), pictures=images)

MUTANTS.row("M47e_same_text_same_result", "a result with another picture is another result",
    "https://github.com/xuzhougeng/wisp-science/pull/1064", {"images/same-words-other-picture": "1.executed"},
    bounds=lambda limits: _TextsCompared(limits.requests or 0))

@MUTANTS.changes("a second provider is sent the pictures of the conversation",
    "fallbacks that are given the texts of the messages",
    {"pairs/fallback-with-pictures": "restored", "pairs/fallback-with-user-pictures": "restored"})
def M942_texts_alone_for_the_second(defences: Defences) -> Defences:
    seconds: set[tuple[str, str]] = set()

    def second_of(setup: Setup) -> Setup | None:
        second = defences.fallback_setup(setup)
        seconds.update({(second.provider, second.model)} if second else ())
        return second

    def full(request: CompletionRequest) -> CompletionRequest:
        is_second = (request.provider, request.model) in seconds
        return replace(request, history=without_pictures(request.history)) if is_second else request

    return replace(defences, fallback_setup=second_of, full_request=full)

@MUTANTS.replaces("last_pass", "what the user says with a picture has it in each request",
    "gateways that take the first text of a message", {"pairs/*-with-user-pictures": "3.requests*"})
def M943_texts_of_users_alone(history: History) -> History:
    return tuple(replace(entry, pictures=()) for entry in history)
