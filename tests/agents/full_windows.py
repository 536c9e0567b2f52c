"""Agents around the `openai` SDK that differ in what they do once the provider says that the conversation is too long.

They know the SDK and the adapter's types; they must not know the laws, the fakes or the reference agent.
"""

import json
from collections.abc import Iterator
from typing import Any

from agent_conformance import AgentError, Setup
from tests.agents.seeing import InResult
from tests.agents.session_styles import ContinuesStoredResponses, KeepsAll, Messages


class BeginsAnew(KeepsAll):
    """Right: it says that the conversation is too long, and the next message begins another one."""

    def send(self, message: str) -> Iterator[Any]:
        self.began = len(self.messages)
        yield from super().send(message)

    def streamed(self, messages: Messages, *, tools: bool) -> Iterator[str]:
        from openai import BadRequestError

        try:
            return (yield from super().streamed(messages, tools=tools))
        except BadRequestError as error:
            if not tools or error.code != "context_length_exceeded":
                raise
        return (yield from self.made_shorter())

    def made_shorter(self) -> Iterator[str]:
        self.messages = []
        yield from ()
        return "This conversation is too long for the model. Please begin anew, with what matters.", []

    def sent_again(self) -> Iterator[str]:
        """The conversation as it is now; what is still too long ends the turn in words, and is given up."""
        from openai import BadRequestError

        try:
            return (yield from KeepsAll.streamed(self, self.system + self.messages, tools=True))
        except BadRequestError:
            self.messages = self.messages[: self.began]
            return "This turn has become too long for the model. Ask for less at a time, please.", []


class DropsTheOldest(BeginsAnew):
    """Right: what was said before this turn goes, with a mark."""

    def made_shorter(self) -> Iterator[str]:
        mark = {"role": "user", "content": "[Earlier turns were left out.]"}
        self.messages, self.began = [mark, *self.messages[self.began :]], 1
        return (yield from self.sent_again())


class ClearsTheOldestResults(BeginsAnew):
    """Right: each time that the conversation is too long, results are left out from the oldest on, with a mark."""

    def made_shorter(self) -> Iterator[str]:
        from openai import BadRequestError

        mark = "[The result was left out.]"
        results = [place for place, one in enumerate(self.messages) if one["role"] == "tool" and one["content"] != mark]
        for place in results[:-1]:
            self.messages[place] = {**self.messages[place], "content": mark}
            try:
                return (yield from KeepsAll.streamed(self, self.system + self.messages, tools=True))
            except BadRequestError:
                continue
        return (yield from self.sent_again())


class ShortensOneRequest(ClearsTheOldestResults):
    """Wrong: the request after a refusal is shorter, and the next one as long as before."""

    def made_shorter(self) -> Iterator[str]:
        kept = list(self.messages)
        answer = yield from super().made_shorter()
        self.messages = kept
        return answer


class SumsUpWhenFull(BeginsAnew):
    """Right: what was said before this turn is summed up; without a usable summary it goes."""

    instructions = "You write a summary of a conversation, for the agent that goes on with it."

    def made_shorter(self) -> Iterator[str]:
        older, turn = self.messages[: self.began], self.messages[self.began :]
        summary = self.summary_of(older)
        head = [{"role": "user", "content": f"What was said before, in short: {summary}"}] if summary else []
        self.messages, self.began = [*head, *turn], len(head)
        return (yield from self.sent_again())

    def summary_of(self, older: Messages) -> str:
        from openai import OpenAIError

        if not older:
            return ""
        told = "\n".join(f"{one['role']}: {one['content'] or one.get('tool_calls')}" for one in older)
        try:
            text = self.asked(self.question(told))
        except OpenAIError:
            return ""
        return text if len(text) < len(told) else ""

    def question(self, told: str) -> Messages:
        return [{"role": "system", "content": self.instructions}, {"role": "user", "content": told}]


class SumsUpAsTheModel(SumsUpWhenFull):
    """Right: all is summed up, what is open too, and the summary stands there as an answer of the model."""

    def made_shorter(self) -> Iterator[str]:
        short = [{**one, "content": (one["content"] or "")[:2_000]} for one in self.messages]
        if summary := self.summary_of(short):
            said = [("user", "What did we do so far?"), ("assistant", summary), ("user", "Please go on with it.")]
            self.messages = [{"role": role, "content": text} for role, text in said]
            self.began = len(said)
            return (yield from self.sent_again())
        return (yield from super().made_shorter())


class TakesAFailedSummaryForEmpty(SumsUpWhenFull):
    """Wrong: the summary takes the place of everything, also where there is none."""

    def made_shorter(self) -> Iterator[str]:
        summary = self.summary_of(self.messages[: self.began])
        self.messages = [{"role": "user", "content": f"What was said before, in short: {summary}"}]
        return (yield from self.sent_again())


class SendsAgainAsItIs(SumsUpWhenFull):
    """Wrong: without a summary, the same is sent again."""

    def made_shorter(self) -> Iterator[str]:
        from openai import BadRequestError

        if self.summary_of(self.messages[: self.began]):
            return (yield from super().made_shorter())
        for _ in range(4):
            try:
                return (yield from KeepsAll.streamed(self, self.system + self.messages, tools=True))
            except BadRequestError:
                continue
        return (yield from DropsTheOldest.made_shorter(self))  # type: ignore[arg-type]


class RunsWhatASummaryCalls(SumsUpWhenFull):
    """Wrong: the request for a summary goes through the same loop as any other, which runs calls."""

    def asked(self, messages: Messages) -> str:
        pieces = self.streamed(messages, tools=False)
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                text, calls = end.value
                for call in calls:
                    self.run(call["function"]["name"], call["function"]["arguments"])
                return text


class SumsUpOnceForAll(SumsUpWhenFull):
    """Wrong: the second summary leaves out the instructions, which the first one had kept."""

    has_summary = False

    def summary_of(self, older: Messages) -> str:
        if self.has_summary:
            self.system = []
        self.has_summary = True
        return super().summary_of(older)


class ShedsTheNewestResult(BeginsAnew):
    """Wrong: the newest result is emptied, and the model never gets it."""

    def made_shorter(self) -> Iterator[str]:
        self.messages[-1] = {**self.messages[-1], "content": ""}
        return (yield from self.sent_again())


class SumsUpWhatIsOpen(SumsUpWhenFull):
    """Wrong: the newest call and its result go with what was before them, and no summary has the result."""

    def made_shorter(self) -> Iterator[str]:
        newest = max(i for i, one in enumerate(self.messages) if one["role"] == "assistant")
        summary = self.summary_of(self.messages[: self.began])
        task = self.messages[self.began : newest]
        self.messages = [{"role": "user", "content": f"What was said before, in short: {summary}"}, *task]
        return (yield from self.sent_again())


class ResendsWhatIsLost(ContinuesStoredResponses):
    """Right: where the provider has lost the response, the whole conversation is sent once more; what did not reach it
    goes with the next request.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.items: list[Any] = []
        self.unsent: list[Any] = []

    def create(self, new: list[dict[str, Any]]) -> Any:
        from openai import BadRequestError

        self.unsent += new
        try:
            response = super().create(list(self.unsent))
        except BadRequestError as error:
            if error.code != "previous_response_not_found":
                raise
            self.previous = None
            response = super().create([*self.items, *self.unsent])
        output = (item for item in response.output if item.type in ("function_call", "message"))
        self.items, self.unsent = [*self.items, *self.unsent, *output], []
        return response


class AsksTheUserToBeginAnew(ContinuesStoredResponses):
    """Right: where the provider has lost the response, it says so, and begins another conversation."""

    def send(self, message: str) -> str:
        try:
            return super().send(message)
        except AgentError as error:
            if "not found" not in str(error):
                raise
            self.previous = None
            return "The provider no longer has our conversation. Please say what matters, and I go on."


class StoresItsMessages(KeepsAll):
    """Right: what was said is in a file, from which another instance goes on."""

    modes = ("plain",)
    features = frozenset({"history", "conversation", "native-tools", "restart"})

    def __init__(self, setup: Setup) -> None:
        import json

        super().__init__(setup)
        self.file = setup.state_dir / "messages.json"
        if self.file.exists():
            self.messages = self.loaded(json.loads(self.file.read_text(encoding="utf-8")))

    def loaded(self, stored: Messages) -> Messages:
        return stored

    def send(self, message: str) -> Iterator[Any]:
        import json

        try:
            yield from super().send(message)
        finally:
            self.file.write_text(json.dumps(self.messages), encoding="utf-8")


class LoadsResultsTwice(StoresItsMessages):
    """Wrong: each result that was stored comes back twice."""

    def loaded(self, stored: Messages) -> Messages:
        return [one for message in stored for one in [message] * (2 if message["role"] == "tool" else 1)]


class LoadsTurnsTwice(StoresItsMessages):
    """Wrong: the whole session comes back twice."""

    def loaded(self, stored: Messages) -> Messages:
        return stored * 2


class LoadsNoResults(StoresItsMessages):
    """Wrong: calls come back, and their results do not."""

    def loaded(self, stored: Messages) -> Messages:
        return [one for one in stored if one["role"] != "tool"]


class HasSessions(KeepsAll):
    """Right: each session has messages of its own."""

    features = frozenset({"deltas", "history", "conversation", "native-tools", "sessions"})

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.of_session: dict[str | None, Messages] = {None: self.messages}

    def send(self, message: str, session: str | None = None) -> Iterator[Any]:
        self.messages = self.of_session.setdefault(session, [])
        yield from super().send(message)


class SharesItsMessages(HasSessions):
    """Wrong: one list is for all sessions."""

    def send(self, message: str, session: str | None = None) -> Iterator[Any]:
        yield from super().send(message, None)


class ListensMeanwhile(KeepsAll):
    """Right: what the user says while it works is sent with the next request, once, after all results."""

    features = frozenset({"deltas", "history", "conversation", "native-tools", "steering", "context-limit"})

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.said: list[str] = []
        self.task = 0

    def steer(self, message: str) -> None:
        self.said.append(message)

    def send(self, message: str) -> Iterator[Any]:
        self.task = len(self.messages)
        yield from super().send(message)

    def sent(self) -> Messages:
        self.messages += [{"role": "user", "content": text} for text in self.said]
        self.heard()
        limit = self.setup.limits.context_tokens
        return self.messages if limit is None else self.within(3 * limit)

    def heard(self) -> None:
        self.said.clear()

    def within(self, most: int) -> Messages:
        """This turn alone; where it is still too long, old results are marked, and at last the newest are cut."""
        kept = self.messages[self.task_from() :]
        for most_of_a_result in (200, 40):
            for index, one in enumerate(kept):
                if sum(len(str(message)) for message in kept) <= most:
                    return kept
                if one["role"] == "tool":
                    kept[index] = {**one, "content": f"{one['content'][:most_of_a_result]} [shortened]"}
        return kept

    def task_from(self) -> int:
        return self.task


class SaysItAgainInEachRound(ListensMeanwhile):
    """Wrong: what the user has said is put into the history at each request."""

    def heard(self) -> None:
        pass


class TakesThatForTheTask(ListensMeanwhile):
    """Wrong: what was said meanwhile is the newest message of the user, and what was before it goes."""

    def task_from(self) -> int:
        return max(index for index, one in enumerate(self.messages) if one["role"] == "user")


class SumsUpAndListens(ListensMeanwhile, SumsUpWhenFull):
    """Right: what is said before or while a summary is made comes after it."""

    features = ListensMeanwhile.features - {"context-limit"}


class SumsUpBeforeItListens(SumsUpAndListens):
    """Wrong: once a summary is made, nothing is left of what the user has said meanwhile."""

    def made_shorter(self) -> Iterator[str]:
        answers = [place for place, one in enumerate(self.messages) if one["role"] != "user"]
        self.messages = self.messages[: answers[-1] + 1]
        return (yield from super().made_shorter())


class AsksInWordsOfItsOwn(SumsUpAndListens):
    """Right: nothing in the request says that it is for a summary, and it takes a reply of the script."""

    def question(self, told: str) -> Messages:
        return [{"role": "user", "content": f"Tell in two lines what happened here.\n{told}"}]


class AsksInWordsOfItsOwnBeforeItListens(AsksInWordsOfItsOwn, SumsUpBeforeItListens):
    """Wrong: both."""


class KeepsTheLastScreens(InResult):
    """Right: of all pictures the last ten go back, and a word stands where the others stood."""

    wires = ("anthropic-messages",)

    def body(self) -> dict[str, Any]:
        body = json.loads(json.dumps(super().body()))
        contents = [
            block["content"]
            for message in body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result" and isinstance(block["content"], list)
        ]
        for content in self.older(contents):
            content[1:] = [{"type": "text", "text": "(A picture was here.)"}]
        return dict(body)

    def older(self, contents: list[Any]) -> list[Any]:
        return contents[: (len(contents) - 1) // 10 * 10 - 10] if len(contents) > 20 else []


class KeepsAllScreens(KeepsTheLastScreens):
    """Wrong: from the twenty-first large picture on each request is refused."""

    def older(self, contents: list[Any]) -> list[Any]:
        return []
