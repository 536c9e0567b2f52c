"""Questions of an agent to a model, whether a call may run, and the answer that allows it, in the form that is wanted.

A model of a case that is asked so must not say anything else: agents take it for a refusal, and run nothing.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fake_providers import View
from fake_providers.values.minimal_value import minimal_value

ABOUT = re.compile(
    r"\b(safe|unsafe|allow\w*|permi\w+|approv\w+|den(?:y|ied)|block\w*|danger\w*|harm\w*|malicious|risk\w*|destructive)\b",
    re.I,
)
GOOD = r"safe|allow(?:ed)?|approved?|permit(?:ted)?|accept(?:ed)?|proceed|harmless|benign|low"
BAD = "unsafe|deny|denied|block(?:ed)?|reject(?:ed)?|dangerous|harmful|malicious|risky|destructive|refused?|high"
CHOICE = re.compile(r"[`'\"<]?\b(\w+)\b[`'\">]?(?: ?[,/|] ?(?:or )?| or )[`'\"<]?\b(\w+)\b")
"""Two words of which the answer is to be one: `yes or no`, `"allow"/"deny"`."""
YES, NO = ("yes", "true", "1"), ("no", "false", "0")
TAG = re.compile(r"<(\w+)>\s*(\w+)(?:\s*(?:/|\||or)\s*\w+)?\s*</\1>")


def allowing_answer(view: View) -> str | None:
    """The answer that lets a call run; None where nothing of the kind is asked for."""
    said = f"{view.system}\n{view.messages[-1].text if view.messages else ''}"
    if not ABOUT.search(said):
        return None
    if isinstance(view.schema, Mapping) and isinstance(view.schema.get("properties"), Mapping):
        return _filled(view.schema)
    for tag, value in TAG.findall(said):
        if value.lower() in (*YES, *NO):
            return f"<{tag}>{_word(YES if not _is_bad(tag) else NO, value)}</{tag}>"
    for words in _choices(said):
        lower = [word.lower() for word in words]
        if lower[0] in (*YES, *NO) and lower[1] in (*YES, *NO):
            return words[lower.index(next(one for one in lower if one in (NO if _is_bad(said) else YES)))]
        good = [word for word in words if re.fullmatch(GOOD, word, re.I)]
        if len(good) == 1 and any(re.fullmatch(BAD, word, re.I) for word in words):
            return good[0]
    return None


def _choices(said: str) -> Iterator[tuple[str, str]]:
    start = 0
    while match := CHOICE.search(said, start):
        yield match[1], match[2]
        start = match.start(2)


def _is_bad(text: str) -> bool:
    """Whether `yes` to this forbids the call: what is asked is whether it is bad, and not whether it is good."""
    return bool(re.search(rf"\b({BAD})\b", text, re.I)) and not re.search(rf"\b({GOOD})\b", text, re.I)


def _word(of: tuple[str, ...], like: str) -> str:
    """The one of these words that is written like the other."""
    lower = like.lower()
    place = YES.index(lower) if lower in YES else NO.index(lower)
    return of[place]


def _filled(schema: Mapping[str, Any]) -> str:
    value = minimal_value(schema)
    filled = dict(value) if isinstance(value, Mapping) else {}
    for name, one in schema["properties"].items():
        words = [word for word in one.get("enum", ()) if isinstance(word, str)] if isinstance(one, Mapping) else []
        good = next((word for word in words if re.fullmatch(f"{GOOD}|yes|none", word, re.I)), None)
        if good is not None:
            filled[name] = good
        elif isinstance(one, Mapping) and one.get("type") == "boolean":
            filled[name] = not _is_bad(re.sub(r"[_-]|(?<=[a-z])(?=[A-Z])", " ", name))
    return json.dumps(filled)
