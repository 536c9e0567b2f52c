"""A tool's result is recognised in the frame that an agent puts around it, and nowhere else."""

import pytest

from conformance.judge.results import says


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("hello", "hello"),
        (" hello\n", "hello"),
        ("Wall time: 0.0033 seconds\nOutput:\nhello", "hello"),
        ("<untrusted_context>\nhello\nthere\n</untrusted_context>", "hello\nthere"),
        ("", ""),
    ],
)
def test_result_is_there_alone_or_on_lines_of_its_own(text: str, result: str) -> None:
    assert says(text, result)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("hell", "hello"),
        ("hello there", "hello"),
        ("'hello'", "hello"),
        ("Output: hello", "hello"),
        ("hello\n---\nthere", "hello\nthere"),
        ("hello", ""),
        ("", "hello"),
    ],
)
def test_result_that_is_cut_quoted_or_missing_is_not_there(text: str, result: str) -> None:
    assert not says(text, result)
