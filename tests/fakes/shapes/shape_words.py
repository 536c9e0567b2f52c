"""The words that may be in the table of shapes: fields, and values that the wires define.

Everything else becomes a placeholder. Nothing in here may come from a user, a model or a tool.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIELDS = _words(
    """
    messages role content type text name description tools tool_choice tool_calls tool_call_id function parameters
    arguments id model
    stream stream_options include_usage max_tokens max_completion_tokens temperature top_p n seed stop user store strict
    parallel_tool_calls response_format json_schema schema reasoning_effort service_tier logprobs top_logprobs refusal
    presence_penalty frequency_penalty logit_bias metadata modalities web_search_options functions function_call
    prediction verbosity prompt_cache_key safety_identifier reasoning_content reasoning_details custom format grammar
    syntax definition annotations index cache_prompt

    input instructions include reasoning effort summary max_output_tokens previous_response_id call_id output status
    encrypted_content truncation background conversation item_id phase max_tool_calls prompt moderation context
    context_management compact_threshold allowed_tools mode server_label server_url require_approval container action
    queries results code outputs query sources url title
    vector_store_ids max_num_results filters ranking_options search_context_size

    system thinking budget_tokens display cache_control ttl input_schema tool_use_id is_error signature data
    stop_sequences top_k disable_parallel_tool_use citations output_config output_format defer_loading
    eager_input_streaming caller tool_name tool_references mcp_servers max_uses allowed_domains blocked_domains
    user_location city country region timezone source page_age cited_text encrypted_index allowed_callers
    input_examples edits speed user_id context_management keep

    contents parts systemInstruction system_instruction generationConfig generation_config functionDeclarations
    function_declarations parametersJsonSchema parameters_json_schema response responseJsonSchema response_json_schema
    functionCall function_call functionResponse function_response args thoughtSignature thought_signature thought
    toolConfig tool_config functionCallingConfig function_calling_config allowedFunctionNames allowed_function_names
    includeServerSideToolInvocations safetySettings category threshold thinkingConfig thinking_config includeThoughts
    include_thoughts thinkingBudget thinking_budget thinkingLevel thinking_level responseMimeType response_mime_type
    responseSchema response_schema responseModalities candidateCount maxOutputTokens stopSequences topP topK
    presencePenalty frequencyPenalty responseLogprobs codeExecution code_execution googleSearch google_search urlContext
    url_context googleMaps fileSearch fileSearchStoreNames executableCode language codeExecutionResult outcome labels
    cachedContent willContinue scheduling retrievalConfig behavior

    options num_predict num_ctx num_gpu num_thread think keep_alive stop template raw

    provider order only allow_fallbacks ignore require_parameters data_collection zdr plugins models route transforms
    usage reasoning_format exclude enabled random_seed safe_prompt prefix max_price prompt completion
    enable_thinking chat_template_kwargs guided_json search_parameters deferred clear_thinking

    properties required additionalProperties items enum anyOf oneOf allOf not const default nullable minimum maximum
    exclusiveMinimum exclusiveMaximum minItems maxItems minLength maxLength pattern uniqueItems prefixItems example
    examples propertyOrdering property_ordering $ref $defs $schema $id defs definitions any_of min_items max_items
    multipleOf
    """
)
"""Keys of the wires and of JSON Schema."""

VALUES = _words(
    """
    user assistant system developer tool model function
    text input_text output_text refusal message function_call function_call_output reasoning item_reference compaction
    code_execution_tool_result web_fetch_tool_result web_fetch_result container_upload search_result
    bash_code_execution_tool_result bash_code_execution_result code_execution_result image_generation_call
    text_editor_code_execution_tool_result tool_search_tool_search_result tool_search_call tool_search_output
    mcp_approval_request mcp_approval_response PYTHON OUTCOME_OK
    reasoning_text summary_text tool_use tool_result thinking redacted_thinking tool_search_tool_result tool_reference
    server_tool_use web_search_tool_result web_search_result web_search_call custom custom_tool_call
    custom_tool_call_output mcp_call mcp_list_tools local_shell_call computer_call code_interpreter_call
    file_search_call grammar lark regex allowed_tools function_declarations ephemeral json_schema json_object
    web_search web_search_preview code_interpreter file_search computer_use_preview image_generation mcp tool_search
    auto required none any AUTO ANY NONE VALIDATED validated MODE_UNSPECIFIED
    enabled disabled adaptive summarized omitted concise detailed
    minimal low medium high xhigh max default flex priority standard on_demand standard_only
    MINIMAL LOW MEDIUM HIGH 5m 1h
    completed in_progress incomplete failed success final_answer commentary
    reasoning.encrypted_content message.output_text.logprobs web_search_call.action.sources file_search_call.results
    code_interpreter_call.outputs
    TEXT IMAGE AUDIO Text Image application/json text/plain text/x.enum
    string number integer boolean object array null STRING NUMBER INTEGER BOOLEAN OBJECT ARRAY NULL
    date-time date time email uuid uri ipv4 int32 int64 float double enum json duration
    HARM_CATEGORY_DANGEROUS_CONTENT HARM_CATEGORY_SEXUALLY_EXPLICIT HARM_CATEGORY_HATE_SPEECH HARM_CATEGORY_HARASSMENT
    BLOCK_NONE OFF parsed raw hidden always never
    """
)
"""Values of roles, types, statuses, modes and the like."""

SEGMENTS = _words(
    """
    v1 v1beta v1alpha v1beta1 api openai chat completions responses messages models projects locations publishers google
    deployments inference anthropic
    """
)
"""Segments of paths, in addition to verbs after a colon."""

VENDORS = _words("openai anthropic google meta-llama mistralai deepseek x-ai qwen moonshotai models groq")
"""What comes before the slash of a model's name."""

BUILT_IN = _words(
    """
    web_search web_fetch bash computer code_execution memory str_replace_editor str_replace_based_edit_tool
    tool_search_tool_regex tool_search_tool_bm25 bash_code_execution text_editor_code_execution
    """
)
"""Names of the providers' own tools."""

DATED = re.compile(r"[a-z0-9_]{3,40}_20\d{6}")
"""Types of the providers' own tools have a date."""

PREFIXES = (
    "chatcmpl-tool-",
    "srvtoolu_",
    "toolu_",
    "call_",
    "resp_",
    "conv_",
    "msg_",
    "fc_",
    "rs_",
    "ctc_",
    "ws_",
    "mcp_",
    "adk-",
)
"""Prefixes of ids that a provider checks."""

REFERRING = _words(
    """
    id call_id tool_call_id tool_use_id item_id previous_response_id conversation name tool_name required enum
    allowedFunctionNames allowed_function_names propertyOrdering property_ordering
    """
)
"""Fields whose values refer to each other: their placeholders are numbered, so that equal values stay equal."""

NUMBERS = _words(
    """
    max_tokens max_completion_tokens max_output_tokens maxOutputTokens budget_tokens thinkingBudget thinking_budget
    temperature top_p topP top_k topK n candidateCount top_logprobs logprobs presence_penalty frequency_penalty
    presencePenalty frequencyPenalty num_predict minItems maxItems minLength maxLength minimum maximum
    """
)
"""Fields whose numbers are kept; others become 0 or 0.5."""

PROSE = _words(
    """
    text content description instructions system input output thinking title reasoning_content prompt
    refusal stop stop_sequences stopSequences cited_text query code default example examples const
    """
)
OPAQUE = _words("signature thoughtSignature thought_signature encrypted_content data encrypted_index")
NAMED = _words("properties $defs defs definitions patternProperties")
"""Objects whose keys are names."""

FREE = _words("args input arguments labels logit_bias default example examples const")
"""Objects of which only is kept whether they are empty, and the kind of one value."""
