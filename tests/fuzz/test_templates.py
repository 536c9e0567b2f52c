"""Templates of made-up documents: names stay the same in a document, and operators stand for what is drawn."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_conformance.fuzz.templates import Kept, Scope, made_from, numbered, variants_of
from agent_conformance.fuzz.templates import data as data_of


def filled(data: Any, value: Any, /, **names: Any) -> Any:
    return Scope(data.draw, names).filled(value)


@settings(max_examples=20)
@given(st.data())
def test_name_is_drawn_once_for_each_document(data: Any) -> None:
    number, text = filled(data, ["$lucky", "It is $lucky."], lucky={"number from": [1, 99]})

    assert text == f"It is {number}."


@settings(max_examples=20)
@given(st.data())
def test_path_leads_into_members_and_entries_and_to_the_call_as_it_ran(data: Any) -> None:
    call = {"name": "look_up", "arguments": {"word": "pear"}}

    found = filled(data, ["$calls.0.name", "$calls.-1.ran", "$calls.ran"], calls=[call])

    assert found == ["look_up", {"look_up": {"word": "pear"}}, [{"look_up": {"word": "pear"}}]]


@settings(max_examples=20)
@given(st.data())
def test_word_that_is_no_name_stays(data: Any) -> None:
    schema = {"$ref": "#/$defs/place", "cost": "$5"}

    assert filled(data, schema) == schema


@settings(max_examples=20)
@given(st.data())
def test_what_chance_leaves_out_is_in_no_list_and_no_mapping(data: Any) -> None:
    never, always = {"chance": 0, "of": "x"}, {"chance": 100, "of": "y"}

    assert filled(data, [never, always, {"each": [1, 2]}]) == ["y", 1, 2]
    assert filled(data, {"a": never, "b": always, "plus": {"c": 3}}) == {"b": "y", "c": 3}


@settings(max_examples=20)
@given(st.data())
def test_variant_goes_over_its_template_and_keeps_its_names(data: Any) -> None:
    template = {
        "description": "a fact",
        "let": {"words": "Hello."},
        "tools": [],
        "variants": [{"let": {"more": "$words $words"}, "model": [{"text": "$more"}], "wires": "first"}],
    }

    (variant,) = variants_of(template)
    made = made_from(data.draw, variant)

    assert (made["wires"], made["profile"]) == ("first", "hardened")
    assert [turn["model"] for turn in made["conversation"]] == [[{"text": "Hello. Hello."}]]
    assert "tools" not in made


def test_messages_have_the_number_of_the_last_one_of_the_user_and_kept_texts_are_collected() -> None:
    kept: list[str] = []
    history = [{"user": Kept("thing #?")}, {"assistant": "fine #"}, {"user": "thing #?"}, {"assistant": Kept("all #")}]

    made = numbered(history, kept)

    assert made == [{"user": "thing 1?"}, {"assistant": "fine 1"}, {"user": "thing 2?"}, {"assistant": "all 2"}]
    assert kept == ["thing 1?", "all 2"]


@settings(max_examples=20)
@given(st.data())
def test_whole_calls_are_put_into_forms_and_not_into_the_marks_of_models(data: Any) -> None:
    kind = {"name": "look_up", "parameter": "word"}

    first, mark = (
        filled(data, {"form": sort, "at": place}, kind=kind, value="pear")["call"]
        for sort, place in (
            ("run", 0),
            ("hide", [form["raw"][:1] for form in data_of("text_forms")["hide"]].index("✿")),
        )
    )

    assert first == '<tool_call>\n{"name": "look_up", "arguments": {"word": "pear"}}\n</tool_call>'
    assert mark.startswith("✿FUNCTION✿: look_up\n")
