"""Which requests are beside the conversation, by their form: nobody has to declare them.

One for a summary offers no tools, or forbids them, though requests before it did. It has other instructions, and what
was said stands in it. Its answer goes into the agent's own history, so that it takes no reply of the script.

A program that always offers tools of its own sends others: for a title, a topic, a suggestion, or to see whether it may
ask at all. Such a request offers no tool and has no call in it; or it has one message with nothing of what was said,
and none of the tools of the case.
"""

import re
from collections.abc import Iterator

from msgspec import Struct, field

from agent_conformance.run.provider.model_script import answer_with, says_schema
from agent_conformance.scenario.base_model import text_of
from agent_conformance.scenario.model import AssistantMessage, ReplySpec, Scenario
from agent_conformance.transcripts.request_purposes import MainRequest, allowing_answer, keeps_instructions
from agent_conformance.transcripts.transcript import CONVERSATION, COUNTED, RecordedRequest, TurnRecord
from fake_providers import View

SUMMARY = "This is summary {number} of what was said, and the work goes on."
ANSWER = "Side answer {number}."
WORD = re.compile(
    r"summar|\bsum(s|med|ming)?\b.{0,80}\bup\b|\brecap|compact|condens|compress|hand.?(?:over|off)|zusammenfass|résum|"
    r"resum|总结|摘要|概括|要約",
    re.I,
)
"""How people ask for a summary in English, German, French, Spanish, Chinese and Japanese."""
SHORTEST_TEXT = 6
"""Characters: a shorter text, such as `Yes.`, stands in other requests by chance."""
SHORTEST_CUT = 80
"""Characters of its beginning that an agent leaves of a message that is too long."""
PUNCTUATION = " .,;:!?()[]{}<>#*=-"
"""What may stand between a summary and the message after it."""
MOST_QUOTED = 200
"""Characters of its beginning by which a text is recognised."""


class SideRequests(Struct):
    """Of one case, whose turns so far are in `records`. `unclear` are those that nothing but their form tells."""

    scenario: Scenario
    has_own_tools: bool = False
    """The agent always offers tools of its own."""
    records: list[TurnRecord] = field(default_factory=list)
    answered: int = 0
    unclear: list[RecordedRequest] = field(default_factory=list)

    def summary_for(self, view: View, *, is_declared: bool = False) -> ReplySpec | None:
        """The summary, that of the scenario or another each time; None to what asks for none. One that `is_declared` to
        be none of the conversation gets it where more stands in it than the user's message of this turn, as in a
        request for a title.
        """
        if self._allowed(view) is not None:
            return None
        new = self.records[-1].turn.user_text if self.records else ""
        if not (self._quotes(view, new=new) if is_declared else not self._is_shaped and self._is_for_a_summary(view)):
            return None
        self.answered += 1
        scripted = self.scenario.summaries[: self.answered]
        return scripted[-1] if scripted else ReplySpec(text=SUMMARY.format(number=self.answered))

    def answer_to(self, view: View) -> str | None:
        """That a call may run, to who asks that, or a text that stands nowhere else; None to a request of the
        conversation.
        """
        if (allowed := self._allowed(view)) is not None:
            return allowed
        if not self.has_own_tools or self._may_be_for_the_shape(view) or not self._is_beside(view):
            return None
        self.answered += 1
        text = ANSWER.format(number=self.answered)
        return answer_with(text, view.schema) if isinstance(view.schema, dict) and "properties" in view.schema else text

    def settle(self, record: TurnRecord) -> None:
        """The turn is over. Where its reply has the answer to an unclear one, or nothing else was asked in it, that was
        a request of the conversation which lost its tools.
        """
        unclear = [request for request in record.requests if any(request is one for one in self.unclear)]
        alone = not any(request.kind in CONVERSATION for request in record.requests)
        for request in unclear:
            answer = request.said
            if answer in record.reply or (alone and request is unclear[-1]):
                request.kind = "over"

    @property
    def _is_shaped(self) -> bool:
        return self.scenario.output_schema is not None or self.scenario.tool_choice == "none"

    def _may_be_for_the_shape(self, view: View) -> bool:
        """Whether it may ask for the answer in its shape: with the schema, or behind other requests of the turn."""
        schema, choice = self.scenario.output_schema, self.scenario.tool_choice
        if schema is None or choice == "none" or any(record.counted for record in self.records[-1:]):
            return self._is_shaped
        return says_schema(view, schema, [tool.name for tool in self.scenario.tools])

    def _allowed(self, view: View) -> str | None:
        """The answer to a question whether a call may run that the model has just made. Who asks it with tools, to look
        around first, is another agent.
        """
        now = self.records[-1].counted if self.records else []
        is_asked = now and not self._is_shaped and any(call.wire_name in view.texts for call in now[-1].calls)
        if not is_asked or any(one.calls for one in view.messages):
            return None
        return allowing_answer(view) if not view.tools or self._is_another_agent(view) else None

    def _is_beside(self, view: View) -> bool:
        if not self.records or not view.messages:
            return False
        now = self.records[-1]
        if self._is_another_agent(view) or self._follows_the_reply(view):
            return True
        if any(one.calls or one.results for one in view.messages):
            return False
        if not view.tools:
            was_answered = bool(now.counted) and not now.counted[-1].calls
            results = [] if was_answered else [_flat(attempt.result[:200]) for attempt in now.attempts]
            text = _flat(view.texts)
            return not any(result and result in text for result in results)
        is_readable = len(_flat(now.turn.user_text)) >= SHORTEST_TEXT
        offers_one = any(tool.name in now.enabled for tool in view.tools)
        return bool(
            now.enabled and is_readable and len(view.messages) == 1 and not offers_one and not self._quotes(view)
        )

    def _is_another_agent(self, view: View) -> bool:
        """Whether it has other instructions and tools than the agent's requests so far, and no tool of the case."""
        before = (request for record in self.records for request in record.requests if request.kind in COUNTED)
        enabled = self.records[-1].enabled
        is_main = (one for one in before if (one.offered & enabled if enabled else one.view.schema is None))
        main = next(is_main, None)
        if main is None or not view.tools:
            return False
        of_case = {tool.name for tool in self.scenario.tools}
        return MainRequest(main.view.system, main.offered - of_case).is_of_another(view, of_case.__contains__)

    def _follows_the_reply(self, view: View) -> bool:
        """Whether it asks for something, without tools, behind the model's answer of this turn, which ended that."""
        last = self.records[-1].counted[-1] if self.records[-1].counted else None
        spec = last.spec if last is not None else None
        if view.tools or last is None or spec is None or spec.calls or spec.finish or spec.means or not last.view.tools:
            return False
        answer = [one.text for one in view.messages[-2:-1] if one.role == "assistant"]
        return bool(spec.text) and view.messages[-1].role == "user" and _flat(spec.text or "") in _flat("".join(answer))

    def _is_for_a_summary(self, view: View) -> bool:
        """A request without tools in the middle of a turn may also be the last one that an agent allows itself, and its
        answer the reply. So the words tell only at the beginning of a turn, where the context is limited, or of a
        conversation retold in one message.
        """
        if (view.tools and not view.forbids_calls) or not view.messages or self._goes_on_from_a_summary(view):
            return False
        known = COUNTED | {"window"}
        before = [request.view for record in self.records for request in record.requests if request.kind in known]
        last = before[-1] if before else View(model="", stream=False, system=self.scenario.system)
        if not (last.tools or self._retells(view)):
            return False
        own = _flat(f"{view.system}\n{view.messages[-1].text}")
        if not self._quotes(view, most=SHORTEST_CUT):  # of what was cut before it is summed up, too
            return False
        for one in self._said():  # the user may ask for a summary, too
            own = own.replace(one, "")
        asks = WORD.search(own) is not None
        # Whether these are other instructions, and not the same with another date or note
        now = _flat(view.system)
        kept = keeps_instructions(view.system, last.system)
        if (bool(now) and now != _flat(last.system) and not kept) and (asks or last.system.strip()):
            return True
        is_first = not any(request.kind in COUNTED for request in self.records[-1].requests)
        is_retold = len(view.messages) == 1 and len(last.messages or self.scenario.history) > 2
        return asks and (self.scenario.may_be_shortened or is_first or is_retold)

    def _goes_on_from_a_summary(self, view: View) -> bool:
        """Whether the user's message of this turn is its last words, right behind a summary that was made before."""
        earlier = [request.said for record in self.records for request in record.requests if request.kind == "side"]
        summary, new = _flat(earlier[-1] if earlier else ""), _flat(self.records[-1].turn.user_text)
        _, found, behind = _flat(view.messages[-1].text).rpartition(summary or "\n")
        return bool(found and new) and behind.strip(PUNCTUATION) == new.strip(PUNCTUATION)

    def _retells(self, view: View) -> bool:
        """Where there are no tools to leave out: one message has what was said before, and nothing of this turn."""
        now, text = self.records[-1], _flat(view.texts)
        last = next((request for request in reversed(now.requests) if request.kind in COUNTED), None)
        asked = _flat(now.turn.user_text[:SHORTEST_CUT])
        is_open = asked in text if last is None else last.reply is None or _flat(last.said[:200]) not in text
        if WORD.search(view.system) and _flat(view.system) != _flat(self.scenario.system):
            # These ask for a summary, or hold one: then the user's message stands alone below them
            is_open = is_open and _flat(view.messages[-1].text).startswith(asked)
        is_later = len(self.records) > 1 or bool(self.scenario.history)
        return not now.enabled and is_later and len(view.messages) == 1 and not is_open

    def _quotes(self, view: View, *, new: str = "", most: int = MOST_QUOTED) -> bool:
        """Whether something that was said stands in it, or its first `most` characters, beside what is `new`."""
        text = _flat(view.texts)
        return any(one in text and one != _flat(new[:most]) for one in self._said(most))

    def _said(self, most: int = MOST_QUOTED) -> Iterator[str]:
        """The beginning of each text of the users, the tools and the model that is long enough to be recognised."""
        for message in self.scenario.history:
            words = message.assistant.text if isinstance(message.assistant, AssistantMessage) else message.assistant
            for text in (text_of(message.user) if message.user is not None else "", words or ""):
                if len(flat := _flat(text[:most])) >= SHORTEST_TEXT:
                    yield flat
        for record in self.records:
            replies = (request.said for request in record.requests)
            for text in (record.turn.user_text, *(attempt.result for attempt in record.attempts), *replies):
                if len(flat := _flat(text[:most])) >= SHORTEST_TEXT:
                    yield flat


def _flat(text: str) -> str:
    return " ".join(text.split())
