"""Bugs with the spellings of calls as text: of open models' servers, and of agents that clean up after them."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Dialect, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall, json_at
from agent_mutants.mutant import RIGHT, Mutants

VLLM = "https://github.com/vllm-project/vllm/tree/main/tests/tool_parsers"
OPENCLAW = "https://github.com/openclaw/openclaw/blob/main/src/shared/text/assistant-visible-text.test.ts"
ZEROCLAW = "https://github.com/zeroclaw-labs/zeroclaw/blob/master/crates/zeroclaw-tool-call-parser/src/lib.rs"


def without(*names: str) -> tuple[Dialect, ...]:
    """The dialects but for these, whose text is an answer."""
    return tuple(dialect for dialect in RIGHT.reading.dialects if dialect.name not in names)


def readers(*names: str) -> Callable[[Callable[[Reader, Position], Block | None]], tuple[Dialect, ...]]:
    """The dialects with these changed, or all of them: the function gets what the reader was, and a position."""

    def changed(read: Callable[[Reader, Position], Block | None]) -> tuple[Dialect, ...]:
        return tuple(
            replace(one, read=partial(read, one.read)) if not names or one.name in names else one
            for one in RIGHT.reading.dialects
        )

    return changed


def only(pattern: str) -> tuple[Dialect, ...]:
    """The dialects, of which a tag is read only where the pattern follows."""

    def narrow(read: Reader, at: Position) -> Block | None:
        return read(at) if re.compile(pattern, re.DOTALL).match(at.text, at.at) else None

    return readers("tag", "function-equals", "function-attribute", "tools", "element")(narrow)


RESULT = re.compile(r"[<\[][|｜]?(?:tool|function)[ _▁](?:result|response|output)", re.IGNORECASE)


def caught(*scenarios: str, by: str = "no-protocol-text") -> dict[str, str]:
    return {f"pseudo-calls/{scenario}": by for scenario in scenarios}


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.row("M25w_flowers_shown", "a call between flowers is a call",
    "https://github.com/QwenLM/Qwen-Agent/issues/737", caught("invented-results[flower]"), dialects=without("flower"))

MUTANTS.row("M25x_python_lists_shown", "a list of calls in Python's words is a call",
    "https://github.com/meta-llama/llama-models/blob/main/models/llama4/prompt_format.md",
    caught("json-that-may-be-a-call[python-list]", by="1.should.reply"), dialects=without("pythonic"))

MUTANTS.row("M25a_tokens_passed", "calls between special tokens reach neither the user nor a stream",
    VLLM,
    caught("deepseek-tokens[v3, bars-of-ascii, v3-1, step-3]", "calls-in-sections[*]", "calls-after-a-token[*]",
        "calls-in-brackets[lm-studio]", "cut-off-inside-a-tag[half-a-token]") |
    caught("json-that-may-be-a-call[python-list-in-tokens]", by="stream-is-reply"),
    dialects=without("token-pair", "token-json"))

MUTANTS.row("M25b_objects_only", "a tag may hold an array of calls",
    VLLM, caught("arrays-in-tags[*]"), dialects=only(r"<[^>]*>\s*[^\s\[]"))

MUTANTS.row("M25c_one_tag_only", "a call is a call under every name of its tag",
    ZEROCLAW,
    caught("tags-of-other-names[closed-by-another, tools, granite*, longcat, minimax*, hyphen]",
        "functions-as-tags[json-in-the-function, stop-word-ate-the-end, seed, name-as-attribute, python*, postcode]",
        "deepseek-tokens[v3-2, v4]", "cut-off-inside-a-tag[complete-json]",
        "unclosed-marker[complete-json-no-closing-tag, half-*]") |
    caught("functions-as-tags[name-in-the-tag]", by="1.should.reply"), dialects=only(r"<tool_call>(?=.*</tool_call>)"))

MUTANTS.row("M25d_json_bodies_only", "a tag may hold the bare name of a tool, tags and shortened calls",
    ZEROCLAW,
    caught("names-as-tags[*]",
        "no-arguments-in-tags[invoke, element*, function, bare-name, call-of-a-tool, code-in-the-tag]",
        "shorthand-in-a-tag[*]", "words-around-json-in-a-tag[fence, words]"), dialects=only(r"<tool_call>\s*[{\[]"))

MUTANTS.row("M25e_addresses_shown", "a message to a tool is no message to the user",
    "https://github.com/openai/openai-cookbook/blob/main/articles/openai-harmony.md",
    caught("addressed-messages[*]", "calls-in-words[leaked-address]", "no-arguments-in-tags[address]"),
    dialects=without("harmony", "recipient"))

MUTANTS.row("M25f_brackets_are_text", "calls in square brackets are read in every spelling",
    "https://github.com/openclaw/openclaw/issues/989",
    caught("calls-in-brackets[calling-tool, label, mistral-*, named-block, replayed-transcript]"),
    dialects=without("mistral", "bracketed", "named-bracket"))

MUTANTS.row("M25g_words_are_text", "a call that is announced in words is a call",
    "https://github.com/crewAIInc/crewAI/blob/main/lib/crewai/tests/agents/test_crew_agent_parser.py",
    caught("calls-in-words[action-input, json-action, command-r, using-tool, functools]"),
    dialects=without("react", "using-tool", "token-json"))

MUTANTS.row("M25t_bare_texts_are_prose", "a call that is announced with a bare text is not shown",
    "https://github.com/ysymyth/ReAct", caught("arguments-without-names[action, numbered, tool-line, words-after]"),
    dialects=without("react", "tool-line"))

MUTANTS.row("M25h_fences_are_code", "a fence whose language marks a call is no code",
    "https://github.com/livekit/agents/issues/5662",
    caught("arguments-without-names[python]", "call-fences[*]", "closing-marker-in-an-argument[fence]"),
    dialects=without("fence", "default-api", "control-token"))

MUTANTS.row("M25i_json_is_data", "an answer that is exactly a call is a call",
    "https://github.com/microsoft/vscode/issues/280719",
    caught("envelopes-of-the-api[*]", "invented-results[message-of-a-tool]") |
    caught("json-that-may-be-a-call[llama, array-*, fence*, half-*]", by="1.should.*"),
    dialects=without("bare-json", "fence"))

@MUTANTS.replaces("dialects", "a result that the model made up is hidden with its tags",
    "https://github.com/QwenLM/Qwen-Agent/issues/737",
    caught("invented-results[tool-result, results-in-brackets, deepseek]", by="1.should.reply"),
    through=readers("token-pair"))
def M25j_results_unwrapped(read: Reader, position: Position) -> Block | None:
    """Tags and tokens are stripped, and what stood between them is text."""
    block = read(position)
    if block is None or not RESULT.match(position.text, block.start):
        return block
    text = position.text[block.start : block.end]
    return replace(block, show=re.sub(r"<[^>]*>|\[[^\]]*\]", "", text), mark=True)

MUTANTS.row("M25k_wrapped_invokes_only", "a call that lost its wrapper is hidden or run",
    "https://github.com/anthropics/claude-code/issues/64922", caught("word-before-an-invoke[*]"),
    dialects=only(r"<(?!invoke)"))

MUTANTS.row("M25l_code_is_text", "code in the tags of another agent is no answer",
    "https://github.com/huggingface/smolagents/blob/main/src/smolagents/utils.py",
    caught("code-instead-of-a-call[*]", by="1.should.reply"), dialects=without("code-action"))

@MUTANTS.replaces("dialects", "a broken tag of a parameter makes up no arguments",
    "https://github.com/vllm-project/vllm/pull/55497",
    caught("parameter-without-a-bracket[before-another]", by="sent-arguments"),
    through=readers("tag", "function-equals"))
def M25m_parameters_to_the_next_bracket(read: Reader, position: Position) -> Block | None:
    block = read(position)
    function = re.search(r"<function=(\w+)>", position.text)
    pairs = re.findall(r"<parameter=([^>]+)>(.*?)</parameter>", position.text, re.DOTALL)
    if block is None or block.calls or function is None:
        return block
    return replace(block, calls=(TextCall(function[1], dict(pairs)),))

@MUTANTS.replaces("dialects", "an example in a declaration is not run",
    ZEROCLAW, caught("tools-tag-declares[example-in-prose]", by="declared-only"), through=readers("tools"))
def M25n_tools_tag_read(read: Reader, position: Position) -> Block | None:
    found = re.compile(r"<tools>[^{]*(?=\{)").match(position.text, position.at)
    value = json_at(position.text, found.end()) if found else None
    if value is None or "arguments" not in value[0]:
        return read(position)
    return Block(position.at, value[1], (TextCall(value[0]["name"], value[0]["arguments"]),))

@MUTANTS.replaces("dialects", "a closing marker in an argument closes nothing",
    OPENCLAW,
    caught("closing-marker-in-an-argument[tag, tag-and-a-call, marker-of-mistral]",
        "tags-of-other-names[tag-in-its-tag]") | caught("tags-of-other-names[ernie]", by="1.should.means*") |
    caught("closing-marker-in-an-argument[tools-tag]", by="stream-is-reply"), through=readers())
def M25o_first_closer_ends(read: Reader, position: Position) -> Block | None:
    block = read(position)
    closer = re.compile(r"</tool\w*>|\[/TOOL_CALLS\]|\n```").search(position.text, position.at)
    return block if block is None or closer is None else replace(block, end=closer.end(), calls=())

MUTANTS.row("M25r_end_marks_shown", "a mark for the end of a message is no text",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/9006", caught("end-marks[*]"), dialects=without("mark"))

@MUTANTS.replaces("dialects", "numbers, lists and flags are read as well as texts",
    "https://github.com/ollama/ollama/blob/main/model/parsers/gemma4_test.go",
    caught("values-that-are-no-texts[*]", by="sent-arguments"), through=readers())
def M25z_texts_only(read: Reader, position: Position) -> Block | None:
    def texts(call: TextCall) -> TextCall:
        return TextCall(call.name, {key: value for key, value in call.arguments.items() if isinstance(value, str)})

    block = read(position)
    return block and replace(block, calls=tuple(map(texts, block.calls)))

@MUTANTS.replaces("dialects", "arguments may be called parameters",
    ZEROCLAW, caught("words-around-json-in-a-tag[parameters]", "json-that-may-be-a-call[llama]", by="sent-arguments"),
    through=readers())
def M25u_arguments_by_one_name(read: Reader, position: Position) -> Block | None:
    block = read(position)
    if block is None or '"arguments"' in position.text or '"parameters"' not in position.text:
        return block
    return replace(block, calls=tuple(TextCall(call.name, {}) for call in block.calls))

@MUTANTS.replaces("dialects", "a mark in brackets is one in small letters too",
    ZEROCLAW, caught("no-arguments-in-tags[arrow-in-small-letters]"), through=readers())
def M25v_brackets_in_capitals(read: Reader, at: Position) -> Block | None:
    return None if re.compile(r"\[[a-z]").match(at.text, at.at) else read(at)
