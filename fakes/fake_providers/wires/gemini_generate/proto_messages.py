"""The protobuf messages of Google's request and their fields. Knows no rule and no request.

Fields that a conversation with text and tools does not use are `any`: they are known but not checked. The names are
those of the public v1beta reference and of the parameters that google-genai 3.4 sends to the Developer API. `ON_VERTEX`
has the additional fields of Vertex AI. Fields that only the Developer API has are accepted on Vertex AI too, because no
recording shows what it does.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache


@dataclass(frozen=True, slots=True)
class FieldType:
    """`kind` is a scalar (`string`, `bytes`, `bool`, `integer`, `number`, `int32`, `float`, `enum`), `any`,
    `Struct`, or the name of a message or an enum. `object` is a message whose members are not checked."""

    kind: str
    repeated: bool = False
    is_map: bool = False


MESSAGES: dict[str, dict[str, str]] = {
    "GenerateContentRequest": {
        "model": "string",
        "contents": "Content*",
        "system_instruction": "Content",
        "tools": "Tool*",
        "tool_config": "ToolConfig",
        "safety_settings": "SafetySetting*",
        "generation_config": "GenerationConfig",
        "cached_content": "string",
        "service_tier": "string",
        "store": "bool",
        "labels": "object",
        "output_config": "any",
        "continuation_token": "any",
    },
    "Content": {"parts": "Part*", "role": "string"},
    "Part": {
        "text": "string",
        "inline_data": "any",
        "function_call": "FunctionCall",
        "function_response": "FunctionResponse",
        "file_data": "any",
        "executable_code": "any",
        "code_execution_result": "any",
        "tool_call": "any",
        "tool_response": "any",
        "thought": "bool",
        "thought_signature": "bytes",
        "part_metadata": "any",
        "video_metadata": "any",
        "media_resolution": "any",
        "media_processing": "any",
        "audio_metadata": "any",
        "audio_transcription": "any",
        "speech_metadata": "any",
        "document_metadata": "any",
        "spreadsheet_metadata": "any",
    },
    "FunctionCall": {"id": "string", "name": "string", "args": "Struct"},
    "FunctionResponse": {
        "id": "string",
        "name": "string",
        "response": "Struct",
        "parts": "any",
        "will_continue": "any",
        "scheduling": "any",
    },
    "Tool": {
        "function_declarations": "FunctionDeclaration*",
        "google_search": "any",
        "google_search_retrieval": "any",
        "code_execution": "any",
        "computer_use": "any",
        "url_context": "any",
        "google_maps": "any",
        "file_search": "any",
        "mcp_servers": "any",
    },
    "FunctionDeclaration": {
        "name": "string",
        "description": "string",
        "parameters": "Schema",
        "parameters_json_schema": "any",
        "response": "Schema",
        "response_json_schema": "any",
        "behavior": "any",
    },
    "Schema": {
        "type": "Type",
        "format": "string",
        "title": "string",
        "description": "string",
        "nullable": "bool",
        "enum": "string*",
        "max_items": "integer",
        "min_items": "integer",
        "properties": "Schema{}",
        "required": "string*",
        "min_properties": "integer",
        "max_properties": "integer",
        "min_length": "integer",
        "max_length": "integer",
        "pattern": "string",
        "example": "any",
        "any_of": "Schema*",
        "property_ordering": "string*",
        "default": "any",
        "items": "Schema",
        "minimum": "number",
        "maximum": "number",
    },
    "ToolConfig": {
        "function_calling_config": "FunctionCallingConfig",
        "retrieval_config": "any",
        "include_server_side_tool_invocations": "any",
    },
    "FunctionCallingConfig": {
        "mode": "FunctionCallingConfig.Mode",
        "allowed_function_names": "string*",
    },
    "GenerationConfig": {
        "candidate_count": "int32",
        "stop_sequences": "string*",
        "max_output_tokens": "int32",
        "temperature": "float",
        "top_p": "float",
        "top_k": "float",
        "seed": "int32",
        "presence_penalty": "float",
        "frequency_penalty": "float",
        "response_mime_type": "string",
        "response_format": "any",
        "response_schema": "Schema",
        "response_json_schema": "any",
        "_response_json_schema": "any",
        "response_modalities": "any",
        "response_logprobs": "bool",
        "logprobs": "int32",
        "enable_enhanced_civic_answers": "any",
        "enable_affective_dialog": "any",
        "speech_config": "object",
        "image_config": "object",
        "thinking_config": "ThinkingConfig",
        "media_resolution": "any",
        "audio_transcription_config": "any",
        "translation_config": "any",
    },
    "ThinkingConfig": {"include_thoughts": "bool", "thinking_budget": "int32", "thinking_level": "any"},
    "SafetySetting": {"category": "enum", "threshold": "enum", "method": "enum"},
}

ON_VERTEX: dict[str, dict[str, str]] = {
    "GenerateContentRequest": {"model_armor_config": "any"},
    "FunctionCall": {"partial_args": "any", "will_continue": "any"},
    "Tool": {"retrieval": "any", "enterprise_web_search": "any", "parallel_ai_search": "any", "exa_ai_search": "any"},
    "Schema": {"additional_properties": "any", "ref": "string", "defs": "Schema{}"},
    "FunctionCallingConfig": {"stream_function_call_arguments": "any"},
    "GenerationConfig": {"routing_config": "any", "audio_timestamp": "any", "model_config": "any"},
}

ENUMS: dict[str, frozenset[str]] = {
    "Type": frozenset({"TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}),
    "FunctionCallingConfig.Mode": frozenset({"MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"}),
}

DATA = (
    "text",
    "inline_data",
    "function_call",
    "function_response",
    "file_data",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
)
"""The members of the oneof `data` of a Part: each part has exactly one."""


def field_type(message: str, name: str, *, vertex: bool = False) -> FieldType | None:
    """The type of a field named in snake case, or None if the message has no such field."""
    type_name = MESSAGES[message].get(name)
    if type_name is None and vertex:
        type_name = ON_VERTEX.get(message, {}).get(name)
    return None if type_name is None else _parse_type(type_name)


@cache
def _parse_type(type_name: str) -> FieldType:
    kind = type_name.rstrip("*{}")
    return FieldType(kind, repeated=type_name.endswith("*"), is_map=type_name.endswith("{}"))


@cache
def camel(name: str) -> str:
    """The JSON key of a field, in the spelling that Google prefers."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def snake(name: str) -> str:
    """The protobuf name of a JSON key: both spellings are accepted everywhere."""
    return _cached_snake(name) if len(name) <= LONGEST_CACHED else _snake(name)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", lambda match: "_" + match.group(1).lower(), name)


_cached_snake = lru_cache(maxsize=4096)(_snake)
LONGEST_CACHED = 100
"""Keys come from clients, so the number and the length of cached keys are limited."""
