"""docs/protocol.md tells every message, every field and every feature, and no others."""

import re
from typing import Any, get_args

import pytest

from agent_conformance.adapter.types import Feature
from agent_conformance.attach.command.schema import kinds, protocol_schema
from tests.docs.documents import ROOT, prose_of

TEXT = prose_of(ROOT / "docs" / "protocol.md")


def section(heading: str) -> str:
    return re.split(r"^## ", TEXT.split(f"## {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


SECTIONS: dict[Any, str] = {side: section(f"Messages of the {side}") for side in ("suite", "agent")}


@pytest.mark.parametrize("side", ["suite", "agent"])
def test_every_message_has_a_row_in_order(side: Any) -> None:
    assert tuple(re.findall(r"^\| `([a-z-]+)` \|", SECTIONS[side], re.MULTILINE)) == kinds(side)


@pytest.mark.parametrize(("side", "kind"), [(side, kind) for side in ("suite", "agent") for kind in kinds(side)])
def test_row_has_every_field(side: Any, kind: str) -> None:
    row = next(line for line in SECTIONS[side].splitlines() if line.startswith(f"| `{kind}` |"))
    got = set(re.findall(r"`\"?([a-z_]+)(?=\"|`)", row))
    fields = set(protocol_schema()["$defs"][f"{side}-{kind}"]["properties"]) - {"type"}

    assert fields - ({"session"} if side == "agent" else set()) <= got


@pytest.mark.parametrize("name", ["tool", "history-message", "history-call", "limits"])
def test_fields_of_open_are_documented(name: str) -> None:
    assert all(f"`{field}`" in SECTIONS["suite"] for field in protocol_schema()["$defs"][name]["properties"])


def test_every_feature_has_messages_or_is_reserved() -> None:
    got = section("What an adapter can say")

    assert [word for word in get_args(Feature) if f"`{word}`" not in got] == []
