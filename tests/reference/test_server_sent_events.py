import asyncio

import pytest

from agent_conformance.agents.reference.call_pieces import events

STREAM = ': hello\r\nevent: x\r\ndata: {"a": "é",\r\ndata: "b": 1}\r\n\r\ndata:two\n\nid: 1\n\ndata: three'.encode()


def read(chunks):
    async def collect():
        async def source():
            for chunk in chunks:
                yield chunk

        return [event async for event in events(source())]

    return asyncio.run(collect())


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_events_are_the_same_however_the_bytes_are_cut(size):
    chunks = [STREAM[i : i + size] for i in range(0, len(STREAM), size)]

    assert read(chunks) == ['{"a": "é",\n"b": 1}', "two"]


def test_line_separators_of_other_scripts_end_no_line():
    assert read(["data: a\u2028b\n\n".encode()]) == ["a\u2028b"]
