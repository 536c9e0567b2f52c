"""Each dialect of calls as text has samples in its form, look-alikes beside them, and a mutant that they fail."""

import pytest

from tests.docs.dialects import Dialect, dialect_lines, dialects, examples, text_of
from tests.docs.known_failures import mutants_of

EACH = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=dialect.id) for dialect in dialects()])


def test_there_are_fifty_nine_of_their_own_names() -> None:
    assert len({dialect.id for dialect in dialects()}) == len(dialects()) == 59


@EACH
def test_each_sample_is_a_call_in_the_form_of_its_dialect(dialect: Dialect) -> None:
    replies = [text_of(name) for name in dialect.played]

    assert dialect.played
    assert [
        reply.text for reply in replies if not any(marker in (reply.text or "") for marker in dialect.markers)
    ] == []
    assert "show" not in {reply.means.handling for reply in replies if reply.means}


@EACH
def test_each_look_alike_is_shown(dialect: Dialect) -> None:
    assert dialect.look_alikes
    assert {text_of(name).means.handling for name in dialect.look_alikes} == {"show"}  # type: ignore[union-attr]


@EACH
def test_each_sample_and_each_look_alike_fails_a_mutant(dialect: Dialect) -> None:
    names = [*dialect.played, *dialect.look_alikes]

    assert [name for name in names if not mutants_of(name.partition("[")[0])] == []


@EACH
def test_each_dialect_has_a_source(dialect: Dialect) -> None:
    assert [name for name in dialect.played if examples()[name].source] != []


def test_a_line_has_the_form_with_its_source_the_samples_and_who_fails_them() -> None:
    dialect = Dialect(
        "x", "`<|a|>`", (), ("pseudo-calls/tagged-json[pretty]",), ("pseudo-calls/prose-like-tags[document]",)
    )
    source = examples()["pseudo-calls/tagged-json[pretty]"].source

    assert dialect_lines([dialect]) == [
        (
            "x",
            f"`<\\|a\\|>` ([source]({source}))",
            "`pseudo-calls/tagged-json[pretty]`",
            "`pseudo-calls/prose-like-tags[document]`",
            ", ".join(f"`{name}`" for name in mutants_of("pseudo-calls/tagged-json")[:3]),
        )
    ]
