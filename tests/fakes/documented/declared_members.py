"""Write what the vendors' SDKs declare of the members of a request into the tables that the fakes read.

    ./dev python tests/fakes/documented/declared_members.py [NAME...]

A table has a line for each record. A member has its alternatives: `string`, `integer`, `number`, `boolean`, `any`, a
word after `=`, a record, or a list of alternatives for a list of them. `!` is after the name of a member that must be
there, and a range after it is of its number, its length or its items.
"""

import enum
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

from anthropic.types.beta.message_create_params import MessageCreateParamsBase
from complete_requests import APIS
from field_walker import MAPPINGS, fields_of, is_list, is_record, is_union, item_of, required_of, required_only

FAKES = Path(__file__).parents[3] / "fakes" / "fake_providers"
SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", bytes: "string"}
OBJECT = "object"
NEWER = ("Unknown", "Unrecognized")
"""How the names begin of what mistralai adds to each enum and union, so that it reads newer answers."""


class Table(NamedTuple):
    """`ranges` and `words` are those of the vendor's API document, which the types do not have: by member, perhaps of
    one record."""

    path: Path
    kind: Any
    ranges: Mapping[str, str] = {}
    words: Mapping[str, str] = {}


class Writer:
    def __init__(self, table: Table) -> None:
        self._table = table
        self._names: dict[Any, str] = {}
        self._records: dict[str, dict[str, Any]] = {}

    def text(self) -> str:
        self._name_of(required_only(self._table.kind))
        while self._merged_alike():
            pass
        lines = [f"{json.dumps(name)}: {json.dumps(members)}" for name, members in self._records.items()]
        return "{" + ",\n".join(lines) + "}\n"

    def _merged_alike(self) -> bool:
        """Whether some records had the same members, and are one now."""
        first: dict[str, str] = {}
        same = {name: first.setdefault(_key(members), name) for name, members in self._records.items()}
        merged = {f'"{name}"': f'"{one}"' for name, one in same.items() if name != one}
        for name, members in [*self._records.items()]:
            if same[name] != name:
                del self._records[name]
            elif merged:
                text = re.sub(r'"\w+"', lambda found: merged.get(found[0], found[0]), _key(members))
                self._records[name] = json.loads(text)
        return bool(merged)

    def _name_of(self, kind: Any) -> str:
        if kind in self._names:
            return self._names[kind]
        name = kind.__name__.removesuffix("TypedDict").removesuffix("Base").removesuffix("Params").removesuffix("Param")
        while name in self._records:
            name += "2"
        self._names[kind] = name
        members = self._records[name] = {}
        for member, inner in fields_of(kind).items():
            must = "!" if member in required_of(kind) else ""
            limits = self._table.ranges.get(f"{name}.{member}") or self._table.ranges.get(member)
            alternatives = [*dict.fromkeys(map(_key, self._alternatives(inner)))]
            found = [json.loads(one) for one in alternatives]
            if word := self._table.words.get(f"{name}.{member}"):
                found = [f"={word}"]
            elif "any" in found:
                found = ["any"]
            elif "string" in found:
                found = [one for one in found if not (isinstance(one, str) and one.startswith("="))]
            members[f"{member}{must}{f' {limits}' if limits else ''}"] = found
        return name

    def _alternatives(self, kind: Any) -> Iterator[Any]:
        kind = required_only(kind)
        if kind is type(None):
            return
        if is_union(kind):
            for one in get_args(kind):
                if not str(getattr(one, "__name__", "")).startswith(NEWER):
                    yield from self._alternatives(one)
        elif is_record(kind):
            yield self._name_of(kind)
        elif get_origin(kind) is Literal:
            yield from (f"={value}" if isinstance(value, str) else SCALARS[type(value)] for value in get_args(kind))
        elif isinstance(kind, type) and issubclass(kind, enum.Enum):
            yield from (f"={one.value}" for one in kind)
        elif get_origin(kind) in MAPPINGS or kind in MAPPINGS:
            yield OBJECT
        elif is_list(kind) or kind is list:
            yield [*self._alternatives(item_of(kind))] if get_args(kind) else ["any"]
        else:
            yield SCALARS.get(kind, "any")


def _key(alternative: Any) -> str:
    return json.dumps(alternative)


TABLES = {
    "chat": Table(
        FAKES / "wires/openai_chat/rules/declared.json",
        APIS["chat"].kind,
        ranges={"functions": "1..128", "ChatCompletionPredictionContent.content": "1.."},
    ),
    "responses": Table(
        FAKES / "wires/openai_responses/rules/declared.json",
        APIS["responses-beta"].kind,
        ranges={
            "max_num_results": "1..50",
            "partial_images": "0..3",
            "output_compression": "0..100",
            "file_ids": "..50",
            "allowed_domains": "1..",
            "domain_secrets": "1..",
            "domain": "1..",
            "BetaContainerNetworkPolicyDomainSecret.value": "1..",
            "BetaContainerNetworkPolicyDomainSecret.name": "1..",
            "skills": "..200",
            "skill_id": "1..64",
            "data": "1..",
            "path": "1..",
            "call_id": "1..64",
            "context_management": "1..",
            "compact_threshold": "1000..",
            "NamespaceTool.name": "1..",
            "NamespaceTool.description": "1..",
            "NamespaceTool.tools": "1..",
            "ToolFunction.name": "1..128",
        },
    ),
    "messages": Table(
        FAKES / "wires/anthropic_messages/rules/declared.json",
        MessageCreateParamsBase,
        ranges={
            "document_index": "0..",
            "search_result_index": "0..",
            "start_block_index": "0..",
            "start_char_index": "0..",
            "start_page_number": "1..",
            "max_uses": "1..",
            "max_content_tokens": "1..",
            "max_characters": "1..",
            "document_title": "1..255",
            "title": "1..512",
            "url": "1..2048",
            "skills": "..8",
            "skill_id": "1..64",
            "version": "1..64",
            "mcp_servers": "..20",
            "mcp_server_name": "1..255",
            "previous_message_id": "..256",
            "clear_at_least": "0..",
            "keep": "0..",
            "display_height_px": "1..",
            "display_width_px": "1..",
            "display_number": "0..",
            "remaining": "0..",
            "total": "1024..",
            "value": "0..",
            "context": "1..",
            "city": "1..255",
            "region": "1..255",
            "timezone": "1..255",
            "country": "2..2",
        },
    ),
    "groq": Table(FAKES / "providers/groq/declared.json", APIS["groq"].kind),
    "mistral": Table(
        FAKES / "providers/mistral/declared.json",
        APIS["mistral"].kind,
        words={"ToolCall.type": "function", "ToolChoice.type": "function"},
    ),
}


def main(names: list[str]) -> None:
    for name in names or TABLES:
        TABLES[name].path.write_text(Writer(TABLES[name]).text())


if __name__ == "__main__":
    main(sys.argv[1:])
