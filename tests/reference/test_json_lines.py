import asyncio

import pytest

from agent_conformance.agents.reference.call_pieces import lines


def read(*chunks):
    async def collect():
        async def source():
            for chunk in chunks:
                yield chunk

        return [line async for line in lines(source())]

    return asyncio.run(collect())


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_lines_are_the_same_however_the_bytes_are_cut(size):
    stream = '{"a": "é"}\n\n{"b":\u20281}\r\n{"c"'.encode()
    chunks = [stream[i : i + size] for i in range(0, len(stream), size)]

    assert read(*chunks) == ['{"a": "é"}', '{"b":\u20281}\r', '{"c"']


def test_line_is_read_as_soon_as_its_end_arrives():
    lines_and_requests = []

    async def collect():
        async def source():
            yield b"one\ntw"
            lines_and_requests.append("next chunk")
            yield b"o\n"

        async for line in lines(source()):
            lines_and_requests.append(line)

    asyncio.run(collect())

    assert lines_and_requests == ["one", "next chunk", "two"]
