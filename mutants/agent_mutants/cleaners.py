"""Bugs of agents that clean a text with patterns of their own: prose taken for calls, calls cut in two."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import History
from agent_conformance.agents.reference.pseudo_calls import Reading, leave_cuts_out
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Dialect, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall, calls_in, json_at
from agent_mutants.dialects import OPENCLAW, VLLM, ZEROCLAW, caught
from agent_mutants.mutant import RIGHT, Mutants


def read_first(read: Reader) -> tuple[Dialect, ...]:
    """One more dialect, which is tried before the others."""
    return (Dialect("careless", read), *RIGHT.reading.dialects)


def cleaned(clean: Callable[[str], str]) -> Callable[[Answer, History], str]:
    return lambda answer, history: clean(RIGHT.final_text(answer, history))


def _block(position: Position, pattern: str, *calls: TextCall) -> Block | None:
    found = re.compile(pattern, re.DOTALL).match(position.text, position.at)
    return Block(position.at, found.end(), calls) if found else None


def _hidden_from(openers: tuple[str, ...]) -> Reader:
    def read(position: Position) -> Block | None:
        begins = position.text[position.at :].lstrip().lower().startswith(openers)
        return Block(position.at, len(position.text)) if begins else None

    return read


def _prose(row: str, by: str = "*") -> dict[str, str]:
    return caught(row, by=by)


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("final_text", "a word with an address in a sentence is prose",
    OPENCLAW, _prose("prose-like-actions[address]"), through=cleaned)
def M71q_addresses_anywhere(text: str) -> str:
    return text if re.search(r"functions\.\w", text) else re.sub(r"commentary to=\w+", "", text)

@MUTANTS.replaces("dialects", "a word in a line of its own is prose where no call follows",
    "https://github.com/anthropics/claude-code/issues/64922", _prose("prose-like-actions[court]"), through=read_first)
def M71r_stray_words_dropped(position: Position) -> Block | None:
    """Words that a model puts before a broken call are dropped, whatever comes after them."""
    return _block(position, r"(?:court|count|course|call)\n") if position.line_lead else None

MUTANTS.row("M71s_lists_in_code", "a list in code is no list of calls",
    VLLM, _prose("prose-like-brackets[array]"),
    dialects=read_first(lambda position: _block(position, r"\[\w+\(\w+=[^\]]*\)\]")))

@MUTANTS.replaces("dialects", "an element with more attributes than a name is markup",
    ZEROCLAW, _prose("prose-like-tags[call-of-a-plan]"), through=read_first)
def M71t_attribute_names_a_tool(position: Position) -> Block | None:
    return _block(position, r"<call\b[^>]*\btool=[^>]*>.*?</call>")

MUTANTS.row("M71u_thoughts_paired_with_nothing", "a tag of reasoning in a sentence is prose",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/3765", _prose("prose-like-tags[thought-in-a-sentence]"),
    final_text=cleaned(lambda text: re.sub(r"</?think(?:ing)?>", "", text)))

MUTANTS.row("M71a_tags_stripped_to_a_bracket", "a sign of comparison begins no tag",
    "zeroclaw, protocol text and business text", _prose("business-json[less-than]"),
    final_text=cleaned(lambda text: re.sub(r"</?tool[^>]*>", "", text)))

MUTANTS.row("M71b_markers_stripped", "a marker that the text talks about stays",
    "hero_shrimp issue 24", _prose("examples-in-code[prose]"),
    final_text=cleaned(lambda text: text.replace("[TOOL_CALL]", "").replace("[/TOOL_CALL]", "")))

# A half tag at the end of a text is one that is still to come.
MUTANTS.row("M71c_tags_known_by_their_beginning", "a text may end in a word that begins like a tag",
    OPENCLAW, _prose("prose-like-tags[beginning-of-a-word]"),
    final_text=cleaned(lambda text: re.sub(r"<(?:tool|function|invoke)[^>]*\Z", "", text)))

@MUTANTS.replaces("dialects", "a path in a sentence is no call",
    ZEROCLAW, _prose("prose-like-actions[path]"), through=read_first)
def M71d_slashes_anywhere(position: Position) -> Block | None:
    line = re.compile(r"[^\n]*").match(position.text, position.at)
    named = any(f"{name}/" in line[0] for name in position.names) if line else False
    return Block(position.at, line.end()) if line and named else None

MUTANTS.row("M71e_links_are_calls", "a link is no call",
    OPENCLAW, _prose("prose-like-brackets[links]"),
    dialects=read_first(lambda position: _block(position, r"\[[\w ]+\]\([^)\s]+\)")))

@MUTANTS.replaces("dialects", "an array in a sentence is data",
    OPENCLAW, _prose("prose-like-brackets[list]"), through=read_first)
def M71f_arrays_are_envelopes(position: Position) -> Block | None:
    value = json_at(position.text, position.at) if position.text[position.at] == "[" else None
    return Block(position.at, value[1], tuple(calls_in(value[0]))) if value else None

@MUTANTS.replaces("dialects", "the signature of a tool is no call",
    OPENCLAW, _prose("prose-like-brackets[signature]", "declared-only"), through=read_first)
def M71g_parentheses_are_arguments(position: Position) -> Block | None:
    names = "|".join(map(re.escape, position.names))
    found = re.compile(rf"\[({names})\([^)]*\)\]").match(position.text, position.at)
    return Block(position.at, found.end(), (TextCall(found[1], {}),)) if found and found[1] else None

MUTANTS.row("M71h_keys_without_a_call", "a tag of an argument without a call is prose",
    "https://github.com/openclaw/openclaw/blob/main/src/shared/text/assistant-visible-text.glm-arg-key.test.ts",
    _prose("prose-like-tags[key-tags]"),
    dialects=read_first(lambda position: _block(position, r"<arg_key>.*?</arg_key>(?:<arg_value>.*?<)?")))

@MUTANTS.replaces("dialects", "an element with the name of no tool is markup",
    "https://github.com/cline/cline/blob/main/src/core/assistant-message/parse-assistant-message.ts",
    _prose("prose-like-tags[document]"), through=read_first)
def M71i_elements_are_calls(position: Position) -> Block | None:
    return _block(position, r"<(\w+)>(?:<(\w+)>[^<]*</\2>)+</\1>") if position.line_lead else None

MUTANTS.row("M71j_library_is_a_marker", "a library with the name of a marker is code",
    VLLM, _prose("prose-like-tokens[functools]"),
    dialects=read_first(lambda position: _block(position, r"(?:[^\n]*)functools\b.*")))

@MUTANTS.replaces("dialects", "what is declared is not called",
    ZEROCLAW, _prose("tools-tag-declares[declaration, in-prose, of-the-api]", "declared-only"), through=read_first)
def M71k_declarations_read(position: Position) -> Block | None:
    found = re.compile(r"<tools>").match(position.text, position.at)
    value = json_at(position.text, found.end()) if found else None
    calls = calls_in(value[0]) if value else []
    return Block(position.at, value[1], tuple(calls)) if value and calls else None

MUTANTS.row("M71l_recipients_are_tools", "a message to all is a message to the user",
    "https://github.com/ggml-org/llama.cpp/blob/master/tests/test-chat.cpp",
    _prose("answers-in-frames[message-to-all]", "1.should.reply"),
    dialects=read_first(lambda position: _block(position, r">>>\w+\n.*")))

MUTANTS.row("M71m_first_fence_ends", "a fence in an argument ends no call",
    "https://github.com/livekit/agents/issues/5662", _prose("closing-marker-in-an-argument[fence]"),
    dialects=read_first(lambda position: _block(position, r"```tool_code\n.*?```")))

@MUTANTS.replaces("dialects", "a parameter without its bracket is not made up of the rest of its line",
    "https://github.com/vllm-project/vllm/issues/39771", _prose("parameter-without-a-bracket[colon]", "sent-arguments"),
    through=read_first)
def M71n_parameters_by_line(position: Position) -> Block | None:
    """A parameter is its name, one more sign, and what stands in the rest of the line."""
    function = re.compile(r"<tool_call>\s*<function=(\w+)>(.*)", re.DOTALL).match(position.text, position.at)
    pairs: dict[str, Any] = dict(re.findall(r"<parameter=(\w+)[:>]\s*(.*)$", function[2], re.M)) if function else {}
    broken = function is not None and re.search(r"<parameter=\w+:", function[2])
    return Block(position.at, len(position.text), (TextCall(function[1], pairs),)) if function and broken else None

@MUTANTS.replaces("calls_in_text", "a call within a thought is not found by a pattern",
    "https://github.com/PrimeIntellect-ai/renderers/pull/80",
    {"reasoning/call-inside-reasoning[tagged-json]": "declared-only"})
def M71o_searched_everywhere(
    answer: Answer, reading: Reading, history: History, names: frozenset[str]
) -> tuple[TextCall, ...]:
    """Calls are searched by a pattern in all that the model wrote, its thoughts too."""
    found = [json_at(text, 0) for text in re.findall(r"<tool_call>(.*?)</tool_call>", answer.text, re.DOTALL)]
    calls = tuple(call for value in found if value for call in calls_in(value[0]))
    return calls or RIGHT.calls_in_text(answer, reading, history, names)

@MUTANTS.replaces("leave_out", "a tag of reasoning without content is not shown",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/3765",
    {"reasoning/closing-tag-alone[empty-element]": "no-protocol-text"})
def M71p_empty_thoughts_shown(text: str, cuts: Any) -> str:
    return leave_cuts_out(text, [cut for cut in cuts if "/>" not in text[cut.start : cut.end]])

@MUTANTS.changes("text that only begins like a call is shown",
    OPENCLAW,
    caught("prose-like-actions[action*, tool*, thoughts, code-of-python]", "prose-like-brackets[note]",
        "prose-like-tags[three-backticks-in-a-line, response-element]", "prose-like-tokens[flower]",
        "data-like-calls[queue, status, setting, plan, *-file, file-*, order]", by="1.reply") |
    caught("documents-with-such-tags[element-*, label, client]", by="1.should.reply") |
    caught("prose-like-actions[code-tag, code-after-words]", "prose-like-brackets[marker, request, log]",
        "prose-like-tags[an-*, named-*, example-*, another-*, names-of-tags, function-in-a-sentence]",
        "prose-like-tokens[tokens, recipient, python-prompt, end-mark-within, sections, single-tokens, bars]",
        "data-like-calls[configuration, python]", "documents-with-such-tags[within-a-sentence]", by="stream-is-reply"))
def M25s_openers_are_blocks(defences: Defences) -> Defences:
    """Whatever may open a call is hidden to the end of the text, as a careless filter of streams does."""
    dialects = tuple(replace(dialect, read=_hidden_from(dialect.openers)) for dialect in defences.reading.dialects)
    return replace(defences, reading=replace(defences.reading, dialects=dialects))
