"""Frames with any names and payloads are read by the decoders of Amazon's clients: botocore's and that for Node."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from fake_providers.replies.event_frames import decode_frames, encode_frame

NAMES = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=40)
FRAMES = st.tuples(st.sampled_from(["event", "exception"]), NAMES, st.binary(max_size=3000))
Read = tuple[dict[str, str], bytes]


def headers_of(kind: str, name: str) -> dict[str, str]:
    return {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}


@given(frames=st.lists(FRAMES, max_size=6), cuts=st.lists(st.integers(1, 400), max_size=20))
def test_botocore_reads_every_frame_however_the_bytes_arrive(
    frames: list[tuple[str, str, bytes]], cuts: list[int]
) -> None:
    body = b"".join(encode_frame(*frame) for frame in frames)
    buffer, found = EventStreamBuffer(), list[Read]()
    rest = body
    for size in [*cuts, len(body) + 1]:
        buffer.add_data(rest[:size])
        rest = rest[size:]
        found += [(message.headers, message.payload) for message in buffer]

    assert found == [(headers_of(kind, name), payload) for kind, name, payload in frames]
    assert [(dict(frame.headers), frame.payload) for frame in decode_frames(body)] == found


DECODE = """
import { createInterface } from 'node:readline'
import { EventStreamCodec } from '@smithy/eventstream-codec'

const codec = new EventStreamCodec(bytes => Buffer.from(bytes).toString(), text => Buffer.from(text))
for await (const line of createInterface({ input: process.stdin })) {
  const { headers, body } = codec.decode(Uint8Array.from(Buffer.from(line, 'hex')))
  const named = Object.entries(headers).map(([name, { value }]) => [name, value])
  console.log(JSON.stringify([Object.fromEntries(named), Buffer.from(body).toString('hex')]))
}
"""


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script that decodes with the newest release of what `@aws-sdk` and `@ai-sdk/amazon-bedrock` decode with."""
    folder = tmp_path_factory.mktemp("codec")
    npm = shutil.which("npm")
    assert npm is not None, "npm is missing, which brings the decoder"
    install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), "@smithy/eventstream-codec"]
    subprocess.run(install, check=True, capture_output=True)
    (folder / "decode.mjs").write_text(DECODE, encoding="utf-8")
    return folder / "decode.mjs"


@pytest.mark.weekly
def test_decoder_of_nodes_sdk_reads_every_frame(codec: Path) -> None:
    made = list[tuple[str, str, bytes]]()

    @given(frame=FRAMES)
    def collect(frame: tuple[str, str, bytes]) -> None:
        made.append(frame)

    collect()
    lines = "".join(encode_frame(*frame).hex() + "\n" for frame in made)
    done = subprocess.run(["node", codec], input=lines, capture_output=True, text=True, check=True)
    found = [(headers, bytes.fromhex(body)) for headers, body in map(json.loads, done.stdout.splitlines())]

    assert len(made) >= 50
    assert found == [(headers_of(kind, name), payload) for kind, name, payload in made]


@pytest.mark.weekly
@pytest.mark.parametrize("damaged", [-1, 8, 14], ids=["checksum of all", "checksum of the lengths", "name of a header"])
def test_decoder_of_nodes_sdk_refuses_a_damaged_frame(codec: Path, damaged: int) -> None:
    frame = bytearray(encode_frame("event", "messageStart", b'{"role":"assistant"}'))
    frame[damaged] ^= 1

    done = subprocess.run(["node", codec], input=frame.hex() + "\n", capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "checksum" in done.stderr
