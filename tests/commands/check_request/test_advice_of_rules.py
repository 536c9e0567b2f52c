"""For the request that breaks each rule: the change is accepted, found within a bound, and does what it may.

What must never happen is written out here once more, apart from the code that keeps to it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from agent_conformance.cassettes.decoding import path_of
from agent_conformance.commands.check_request.advice import Advice, advise
from agent_conformance.commands.check_request.advice.search import MOST_TRIES
from agent_conformance.commands.check_request.targets import Target
from agent_conformance.explain import all_rules
from fake_providers import Rule, judge
from tests.tables import rows

UNKNOWABLE = frozenset(
    (
        *("audio-unsupported", "body-not-object", "body-type", "content-missing", "content-part-type"),
        *("content-type", "contents-missing", "research-without-tools"),
        *("document-media-type", "image-dimensions", "image-format", "images-unsupported", "input-empty"),
        *(
            "input-missing",
            "item-type",
            "item-unknown",
            "member-type",
            "message-type",
            "messages-empty",
            "messages-missing",
        ),
        *(
            "messages-missing",
            "messages-type",
            "part-without-data",
            "role-missing",
            "role-order",
            "role-unexpected",
            "role-unknown",
            "role-unsupported",
        ),
        *("text-blank", "text-empty", "text-type", "unknown-field", "user-content-empty"),
        *("block-without-key", "document-name", "document-name-duplicate", "document-without-text"),
        *(
            "system-unsupported",
            "google-system-unsupported",
            "pictures-unsupported",
            "video-unsupported",
            "content-empty",
            "no-user-query",
        ),
        *("thinking-without-stream", "thinking-beside-content", "completions-of-a-chat-model"),
        *("image-data", "image-empty", "image-unreadable"),
        *("image-address", "image-type", "google-image-base64", "picture-base64", "picture-unreadable"),
        *("declared-missing", "claude-declared-missing", "lone-surrogate"),
    )
)
"""Names of rules that are broken by what only the agent knows: what somebody said, who said it, that it was said,
or whether thoughts or a stream, thoughts or words, or the model or the endpoint are to be given up; what a broken
picture showed, or what a document says."""
UNADVISED_ELSEWHERE = frozenset(
    (
        *("arguments-type", "block-unknown", "call-type", "image-source", "member-missing", "result-type"),
        *("tool-choice-unknown-tool", "tool-use-name", "image-of-another-type", "system-message-block"),
    )
)
"""The same, where a server reads a wire that is not its own, and no words of its refusals are known to advice."""
MAKERS = "openai|anthropic|claude|mistral|mistralai|deepseek"
"""What may stand in front of a rule's name, beside the wire."""
SERVERS = r"deepseek|groq|llama\.cpp|ollama|openrouter|vllm|xai"
ELSEWHERE = rf"[^/]*/anthropic-|litellm/messages-|anthropic/chat-|(?:{SERVERS})/responses-"

RULES = [
    (provider, wire, rule)
    for provider, wire, rule in all_rules()
    if isinstance(rule.breaking, dict | list) and rule.breaking
]
PEOPLE = {"user": "user", "human": "user", "assistant": "model", "model": "model", "ai": "model", "bot": "model"}


@rows(
    "provider, wire, rule",
    RULES,
    ids=lambda row: f"{row[2].id}",
    group=lambda row: str(row[0]),
)
def test_advice_is_accepted_and_harms_nothing(provider: str, wire: str, rule: Rule) -> None:
    target = Target(provider, wire, rule.path or path_of(provider, wire, rule.breaking))
    headers = {"content-type": "application/json", **(rule.headers or {})}
    advice, tries = advised(target, rule, headers)

    assert advice.remedy
    assert tries <= 2 * MOST_TRIES
    for change in advice.changes:
        after = patched(rule.breaking, [operation.as_json() for operation in change.operations])
        assert judge(provider, target.path, json.dumps(after).encode(), headers) is None, change.words
        assert_harmless(rule.breaking, after)
        assert len(change.words) < 1000
    name = re.sub(f"^(?:responses-|chat-|messages-(?=anthropic-))?(?:(?:{MAKERS})-)?", "", rule.id.partition("/")[2])
    is_elsewhere = re.match(ELSEWHERE, rule.id) is not None
    assert advice.changes or name in UNKNOWABLE or (is_elsewhere and name in UNADVISED_ELSEWHERE)


def advised(target: Target, rule: Rule, headers: dict[str, str]) -> tuple[Advice, int]:
    """With the number of bodies that were tried."""
    body = json.dumps(rule.breaking).encode()
    violation = judge(target.provider, target.path, body, headers)
    assert violation is not None
    tries: list[None] = []
    with pytest.MonkeyPatch.context() as patch:
        module = "agent_conformance.commands.check_request.advice.search.judge"
        patch.setattr(module, lambda *asked: (tries.append(None), judge(*asked))[1])
        return advise(target, body, headers, violation), len(tries)


def assert_harmless(before: Any, after: Any) -> None:
    """Nobody says what they did not say, the user's words stay, and nothing is left empty."""
    said, says = spoken(before), spoken(after)
    everything = "\n\n".join(text for texts in said.values() for text in texts)
    for person, texts in says.items():
        own = "\n\n".join([*said.get(person, ()), *said.get("", ())])
        assert all(piece in own for text in texts for piece in text.split("\n\n")), (person, texts, everything)
    kept = "\n\n".join(text for texts in says.values() for text in texts)
    for text, times in Counter(text.strip() for text in said.get("user", ())).items():
        assert kept.count(text) >= times or not text
    assert empties(after) <= empties(before)


def spoken(body: Any) -> dict[str, list[str]]:
    """What each person says, by whom."""
    said: dict[str, list[str]] = {}
    for message in conversation(body):
        person = PEOPLE.get(str(message.get("role", "")), "" if "role" not in message else "others")
        inside = message.get("content", message.get("parts"))
        said.setdefault(person, []).extend(texts_in(inside))
    return {person: texts for person, texts in said.items() if person != "others"}


def texts_in(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from texts_in(content.get("text"))
    elif isinstance(content, list):
        for part in content:
            yield from texts_in(part)


def conversation(body: Any) -> list[dict[str, Any]]:
    found = next((body[key] for key in ("messages", "contents", "input") if isinstance(body.get(key), list | dict)), [])
    return [entry for entry in (found if isinstance(found, list) else [found]) if isinstance(entry, dict)]


def empties(body: Any) -> int:
    """Messages without any part, and a conversation without any message."""
    messages = conversation(body)
    return sum(message.get("content", message.get("parts")) == [] for message in messages) + (not messages)


def patched(body: Any, patch: list[dict[str, Any]]) -> Any:
    """The body after a JSON Patch, as RFC 6902 has it."""
    body = json.loads(json.dumps(body))
    for operation in patch:
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        holder = body
        for part in way:
            holder = holder[int(part)] if isinstance(holder, list) else holder[part]
        key = int(last) if isinstance(holder, list) else last
        if operation["op"] == "remove":
            del holder[key]
        elif operation["op"] == "add" and isinstance(holder, list):
            holder.insert(key, operation["value"])
        else:
            assert operation["op"] == "add" or key in holder or isinstance(holder, list)
            holder[key] = operation["value"]
    return body
