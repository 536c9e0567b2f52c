"""What a maintainer does about rules of several providers or of several names: one sentence or two, which
`agent-conformance check-request` prints first. Rows name them; what only one rule needs stands on its row."""

from typing import Final

from fake_providers.rule import Remedy

# A table: two rows are to be compared.
# fmt: off
ONE_OBJECT: Final = Remedy("encoding", "Send one JSON object as the body of the request.")
JSON_LIBRARY: Final = Remedy("encoding",
    "Write the body with a JSON library, as UTF-8; NaN and Infinity have no JSON, so leave such values out.")
WHOLE_CHARACTERS: Final = Remedy("encoding",
    "Cut texts between characters, and replace lone surrogates before the body is written.")
KEY: Final = Remedy("key", "Send the key of this provider in the header that it reads.")
SHORTEN: Final = Remedy("too-long",
    "Shorten long results, and drop the oldest turns whole or summarise them; then send the request again.")
JOIN_INSTRUCTIONS: Final = Remedy("system",
    "Join the instructions into one text, and leave the message or member out where it is blank.")
TOP_LEVEL_SYSTEM: Final = Remedy("system",
    "Put instructions into the top-level `system`, and send system messages only where this model takes them.")
INSTRUCTIONS_TO_USER: Final = Remedy("system",
    "Put the instructions into the first user message for this model, or use a model that takes a system message.")
SYSTEM_FIRST: Final = Remedy("system",
    "Send one system message, the first; say later instructions in a message of the user, or join them to the first.")
SEALED_BY_OTHERS: Final = Remedy("reasoning-sent-back",
    "Leave out reasoning that another provider has encrypted, and send back that of this provider unchanged.")
SIGNATURE_UNCHANGED: Final = Remedy("reasoning-sent-back",
    "Send `thoughtSignature` back as it came, without encoding, cutting or trimming it; for calls of another "
    "model use the documented `skip_thought_signature_validator`.")
THINKING_BEFORE_CALLS: Final = Remedy("reasoning-sent-back",
    "Send back the thinking block before the calls as it came, or leave `thinking` out of this request.")
THINKING_UNCHANGED: Final = Remedy("reasoning-sent-back",
    "Send thinking blocks of the latest turn back unchanged, with their signature; leave out those of other "
    "providers.")
REASONING_WITH_ITEM: Final = Remedy("reasoning-sent-back",
    "Store a reasoning item and the message or call that follows it together, and send back both or neither.")
REASONING_WHOLE: Final = Remedy("reasoning-sent-back",
    "Store reasoning items whole and send them back as they came; an empty summary is an empty list.")
REASONING_OF_CALLS: Final = Remedy("reasoning-sent-back",
    "Store the reasoning with each message that has calls and send it back in the same member; or turn thinking off.")
SIGNATURE_STORED: Final = Remedy("reasoning-sent-back",
    "Store the signature that comes with a call and send it back in the same part; for calls of another model use "
    "the documented `skip_thought_signature_validator`.")
EFFORT_OF_MODEL: Final = Remedy("reasoning-settings", "Choose an effort that this model has.")
THINKING_OBJECT: Final = Remedy("reasoning-settings",
    "Leave `thinking` out to go without, or send an object with a `type`.")
NO_EFFORT: Final = Remedy("reasoning-settings",
    "Send an effort or a setting for thinking only to models that take one.")
LEAST_BUDGET: Final = Remedy("reasoning-settings", "Set `budget_tokens` to at least 1024.")
BUDGET_BELOW_MAX_TOKENS: Final = Remedy("reasoning-settings",
    "Set `max_tokens` to more than `thinking.budget_tokens`; the budget is part of it.")
THINKING_OF_MODEL: Final = Remedy("reasoning-settings",
    "Set what this model has of budget, level and mode of thinking, or leave them out.")
HOSTED_TOOLS: Final = Remedy("server-tools",
    "Declare the hosted tools that this model has at this effort, or use another model.")
HOSTED_BLOCKS: Final = Remedy("server-tools",
    "Send blocks of the provider's own tools back unchanged, the call with its result; drop both or none.")
MEDIA_OF_MODEL: Final = Remedy("pictures",
    "Ask for what the model takes before sending a file, and write a text in place of what it does not.")
PICTURE_TYPE: Final = Remedy("pictures",
    "Check the type of a picture by its bytes, convert it to PNG, JPEG, GIF or WebP, and write its data in the "
    "form of this wire.")
READABLE_PICTURE: Final = Remedy("pictures",
    "Read the first bytes of a picture before it goes into the history, and write a text in its place where they are "
    "none: a refused picture fails each later turn too.")
DOCUMENT_NAMES: Final = Remedy("pictures",
    "Give documents neutral names of letters, digits and single spaces, numbered over the whole conversation.")
DOCUMENT_DATA: Final = Remedy("pictures", "Give each document its text in `data`, and an id of its own or none.")
SCALE_PICTURES: Final = Remedy("pictures",
    "Scale pictures down before they are sent, and drop old ones from the history.")
FILE_TYPES: Final = Remedy("pictures",
    "Send PDF as a document and other texts as text; send audio and video only to models that take them.")
BLOCKS_OF_MODEL: Final = Remedy("pictures",
    "Send this model only the blocks that it takes, files by their bytes; put others beside the result or into words.")
CHOICE_IN_PROMPT: Final = Remedy("tool-choice",
    "Leave `toolChoice` out for this model, and ask for the tool in the prompt.")
OFFERED_CHOICE: Final = Remedy("tool-choice", "Name a tool that the same request offers.")
COHERE_CHOICE: Final = Remedy("tool-choice",
    "Send `REQUIRED` with the tool that has to be called alone, or `NONE`; leave `tool_choice` out otherwise, and "
    "where there are no tools.")
AUTO_CHOICE: Final = Remedy("tool-choice",
    "Send `tool_choice` auto to this model, and ask for the tool in the prompt.")
CHOICE_WHILE_THINKING: Final = Remedy("tool-choice",
    "Send `tool_choice` auto while the model thinks, and ask for the tool in the prompt; or turn thinking off for "
    "this request.")
CHOICE_WITH_TOOLS: Final = Remedy("tool-choice", "Send options about tools only together with tools.")
SERVER_OPTIONS: Final = Remedy("tool-choice", "Start the server with its options for tool calls, or send no tools.")
CHOICE_SHAPE: Final = Remedy("tool-choice",
    "Write `tool_choice` in the shape and the words of this wire; `any` of Anthropic is `required` of OpenAI.")
ANSWER_CALLS: Final = Remedy("pairing",
    "Answer every call before the next message, also a call that failed, was refused or was cancelled; then "
    "nothing else may stand between.")
ID_OF_CALL: Final = Remedy("pairing", "Copy the id, or the name, of the call into its result.")
ONE_ID_EACH: Final = Remedy("pairing", "Give each call an id of its own, and send one result for each.")
RESULT_WITH_CALL: Final = Remedy("pairing",
    "Keep a result only together with its call, right after it and with the same id; prune both together.")
RESPONSES_APART: Final = Remedy("pairing",
    "Put responses into a content of their own, right after the content with the calls.")
ONE_RESULT_EACH: Final = Remedy("pairing",
    "Send exactly one result for each call of the message, all of them together.")
CALLS_OF_ASSISTANT: Final = Remedy("pairing", "Write calls into assistant messages, and results into user messages.")
END_WITH_USER: Final = Remedy("order-of-turns",
    "End the conversation with the user's message or with results of tools; drop what the model has only begun.")
KEEP_USER_MESSAGE: Final = Remedy("order-of-turns",
    "Keep the user's message when the history is pruned; drop everything before the first user message that is left.")
MERGE_ROLES: Final = Remedy("order-of-turns", "Merge messages of one role that follow each other.")
ANSWER_BEFORE_USER: Final = Remedy("order-of-turns",
    "Send the results, store the model's answer to them, and only then add the user's next message.")
CLOSE_OBJECTS: Final = Remedy("strict-schemas",
    "Close each object with `additionalProperties false` and require every property; or leave `strict` out.")
STRICT_KEYWORD: Final = Remedy("strict-schemas",
    "Remove the keyword that strict mode does not take, or leave `strict` out for this tool.")
STRICT_WHERE_NEEDED: Final = Remedy("strict-schemas", "Set `strict` only for the tools that need it.")
CONVERT_SCHEMA: Final = Remedy("schemas",
    "Convert the schema of each tool to what this provider takes, types by their JSON Schema names and no other "
    "keywords; the tool itself still checks its arguments.")
ARRAY_ITEMS: Final = Remedy("schemas", "Give each array a schema for its `items`.")
REQUIRED_NAMES: Final = Remedy("schemas",
    "List the required properties by name next to `properties`, and only those that are there.")
NO_ROOT_UNION: Final = Remedy("schemas",
    "Write the schema as one object, with the alternatives inside its properties.")
OBJECT_SCHEMA: Final = Remedy("schemas",
    'Write the schema of each tool as an object, `{"type":"object","properties":{}}` for a tool without arguments.')
ENUM_TEXTS: Final = Remedy("schemas",
    "Write the values of an `enum` as texts in a list, on a property of type string.")
CALL_ID: Final = Remedy("calls",
    "Give each call an id of 1 to 40 letters, digits, `_` and `-` when it is stored, and its result the same.")
PLAIN_TOOLS: Final = Remedy("calls", "Send the request again; offer tools under plain names with simple schemas.")
CALLED_NAME: Final = Remedy("calls",
    "Store a call with the name of the tool; write another name that the model made up with letters, digits, `_` "
    "and `-`.")
ARGUMENTS_UNPARSED: Final = Remedy("calls",
    "Store arguments that could not be parsed as an object, such as `{}`, and say in the result what was wrong.")
INPUT_UNPARSED: Final = Remedy("calls",
    "Store arguments that could not be parsed as an object, such as an empty one, and say in the result what was "
    "wrong.")
CALL_MEMBERS: Final = Remedy("calls",
    "Store calls in a form of your own, and write them with all members that this wire wants.")
ARGUMENTS_AS_TEXT: Final = Remedy("calls", "Write the arguments as JSON text, `{}` where there are none.")
ARGUMENTS_AS_OBJECT: Final = Remedy("calls",
    "Write the arguments as an object; parse JSON text first, and use `{}` where it does not parse.")
IS_ERROR: Final = Remedy("results", "Send `is_error` as true or false, and true only with text.")
RESULT_AS_TEXT: Final = Remedy("results",
    "Turn what a tool returns into text, or into the parts that this wire takes, before it becomes a result.")
DECLARE_ONCE: Final = Remedy("declarations",
    "Declare each tool once; put the name of its server before tools of the same name.")
NO_TOOL_CONFIG: Final = Remedy("declarations",
    "Leave `toolConfig` out of the request where there are no tools and no calls in the history.")
TOOL_NAMES_ALIKE: Final = Remedy("declarations",
    "Map each tool's name to one of at most 64 letters, digits, `_` and `-`, in declarations and calls alike.")
TOOL_NAMES: Final = Remedy("declarations",
    "Map the names of tools to letters, digits, `_` and `-`, at most 64, and map them back when they are called.")
TOOL_MODEL: Final = Remedy("declarations", "Use a model that calls tools, or send no tools to this one.")
TOOL_SHAPE: Final = Remedy("declarations",
    "Write each tool in the shape of this wire, `type`, name and schema, with no other members.")
TOOL_MEMBERS: Final = Remedy("declarations",
    "Write the name, the description and the other required members of every tool, in the place where this wire "
    "has them.")
ID_OF_STATE: Final = Remedy("stored-state",
    "Send the id that the provider gave to the response or the conversation, and keep the session's own beside it.")
NO_STORED_RESPONSES: Final = Remedy("stored-state",
    "Send the whole conversation with each request, since this server stores no responses; leave the reference out.")
STORE_NOTHING: Final = Remedy("stored-state", "Send the whole history in `input`, and store nothing at this provider.")
HISTORY_FOR_ID: Final = Remedy("stored-state",
    "Send the whole history in place of the id when the provider no longer has what it names.")
BACKGROUND: Final = Remedy("stored-state",
    "Wait for the response; only a server that was started with `VLLM_ENABLE_RESPONSES_API_STORE=1` runs one in "
    "the background.")
FORMAT_IN_WORDS: Final = Remedy("answer-formats",
    "Ask for the format in words for this model and check the answer, or use a model that has the format.")
CLOSE_FORMAT: Final = Remedy("answer-formats",
    "Close each object of the schema with `additionalProperties false` and require every property; or leave "
    "`strict` out.")
SAY_JSON: Final = Remedy("answer-formats", "Say in the messages that the answer is JSON, or ask for a schema.")
FORMAT_SHAPE: Final = Remedy("answer-formats",
    "Write the format of the answer in the shape of this wire, with a type, a name of letters and digits, and a "
    "schema.")
JOIN_PARTS: Final = Remedy("content", "Join the parts of a message into one text.")
ONE_KEY: Final = Remedy("content",
    "Leave out a message whose blocks were all dropped, and write each block with the one key that says what it is.")
LEAVE_OUT_EMPTY: Final = Remedy("content",
    "Leave out messages and parts without content when the history is written; do not store an answer that is empty.")
PART_TYPES: Final = Remedy("content",
    "Write each part with the types of this wire, such as `text` on chat completions and `input_text` and "
    "`output_text` on Responses.")
CONTENT_SHAPE: Final = Remedy("content",
    "Write the content as a text or a list of parts; where there is none, leave the message out.")
MESSAGE_LIST: Final = Remedy("messages",
    "Send the conversation as a list of messages, each an object with a role and content.")
CONVERSATION: Final = Remedy("messages",
    "Send the conversation, with the user's message of the current turn; pruning must never drop that one.")
ITEM_ID: Final = Remedy("messages",
    "Send the id that the response had, or leave `id` out; the id of a call goes into `call_id`.")
FOUR_ROLES: Final = Remedy("messages",
    "Write `system`, `user`, `assistant` or `tool`; instructions of a developer are `system` here.")
USER_AND_ASSISTANT: Final = Remedy("messages",
    "Write `user` and `assistant` only; results of tools are `tool_result` blocks of a user message, instructions "
    "go to `system`.")
OWN_MEMBERS: Final = Remedy("messages",
    "Write each message from a history of your own with the members of this wire only, and do not send back a "
    "response as it came.")
CHAT_ROLES: Final = Remedy("messages",
    "Write one of the wire's roles, `system`, `developer`, `user`, `assistant` or `tool`; map the words of your "
    "own history to them.")
OWN_ITEMS: Final = Remedy("messages",
    "Write only items of this endpoint; convert the blocks of other providers, and leave out what it does not know.")
ROLE_OF_MESSAGE: Final = Remedy("messages",
    "Write the role of every message when it is created, in the words of this wire.")
CACHE_POINTS_WHERE_CACHED: Final = Remedy("caching",
    "Send cache points only to models that cache, and in the tools only to Claude.")
FOUR_CACHE_POINTS: Final = Remedy("caching",
    "Set at most four cache points anew for each request, each after a block that can be cached.")
FOUR_CACHE_MARKS: Final = Remedy("caching",
    "Set the marks of the cache anew for each request, at most four, and those of one hour first.")
MODEL_NAME: Final = Remedy("models",
    "Send the name of a model of this provider, as a text and as the provider spells it.")
OTHER_MODEL: Final = Remedy("models", "Use another model, or the endpoint that serves this one.")
WITHOUT_STREAM: Final = Remedy("parameters",
    "Ask this model for JSON and forced calls without a stream, or force none.")
KEEP_IN_RANGE: Final = Remedy("parameters", "Keep the value within the range that the refusal names, or leave it out.")
NO_SAMPLING: Final = Remedy("parameters", "Leave sampling parameters out for models that reason.")
FIELD_OF_MODEL: Final = Remedy("parameters",
    "Leave the field out for this model, and say each thing in one place only.")
NO_PARAMETER: Final = Remedy("parameters", "Leave the parameter out for this model.")
MAX_TOKENS: Final = Remedy("parameters", "Send `max_tokens` with each request, at 1 or more.")
TEMPERATURE_OR_TOP_P: Final = Remedy("parameters", "Send `temperature` or `top_p`, not both.")
HASH_ID: Final = Remedy("parameters",
    "Send a hash of the id; a hash in SHA-256, written in hexadecimal digits, has 64 characters.")
WHOLE_NUMBER: Final = Remedy("parameters", "Send a whole number within the limits of the model.")
METADATA: Final = Remedy("parameters",
    "Send at most 16 short texts as metadata, under the names that the provider takes.")
KNOWN_MEMBERS: Final = Remedy("parameters",
    "Send only the members that this wire has; keep what belongs to other providers in the code for them.")
PARAMETER_NAME: Final = Remedy("parameters",
    "Send the parameter under the name that this provider and model have for it, and only once.")
VALUE: Final = Remedy("parameters",
    "Send the value in the type and within the range that this provider documents, and leave it out where it was "
    "not set.")
REQUIRED_MEMBERS: Final = Remedy("parameters",
    "Write every message, call and tool with all the members that this provider requires.")
REFERENCE_MEMBER: Final = Remedy("parameters",
    "Write the member as the reference of the API has it, with the values that it lists, or leave it out if it is "
    "optional.")
# fmt: on
