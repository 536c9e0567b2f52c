from typing import Any

import pytest
from differing import differences


@pytest.mark.parametrize(
    ("one", "other", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["$.a"]),
        ({"a": 1}, {"a": True}, ["$.a"]),
        ({"a": 1}, {}, ["$.a"]),
        ({"a": 1}, {"b": 1}, ["$.a", "$.b"]),
        ({"a": [1, 2]}, {"a": [1, 3, 4]}, ["$.a"]),
        ({"a": [1]}, {"a": [True]}, ["$.a"]),
        ({"a": [{}, {}]}, {"a": [{}, {"b": 1}]}, ["$.a[1].b"]),
        ({"a": [{}]}, {"a": [{}, {}]}, ["$.a[1]"]),
        ([{"r": "u"}, {"r": "t"}], [{"r": "t"}], ["$[0]"]),
        ([{"r": "u"}, {"r": "t"}], [{"r": "a"}], ["$[0].r", "$[1]"]),
        (b"{", {"a": 1}, ["$"]),
    ],
)
def test_every_path_that_differs_is_named_once(one: Any, other: Any, paths: list[str]) -> None:
    assert list(differences(one, other)) == paths
    assert len(list(differences(other, one))) == len(paths)
