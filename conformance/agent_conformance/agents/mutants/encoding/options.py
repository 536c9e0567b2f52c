"""Bugs with the options of a request: those of another API or model, nulls for what is not set, odd units."""

from typing import Any

from agent_conformance.agents.mutants.encoding.bodies import Body, in_body, spoiled
from agent_conformance.agents.mutants.mutant import Change

SCENARIO = "round-trip/result-comes-back"


def sends(**options: Any) -> Change:
    """A change that sends these options with each request, whatever the API and the model take."""

    def set_options(body: Body) -> None:
        body.update(options)

    return in_body(set_options)


def where(member: str, **options: Any) -> Change:
    """A change that sends these options in each body that has this member."""

    def set_options(body: Body) -> None:
        if member in body:
            body.update(options)

    return in_body(set_options)


def without_streaming(**options: Any) -> Change:
    """A change that sends these options with each request that says nothing about streams."""

    def set_options(body: Body) -> None:
        if "stream" not in body:
            body.update(options)

    return in_body(set_options)


def thinks(budget: int, **options: Any) -> Change:
    """A change that enables thinking with a budget of tokens, and sends these options beside it."""
    return where("max_tokens", thinking={"type": "enabled", "budget_tokens": budget}, **options)


def _no_bound_of_tokens(body: Body) -> None:
    body.pop("max_tokens", None)


MUTANTS = (
    spoiled(
        "M65a_two_bounds_of_tokens",
        "the length of the answer is limited in one way",
        "recorded refusals, gpt-5-chat-latest",
        SCENARIO,
        sends(max_tokens=1000, max_completion_tokens=1000),
    ),
    spoiled(
        "M65b_no_bound_of_tokens",
        "the length of the answer is limited where it must be",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        in_body(_no_bound_of_tokens),
    ),
    spoiled(
        "M65c_null_bound_of_tokens",
        "a limit that is not set is left out",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(max_tokens=None),
    ),
    spoiled(
        "M65d_bound_of_the_largest_model",
        "the limit is not above that of the model",
        "https://github.com/anthropics/claude-code/issues/24451",
        SCENARIO,
        where("max_tokens", max_tokens=1_000_000),
    ),
    spoiled(
        "M65e_temperature_of_another_scale",
        "the temperature is on the scale of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(temperature=2.5),
    ),
    spoiled(
        "M65f_temperature_as_text",
        "the temperature is a number",
        "settings that are read from the environment",
        SCENARIO,
        sends(temperature="0.2"),
    ),
    spoiled(
        "M65g_top_p_that_is_null",
        "what is not set is left out",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(top_p=None),
    ),
    spoiled(
        "M65h_stream_that_is_null",
        "what is not set is left out",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        without_streaming(stream=None),
    ),
    spoiled(
        "M65i_stream_as_text",
        "whether to stream is true or false",
        "settings that are read from the environment",
        SCENARIO,
        sends(stream="false"),
    ),
    spoiled(
        "M65j_one_stop_as_text",
        "stop sequences are a list",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(stop_sequences="END"),
    ),
    spoiled(
        "M65k_five_stops",
        "there are at most four stop sequences",
        "https://github.com/continuedev/continue/issues/2461",
        SCENARIO,
        sends(stop=["a", "b", "c", "d", "e"]),
    ),
    spoiled(
        "M65l_stream_options_of_a_plain_request",
        "options of streams are sent with streams alone",
        "https://github.com/BerriAI/litellm/issues/5803",
        SCENARIO,
        without_streaming(stream_options={"include_usage": True}),
    ),
    spoiled(
        "M65m_metadata_within_metadata",
        "metadata are texts",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(metadata={"user": {"id": 7}}),
    ),
    spoiled(
        "M65n_tier_of_another_api",
        "the service tier is one of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(service_tier="flex"),
    ),
    spoiled(
        "M65o_effort_of_a_model_that_does_not_reason",
        "an effort is sent to models that reason",
        "https://github.com/davidmigloz/langchain_dart/issues/712",
        SCENARIO,
        sends(reasoning_effort="high"),
    ),
    spoiled(
        "M65p_effort_that_no_model_knows",
        "an effort is one that the API knows",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(reasoning={"effort": "extreme"}),
    ),
    spoiled(
        "M65q_effort_above_the_models",
        "the effort is one of the model",
        "https://github.com/BerriAI/litellm/issues/27223",
        SCENARIO,
        where("max_tokens", output_config={"effort": "xhigh"}),
    ),
    spoiled(
        "M65r_effort_as_a_word",
        "the configuration of the output is an object",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        where("max_tokens", output_config="high"),
    ),
    spoiled(
        "M65s_stop_of_the_options_as_text",
        "`stop` is a list also for one sequence",
        "https://github.com/stavsap/comfyui-ollama/issues/103",
        SCENARIO,
        sends(options={"stop": "END"}),
    ),
    spoiled("M65t_options_as_list", "options are an object", "ollama/ollama api/types.go", SCENARIO, sends(options=[])),
    spoiled(
        "M65u_think_as_a_word",
        "whether to think is true, false or an effort",
        "ollama/ollama api/types.go, ThinkValue",
        SCENARIO,
        sends(think="yes"),
    ),
    spoiled(
        "M65v_keep_alive_without_a_unit",
        "a duration has its unit",
        "https://github.com/valentinfrlch/ha-llmvision/issues/625",
        SCENARIO,
        sends(keep_alive="300"),
    ),
    spoiled(
        "M65w_format_of_another_name",
        "the format is `json` or a schema",
        "ollama/ollama llm/llama_server.go",
        SCENARIO,
        sends(format="xml"),
    ),
    spoiled(
        "M65x_system_that_is_null",
        "a system prompt that is not there is left out",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        where("max_tokens", system=None),
    ),
    spoiled(
        "M65y_blank_system",
        "a system prompt is not blank",
        "a benchmark of system prompts",
        SCENARIO,
        where("max_tokens", system=[{"type": "text", "text": " "}]),
    ),
    spoiled(
        "M66a_budget_of_few_tokens",
        "the budget for thinking is not below the least",
        "https://github.com/danny-avila/LibreChat/issues/8346",
        SCENARIO,
        thinks(512),
    ),
    spoiled(
        "M66b_budget_of_the_whole_answer",
        "the budget for thinking leaves room for the answer",
        "pydantic/pydantic-ai, recorded refusals",
        SCENARIO,
        thinks(4096),
    ),
    spoiled(
        "M66c_temperature_beside_thinking",
        "with thinking the temperature is left out",
        "https://github.com/MayDay-wpf/snow-app/issues/42",
        SCENARIO,
        thinks(2048, temperature=0.2),
    ),
    spoiled(
        "M66d_top_k_beside_thinking",
        "with thinking `top_k` is left out",
        "https://github.com/quarkiverse/quarkus-langchain4j/issues/1812",
        SCENARIO,
        thinks(2048, top_k=40),
    ),
    spoiled(
        "M66e_top_p_beside_thinking",
        "with thinking `top_p` is left out, or high",
        "comments in public gateways",
        SCENARIO,
        thinks(2048, top_p=0.5),
    ),
    spoiled(
        "M66f_forced_call_beside_thinking",
        "with thinking no call is forced",
        "maruel/genai, recorded refusals",
        SCENARIO,
        thinks(2048, tool_choice={"type": "any"}),
    ),
    spoiled(
        "M66g_thinking_as_a_boolean",
        "thinking is described by an object",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        where("max_tokens", thinking=True),
    ),
    spoiled(
        "M66h_two_ways_to_think",
        "a budget or a level of thinking is sent, and not both",
        "https://github.com/vercel/ai/issues/22372",
        SCENARIO,
        where("contents", generationConfig={"thinkingConfig": {"thinkingBudget": 100, "thinkingLevel": "low"}}),
    ),
    spoiled(
        "M67a_response_that_is_gone",
        "only a stored response is continued",
        "recorded refusals of unknown responses",
        SCENARIO,
        where("input", previous_response_id="resp_gone"),
    ),
    spoiled(
        "M67b_two_states",
        "a conversation is continued in one way",
        "recorded refusals of two states",
        SCENARIO,
        where("input", previous_response_id="resp_gone", conversation="conv_1"),
    ),
    spoiled(
        "M67c_everything_included",
        "what is included is known to the API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        where("input", include=["everything"]),
    ),
    spoiled(
        "M67d_include_as_text",
        "what is included is a list",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        where("input", include="reasoning"),
    ),
    spoiled(
        "M67e_json_unsaid",
        "the model is told to write JSON where JSON is demanded",
        "recorded refusals, gpt-4o-mini",
        SCENARIO,
        where("input", text={"format": {"type": "json_object"}}),
    ),
    spoiled(
        "M67f_nameless_format",
        "the schema of an answer has a name",
        "recorded refusals, gpt-4o-mini",
        SCENARIO,
        where("input", text={"format": {"type": "json_schema", "schema": {"type": "object"}}}),
    ),
    spoiled(
        "M67g_chats_json_unsaid",
        "the model is told to write JSON where JSON is demanded",
        "recorded refusals, gpt-4o-mini",
        SCENARIO,
        sends(response_format={"type": "json_object"}),
    ),
    spoiled(
        "M67h_chats_nameless_format",
        "the schema of an answer has a name",
        "recorded refusals, gpt-4o-mini",
        SCENARIO,
        sends(response_format={"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}),
    ),
    spoiled(
        "M67i_format_as_a_word",
        "the format of an answer is an object",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(response_format="json"),
    ),
    spoiled(
        "M67j_format_of_another_word",
        "the format of an answer is one of the API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter",
        SCENARIO,
        sends(response_format={"type": "json"}),
    ),
)
