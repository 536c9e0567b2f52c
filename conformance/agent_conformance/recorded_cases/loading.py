"""A cassette as a file of scenarios: one row for each conversation in it."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.cassettes import Problem as CassetteProblem
from agent_conformance.cassettes import RecordedExchange, UnknownFormat, exchanges_of, wire_of
from agent_conformance.cassettes.decoding import decode_response, request_of
from agent_conformance.cassettes.recorded_exchange import ABOUT, line_after_the_end
from agent_conformance.scenario.cases import Case, RunOptions, cases_of, features_used
from agent_conformance.scenario.files.selection import ScenarioPath
from agent_conformance.scenario.loading import ScenarioFile, digest_of, validated
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.yaml_files import Problem, shown_path
from agent_conformance.scenario.yaml_files.examples import MAX_TEXT
from agent_conformance.scenario.yaml_files.reading import LARGEST, KeyPath, read_data
from agent_conformance.scenario_drafts.drafting import END, played, turns_of
from agent_conformance.scenario_drafts.incident import Evidence, Message, Round, Sent, joined, round_of, with_ids
from agent_conformance.scenario_drafts.neutral import USUAL_ID
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_for
from fake_providers.wire_facts import can_express

_PREVIOUS = re.compile(rb'"previous_response_id"\s*:\s*"([^"]+)"')
_RESPONSE = re.compile(rb'"id"\s*:\s*"(resp[^"]+)"')

Mark = tuple[str, ...]
"""What a later request repeats of a reply."""


@dataclass(slots=True)
class RecordedSession:
    """The requests of one conversation with their replies, in order. `line` is that of the first request.

    `modes` and `model` are as recorded; fixtures, which have no requests, have neither.
    """

    wire: str
    provider: str
    line: int
    rounds: list[Round] = field(default_factory=list)
    modes: dict[str, None] = field(default_factory=dict)
    model: str = ""
    is_made_up: bool = False
    is_chained: bool = False
    """The provider has the earlier messages, so that requests do not repeat them."""

    @property
    def has_tools(self) -> bool:
        return any(one.tools for one in self.rounds)

    @property
    def first_words(self) -> str:
        messages = self.rounds[0].messages
        return next((message.text for message in messages if message.role == "user" and message.text.strip()), "")


def sessions_of(exchanges: Iterable[RecordedExchange]) -> list[RecordedSession]:
    """In the order in which they begin, without side requests: those without tools that quote another conversation."""
    sessions: list[RecordedSession] = []
    by_mark: dict[Mark, RecordedSession] = {}
    for exchange in exchanges:
        found = wire_of(exchange)
        if found is None:
            continue
        request = request_of(exchange.request, found)
        one = _round(Sent(request, found.wire, found.provider, exchange.response, exchange.is_made_up), exchange)
        marks = _marks_of_request(exchange, found.wire, one)
        session = next((by_mark[mark] for mark in marks if mark in by_mark), None)
        session = session or _begun_alike(sessions, one, found.wire)
        if session is None:
            session = RecordedSession(found.wire, found.provider, exchange.place.line)
            sessions.append(session)
        session.rounds.append(one)
        session.is_made_up |= exchange.is_made_up
        session.is_chained |= _PREVIOUS.search(exchange.request.body) is not None
        if not exchange.is_made_up:
            view = wire_for(found.provider, found.wire).view(request)
            session.modes["stream" if view.stream else "plain"] = None
            session.model = session.model or view.model
        by_mark.update(dict.fromkeys(_marks_of_reply(exchange, found.wire, one), session))
    for session in sessions:
        if not session.is_chained:
            _leave_out_asides(session)
    return [session for session in sessions if not _is_aside(session, sessions)]


def _round(sent: Sent, exchange: RecordedExchange) -> Round:
    """Without a reply that was cut off."""
    one = round_of(sent)
    if one.reply is None:
        return one
    is_whole = decode_response(exchange.response, sent.wire).is_complete and not exchange.response.is_cut
    return replace(one, reply=replace(one.reply, line=exchange.place.line) if is_whole else None)


def _marks_of_request(exchange: RecordedExchange, wire: str, one: Round) -> Iterator[Mark]:
    """The latest first."""
    previous = _PREVIOUS.search(exchange.request.body)
    if previous:
        yield wire, "response", previous[1].decode(errors="replace")
    for message in reversed(one.messages):
        yield from _marks(wire, message)


def _marks_of_reply(exchange: RecordedExchange, wire: str, one: Round) -> Iterator[Mark]:
    if one.reply is None:
        return
    yield from _marks(wire, one.reply)
    named = _RESPONSE.search(exchange.response.body) if wire == "openai-responses" else None
    if named:
        yield wire, "response", named[1].decode(errors="replace")


def _marks(wire: str, message: Message) -> Iterator[Mark]:
    if message.role != "assistant":
        return
    for call in message.calls:
        yield wire, "call", call.id or "", call.name, call.arguments_text if not call.id else ""
    if message.text.strip():
        yield wire, "text", message.text.strip()


def _begun_alike(sessions: list[RecordedSession], one: Round, wire: str) -> RecordedSession | None:
    """The conversation in which this is the next try, or a longer request that begins with the same message."""
    for session in reversed(sessions):
        last = session.rounds[-1]
        if session.wire != wire or last.messages[:1] != one.messages[:1]:
            continue
        if last.reply is None or len(one.messages) > len(last.messages) or session.is_made_up:
            return session
    return None


def _leave_out_asides(session: RecordedSession) -> None:
    """Requests whose last message and reply no later request has: for a summary, with the conversation before it."""
    later: list[Message] = []
    kept: list[Round] = []
    for one in reversed(session.rounds):
        last = one.messages[-1] if one.messages else None
        is_lost = last is not None and last.role == "user" and last not in later
        if not (later and is_lost and one.reply is not None and not _is_echoed(one.reply, later)):
            kept.append(one)
        later = [*one.messages] if not later else later + [message for message in one.messages if message not in later]
    session.rounds = kept[::-1]


def _is_echoed(reply: Message, messages: Iterable[Message]) -> bool:
    texts = [message.text for message in messages if message.role == "assistant" and message.text]
    names = {call.name for message in messages for call in message.calls}
    return any(call.name in names for call in reply.calls) or any(
        text in reply.text or reply.text in text for text in texts if reply.text
    )


def _is_aside(session: RecordedSession, sessions: list[RecordedSession]) -> bool:
    """A request for a title or a summary."""
    if session.has_tools:
        return False
    texts = "\n".join(message.text for message in session.rounds[0].messages)
    others = (other for other in sessions if other is not session and other.has_tools)
    return any(other.first_words and other.first_words in texts for other in others)


COMMENT = "The conversations of a cassette: the model says what was recorded, and the laws judge the agent."
MOST_SESSIONS = 100
MOST_EXCHANGES = 2_000
MOST_PROBLEMS = 20
INSTEAD = "`agent-conformance new --from` makes a scenario of it, where that is possible."


@dataclass(frozen=True, slots=True)
class PlayedCassette:
    """`file` has a row for each conversation that can be played; `problems` say what cannot, and why."""

    file: ScenarioFile | None
    problems: tuple[Problem, ...]
    lines: Mapping[str, Mapping[KeyPath, int]] = field(default_factory=dict)
    """Of each row, the lines of its turns in the cassette."""

    def cases(self, agent: DeclaredAgent, options: RunOptions) -> list[Case]:
        """Each with the lines of its own conversation."""
        cases = [] if self.file is None else cases_of(self.file, agent, options)
        return [replace(case, file=replace(case.file, lines=self.lines[str(case.row)])) for case in cases]


def load_cassette(found: ScenarioPath, *, start: Path | None = None) -> PlayedCassette:
    """Never raises for what is in the file. Findings show its path from `start`, as those of scenario files do."""
    problems: list[Problem] = []
    try:
        exchanges = _exchanges(found.path, problems)
    except OSError as error:
        most = f" At most {LARGEST // 1024 // 1024} MB are read." if "bytes" in str(error) else ""
        what = f"the cassette cannot be read: {error.strerror or error}.{most}"
        return PlayedCassette(None, (Problem(shown_path(found.path), 1, what),))
    except UnknownFormat as error:
        return PlayedCassette(None, (Problem(shown_path(found.path), 1, str(error).removeprefix(f"{found.path}: ")),))
    sessions = sessions_of(exchanges)
    if not sessions and not problems:
        what = f"none of its {len(exchanges)} entries is a request to a model that is known here."
        problems.append(Problem(shown_path(found.path), 1, what))
    shown = shown_path(found.path)
    played: dict[str, PlayedSession] = {}
    rows: dict[str | None, Scenario] = {}
    for number, session in enumerate(sessions, 1):
        if number > MOST_SESSIONS:
            problems.append(Problem(shown, session.line, f"{MOST_SESSIONS} conversations are played, and no more."))
            break
        try:
            one = script_of(session)
            # Raises `CannotPlay`, also for a reply that the fake of the wire cannot send
            scenario = validated(one.data)
            if not isinstance(scenario, Scenario):
                _, sentence = scenario[0]
                raise CannotPlay(f"it makes no scenario: {sentence.rstrip('.')}")
            modes = [str(mode) for mode in scenario.modes or ("plain", "stream")]
            lacking = sorted(
                feature
                for feature in features_used(scenario)
                if not any(can_express(feature, wire=session.wire, mode=mode) for mode in modes)
            )
            if lacking and not session.is_made_up:
                raise CannotPlay(f"a reply in it cannot be sent by the fake of {session.wire}: {', '.join(lacking)}")
            rows[str(number)] = scenario
            played[str(number)] = one
        except CannotPlay as why:
            problems.append(Problem(shown, session.line, f"conversation {number} cannot be played: {why}. {INSTEAD}"))
    if not rows:
        return PlayedCassette(None, tuple(problems))
    digest = digest_of({row: one.data for row, one in played.items()})
    path = shown_path(found.path, start)
    file = ScenarioFile(found.id, found.area, found.path, COMMENT, digest, rows, {(): 1}, path, is_recorded=True)
    return PlayedCassette(file, tuple(problems), {row: one.lines for row, one in played.items()})


def _exchanges(path: Path, problems: list[Problem]) -> list[RecordedExchange]:
    exchanges: list[RecordedExchange] = []
    data = read_data(path)
    for one in exchanges_of(data, str(path)):
        if isinstance(one, CassetteProblem):
            if len(problems) < MOST_PROBLEMS:
                problems.append(Problem(shown_path(path), one.place.line, one.message))
        elif len(exchanges) == MOST_EXCHANGES:
            what = f"{MOST_EXCHANGES:,} entries were read, and no more are played. Split the cassette."
            problems.append(Problem(shown_path(path), one.place.line, what))
            break
        else:
            exchanges.append(one)
    after = line_after_the_end(data.decode(errors="surrogateescape"))
    if after is not None:
        problems.append(Problem(shown_path(path), after, ABOUT))
    return exchanges


MOST_TURNS = 100
MOST_REPLIES = 16
"""Of one turn: agents may stop after 20 requests."""
MOST_PIECES = 200
"""The most pieces of one streamed text."""


ABOUT_TEXTS = ("declared-only", "no-protocol-text", "stream-is-reply", "sent-arguments")
"""Laws that need to know what a text of the model is: a call to run, protocol to hide, or prose to show."""

_MARKUP = re.compile(r"<(?!\s)|\[/?[A-Z_]{3,}|\[/?[A-Z_]*$|```")
"""As in calls and reasoning that models write as text, also where one is cut off."""
_BRACKET = re.compile(r"[(\[{<:=]")


class CannotPlay(Exception):
    """Says why a conversation cannot be played, and what can be done with it."""


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """`data` is a scenario with nothing to fill in; `lines` are those of its turns in the cassette."""

    data: dict[str, Any]
    lines: dict[KeyPath, int]


def script_of(session: RecordedSession) -> PlayedSession:
    """Raises `CannotPlay`. Calls of the provider's own tools are left out, and what a text cites: only an agent that
    declares these tools could be judged."""
    whole = _playable(with_ids(joined(session.rounds)))
    messages = tuple(replace(message, server_calls=(), sources=()) for message in whole)
    if not any(message.role == "assistant" for message in messages):
        replies = any(one.reply is not None for one in session.rounds)
        raise CannotPlay(
            "it has no message of the user with a reply after it" if replies else "no reply of a model was recorded"
        )
    _check_size(messages)
    tools = {tool.name: tool for one in reversed(session.rounds) for tool in reversed(one.tools)}
    evidence = Evidence(
        "cassette", session.wire, session.provider, messages, messages, tools=tuple(reversed(tools.values()))
    )
    data = {**_head(session), **_without_demands(played(evidence).document)}
    turns = list(turns_of(messages))
    for turn, said in zip(turns, data["conversation"], strict=True):
        said["model"] = _shortened(list(_with_pieces(said["model"], turn.replies)))
        _allow_near_names(said["model"], list(tools))
        if may_hide_calls([*said["model"]], tools) or any(reply.get("finish") for reply in said["model"]):
            said["expect"] = {"outcome": "either"}
    if may_hide_calls([reply for said in data["conversation"] for reply in said["model"]], tools):
        data["waive"] = dict.fromkeys(ABOUT_TEXTS, "The model's text may be a call, and nobody says how it was meant.")
    lines: dict[KeyPath, int] = {(): session.line}
    for number, turn in enumerate(turns):
        lines["conversation", number] = next((one.line for one in turn.replies if one.line), session.line)
    return PlayedSession(data, lines)


def _allow_near_names(model: list[dict[str, Any]], tools: list[str]) -> None:
    """What a right agent makes of a name that no tool has, nobody says: it may run a tool that it takes for it."""
    for call in (call for reply in model for call in reply.get("calls", ())):
        if call["name"] not in tools and tools:
            call["may_run"] = tools


def may_hide_calls(replies: Iterable[dict[str, Any]], tools: Iterable[str]) -> bool:
    """Whether a text has markup, or the name of a tool beside a bracket."""
    texts = [str(reply.get("text", "")) for reply in replies]
    names = [name.lower() for name in tools]
    return any(
        _MARKUP.search(text) or (_BRACKET.search(text) and any(name in text.lower() for name in names))
        for text in texts
    )


def _head(session: RecordedSession) -> dict[str, Any]:
    """Where a session is played: on the recorded wire, provider, model and modes; fixtures run everywhere."""
    if session.is_made_up:
        return {}
    is_own = session.provider == own_provider(session.wire)
    return {
        "wires": [session.wire],
        **({} if is_own else {"providers": [session.provider]}),
        "modes": list(session.modes),
        **({"model": {session.wire: session.model}} if session.model and is_own else {}),
    }


def _without_demands(document: dict[str, Any]) -> dict[str, Any]:
    turns = [{key: value for key, value in turn.items() if key != "expect"} for turn in document["conversation"]]
    document = {key: value for key, value in document.items() if key not in ("providers", "system")}
    return {
        **document,
        "description": "a recorded conversation is accepted and answered when it is played",
        "conversation": turns,
    }


def _playable(messages: Iterable[Message]) -> tuple[Message, ...]:
    """From the first message of the user on, each call with its result after it, under an id of its own.

    A call without a result gets a made-up one, and a result without a call is left out.
    """
    messages = list(messages)
    results: dict[str | None, deque[Message]] = defaultdict(deque)
    for message in messages:
        if message.role == "tool":
            results[message.id].append(message)
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    first = users[0] if users else len(messages)
    given: list[Message] = []
    used: set[str] = set()
    for place, message in enumerate(messages):
        calls = [(call, results[call.id].popleft() if results[call.id] else None) for call in message.calls]
        if place < first or message.role == "tool":
            continue
        ids = [_id(call.id, used) for call, _ in calls]
        renamed = tuple(replace(call, id=id) for (call, _), id in zip(calls, ids, strict=True))
        given.append(replace(message, calls=renamed))
        for (call, result), id in zip(calls, ids, strict=True):
            given.append(replace(result or Message("tool", "done", name=call.name), id=id))
    return tuple(given)


def _id(id: str | None, used: set[str]) -> str:
    """An id of an odd form stays, since clients stumble over those; any other becomes a plain one."""
    new = id if id and not USUAL_ID.fullmatch(id) and id not in used else f"c{len(used) + 1}"
    used.add(new)
    return new


def _check_size(messages: tuple[Message, ...]) -> None:
    turns = sum(1 for message in messages if message.role == "user")
    if turns > MOST_TURNS:
        raise CannotPlay(f"it has {turns} messages of the user, and at most {MOST_TURNS} are played")
    characters = sum(
        len(message.text) + sum(len(call.arguments_text) for call in message.calls) for message in messages
    )
    if characters > MAX_TEXT:
        raise CannotPlay(f"its texts have {characters:,} characters, and at most {MAX_TEXT:,} are played")


def _with_pieces(model: list[dict[str, Any]], replies: tuple[Message, ...]) -> Iterator[dict[str, Any]]:
    """Replies with the pieces in which their text was streamed."""
    pieces = {reply.text: reply.chunks for reply in replies if 1 < len(reply.chunks) <= MOST_PIECES}
    for reply in model:
        chunks = pieces.get(reply.get("text", ""), ())
        yield {**reply, "chunks": list(chunks)} if chunks else reply


def _shortened(model: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first replies of a turn that has many, and its last one."""
    if len(model) <= MOST_REPLIES:
        return model
    last = model[-1]
    return [*model[: MOST_REPLIES - 1], {"text": END} if last.get("calls") else last]
