from typing import Any

import pytest

from agent_conformance.judge.declarations import lost_properties, reordered_properties, unsaid_limits

TEXT = {"type": "string"}
CONTACT = {"type": "object", "properties": {"name": TEXT, "phone": TEXT}}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    "offered",
    [
        of(guests={"type": "INTEGER"}, contact=CONTACT),
        of(guests={"type": ["integer", "null"]}, contact={"anyOf": [CONTACT, {"type": "null"}]}),
        {**of(guests={}, contact={"$ref": "#/$defs/Contact"}), "$defs": {"Contact": CONTACT}},
        {"allOf": [of(guests={}), of(contact={"allOf": [{"$ref": "#/definitions/C"}]})], "definitions": {"C": CONTACT}},
        {**of(guests={}, contact={**CONTACT, "additionalProperties": False, "title": "Contact"}), "strict": True},
    ],
)
def test_schema_in_other_words_loses_nothing(offered: Any) -> None:
    assert list(lost_properties(of(guests={"type": "integer"}, contact=CONTACT), offered)) == []


@pytest.mark.parametrize(
    ("offered", "lost"),
    [
        (of(guests={}), [("contact", True)]),
        ({}, [("guests", True), ("contact", True)]),
        (None, [("guests", True), ("contact", True)]),
        (of(guests={}, contact=of(name=TEXT)), [("contact.phone", True)]),
        (of(guests={}, contact={"type": "object"}), [("contact.name", False), ("contact.phone", False)]),
        (of(guests={}, contact={"$ref": "#/$defs/Gone"}), [("contact.name", True), ("contact.phone", True)]),
    ],
)
def test_property_that_is_gone_is_named(offered: Any, lost: list[tuple[str, bool]]) -> None:
    assert list(lost_properties(of(guests={"type": "integer"}, contact=CONTACT), offered)) == lost


def test_schemas_within_one_another_are_looked_into() -> None:
    offered: Any = CONTACT
    for word in ("anyOf", "allOf", "oneOf", "anyOf", "allOf"):
        offered = {word: [offered]}

    assert list(lost_properties(CONTACT, offered)) == []


def test_objects_within_one_another_are_looked_into() -> None:
    wanted, offered = of(a=of(b=of(c=of(d=of(e=TEXT))))), of(a=of(b=of(c=of(d=of(f=TEXT)))))

    assert list(lost_properties(wanted, offered)) == [("a.b.c.d.e", True)]


def test_items_of_a_list_are_looked_into() -> None:
    wanted = of(people={"type": "array", "items": CONTACT})

    assert list(lost_properties(wanted, of(people={"type": "array", "items": of(name=TEXT)}))) == [
        ("people[].phone", True)
    ]
    assert list(lost_properties(wanted, of(people={"type": "array"}))) == [
        ("people[].name", False),
        ("people[].phone", False),
    ]


def test_schema_that_refers_to_itself_ends() -> None:
    node: dict[str, Any] = {"$defs": {"Node": of(left={"$ref": "#/$defs/Node"}, right={"$ref": "#/$defs/Node"})}}
    tree = {**of(root={"$ref": "#/$defs/Node"}), **node}

    assert list(lost_properties(tree, tree)) == []


@pytest.mark.parametrize(
    "offered",
    [
        of(guests={}, seat={}, contact=CONTACT),
        of(note={}, guests={}, more={}, contact=CONTACT, last={}),
        of(contact=CONTACT),
        {**of(contact=CONTACT, seat={}, guests={}), "propertyOrdering": ["guests", "seat", "contact"]},
        {"allOf": [of(seat={}), of(guests={})]},
        {},
    ],
)
def test_properties_in_the_order_of_the_tool_are_not_reordered(offered: Any) -> None:
    assert list(reordered_properties(of(guests={}, seat={}, contact=CONTACT), offered)) == []


def test_properties_in_another_order_are_named_also_within_objects_and_lists() -> None:
    turned = of(phone=TEXT, name=TEXT)
    wanted = of(seat={}, guests={}, contact=CONTACT, all={"type": "array", "items": CONTACT})

    found = list(reordered_properties(wanted, of(guests={}, seat={}, contact=turned, all={"items": turned})))

    assert found == [
        (["seat", "guests", "contact", "all"], ["guests", "seat", "contact", "all"]),
        (["name", "phone"], ["phone", "name"]),
        (["name", "phone"], ["phone", "name"]),
    ]


def test_a_schema_of_any_depth_is_compared() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"items": deep}
    wanted = of(city=TEXT)
    assert lost_properties(wanted, {"properties": {"place": TEXT}, "items": deep}) == (("city", True),)
    assert reordered_properties(wanted, {"properties": {"city": TEXT}, "items": deep}) == ()


SEAT = {"type": "string", "enum": ["inside", "out\\side"]}
TABLE = {**of(guests={"type": "integer"}, seat=SEAT, contact={**CONTACT, "required": ["name"]}), "required": ["guests"]}
ALL_REQUIRED = {**TABLE, "required": ["guests", "seat", "contact"], "strict": True}
MAYBE = {"anyOf": [{**SEAT, "enum": [*SEAT["enum"], None]}, {"type": "null"}], "required": ["name"]}


@pytest.mark.parametrize(
    ("offered", "description"),
    [
        (ALL_REQUIRED | {"properties": {**TABLE["properties"], "seat": MAYBE, "contact": {**MAYBE, **CONTACT}}}, ""),
        (
            ALL_REQUIRED
            | {
                "properties": {
                    **TABLE["properties"],
                    "seat": {**SEAT, "nullable": True},
                    "contact": {**CONTACT, "required": ["name"], "type": ["object", "null"]},
                }
            },
            "",
        ),
        ({**TABLE, "properties": {**TABLE["properties"], "seat": {"anyOf": [SEAT, {"type": "null"}]}}}, ""),
        ({**TABLE, "properties": {**TABLE["properties"], "seat": {"description": r"inside or out\side"}}}, ""),
        ({**TABLE, "properties": {**TABLE["properties"], "seat": TEXT}}, "The seat is inside or out\\side."),
        (of(guests={}) | {"required": ["guests"]}, ""),
    ],
    ids=[
        "all required",
        "all required in Gemini's words",
        "may be null",
        "in words of its own",
        "in the words of the tool",
        "properties that are lost",
    ],
)
def test_limits_in_other_words_are_said(offered: Any, description: str) -> None:
    assert unsaid_limits(TABLE, offered, description) == ()


@pytest.mark.parametrize(
    ("offered", "unsaid"),
    [
        ({**TABLE, "required": []}, ("that `guests` is required",)),
        (of(**TABLE["properties"]), ("that `guests` is required",)),
        (ALL_REQUIRED, ("that `seat` may be left out", "that `contact` may be left out")),
        ({**TABLE, "properties": {**TABLE["properties"], "contact": CONTACT}}, ("that `contact.name` is required",)),
        ({**TABLE, "properties": {**TABLE["properties"], "seat": TEXT}}, ("which values `seat` takes",)),
        (
            {**TABLE, "properties": {**TABLE["properties"], "seat": {**SEAT, "enum": ["inside"]}}},
            ("which values `seat` takes",),
        ),
    ],
)
def test_limits_that_are_gone_are_named(offered: Any, unsaid: tuple[str, ...]) -> None:
    assert unsaid_limits(TABLE, offered, "Books a table.") == unsaid
    assert unsaid_limits(of(tables={"items": TABLE}), of(tables={"items": offered}), "") == tuple(
        text.replace("`", "`tables[].", 1) for text in unsaid
    )


@pytest.mark.parametrize(
    "wanted",
    [
        of(seat={"anyOf": [{"enum": ["any"]}, TEXT]}),
        {"anyOf": [{**of(seat=TEXT), "required": ["seat"]}, of(seat=TEXT)]},
        {**of(seat={"enum": [1, None]}), "required": "seat"},
        of(seat={"enum": "any"}),
    ],
    ids=["also other texts", "in one of several cases", "no names", "no list"],
)
def test_what_is_no_limit_need_not_be_said(wanted: Any) -> None:
    assert unsaid_limits(wanted, of(seat=TEXT), "") == ()


SEAT_TOO = {"properties": {"seat": TEXT}, "required": ["seat"]}


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"allOf": [of(guests=TEXT), SEAT_TOO]}, ["seat"]),
        ({**of(guests=TEXT), "required": ["guests"], "anyOf": [SEAT_TOO, of(name=TEXT)]}, ["guests"]),
        ({**of(guests=TEXT, seat=TEXT), "oneOf": [{"required": ["seat"]}, {"required": ["seat", "guests"]}]}, ["seat"]),
        ({**of(guests=TEXT), "$ref": "#/$defs/Seat", "$defs": {"Seat": SEAT_TOO}}, ["seat"]),
        ({"anyOf": [{"type": "object", **SEAT_TOO}, {"type": "null"}]}, ["seat"]),
    ],
    ids=["of all", "beside alternatives", "of each alternative", "of what is referred to", "where there is one"],
)
def test_schema_in_parts_requires_what_every_object_has_to_have(wanted: Any, names: list[str]) -> None:
    properties = dict.fromkeys(("guests", "seat", "name"), TEXT)
    others = [name for name in properties if name not in names]

    assert not [text for text in unsaid_limits(wanted, {**of(**properties), "required": names}, "") if "left" in text]
    assert unsaid_limits(wanted, of(**properties), "") == tuple(f"that `{name}` is required" for name in names)
    assert set(unsaid_limits(wanted, {**of(**properties), "required": [*names, *others]}, "")) == {
        f"that `{name}` may be left out" for name in others if name in str(wanted)
    }


def test_value_with_characters_that_json_escapes_is_found() -> None:
    wanted = of(size={"enum": ['5" größer']})

    assert unsaid_limits(wanted, {**wanted, "strict": True}, "") == ()
    assert unsaid_limits(wanted, of(size=TEXT), "") == ("which values `size` takes",)


def test_schema_too_deep_to_be_written_has_no_limits() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"items": deep}

    assert unsaid_limits({**TABLE, "items": deep}, of(guests={}), "") == ()


def test_meaning_of_an_argument_is_said_where_it_is_or_in_the_description() -> None:
    wanted = of(guests={"type": "integer", "description": 'How many\n"people" come.'})

    assert unsaid_limits(wanted, {**wanted, "strict": True}, "") == ()
    assert unsaid_limits(wanted, of(guests={}), 'guests: How many "people" come.') == ()
    assert unsaid_limits(wanted, of(guests={}), "Books a table.") == ("what `guests` means",)
    assert unsaid_limits(of(table=wanted), of(table=of(guests={})), "") == ("what `table.guests` means",)


def test_what_has_a_default_may_be_required() -> None:
    wanted = of(unit={"type": "string", "default": "celsius"}, city=TEXT)

    assert unsaid_limits(wanted, {**wanted, "required": ["unit"]}, "") == ()
    assert unsaid_limits(wanted, {**wanted, "required": ["unit", "city"]}, "") == ("that `city` may be left out",)
