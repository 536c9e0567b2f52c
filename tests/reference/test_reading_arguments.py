import pytest

from agent_conformance.agents.reference.arguments import fit_to_schema, read_arguments


@pytest.mark.parametrize("given", [None, "", "  \n\t", "null", "{}", {}])
def test_nothing_means_no_arguments(given):
    assert read_arguments(given) == ({}, "")


@pytest.mark.parametrize("given", ['{"city": "Oslo"}', {"city": "Oslo"}, '"{\\"city\\": \\"Oslo\\"}"'])
def test_object_is_read_also_from_a_string_within_a_string(given):
    assert read_arguments(given) == ({"city": "Oslo"}, "")


@pytest.mark.parametrize(
    "given",
    ["[" * 20_000, '{"path": "/tmp', '{"x": 1}garbage', '{"a": 1}{"a": 2}', "not json", '{"n": NaN}', '{"n": 1e999}'],
)
def test_text_that_is_no_json_is_a_problem_that_quotes_it(given):
    arguments, problem = read_arguments(given)

    assert arguments is None
    assert given[:20] in problem


@pytest.mark.parametrize("given", ["[]", "42", "true", '"hello"', [1]])
def test_json_that_is_no_object_is_a_problem(given):
    arguments, problem = read_arguments(given)

    assert arguments is None
    assert problem


SCHEMA = {
    "properties": {
        "n": {"type": "integer"},
        "on": {"type": ["boolean", "null"]},
        "tags": {"type": "array"},
        "text": {"type": "string"},
        "any": {},
    }
}


def test_strings_are_decoded_if_the_schema_has_another_type():
    given = {"n": "3", "on": "True", "tags": '["a"]'}

    assert fit_to_schema(given, SCHEMA) == {"n": 3, "on": True, "tags": ["a"]}


def test_strings_stay_if_the_schema_accepts_them_or_they_do_not_fit():
    given = {"text": '{"key": "value"}', "any": "[1]", "n": "three", "tags": "{}", "unknown": "1"}

    assert fit_to_schema(given, SCHEMA) == given


def test_null_leaves_an_optional_argument_out_where_the_schema_does_not_allow_it():
    given = {"n": None, "on": None, "text": None, "any": None, "unknown": None}

    assert fit_to_schema(given, {**SCHEMA, "required": ["text"]}) == {
        "on": None,
        "text": None,
        "any": None,
        "unknown": None,
    }


def test_nesting_without_an_end_is_a_problem_and_no_crash():
    arguments, problem = read_arguments("[" * 100_000)

    assert arguments is None
    assert len(problem) < 500


def test_string_that_is_nested_too_deeply_stays_a_string():
    given = {"tags": "[" * 100_000}

    assert fit_to_schema(given, SCHEMA) == given
