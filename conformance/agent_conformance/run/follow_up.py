"""The message that follows the last turn of a case, for the law `survives`. Knows no agent."""

import hashlib

from agent_conformance.run.shapes import answer_with
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.model import ReplySpec, Turn


def follow_up_turn(case: Case) -> Turn:
    """A message with a word of the case's own in it, which the model repeats. Copied: a model takes long to check."""
    word = "pin" + hashlib.sha256(case.id.encode()).hexdigest()[:8]
    schema = case.scenario.output_schema
    reply = _FOLLOW_UP.model[0].model_copy(update={"text": answer_with(word, schema) if schema else word})
    return _FOLLOW_UP.model_copy(update={"user": f"Reply with the word {word}.", "model": [reply]})


_FOLLOW_UP = Turn(user="Reply with the word pin.", model=[ReplySpec(text="pin")])
