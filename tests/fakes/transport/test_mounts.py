import string

import pytest
from transport_doubles import Answering

from fake_providers.http import json_response
from fake_providers.transport import Mounts

HANDLER = Answering(json_response(200, {}))


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("/{}/v1/chat/completions", "/v1/chat/completions"),
        ("/{}/v1/x?alt=sse", "/v1/x?alt=sse"),
        ("/{}//v1", "//v1"),
        ("/{}/", "/"),
        ("/{}", "/"),
        ("/{}?alt=sse", "/?alt=sse"),
        ("/{}/a?b=/c/d", "/a?b=/c/d"),
    ],
)
def test_first_segment_chooses_the_handler(path: str, rest: str) -> None:
    mounts = Mounts()
    token = mounts.mount(HANDLER)

    assert mounts.resolve(path.format(token)) == (HANDLER, rest)


@pytest.mark.parametrize("path", ["/", "", "/nobody/v1", "?a", "/v1/{}", "*"])
def test_other_paths_have_no_handler(path: str) -> None:
    mounts = Mounts()
    token = mounts.mount(HANDLER)

    assert mounts.resolve(path.format(token)) is None
    assert not mounts.has_ended(path.format(token))


def test_unmounted_token_has_ended() -> None:
    mounts = Mounts()
    token = mounts.mount(HANDLER)
    mounts.unmount(token)

    assert mounts.resolve(f"/{token}/v1") is None
    assert mounts.has_ended(f"/{token}/v1")
    assert mounts.has_ended(f"/{token}?x")
    with pytest.raises(KeyError):
        mounts.unmount(token)


def test_tokens_differ_and_are_plain() -> None:
    mounts = Mounts()
    tokens = [mounts.mount(HANDLER) for _ in range(100)]

    assert len(set(tokens)) == 100
    assert set("".join(tokens)) <= set(string.hexdigits)


def test_same_seed_makes_the_same_tokens_and_no_seed_others() -> None:
    first, second, free, freer = Mounts("a"), Mounts("a"), Mounts(), Mounts()

    assert first.mount(HANDLER) == second.mount(HANDLER)
    assert free.mount(HANDLER) != freer.mount(HANDLER)
