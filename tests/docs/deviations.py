"""Where the fakes are known to differ from the real providers, each with a request that shows it. Runs nothing."""

from dataclasses import dataclass, field
from typing import Any

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
GEMINI = "/v1beta/models/gemini-3-flash-preview:generateContent"
VERTEX = "/v1/projects/p/locations/global/publishers/google/models/gemini-3-flash-preview:generateContent"

COHERE = "/v2/chat"
CALL = {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"model": "command-a-03-2025", "messages": [{"role": "assistant", "tool_calls": [CALL]}]}
BEDROCK = "/model/{}/converse"

TALK: dict[str, Any] = {"messages": [{"role": "user", "content": [{"text": "Hi."}]}]}
SAYS = [{"role": "user", "content": "Hi."}]
CLAUDE: dict[str, Any] = {"model": "claude-sonnet-4-6", "max_tokens": 100, "messages": SAYS}
CONTENTS = [{"role": "user", "parts": [{"text": "Hi."}]}]
CALLS = [
    *CONTENTS,
    {
        "role": "model",
        "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "bm90IGZyb20gR29vZ2xl"}],
    },
]

UNANSWERED: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}


@dataclass(frozen=True, slots=True)
class Taken:
    """Members of chat completions that `provider` takes with any type of value, but for `but`."""

    provider: str
    members: tuple[str, ...]
    what: str
    source: str
    but: tuple[Any, ...] = ()


OF_LLAMA_CPP = "`tools/server/server-common.cpp`"
OF_SCHEMA = ("response_format.json_schema.name", "response_format.json_schema.description")
STRICT = "response_format.json_schema.strict"
TAKEN = (
    Taken("llama.cpp", ("model", "user", *OF_SCHEMA, STRICT), "not read", OF_LLAMA_CPP),
    Taken(
        "llama.cpp",
        ("parallel_tool_calls", "reasoning_effort", "top_logprobs", "response_format.type"),
        "another type is logged, and the default is taken",
        f"{OF_LLAMA_CPP}, `json_value`",
    ),
    Taken("llama.cpp", ("response_format", "response_format.json_schema"), "what is no object is empty", OF_LLAMA_CPP),
    Taken("llama.cpp", ("tool_choice",), "what is no text is `auto`", OF_LLAMA_CPP, but=("zz",)),
    Taken("llama.cpp", ("stop",), "what is neither text nor list is ignored", "`tools/server/server-schema.cpp`"),
    Taken("llama.cpp", ("stream_options",), "what is no object is ignored", "`tools/server/server-schema.cpp`"),
    Taken(
        "llama.cpp",
        ("messages.tool_calls.function.arguments",),
        "what is no text is written as JSON",
        "`common/chat.cpp`",
    ),
    Taken(
        "ollama",
        ("tool_choice", "n", "parallel_tool_calls", "user"),
        "not in the struct of the request",
        "`openai/openai.go`, `ChatCompletionRequest`",
    ),
    Taken("ollama", (*OF_SCHEMA, STRICT), "not in the struct of a schema", "`openai/openai.go`, `JsonSchema`"),
    Taken("ollama", ("stop",), "only texts are taken", "`openai/openai.go`, `FromChatRequest`"),
    Taken(
        "anthropic",
        (
            *("presence_penalty", "frequency_penalty", "seed", "logprobs", "top_logprobs", "user"),
            *("response_format", "reasoning_effort"),
        ),
        "documented to be ignored",
        "the page on compatibility with OpenAI's SDK",
    ),
)
"""As sources and documents show it. What they show to be refused is refused, so these are no deviations."""


@dataclass(frozen=True, slots=True)
class LetPass:
    """A request that the fake of `provider` accepts and the real one may refuse."""

    provider: str
    what: str
    path: str
    body: dict[str, Any] = field(compare=False)


LET_PASS = (
    LetPass("openai", "a model that does not exist", CHAT, {"model": "gpt-none", "messages": SAYS}),
    LetPass(
        "openai",
        "an image that cannot be fetched: nothing is fetched",
        CHAT,
        {
            "model": "gpt-4.1",
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "https://nowhere.invalid/a.png"}}],
                }
            ],
        },
    ),
    LetPass(
        "openai",
        "a `previous_response_id` that does not exist (only in `judge`; a served fake knows its own)",
        RESPONSES,
        {"model": "gpt-5.4", "input": "Hi.", "previous_response_id": "resp_none"},
    ),
    LetPass(
        "openai",
        "on Responses, a `max_output_tokens` beyond the model's limit, and `top_logprobs` without its `include`: no "
        "refusal of them is known",
        RESPONSES,
        {"model": "gpt-5.4", "input": "Hi.", "max_output_tokens": 1_000_000, "top_logprobs": 3},
    ),
    LetPass(
        "openai",
        "on Responses, `background` for what is not stored: no refusal of it is known",
        RESPONSES,
        {"model": "gpt-5.4", "input": "Hi.", "background": True, "store": False},
    ),
    LetPass(
        "openai",
        "encrypted reasoning that begins as OpenAI's does, and is not",
        RESPONSES,
        {
            "model": "gpt-5.4",
            "input": [
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABub3QgZnJvbSBPcGVuQUk="},
                {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_1", "output": "1"},
            ],
        },
    ),
    LetPass(
        "bedrock",
        "a model that does not exist, if its id has the form of one",
        BEDROCK.format("acme.rocket-v1:0"),
        TALK,
    ),
    LetPass(
        "bedrock",
        "what a family refuses, if an ARN does not say which model it is of",
        BEDROCK.format("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile%2Fabc"),
        {"messages": [{"role": "assistant", "content": [{"text": "Hi."}]}, *TALK["messages"]]},
    ),
    LetPass(
        "bedrock",
        "several messages of one role in a row, which were refused in 2024: recordings since then were accepted",
        BEDROCK.format("us.amazon.nova-lite-v1:0"),
        {"messages": [*TALK["messages"], *TALK["messages"]]},
    ),
    LetPass(
        "bedrock",
        "a content block with two of its keys: what the service says of it is not known",
        BEDROCK.format("us.amazon.nova-lite-v1:0"),
        {"messages": [{"role": "user", "content": [{"text": "Hi.", "guardContent": {"text": {"text": "x"}}}]}]},
    ),
    LetPass(
        "bedrock",
        "a document whose bytes are of another format than it says: they are not looked into",
        BEDROCK.format("us.amazon.nova-lite-v1:0"),
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"text": "Hi."},
                        {"document": {"name": "a", "format": "pdf", "source": {"bytes": "SGkuCg=="}}},
                    ],
                }
            ]
        },
    ),
    LetPass("anthropic", "a model that does not exist", MESSAGES, {**CLAUDE, "model": "claude-none"}),
    LetPass(
        "anthropic",
        "a `max_tokens` beyond the model's limit, if the fake does not know the model",
        MESSAGES,
        {**CLAUDE, "model": "claude-haiku-6", "max_tokens": 9_000_000},
    ),
    LetPass(
        "anthropic",
        "thinking with a signature in the form of Anthropic's, who did not issue it; those of the fake are checked",
        MESSAGES,
        {
            **CLAUDE,
            "max_tokens": 4000,
            "thinking": {"type": "enabled", "budget_tokens": 2000},
            "messages": [
                *SAYS,
                {
                    "role": "assistant",
                    "content": [
                        {
                            "type": "thinking",
                            "thinking": "Hm.",
                            "signature": "EjYKAhgCEgwAAAAAAAAAAAAAAAAaDAAAAAAAAAAAAAAAACIUQUFBQUFBQUFBQUFBQUFBQUFBQUE=",
                        },
                        {"type": "text", "text": "Hello."},
                    ],
                },
                *SAYS,
            ],
        },
    ),
    LetPass(
        "anthropic",
        "results of one message's calls in several user messages: only compatible endpoints are known to refuse them",
        MESSAGES,
        {
            **CLAUDE,
            "tools": [{"name": "f", "input_schema": {"type": "object"}}],
            "messages": [
                *SAYS,
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": f"toolu_{n}", "name": "f", "input": {}} for n in (1, 2)],
                },
                *(
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": "1"}]}
                    for n in (1, 2)
                ),
            ],
        },
    ),
    LetPass(
        "anthropic",
        "one of Anthropic's own tools, without the beta header that it may need; the fake calls only `web_search`",
        MESSAGES,
        {**CLAUDE, "tools": [{"type": "web_search_20250305", "name": "web_search"}]},
    ),
    LetPass(
        "anthropic",
        "on chat completions, what is documented to be ignored, whatever its value: `response_format`, `seed`",
        "/v1/chat/completions",
        {"model": "claude-sonnet-4-6", "messages": SAYS, "response_format": {"type": "json_schema"}, "seed": "a"},
    ),
    LetPass(
        "gemini",
        "a call with a signature that Google did not issue",
        GEMINI,
        {"contents": [*CALLS, {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]},
    ),
    LetPass("cohere", "a model that does not exist, or is gone", COHERE, {"model": "command-x", "messages": SAYS}),
    LetPass("cohere", "a call without a result, and a conversation that begins or ends with an answer", COHERE, CALLED),
    LetPass(
        "cohere",
        "on chat completions, a tool's name as `tool_choice`, `top_p` of 1, `stream_options`, and parameters of "
        "`/v2/chat`",
        CHAT,
        {
            "model": "command-a-03-2025",
            "messages": SAYS,
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
            "tool_choice": {"type": "function", "function": {"name": "f"}},
            "top_p": 1,
            "stream_options": {"include_usage": True},
            "documents": [],
        },
    ),
    LetPass("gemini", "a call without a result, followed by a user message", GEMINI, {"contents": [*CALLS, *CONTENTS]}),
    LetPass(
        "gemini",
        "a file that was not uploaded",
        GEMINI,
        {
            "contents": [
                {
                    "role": "user",
                    "parts": [{"fileData": {"fileUri": "https://nowhere.invalid/a", "mimeType": "text/plain"}}],
                }
            ]
        },
    ),
    LetPass(
        "gemini",
        "a `parametersJsonSchema` that is not a JSON Schema",
        GEMINI,
        {
            "contents": CONTENTS,
            "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "text"}}]}],
        },
    ),
    LetPass(
        "gemini",
        "a forced call of a function without parameters on gemini-2.0: reported as refused, recorded as accepted",
        GEMINI.replace("gemini-3-flash-preview", "gemini-2.0-flash"),
        {
            "contents": CONTENTS,
            "tools": [{"functionDeclarations": [{"name": "f"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        },
    ),
    LetPass("gemini", "a path of Vertex AI", VERTEX, {"contents": CONTENTS}),
    LetPass("vertex", "a path of the Developer API", GEMINI, {"contents": CONTENTS}),
    LetPass(
        "vertex",
        "fields that are only known from the Developer API",
        VERTEX,
        {"contents": CONTENTS, "serviceTier": "flex"},
    ),
    LetPass("vertex", "an empty part", VERTEX, {"contents": [{"role": "user", "parts": [{}]}]}),
    LetPass(
        "vertex",
        "schema keywords that the Developer API's validator refuses",
        VERTEX,
        {
            "contents": CONTENTS,
            "tools": [
                {
                    "functionDeclarations": [
                        {
                            "name": "f",
                            "parameters": {
                                "type": "object",
                                "properties": {"a": {"type": "array"}},
                                "required": ["b"],
                            },
                        }
                    ]
                }
            ],
        },
    ),
    LetPass(
        "vertex",
        "a model in the body of a request to Claude, where the path has it",
        "/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-6:rawPredict",
        {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": SAYS},
    ),
    LetPass(
        "vertex",
        "on chat completions, a signature that Google did not issue",
        "/v1/projects/p/locations/global/endpoints/openapi/chat/completions",
        {
            "model": "google/gemini-3-flash-preview",
            "messages": [
                *SAYS,
                {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "f", "arguments": "{}"},
                            "extra_content": {"google": {"thought_signature": "a"}},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": "1"},
            ],
        },
    ),
    LetPass(
        "deepseek",
        "on Messages, a call without the thinking before it, where the request says nothing of thinking",
        "/v1/messages",
        {
            "model": "deepseek-v4-flash",
            "max_tokens": 9,
            "messages": [
                *SAYS,
                {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "f", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "1"}]},
            ],
        },
    ),
    LetPass(
        "groq",
        "on Responses, what no public source says of it: its rules are those of chat completions",
        RESPONSES,
        {"model": "openai/gpt-oss-120b", "input": [*SAYS, {"type": "item_reference", "id": "msg_1"}]},
    ),
    LetPass("ollama", "a model that was never pulled", "/api/chat", {"model": "none:1b", "messages": SAYS}),
    LetPass(
        "deepseek",
        "a `previous_response_id`: DeepSeek stores no responses, and the field is ignored",
        RESPONSES,
        {"model": "deepseek-v4-flash", "input": "Hi.", "previous_response_id": "resp_none"},
    ),
    LetPass(
        "deepseek",
        "on Responses, custom tools and item references",
        RESPONSES,
        {
            "model": "deepseek-v4-flash",
            "input": [*SAYS, {"type": "item_reference", "id": "msg_1"}],
            "tools": [{"type": "custom", "name": "f"}],
        },
    ),
    LetPass(
        "openrouter",
        "what another maker's server may refuse, such as a result without a call for a model of Meta's",
        RESPONSES,
        {
            "model": "meta-llama/llama-4-scout",
            "input": [*SAYS, {"type": "function_call_output", "call_id": "call_2", "output": "1"}],
        },
    ),
    LetPass(
        "litellm",
        "a model that the proxy does not have, and a name of an administrator: only LiteLLM's own rules hold for it",
        CHAT,
        {"model": "our-model", "messages": [*SAYS, UNANSWERED]},
    ),
    LetPass(
        "litellm",
        "what Google refuses of a translated request, such as fewer results than calls",
        CHAT,
        {"model": "gemini/gemini-2.5-flash", "messages": [*SAYS, UNANSWERED, *SAYS]},
    ),
    LetPass(
        "litellm",
        "on chat completions, a parameter that Anthropic does not know, and a temperature above 1",
        CHAT,
        {"model": "anthropic/claude-sonnet-4-6", "messages": SAYS, "top_k": "x", "temperature": 1.5},
    ),
    LetPass(
        "xai",
        "a `previous_response_id` that does not exist (only in `judge`; a served fake knows its own)",
        RESPONSES,
        {"model": "grok-4.3", "input": "Hi.", "previous_response_id": "resp_none"},
    ),
    LetPass(
        "xai",
        "on Responses, a call without a result and a result without a call: no refusal of either was found",
        RESPONSES,
        {
            "model": "grok-4.3",
            "input": [
                *SAYS,
                {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_2", "output": "1"},
            ],
        },
    ),
)
"""In the order in which the document lists them."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A field that the fake of `provider` accepts and does not obey where the replies are scripted."""

    provider: str
    what: str
    path: str
    body: dict[str, Any] = field(compare=False)


SCRIPTED = "One sentence. END of the first. Then follows another one, which is longer than a few tokens."
"""What the fake replies to the requests of `IGNORED`, whole and once."""
GPT: dict[str, Any] = {"model": "gpt-4.1", "messages": SAYS}
IGNORED = (
    Ignored("openai", "`stop`: the text is not cut", CHAT, {**GPT, "stop": ["END"]}),
    Ignored("openai", "`max_completion_tokens`, `max_tokens`: the text is not cut", CHAT, {**GPT, "max_tokens": 1}),
    Ignored(
        "openai",
        "`response_format`: the text is sent as it is",
        CHAT,
        {**GPT, "response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "In JSON."}]},
    ),
    Ignored(
        "openai",
        "on Responses, `max_output_tokens`: the text is not cut",
        RESPONSES,
        {"model": "gpt-4.1", "input": "Hi.", "max_output_tokens": 16},
    ),
    Ignored(
        "openai",
        "of text completions, `echo`, `suffix`, `best_of` and `logprobs`: the text alone is sent",
        "/v1/completions",
        {
            "model": "gpt-3.5-turbo-instruct",
            "prompt": "Hi.",
            "echo": True,
            "suffix": "Bye.",
            "best_of": 2,
            "logprobs": 2,
        },
    ),
    Ignored("anthropic", "`stop_sequences`: the text is not cut", MESSAGES, {**CLAUDE, "stop_sequences": ["END"]}),
    Ignored("anthropic", "`max_tokens`: the text is not cut", MESSAGES, {**CLAUDE, "max_tokens": 1}),
    Ignored(
        "gemini",
        "`stopSequences`: the text is not cut",
        GEMINI,
        {"contents": CONTENTS, "generationConfig": {"stopSequences": ["END"]}},
    ),
    Ignored(
        "gemini",
        "`maxOutputTokens`: the text is not cut",
        GEMINI,
        {"contents": CONTENTS, "generationConfig": {"maxOutputTokens": 1}},
    ),
    Ignored(
        "gemini",
        "`responseMimeType`, `text/x.enum` included: the text is sent as it is",
        GEMINI,
        {
            "contents": CONTENTS,
            "generationConfig": {
                "responseMimeType": "text/x.enum",
                "responseSchema": {"type": "STRING", "enum": ["a", "b"]},
            },
        },
    ),
    Ignored(
        "ollama",
        "`options.stop`: the text is not cut",
        "/api/chat",
        {"model": "qwen3:8b", "stream": False, "messages": SAYS, "options": {"stop": ["END"]}},
    ),
    Ignored(
        "ollama",
        "`options.num_predict`: the text is not cut",
        "/api/chat",
        {"model": "qwen3:8b", "stream": False, "messages": SAYS, "options": {"num_predict": 1}},
    ),
)
"""In the order in which the document lists them."""

NOT_BUILT = (
    ("openai", "uploads in parts, vector stores", ("/v1/uploads", "/v1/vector_stores")),
    ("openai", "assistants, threads", ("/v1/assistants", "/v1/threads")),
    (
        "openai",
        "images, speech, transcription",
        ("/v1/images/generations", "/v1/audio/speech", "/v1/audio/transcriptions"),
    ),
    ("openai", "compacted responses", ("/v1/responses/compact",)),
    ("anthropic", "skills", ("/v1/skills",)),
    ("anthropic", "text completions", ("/v1/complete",)),
    ("gemini", "batches", ("/v1beta/models/m:batchGenerateContent",)),
    (
        "gemini",
        "files, caches, interactions",
        ("/upload/v1beta/files", "/v1beta/cachedContents", "/v1beta/interactions"),
    ),
    ("vertex", "embeddings", (VERTEX.replace("generateContent", "predict"),)),
    (
        "vertex",
        "tuned models, and other publishers' than Google and Anthropic",
        (
            "/v1/projects/p/locations/global/endpoints/1:generateContent",
            "/v1/projects/p/locations/global/publishers/mistralai/models/m:rawPredict",
        ),
    ),
    (
        "bedrock",
        "`invoke` of other models than Claude and Nova, such as Titan's",
        ("/model/amazon.titan-text-lite-v1/invoke",),
    ),
    (
        "bedrock",
        "counts of tokens, guardrails",
        ("/model/amazon.nova-lite-v1:0/count-tokens", "/guardrail/g/version/1/apply"),
    ),
    ("cohere", "`/v1/chat`, embeddings, rerank, tokens", ("/v1/chat", "/v2/embed", "/v2/rerank", "/v1/tokenize")),
    ("ollama", "pulling, creating and deleting models", ("/api/pull", "/api/create", "/api/delete", "/api/copy")),
    ("openrouter", "text completions", ("/api/v1/completions",)),
    ("xai", "text completions", ("/v1/completions",)),
    ("groq", "embeddings", ("/v1/embeddings",)),
)
"""Provider, what it is, and paths that the fake answers 404."""
