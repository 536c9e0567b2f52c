"""The fields that the vendors' own API documents have, against what the fakes refuse as unknown.

    python -m tests.fakes.documented.api_documents FILE...

Each FILE is an OpenAPI document of OpenAI or Anthropic, a discovery document of Google (Gemini or Vertex AI), or a
folder in which such files are looked for. What a document has and the fakes refuse as unknown is an error; what the
fakes know and a document of Google does not have is printed, and is none: a preview may have it.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fake_providers import judge
from fake_providers.wires.gemini_generate.proto_messages import MESSAGES, ON_VERTEX, snake

ANY = "a-model-of-ours"
HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
NAMES = (
    *("openapi.yml", "openapi.yaml", "openapi.json"),
    *("discovery.json", "aiplatform.v1.json", "aiplatform.v1beta1.json"),
)
BODIES: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "CreateChatCompletionRequest": ("openai", "/v1/chat/completions", {"model": ANY, "messages": HELLO}),
    "CreateResponse": ("openai", "/v1/responses", {"model": ANY, "input": "Hello"}),
    "CreateMessageParams": ("anthropic", "/v1/messages", {"model": ANY, "max_tokens": 9, "messages": HELLO}),
}
"""By the schema of a request: provider, path, and a body of a model of which nothing is known."""
UNKNOWN = re.compile(r"unknown-(parameter|key|field)|extra|unrecognized")
PREFIX = re.compile(r"GoogleCloudAiplatformV1(beta1)?")
LEFT_OUT = {"CreateResponse": ("stream_options",)}
"""Fields that are refused for another reason than that they are unknown."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`refused`: the document has the field, and the fake refuses it as unknown; else the fake knows it alone."""

    document: str
    place: str
    refused: bool

    def __str__(self) -> str:
        what = "documented, and refused as unknown" if self.refused else "known here, and not documented"
        return f"{self.document}: {self.place}: {what}"


def differences_of(path: Path) -> tuple[int, list[Difference]]:
    """How many fields were compared, and where they differ. Raises `ValueError` for a file that is no such document."""
    text = path.read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document = json.loads(text) if path.suffix == ".json" else yaml.load(text, loader)
    if isinstance(document, dict) and document.get("kind") == "discovery#restDescription":
        return _of_google(path.name, document)
    schemas = document.get("components", {}).get("schemas", {}) if isinstance(document, dict) else {}
    if not schemas:
        raise ValueError(f"{path}: neither an OpenAPI document nor a discovery document")
    known = [name for name in BODIES if name in schemas]
    fields = [(name, field) for name in known for field in _properties(schemas[name], schemas)]
    found = [
        Difference(path.name, f"{name}.{field}", refused=True) for name, field in fields if _is_unknown(name, field)
    ]
    return len(fields), found


def _properties(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """The names of a schema's properties, with those of what it is made of."""
    if reference := schema.get("$ref"):
        schema = schemas[reference.rpartition("/")[2]]
    yield from schema.get("properties", ())
    for part in schema.get("allOf", ()):
        yield from _properties(part, schemas)


def _is_unknown(schema: str, field: str) -> bool:
    provider, path, body = BODIES[schema]
    if field in body or field in LEFT_OUT.get(schema, ()):
        return False
    found = judge(provider, path, json.dumps({**body, field: None}).encode(), {"content-type": "application/json"})
    return found is not None and UNKNOWN.search(found.rule.partition("/")[2]) is not None and field in found.at


def _of_google(name: str, document: Mapping[str, Any]) -> tuple[int, list[Difference]]:
    schemas = {PREFIX.sub("", schema): value for schema, value in document["schemas"].items()}
    on_vertex = document.get("name") == "aiplatform"
    count, found = 0, []
    for message, fields in MESSAGES.items():
        if message not in schemas:
            continue
        documented = {snake(field) for field in schemas[message].get("properties", ())}
        known = {*fields, *(ON_VERTEX.get(message, ()) if on_vertex else ())}
        count += len(documented)
        found += [Difference(name, f"{message}.{field}", refused=True) for field in sorted(documented - known)]
        found += [Difference(name, f"{message}.{field}", refused=False) for field in sorted(known - documented)]
    return count, found


def main(arguments: Sequence[str]) -> int:
    """Ends with 1 where a documented field is refused, with 2 where there is nothing to compare."""
    files = [file for one in map(Path, arguments) for file in (_within(one) if one.is_dir() else [one])]
    refused = 0
    for path in files:
        count, found = differences_of(path)
        if not count:
            continue
        print(f"{path}: {count} fields compared")
        for difference in found:
            print(f"  {difference}")
        refused += sum(difference.refused for difference in found)
    if not files:
        searched = ", ".join(arguments) or "no place"
        print(f"no API document in {searched}: give a file or a folder with {', '.join(NAMES)}")
    return 2 if not files else 1 if refused else 0


def _within(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.name in NAMES and not path.parent.name.startswith("azure"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
