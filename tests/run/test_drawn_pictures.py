"""Pictures that the suite draws: whole files of each format, the same for the same seed, another for each call."""

import base64
import zlib
from typing import Any

import pytest

from agent_conformance.adapter.types import Part, Tool
from agent_conformance.run.agent.agent_setup import LEAST_BYTES, Format, drawn
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.scenario.model import ToolSpec
from fake_providers.values.pictures import Picture, bytes_of, media_type_of, picture_in, size_of

FORMATS: dict[Format, str | None] = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "unreadable": None,
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("size", [(1, 1), (64, 48), (1440, 2570)])
def test_picture_has_its_type_its_size_and_enough_noise(format: Format, size: tuple[int, int]):
    data = drawn(format, *size, "seed")

    assert media_type_of(data) == FORMATS[format]
    assert size_of(data) == (None if format in ("svg", "unreadable") else size)
    assert LEAST_BYTES <= len(data) <= 5 * 2**20


@pytest.mark.parametrize("format", FORMATS)
def test_same_seed_is_the_same_picture(format: Format):
    drawn.cache_clear()
    first = drawn(format, 64, 64, "a")
    drawn.cache_clear()

    assert drawn(format, 64, 64, "a") == first != drawn(format, 64, 64, "b")


def test_png_has_all_its_pixels():
    """The other formats were opened once with Pillow, which this project does not need."""
    data = drawn("png", 33, 7, "a")
    start = data.index(b"IDAT")
    length = int.from_bytes(data[start - 4 : start], "big")

    assert len(zlib.decompress(data[start + 4 : start + 4 + length])) == 7 * (33 + 1)


def test_each_call_of_a_tool_returns_another_picture():
    tool = only_tool(content=[{"text": "a page"}, {"image": {"width": 8, "height": 8}}])
    first, second = tool.call({}), tool.call({})

    assert [(part.type, part.text, part.media_type) for part in first] == [
        ("text", "a page", ""),
        ("image", "", "image/png"),
    ]
    assert first[1].data != second[1].data


def test_results_are_parts_only_where_they_say_so():
    tool = only_tool(results=[{"parts": [{"text": "a page"}]}, {"parts": [], "count": 0}, [{"text": "a page"}]])

    assert [tool.call({}) for _ in range(3)] == [
        [Part("text", "a page")],
        {"parts": [], "count": 0},
        [{"text": "a page"}],
    ]


def test_function_for_a_framework_returns_parts_as_text():
    tool = only_tool(content=[{"text": "a page"}, {"image": {"width": 8, "height": 8}}])

    assert tool.function()() == "a page\n[image/png]"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("https://example.com/a.png", ("", 0, 0)),
        ("data:image/png;base64,", None),
        ("no base64", None),
        (base64.b64encode(b"%PDF-1.7").decode(), None),
        (base64.b64encode(b"RIFF....WEBPVP8 ").decode(), ("image/webp", 0, 0)),
        (base64.urlsafe_b64encode(b"GIF89a\xfb\xff\xfe\x00").decode(), ("image/gif", 65531, 254)),
        (base64.b64encode(b"\xff\xd8\xff\xe0\x00\x04ab").decode(), ("image/jpeg", 0, 0)),
        (None, None),
    ],
)
def test_picture_of_a_request_is_what_a_model_can_see(data: Any, expected: tuple[str, int, int] | None):
    found = picture_in(data)

    assert (found and (found.media_type, found.width, found.height)) == expected


def test_data_url_and_plain_base64_are_the_same_picture():
    plain = base64.b64encode(drawn("gif", 8, 8, "a")).decode()

    assert picture_in(plain) == picture_in(f"data:image/gif;base64,{plain}")
    assert isinstance(picture_in(plain), Picture)
    assert bytes_of(plain) == drawn("gif", 8, 8, "a")


def only_tool(**fields: Any) -> Tool:
    [tool] = Toolbox([ToolSpec.read({"name": "look", "description": "A look.", **fields})]).tools
    return tool
