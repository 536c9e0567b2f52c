"""Requests with the fields that a fake reads and that no sample of a rule has, by wire. Not all are accepted."""

from typing import Any

USER = {"role": "user", "content": "What is the weather in Oslo?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string", "description": "A city."}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Current weather.", "parameters": SCHEMA}
TOOL = {"type": "function", "function": FUNCTION}

GEMINI_SCHEMA = {
    "type": "OBJECT",
    "title": "Weather",
    "nullable": True,
    "properties": {"city": {"type": "STRING", "pattern": "[A-Z].*", "minLength": 1, "maxLength": 9, "enum": ["Oslo"]}},
    "propertyOrdering": ["city"],
    "required": ["city"],
    "minProperties": 1,
    "maxProperties": 9,
    "anyOf": [{"type": "ARRAY", "items": {"type": "NUMBER", "minimum": 1, "maximum": 9}, "minItems": 1, "maxItems": 9}],
}

RARER: dict[str, list[dict[str, Any]]] = {
    "openai-chat": [
        {
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
                {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}], "refusal": "I cannot."},
                USER,
            ],
            "max_tokens": 9,
            "reasoning": {"effort": "low"},
            "stop": ["end"],
            "metadata": {"who": "me"},
            "modalities": ["text"],
            "logit_bias": {"1": 1},
            "logprobs": True,
            "top_logprobs": 1,
        },
        {"messages": [USER], "functions": [FUNCTION], "function_call": {"name": "get_weather"}},
        {
            "messages": [
                USER,
                {"role": "assistant", "function_call": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}},
                {"role": "function", "name": "get_weather", "content": "7 degrees"},
            ]
        },
        {
            "messages": [
                USER,
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "call_1", "type": "custom", "custom": {"name": "run", "input": "x = 1"}}],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "7 degrees"}]},
            ],
            "tools": [
                {
                    "type": "custom",
                    "custom": {"name": "run", "format": {"type": "grammar", "grammar": {"definition": "x"}}},
                }
            ],
        },
        {
            "messages": [USER, {"role": "assistant", "tool_calls": [CALL]}, USER],
            "tools": [TOOL],
            "parallel_tool_calls": True,
            "max_completion_tokens": 9,
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "get_weather"}}]},
            },
        },
    ],
    "openai-responses": [
        {
            "input": [
                {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
                {"type": "custom_tool_call", "call_id": "call_1", "name": "run", "input": "x = 1", "namespace": "n"},
                {"type": "custom_tool_call_output", "call_id": "call_1", "output": "7 degrees"},
                {"role": "user", "content": [{"type": "input_text", "text": "Hi."}]},
            ],
            "tools": [{"type": "function", "strict": False, **FUNCTION}],
            "tool_choice": {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "get_weather"}],
                "allowed_tools": {"mode": "auto"},
            },
            "parallel_tool_calls": True,
            "store": True,
            "top_logprobs": 1,
            "metadata": {"who": "me"},
        },
        {
            "model": "gpt-5.4",
            "input": [{"role": "user", "content": "Hi."}],
            "tools": [
                {"type": "function", **FUNCTION, "defer_loading": True},
                {"type": "tool_search", "execution": "client", "description": "Finds tools.", "parameters": SCHEMA},
            ],
        },
        {"prompt": {"id": "prompt_1", "variables": {"city": "Oslo"}}},
    ],
    "anthropic-messages": [
        {
            "max_tokens": 99,
            "messages": [USER],
            "metadata": {"user_id": "me"},
            "temperature": 1,
            "top_k": 1,
            "top_p": 1,
            "stop_sequences": ["end"],
        },
        {
            "max_tokens": 99,
            "messages": [USER],
            "tools": [{"name": "look", "input_schema": {"type": "object"}, "defer_loading": False}],
            "mcp_servers": [{"type": "url", "name": "here", "url": "https://example.org/mcp"}],
            "container": {"skills": [{"type": "anthropic", "skill_id": "pdf", "version": "latest"}]},
        },
        {
            "max_tokens": 99,
            "messages": [USER],
            "output_format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}},
            "output_config": {"format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}}},
        },
        {
            "max_tokens": 99,
            "messages": [
                USER,
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_1",
                            "content": [{"type": "tool_reference", "tool_name": "get_weather"}],
                        },
                        {"type": "text", "text": "And Rome?", "tool_references": ["get_weather"]},
                    ],
                },
            ],
            "tools": [{"name": "get_weather", "description": "Current weather.", "input_schema": SCHEMA}],
            "tool_choice": {"type": "auto", "disable_parallel_tool_use": False},
        },
    ],
    "gemini-generate": [
        {
            "contents": [{"role": "user", "parts": [{"text": "Rain?"}]}],
            "generationConfig": {
                "candidateCount": 1,
                "maxOutputTokens": 9,
                "temperature": 0.5,
                "topP": 0.5,
                "topK": 5,
                "seed": 1,
                "presencePenalty": 0.1,
                "frequencyPenalty": 0.1,
                "responseLogprobs": False,
                "logprobs": 1,
                "speechConfig": {},
                "imageConfig": {},
                "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 9},
            },
            "safetySettings": [
                {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE", "method": "SEVERITY"}
            ],
            "serviceTier": "standard",
            "store": False,
            "labels": {"a": "b"},
        },
        {
            "systemInstruction": {"role": "system", "parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"fileData": {"fileUri": "https://example.org/a.png"}}, {"text": "Hi."}]},
                {"role": "model", "parts": [{"thought": True, "text": "Hm."}, {"text": "Hi."}]},
                {"role": "user", "parts": [{"text": "What is the weather?"}]},
            ],
            "generationConfig": {
                "stopSequences": ["end"],
                "responseMimeType": "application/json",
                "responseSchema": GEMINI_SCHEMA,
            },
            "cachedContent": "cachedContents/1",
        },
        {
            "contents": [
                {"role": "user", "parts": [{"text": "What is the weather?"}]},
                {
                    "role": "model",
                    "parts": [{"functionCall": {"id": "1", "name": "get_weather", "args": {"city": "Oslo"}}}],
                },
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "1", "name": "get_weather", "response": {"degrees": 7}}}],
                },
            ],
            "tools": [{"functionDeclarations": [{"name": "get_weather", "parameters": GEMINI_SCHEMA}]}],
            "toolConfig": {
                "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_weather"]},
                "includeServerSideToolInvocations": True,
            },
        },
        {
            "contents": [{"role": "user", "parts": [{"text": "What is the weather?"}]}],
            "tools": [
                {"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": SCHEMA}]},
                {"mcpServers": [{"name": "here", "streamableHttpTransport": {"url": "https://example.org/mcp"}}]},
            ],
        },
    ],
    "bedrock-converse": [
        {
            "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
            "messages": [
                {"role": "user", "content": [{"text": "Hi."}]},
                {"role": "assistant", "content": [{"text": "Hi."}, {"citationsContent": {"content": [{"text": "a"}]}}]},
                {
                    "role": "user",
                    "content": [
                        {"text": "See."},
                        {"document": {"name": "a", "source": {"content": [{"text": "b"}]}}},
                        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "c"}]}},
                        {"guardContent": {"text": {"text": "d", "qualifiers": ["query"]}}},
                    ],
                },
            ],
            "toolConfig": {
                "tools": [
                    {
                        "toolSpec": {
                            "name": "get_weather",
                            "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
                        }
                    }
                ]
            },
            "inferenceConfig": {"stopSequences": ["end"]},
            "additionalModelRequestFields": {"top_k": 7, "tool_choice": {"disable_parallel_tool_use": False}},
            "additionalModelResponseFieldPaths": ["/stop_sequence"],
            "requestMetadata": {"team": "a"},
            "promptVariables": {"city": {"text": "Oslo"}},
        },
        {
            "messages": [{"role": "user", "content": [{"text": "Hi."}]}],
            "toolConfig": {
                "tools": [
                    {"toolSpec": {"name": "get_weather", "inputSchema": {"json": {"type": "object", "id": "a"}}}}
                ],
                "toolChoice": {"tool": {"name": "get_weather"}},
            },
            "outputConfig": {
                "textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": '{"type": "object"}'}}}
            },
        },
    ],
    "cohere-chat": [
        {
            "messages": [
                {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
                {"role": "user", "content": [{"type": "text", "text": "Hi."}]},
                {
                    "role": "assistant",
                    "tool_plan": "I will look.",
                    "tool_calls": [
                        {
                            "id": "get_weather_1",
                            "type": "function",
                            "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
                        }
                    ],
                },
                {
                    "role": "tool",
                    "tool_call_id": "get_weather_1",
                    "content": [
                        {"type": "document", "document": {"id": "a", "data": {"degrees": "7"}}},
                        {"type": "text", "text": "7 degrees"},
                    ],
                },
                {
                    "role": "assistant",
                    "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "7."}],
                    "citations": [{"start": 0, "end": 1, "text": "7", "sources": [{"type": "tool", "id": "a"}]}],
                },
                {"role": "user", "content": "Thanks."},
            ],
            "tools": [{"type": "function", "function": {**FUNCTION, "parameters": SCHEMA}}],
            "tool_choice": "REQUIRED",
            "stop_sequences": ["end"],
            "citation_options": {"mode": "FAST"},
            "safety_mode": "STRICT",
            "logprobs": True,
            "strict_tools": True,
            "stream": False,
        },
        {
            "messages": [{"role": "user", "content": "Hi."}],
            "response_format": {"type": "json_object", "json_schema": SCHEMA},
        },
        {
            "messages": [{"role": "user", "content": "Hi."}],
            "response_format": {"type": "json_object", "schema": SCHEMA},
        },
        {
            "messages": [{"role": "user", "content": "Hi."}],
            "documents": ["Oslo: 7 degrees", {"id": "a", "data": {"text": "Rome: 17 degrees"}}],
        },
    ],
    "ollama-chat": [
        {
            "messages": [
                {"role": "user", "content": "Hi.", "images": ["aGk="]},
                {
                    "role": "assistant",
                    "thinking": "Hm.",
                    "tool_calls": [{"id": "1", "function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}],
                },
                {"role": "tool", "tool_name": "get_weather", "tool_call_id": "1", "content": "7 degrees"},
            ],
            "format": SCHEMA,
            "options": {"stop": ["end"], "num_ctx": 4096},
            "tools": [
                {
                    "type": "function",
                    "function": {
                        **FUNCTION,
                        "parameters": {
                            **SCHEMA,
                            "$defs": {"city": {"type": "string"}},
                            "items": {"type": "string"},
                            "properties": {
                                "city": {
                                    "type": ["string", "null"],
                                    "enum": ["Oslo"],
                                    "items": {"type": "string"},
                                    "anyOf": [{"type": "string", "description": "A city."}],
                                    "properties": {"name": {"type": "string"}},
                                    "required": ["name"],
                                }
                            },
                        },
                    },
                }
            ],
        }
    ],
}
