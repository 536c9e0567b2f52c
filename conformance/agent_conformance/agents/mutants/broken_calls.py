"""Bugs with calls as text that are cut off, cannot be read, or stand in a frame of their own."""

import re
from dataclasses import replace

from agent_conformance.agents.mutants.dialects import VLLM, ZEROCLAW, caught, changed_readers
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall


def _cut_off_completed(defences: Defences) -> Defences:
    """Also in a reply that the limit on tokens ended."""

    def completing(read: Reader) -> Reader:
        def complete(position: Position) -> Block | None:
            block = read(position)
            value = re.search(r"(\w+)\Z", position.text)
            if block is None or block.calls or block.end < len(position.text) or value is None:
                return block
            return replace(block, calls=(TextCall("get_weather", {"city": value[1]}),))

        return complete

    return replace(changed_readers(defences, completing), may_run=lambda answer: True)


def _unreadable_shown(defences: Defences) -> Defences:
    def strict(read: Reader) -> Reader:
        def readable(position: Position) -> Block | None:
            block = read(position)
            return block if block is None or block.calls or block.mark else None

        return readable

    return changed_readers(defences, strict)


def _frames_hidden(defences: Defences) -> Defences:
    def hiding(read: Reader) -> Reader:
        def hide(position: Position) -> Block | None:
            block = read(position)
            framed = block is not None and block.mark and (block.show or block.end - block.start > 10)
            return Block(position.at, len(position.text)) if framed else block

        return hide

    return changed_readers(defences, hiding)


MUTANTS = (
    Mutant(
        "M25p_cut_off_completed",
        "a call that was cut off is not completed and run",
        ZEROCLAW,
        caught(
            "cut-off-inside-a-tag[half-a-*value, half-a-section, half-a-named-tag, half-a-fence, half-an-*, shorthand]",
            by="*",
        ),
        _cut_off_completed,
    ),
    Mutant(
        "M25q_unreadable_shown",
        "what was meant as a call and does not parse is no answer",
        VLLM,
        caught("broken-calls[*]", "broken-blocks[*]", "invented-results[function-response]"),
        _unreadable_shown,
    ),
    Mutant(
        "M25y_frames_hidden",
        "an answer in the frame of a call is an answer",
        "https://github.com/ggml-org/llama.cpp/blob/master/tests/test-chat.cpp",
        caught(
            "answers-in-frames[direct-answer, final-*, response-*]",
            by="1.should.reply",
        ),
        _frames_hidden,
    ),
)
