"""Evidence becomes documents of scenarios: the conversation played, restored, or played with a small window."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from agent_conformance.minimise import Document
from agent_conformance.scenario.model import ServerTool
from agent_conformance.scenario_drafts.incident import Call, Evidence, Message, Tool, content_with
from fake_providers.provider_facts import own_provider
from fake_providers.reply import ServerCall

GO_ON = "Go on."
END = "That is all."
MADE_UP_REPLY = f"What the model would have replied is not known: `{END}` is made up."
DESCRIPTION_LENGTH = 72
NAME_OF_A_TOOL = re.compile(r"[\w.:/-]{1,128}", re.ASCII)
"""In some wire's declarations. A model that makes up a name may write any."""
PLAYED_FINISHES = ("length", "content_filter", "refusal")
"""Ways to end that a text or calls may have on each wire that has a word for them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """`name` says how the conversation came into the document. `made_up` are sentences about what was."""

    name: str
    document: Document
    made_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the user with the replies, and the results of their calls."""

    users: tuple[Message, ...]
    replies: tuple[Message, ...]
    results: tuple[Message, ...]

    @property
    def user(self) -> str | list[dict[str, Any]]:
        """The text, or the parts where there are pictures."""
        text = "\n".join(message.text for message in self.users)
        return content_with(text, (picture for message in self.users for picture in message.pictures))


def drafts_of(evidence: Evidence) -> Iterator[Draft]:
    """The most faithful first: played if it can be, then restored, then with a window that makes agents prune."""
    obstacle = obstacle_to_playing(evidence.messages)
    if not obstacle:
        yield played(evidence)
    yield from _restored(evidence, evidence.sent)
    if evidence.messages != evidence.sent:
        yield from _restored(evidence, evidence.messages)
    if obstacle_to_playing(evidence.sent):
        lived, made_up = before_pruning(evidence, is_whole=not obstacle)
        draft = _draft("played with a small window", evidence, (), lived)
        document = {**draft.document, "limits": {"context_tokens": window_for(lived)}}
        order = ("description", "profile", "providers", "system", "limits", "tools", "history", "conversation")
        yield Draft(draft.name, {key: document[key] for key in order if key in document}, (*made_up, *draft.made_up))


def played(evidence: Evidence) -> Draft:
    """The whole conversation, played. There must be no obstacle to playing it."""
    return _draft("played", evidence, (), evidence.messages)


def _restored(evidence: Evidence, messages: Sequence[Message]) -> Iterator[Draft]:
    """What is before the user's last message as history; and where the rest cannot be played alone, all of it."""
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    last = users[-1] if users else len(messages)
    if users and last and not obstacle_to_playing(messages[last:]):
        yield _draft("restored", evidence, messages[:last], messages[last:])
    elif messages:
        draft = _draft("restored", evidence, messages, (Message("user", GO_ON),))
        yield Draft("restored whole", draft.document, (f"`{GO_ON}` is made up.", *draft.made_up))


def _draft(name: str, evidence: Evidence, history: Sequence[Message], played: Sequence[Message]) -> Draft:
    turns = list(turns_of(played))
    tools = _tools(evidence, [*history, *played])
    rule = evidence.refusal.rule if evidence.refusal and evidence.refusal.is_in_scenarios else ""
    how = "restored" if name.startswith("restored") else "played"
    fact = f"a {how} conversation never breaks {rule}" if rule else f"a {how} conversation goes on to its end"
    # The one that refused, unless it is the wire's own, where cases run anyway.
    is_own = evidence.provider == own_provider(evidence.wire)
    document: Document = {
        "description": fact
        if len(fact) <= DESCRIPTION_LENGTH
        else f"the {how} conversation of an incident is accepted",
        "profile": "core" if name == "played" and _is_well_formed(turns, tools) else "hardened",
        "providers": [evidence.provider] if evidence.refusal and evidence.refusal.rule and not is_own else [],
        "system": evidence.system,
        "server_tools": list(
            {call.name: None for turn in turns for reply in turn.replies for call in reply.server_calls if _plays(call)}
        ),
        "tools": [_tool(tool, [result for turn in turns for result in _results_of(turn, tool.name)]) for tool in tools],
        "history": [_message(message) for message in history],
        "conversation": [_turn(turn, tools, is_last=turn is turns[-1]) for turn in turns],
    }
    made_up = [MADE_UP_REPLY] if any(not _ends(turn) for turn in turns) else []
    if tools and not evidence.tools:
        made_up.append("The declarations of the tools are made up from their calls.")
    lost = {c.server or c.name for t in turns for reply in t.replies for c in reply.server_calls if not _plays(c)}
    if lost:
        made_up.append(f"Calls of the provider's own tools are left out: {', '.join(sorted(lost))}.")
    return Draft(name, {key: value for key, value in document.items() if value not in ("", [])}, tuple(made_up))


def _plays(call: ServerCall) -> bool:
    """Whether a scenario can have the call: of a tool of the provider's own, with what came of it."""
    return call.server is None and call.name in get_args(ServerTool) and call.result is not None


def turns_of(messages: Sequence[Message]) -> Iterator[Turn]:
    users: list[Message] = []
    replies: list[Message] = []
    results: list[Message] = []
    for message in messages:
        if message.role == "user" and message.pictures and not message.text and results:
            results[-1] = replace(results[-1], pictures=(*results[-1].pictures, *message.pictures))
        elif message.role == "user":
            if replies:
                yield Turn(tuple(users), tuple(replies), tuple(results))
                users, replies, results = [], [], []
            users.append(message)
        elif message.role == "assistant":
            replies = _with_reply(replies, message)
        else:
            results.append(message)
    yield Turn(tuple(users), tuple(replies), tuple(results))


def _with_reply(replies: list[Message], message: Message) -> list[Message]:
    """A reply without calls ends a turn, so a second one after it is the same reply."""
    if not replies or replies[-1].calls:
        return [*replies, message]
    text = "\n".join(text for text in (replies[-1].text, message.text) if text)
    return [
        *replies[:-1],
        Message(
            "assistant",
            text,
            message.thinking or replies[-1].thinking,
            message.calls,
            server_calls=(*replies[-1].server_calls, *message.server_calls),
            sources=(*replies[-1].sources, *message.sources),
        ),
    ]


def _ends(turn: Turn) -> bool:
    return bool(turn.replies) and not turn.replies[-1].calls and bool(turn.replies[-1].text.strip())


def _turn(turn: Turn, tools: Sequence[Tool], *, is_last: bool) -> dict[str, Any]:
    ended = [one for one in turn.replies if one.calls or one.text.strip()]
    model = [_reply(reply) for reply in ended] + ([] if _ends(turn) else [{"text": END}])
    expect: dict[str, Any] = {}
    calls = [call for reply in turn.replies for call in reply.calls]
    if calls and _all_run(turn, calls, tools):
        executed = [{call.name: call.arguments} for call in calls]
        is_parallel = any(len(reply.calls) > 1 for reply in turn.replies)
        expect["executed"] = {"any_order": executed} if is_parallel else executed
    # The requests in which pictures of the user or of results must be
    of_call = {result.id: len(result.pictures) for result in turn.results}
    counts = [sum(len(message.pictures) for message in turn.users)]
    counts += [sum(of_call.get(call.id, 0) for call in reply.calls) for reply in ended]
    requests = [{"at": number, "images": count} for number, count in enumerate(counts, 1) if count]
    if requests:
        expect["requests"] = requests
    if is_last:
        expect["reply"] = model[-1]["text"]
    return {"user": turn.user, "model": model, **({"expect": expect} if expect else {})}


def _all_run(turn: Turn, calls: Sequence[Call], tools: Sequence[Tool]) -> bool:
    """Only what a right agent runs: known tools, with the arguments that they require, whose results came back."""
    known = {tool.name: tool for tool in tools}
    answered = {result.id for result in turn.results if not result.is_error}
    return all(
        call.name in known
        and isinstance(call.arguments, dict)
        and call.id in answered
        and required_are_given(known[call.name].parameters, call.arguments)
        for call in calls
    )


def _is_well_formed(turns: Sequence[Turn], tools: Sequence[Tool]) -> bool:
    names = {tool.name for tool in tools}
    calls = [call for turn in turns for reply in turn.replies for call in reply.calls]
    failed = any(result.is_error for turn in turns for result in turn.results)
    return not failed and all(isinstance(call.arguments, dict) and call.name in names for call in calls)


def _reply(message: Message) -> dict[str, Any]:
    reply: dict[str, Any] = {}
    if message.thinking:
        reply["thinking"] = message.thinking
    if message.text:
        reply["text"] = message.text
    if message.calls:
        reply["calls"] = [_call(call, with_id=False) for call in message.calls]
    if message.finish in PLAYED_FINISHES:
        reply["finish"] = message.finish
    hosted = [call for call in message.server_calls if _plays(call)]
    if hosted:
        members = ("name", "arguments", "result")
        reply["server_calls"] = [{name: getattr(call, name) for name in members} for call in hosted]
    if message.sources and message.text:
        reply["sources"] = [{name: value for name, value in asdict(one).items() if value} for one in message.sources]
    return reply


def _call(call: Call, *, with_id: bool) -> dict[str, Any]:
    """An id that is given is a demand on the wire, so a played call has one only if it is of an odd form."""
    said: dict[str, Any] = {"id": call.id} if with_id or (call.id and not call.id.isalnum()) else {}
    said["name"] = call.name
    if isinstance(call.arguments, dict):
        if call.arguments:
            said["arguments"] = call.arguments
    else:
        said["arguments_text"] = call.arguments_text
    return said


def _message(message: Message) -> dict[str, Any]:
    if message.role == "user":
        return {"user": content_with(message.text, message.pictures)}
    if message.role == "tool":
        error = {"error": True} if message.is_error else {}
        name = {"name": message.name} if message.name else {}
        return {"tool": {"id": message.id, **name, "result": _result(message), **error}}
    if not (message.calls or message.thinking):
        return {"assistant": message.text}
    said: dict[str, Any] = {"text": message.text} if message.text else {}
    if message.thinking:
        said["thinking"] = message.thinking
    if message.calls:
        said["calls"] = [_call(call, with_id=True) for call in message.calls]
    return {"assistant": said}


def _tools(evidence: Evidence, messages: Sequence[Message]) -> list[Tool]:
    """The tools that were declared, each once; if none, one for each name that was called and a tool may have."""
    if evidence.tools:
        return list({tool.name: tool for tool in reversed(evidence.tools)}.values())[::-1]
    made: dict[str, list[Any]] = {}
    for message in messages:
        for call in (call for call in message.calls if NAME_OF_A_TOOL.fullmatch(call.name)):
            made.setdefault(call.name, []).append(call.arguments)
    return [Tool(name, f"The tool {name}.", parameters_of(arguments)) for name, arguments in made.items()]


def _results_of(turn: Turn, name: str) -> list[Message]:
    """In the order of the calls."""
    by_id = {result.id: result for result in turn.results}
    calls = [call for reply in turn.replies for call in reply.calls]
    return [by_id[call.id] for call in calls if call.name == name and call.id in by_id]


def _tool(tool: Tool, results: Sequence[Message]) -> dict[str, Any]:
    said: dict[str, Any] = {"name": tool.name, "description": tool.description or f"The tool {tool.name}."}
    parameters = parameters_of(None, tool.parameters)
    if parameters:
        said["parameters"] = parameters
    given = [_result(result) for result in results]
    if results and all(result.is_error for result in results):
        said["raises"] = results[0].text
    elif any(result.pictures for result in results) or any(one != given[0] for one in given):
        said["results"] = given
    else:
        said["returns"] = given[0] if given else "done"
    return said


def _result(message: Message) -> str | dict[str, Any]:
    content = content_with(message.text, message.pictures)
    return content if isinstance(content, str) else {"parts": content}


SHORT = ("string", "integer", "number", "boolean", "object")


def parameters_of(arguments: Sequence[Any] | None, schema: Any = None) -> dict[str, Any]:
    """The parameters of a declared schema; or of the arguments of calls, where nothing was declared."""
    if arguments is not None:
        return _schema_of([one for one in arguments if isinstance(one, dict)])
    if not isinstance(schema, dict) or not schema.get("properties"):
        return {}
    lowered: dict[str, Any] = _lowered(schema)
    return _short_form(lowered) or lowered


def _lowered(schema: Any) -> Any:
    """Gemini's requests have types in capitals."""
    if isinstance(schema, list):
        return [_lowered(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.lower() if key == "type" and isinstance(value, str) else _lowered(value)
        for key, value in schema.items()
    }


def required_are_given(schema: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether a right agent may run a call with these arguments, as far as names and plain types say."""
    if not isinstance(schema, dict):
        return True
    required, properties = schema.get("required") or (), schema.get("properties") or {}
    if not all(name in arguments for name in required):
        return False
    return all(name in properties and _fits(value, properties[name]) for name, value in arguments.items())


def _fits(value: Any, schema: Any) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return (
        not isinstance(kind, str)
        or kind.lower() == _type(value)
        or (kind.lower() == "number" and _type(value) == "integer")
    )


def _schema_of(arguments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Required is what every call has."""
    properties = {name: {"type": _type(value)} for one in arguments for name, value in one.items()}
    if not properties:
        return {}
    required = [name for name in properties if all(name in one for one in arguments)]
    return {"type": "object", "properties": properties, "required": required}


def _type(value: Any) -> str:
    kinds = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")


def _short_form(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`{city: string}`, if every property is required and has a type and nothing else; else nothing."""
    properties = schema["properties"]
    is_plain = isinstance(properties, dict) and all(
        isinstance(one, dict) and list(one) == ["type"] and one["type"] in SHORT for one in properties.values()
    )
    others = set(schema) - {"type", "properties", "required", "additionalProperties", "$schema"}
    if not is_plain or others or set(schema.get("required") or ()) != set(properties) or "type" in properties:
        return {}
    return {name: one["type"] for name, one in properties.items()}


BEGIN = "Do what is next."
ROUNDS = 3
"""Rounds of calls that are too many for an agent that keeps the last few messages, and too few for a loop."""
TOKENS = 1000
CHARACTERS = 4 * TOKENS * 6 // 5
"""More than such a window holds."""


def obstacle_to_playing(messages: Sequence[Message]) -> str:
    """Why a model and tools cannot have led to these messages; "" where they can."""
    if not messages or messages[0].role != "user":
        return "it does not begin with the user"
    waiting: list[str | None] = []
    for message in messages:
        if message.role == "tool":
            if message.id not in waiting:
                return "a result is without its call"
            waiting.remove(message.id)
        elif waiting:
            return "a call is without its result"
        waiting += [call.id for call in message.calls]
    return ""


def before_pruning(evidence: Evidence, *, is_whole: bool) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """A conversation that is too long for a window of 1,000 tokens, and what of it is made up."""
    made_up = ["The agent's window is not known."]
    messages = evidence.messages
    if not is_whole:
        # Without results of calls that are not there, from the first call or user on
        made = {call.id for message in evidence.sent for call in message.calls}
        messages = _with_rounds(
            tuple(message for message in evidence.sent if message.role != "tool" or message.id in made)
        )
        made_up.append(
            f"What was there before the first message is not known: `{BEGIN}` and earlier calls are made up."
        )
    if sum(map(_characters, messages)) < CHARACTERS and any(one.role == "tool" for one in messages):
        count = sum(1 for message in messages if message.role == "tool")
        messages = tuple(_longer(one, CHARACTERS // count) if one.role == "tool" else one for one in messages)
        made_up.append("The results are longer than they were.")
    return messages, tuple(made_up)


def window_for(messages: Sequence[Message]) -> int:
    """Tokens that the conversation does not fit into."""
    return max(TOKENS, sum(map(_characters, messages)) // 6)


def _with_rounds(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """After a made-up user, with the first round of calls repeated before it until there are enough."""
    calling = [place for place, message in enumerate(messages) if message.calls]
    if not calling:
        return (Message("user", BEGIN), *messages)
    first = calling[0]
    end = next((place for place in range(first + 1, len(messages)) if messages[place].role != "tool"), len(messages))
    earlier: list[Message] = []
    for number in range(max(0, ROUNDS - len(calling))):
        earlier += [_with_other_ids(message, number) for message in messages[first:end]]
    return (Message("user", BEGIN), *earlier, *messages)


def _with_other_ids(message: Message, number: int) -> Message:
    calls = tuple(replace(call, id=f"{call.id}e{number}") for call in message.calls)
    return replace(message, calls=calls, id=message.id and f"{message.id}e{number}")


def _longer(message: Message, length: int) -> Message:
    text = message.text.strip() or "done"
    return replace(message, text=" ".join([text] * (length // (len(text) + 1) + 1)))


def _characters(message: Message) -> int:
    return len(message.text) + len(message.thinking) + sum(len(call.arguments_text) for call in message.calls)
