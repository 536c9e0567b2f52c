"""Replaces what a scenario must not have: names, keys, addresses, ids. The same text gets the same replacement.

Long texts become repetitions of a short one, of the same length.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from agent_conformance.scenario.derived.half_characters import HALF
from agent_conformance.scenario_drafts.incident import Call, Evidence, Message, Tool
from agent_conformance.transcripts.redaction import SECRETS
from fake_providers.reply import Source

LONG = 400
"""Characters of a text that says more than a scenario needs."""
USUAL_ID = re.compile(r"[\w-]{1,40}")
PROTOCOL = re.compile(r"<\||<tool|<function|\[TOOL_CALLS\]|```", re.IGNORECASE)
"""What looks like a call stays as it is: it may be what the incident is about."""
PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hal")

_KEY = (
    r"(?:sk|pk|rk|gsk|xai|hf|glpat|gh[pousr]|github_pat|xox[abprs])[-_][A-Za-z0-9_-]{12,}|AIza[\w-]{20,}|AKIA[0-9A-Z]{12,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?|(?<=Bearer )[\w.~+/=-]{12,}"
    r"|\b(?=[A-Za-z0-9_-]*[0-9])(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{32,}"
)
_ID = r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*[0-9])[0-9a-f]{16,}\b"
_HOST = r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|app|edu|gov|de|uk|fr|local|internal|corp|lan)\b(?::\d+)?"
_OF_DOCS = (
    r"https?://(?:[\w-]+\.)*(?:openai|anthropic|claude|google|mistral|cohere|deepseek|groq|openrouter|aws\.amazon"
    r"|microsoft|aka|x|together|fireworks|moonshot|cerebras|z|aliyun|ollama)\.(?:com|dev|ai|ms|cn)(?:/[\w/.~#-]*)?"
)
_KINDS = (
    ("key", _KEY),
    ("e-mail address", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("URL", r"\b(?:https?|wss?|ftp|postgres|postgresql|mysql|mongodb|redis|s3)://[^\s\"'<>)\]}]+"),
    ("id", _ID),
    ("IP address", r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"),
    ("host", _HOST),
    ("path", r"(?<![\w/.])(?:~|[A-Za-z]:)?[/\\](?:[\w.@ -]*[\w.@-][/\\])+[\w.@-]*"),
    ("telephone number", r"(?<!\w)\+\d[\d ()-]{7,}\d"),
    ("name", r"(?<=[a-z,;:] )[A-Z][a-z]+ [A-Z][a-z]+(?![a-z])"),
)
_VALUE = r"[^\s\"'\\,;&<>(){}\[\]]{3,}[^\s\"'\\,;&<>(){}\[\].!?:]"
_PASSWORD = re.compile(
    rf"(?i:password|passwd|passphrase|passwort|pwd|secret)[\"']?(?P<sign> ?[=:] ?)[\"']?(?P<value>{_VALUE})"
)
_A_WORD = re.compile(r"[A-Za-z]?[a-z]*")
"""`Password: required` has none; after `password=` a word is one, unless it is that of a type."""
_OF_A_TYPE = frozenset(("string", "text", "true", "false", "null", "none", "required", "optional", "object", "number"))


@dataclass(slots=True)
class Replaced:
    """A row of the table: never the text itself."""

    kind: str
    length: int
    by: str
    times: int = 0


@dataclass(slots=True)
class Neutral:
    """`words` are further texts to replace. `are_tools_renamed`: tools become `tool_1`, `tool_2`."""

    words: tuple[str, ...] = ()
    are_tools_renamed: bool = False
    table: dict[tuple[str, str], Replaced] = field(default_factory=dict)
    _pattern: re.Pattern[str] | None = None
    _tools: dict[str, str] = field(default_factory=dict)
    _passwords: set[str] = field(default_factory=set)

    def evidence(self, evidence: Evidence) -> Evidence:
        """The same conversation without what it must not have."""
        if self.are_tools_renamed:
            for tool in evidence.tools:
                self._tools.setdefault(tool.name, f"tool_{len(self._tools) + 1}")
        self._passwords |= passwords_in(evidence)
        self._pattern = None
        refusal = evidence.refusal
        messages = tuple(map(self._message, evidence.messages))
        is_same = evidence.sent == evidence.messages
        return replace(
            evidence,
            messages=messages,
            sent=messages if is_same else tuple(map(self._message, evidence.sent)),
            system=self.text(evidence.system),
            tools=tuple(map(self._tool, evidence.tools)),
            refusal=None
            if refusal is None
            else replace(
                refusal,
                message=self._without_ids(self._said_by_provider(refusal.message)),
                body=self._uncounted(refusal.body),
            ),
        )

    def _uncounted(self, body: Any) -> Any:
        """The request as it was sent, whose texts are those of the messages and are counted there."""
        times = {key: row.times for key, row in self.table.items()}
        value = self.value(body)
        for key, count in times.items():
            self.table[key].times = count
        return value

    def text(self, text: str) -> str:
        return self._compiled().sub(self._replacement, text) if text else text

    def _said_by_provider(self, text: str) -> str:
        """Its links lead to its own pages, which are nobody's secret."""
        parts = re.split(rf"({_OF_DOCS})", text)
        return "".join(part if place % 2 else self.text(part) for place, part in enumerate(parts))

    def value(self, value: Any) -> Any:
        """A JSON value with its texts replaced, and the names of its members as they are."""
        return _mapped(value, self.text)

    def shortened(self, value: Any) -> Any:
        """With a repetition in place of each long text, as scenario files have one."""
        if isinstance(value, str) and HALF.search(value):
            return half_character(value)
        if isinstance(value, str):
            return self._repetition(value) if len(value) > LONG and not PROTOCOL.search(value) else value
        if isinstance(value, list):
            return [self.shortened(inner) for inner in value]
        if isinstance(value, dict):
            return {key: inner if key == "parameters" else self.shortened(inner) for key, inner in value.items()}
        return value

    def keep_rows_of(self, document: Any) -> None:
        """Leave out of the table the long texts of other drafts than this one."""
        written = json.dumps(document, ensure_ascii=False)
        for key in [key for key in self.table if key[0] == "long text"]:
            row = self.table[key]
            unit = row.by.removesuffix(", repeated") + " "
            row.times = written.count(f'"repeat": {json.dumps(unit, ensure_ascii=False)}')
            if not row.times:
                del self.table[key]

    def lines(self) -> list[str]:
        """The table, in the order in which the texts were found. All ids of calls are replaced, and are not in it."""
        found = [row for row in self.table.values() if row.kind != "call id"]
        rows = [
            (row.kind, f"{row.length} characters", row.by, "once" if row.times == 1 else f"{row.times} times")
            for row in found
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else []
        return [
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows
        ]

    def _compiled(self) -> re.Pattern[str]:
        if self._pattern is None:
            chosen = "|".join(re.escape(word) for word in sorted(self.words, key=len, reverse=True))
            tools = "|".join(rf"\b{re.escape(name)}\b" for name in sorted(self._tools, key=len, reverse=True))
            passwords = "|".join(
                rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(self._passwords, key=len, reverse=True)
            )
            kinds = [("word", chosen), ("tool", tools), ("password", passwords), *_KINDS]
            self._pattern = re.compile("|".join(f"(?P<k{n}>{part})" for n, (_, part) in enumerate(kinds) if part))
        return self._pattern

    def _replacement(self, found: re.Match[str]) -> str:
        names = ("word", "tool", "password", *(kind for kind, _ in _KINDS))
        return self._by(names[int((found.lastgroup or "k0")[1:])], found[0])

    def _by(self, kind: str, text: str) -> str:
        if (kind, text) not in self.table:
            number = sum(1 for one, _ in self.table if one == kind) + 1
            if kind in ("key", "password"):
                SECRETS.learn(f"{kind.upper()}_{number}", text)
            by = self._tools[text] if kind == "tool" else _neutral(kind, number, text)
            self.table[kind, text] = Replaced(kind, len(text), by)
        row = self.table[kind, text]
        row.times += 1
        return row.by

    def _repetition(self, text: str) -> dict[str, Any]:
        key = ("long text", text)
        if key not in self.table:
            number = sum(1 for kind, _ in self.table if kind == "long text") + 1
            self.table[key] = Replaced("long text", len(text), f"text {number}, repeated")
        self.table[key].times += 1
        unit = self.table[key].by.removesuffix(", repeated") + " "
        return {"repeat": unit, "times": len(text) // len(unit)}

    def _tool(self, tool: Tool) -> Tool:
        name = self._tools.get(tool.name, tool.name)
        return Tool(name, self.text(tool.description), _mapped(tool.parameters, self.text))

    def _message(self, message: Message) -> Message:
        return replace(
            message,
            text=self.text(message.text),
            thinking=self.text(message.thinking),
            calls=tuple(map(self._call, message.calls)),
            server_calls=tuple(
                replace(call, arguments=self.value(call.arguments), result=call.result and self.text(call.result))
                for call in message.server_calls
            ),
            sources=tuple(
                Source(**{name: value and self.text(value) for name, value in asdict(source).items()})
                for source in message.sources
            ),
            id=message.id and self._call_id(message.id),
            name=message.name and self._tools.get(message.name, message.name),
        )

    def _call(self, call: Call) -> Call:
        return Call(
            call.id and self._call_id(call.id),
            self._tools.get(call.name, call.name),
            self.value(call.arguments),
            self.text(call.arguments_text),
        )

    def _without_ids(self, text: str) -> str:
        for kind, id in sorted(self.table, key=lambda key: -len(key[1])):
            text = text.replace(id, self.table[kind, id].by) if kind == "call id" else text
        return text

    def _call_id(self, id: str) -> str:
        """Of another form than usual: with all that is no letter and no digit, in the same length."""
        key = ("call id", id)
        if key not in self.table:
            number = sum(1 for kind, _ in self.table if kind == "call id") + 1
            by = f"c{number}"
            if not USUAL_ID.fullmatch(id):
                by += re.sub(r"[^\W\d_]", "x", re.sub(r"\d", "0", id))[len(by) :]
            self.table[key] = Replaced("call id", len(id), by)
        self.table[key].times += 1
        return self.table[key].by


def passwords_in(evidence: Evidence) -> set[str]:
    """What stands behind `password=` or `"password":` in a text or in arguments. It is replaced wherever it stands."""
    texts = [evidence.system]
    for message in (*evidence.messages, *evidence.sent):
        texts += [message.text, message.thinking]
        texts += [json.dumps(call.arguments, ensure_ascii=False) + call.arguments_text for call in message.calls]
    found = (match for text in texts for match in _PASSWORD.finditer(text))
    return {
        match["value"]
        for match in found
        if match["value"].lower() not in _OF_A_TYPE and (match["sign"] == "=" or not _A_WORD.fullmatch(match["value"]))
    }


def half_character(text: str) -> Any:
    """A text that was cut in its last character, as scenario files have one; a half elsewhere becomes U+FFFD."""
    if "\ud800" <= text[-1] <= "\udbff" and not HALF.search(text[:-1]):
        return {"half": text[:-1] + "\U0001f600"}
    return HALF.sub("\ufffd", text)


def _neutral(kind: str, number: int, text: str) -> str:
    suffix = re.search(r"\.\w{1,5}$", text)
    by: Mapping[str, Callable[[], str]] = {
        "key": lambda: f"key-{number}",
        "e-mail address": lambda: f"user{number}@example.com",
        "URL": lambda: f"https://example.com/{number}",
        "id": lambda: f"id-{number}",
        "IP address": lambda: f"192.0.2.{number % 256}",
        "host": lambda: f"host{number}.example.com",
        "path": lambda: f"/files/file{number}{suffix[0] if suffix else ''}",
        "telephone number": lambda: f"+1 555 01{number:02}",
        "name": lambda: f"{PEOPLE[(number - 1) % len(PEOPLE)]} Example{'' if number <= len(PEOPLE) else number}",
        "word": lambda: f"word-{number}",
        "password": lambda: f"password-{number}",
    }
    return by[kind]()


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_mapped(inner, change) for inner in value]
    if isinstance(value, dict):
        return {key: inner if key in _NAMES else _mapped(inner, change) for key, inner in value.items()}
    return value


_NAMES = frozenset(("type", "pattern", "$ref", "format", "required"))
"""Members of a schema whose texts have a meaning of their own."""
