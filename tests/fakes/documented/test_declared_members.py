"""The tables of declared members are what the SDKs declare, and what they do not declare is found in a body."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from complete_requests import APIS, with_pictures
from declared_members import TABLES, Writer
from field_walker import Path, Walker

from fake_providers import judge
from fake_providers.values.declared import DeclaredTypes

CHAT = DeclaredTypes(TABLES["chat"].path)
HELLO = {"role": "user", "content": "Hello"}
WRONG = {str: 7, int: "warm", float: "warm", bool: "warm", list: 7, dict: 7}


@pytest.mark.parametrize("name", TABLES)
def test_table_is_what_the_sdk_declares(name: str) -> None:
    assert TABLES[name].path.read_text() == Writer(TABLES[name]).text()


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"temperature": 0.5, "n": None}, None),
        ({"temperature": "warm"}, ("type", "temperature")),
        ({"verbosity": "extreme"}, ("word", "verbosity")),
        ({"functions": []}, ("range", "functions")),
        ({"messages": [HELLO, {"role": "robot"}]}, ("word", "messages[1].role")),
        ({"messages": [{**HELLO, "content": [{"type": "text", "text": 7}]}]}, ("type", "messages[0].content[0].text")),
        ({"tools": [{"type": "custom", "custom": {}}]}, ("missing", "tools[0].custom.name")),
        ({"tools": [{"type": "custom", "custom": {"name": "f"}}]}, None),
    ],
)
def test_first_fault_is_named_with_its_place(members: dict[str, Any], fault: tuple[str, str] | None) -> None:
    found = next(CHAT.faults({"model": "any", "messages": [HELLO], **members}), None)

    assert (found and (found.kind, found.at)) == fault


def test_member_that_is_not_declared_is_a_fault_where_the_types_are_closed() -> None:
    body = {"model": "any", "messages": [{**HELLO, "mood": "good"}]}

    assert [*CHAT.faults(body)] == []
    assert [one.at for one in DeclaredTypes(TABLES["chat"].path, closed=True).faults(body)] == ["messages[0].mood"]
    passing = DeclaredTypes(TABLES["chat"].path, r"extra messages\.mood", closed=True)
    assert [*passing.faults(body)] == []


def of_wrong_types(api: str) -> Iterator[tuple[Path, bool]]:
    """Each parameter and each member of a list with a value of another type, and whether it is refused."""
    context = APIS[api]
    for where, value in Walker(context.hints).instances(context.kind):
        if not where or where[0] in context.base or where[-1].startswith("="):
            continue
        *way, last = where
        body = with_pictures(context.complete({**copy.deepcopy(value), **copy.deepcopy(context.base)}))
        owner: Any = body
        for name in way:
            owner = owner[0] if name == "[]" and isinstance(owner, list) and owner else owner.get(name, {})
            if not isinstance(owner, dict | list):
                break
        if not isinstance(owner, dict) or type(owner.get(last)) not in WRONG or refused(api, body):
            continue
        owner[last] = WRONG[type(owner[last])]
        yield where, refused(api, body)


def refused(api: str, body: Any) -> bool:
    context = APIS[api]
    headers = {"content-type": "application/json", **context.headers}
    return judge(context.provider, context.path, json.dumps(body).encode(), headers) is not None


@pytest.mark.slow
@pytest.mark.parametrize("api", ["chat-any-model", "responses-any-model", "messages-any-model", "groq", "mistral"])
def test_of_thirty_members_of_a_wrong_type_at_most_one_is_accepted(api: str) -> None:
    found = [*of_wrong_types(api)]

    accepted = [".".join(where) for where, is_refused in found if not is_refused]
    assert len(found) >= 20
    assert len(accepted) * 30 <= len(found), accepted
