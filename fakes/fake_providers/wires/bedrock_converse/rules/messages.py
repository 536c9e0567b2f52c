"""Rules of the service on messages and blocks, each by itself, and on who speaks when. Knows no tool."""

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.conversation import turns
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.model_ids import base_id, is_base, is_known_form
from fake_providers.wires.bedrock_converse.rules.samples import (
    LLAMA,
    MODEL_TABLE,
    NOVA,
    TITAN,
    assistant,
    bedrock_path,
    cite,
    sample_request,
    user,
)
from fake_providers.wires.bedrock_converse.shapes import union_members

BOOK = Rulebook(envelope)
USER_FIRST = (
    "A conversation must start with a user message. Try again with a conversation that starts with a user message."
)
KEYS = ", ".join(name for name in union_members("ContentBlock") if name not in ("guardContent", "audio"))
NO_SYSTEM = (
    "This model doesn't support system messages. Try again without a system message or use a model that supports "
    "system messages."
)


@BOOK.rule(
    "bedrock/model-id",
    why="The model's id has none of the forms that ids of Bedrock have.",
    confidence="recorded",
    evidence=cite("seven recordings of 2025 and 2026", quote="The provided model identifier is invalid."),
    breaking=None,
    accepted=None,
)
def model_id(context: RequestContext) -> Breach | None:
    return None if is_known_form(context.model) else Breach("modelId", "The provided model identifier is invalid.")


@BOOK.rule(
    "bedrock/needs-profile",
    why="The model is asked for by its base id, and is served through inference profiles alone: put `us.` before it.",
    models="those that recordings show; a region may still serve others of them by their base id",
    confidence="recorded",
    evidence=cite(
        "recordings of 16 ids",
        quote="Retry your request with the ID or ARN of an inference profile that contains this model.",
    ),
    breaking=None,
    accepted=None,
)
def needs_profile(context: RequestContext) -> Breach | None:
    if "needs-profile" not in context.traits or not is_base(context.model):
        return None
    return Breach(
        "modelId",
        f"Invocation of model ID {base_id(context.model)} with on-demand throughput isn\u2019t supported. Retry your "
        "request with the ID or ARN of an inference profile that contains this model.",
    )


@BOOK.rule(
    "bedrock/messages-empty",
    why="There is no message, which is often the result of pruning the history.",
    confidence="verbatim",
    evidence=cite("pydantic/pydantic-ai#4495 (claude-haiku-4-5)", "elastic/kibana#246393", quote=USER_FIRST),
    breaking={"messages": [], "system": [{"text": "Be brief."}]},
    accepted={"messages": [user("a")], "system": [{"text": "Be brief."}]},
)
def messages_empty(context: RequestContext) -> Breach | None:
    from_prompt = ":prompt/" in context.model
    return None if turns(context) or from_prompt else Breach("messages", USER_FIRST)


@BOOK.rule(
    "bedrock/start-with-user",
    why="The conversation starts with the assistant, as a history does that was cut or condensed.",
    models="Nova, Llama, Mistral, Cohere, AI21, Writer; Claude, Qwen, GLM and Kimi accept it",
    confidence="verbatim",
    evidence=cite(MODEL_TABLE, "RooCodeInc/Roo-Code#4150", quote=USER_FIRST),
    breaking=sample_request(assistant("a"), user("b")),
    accepted=sample_request(user("a"), user("b")),
    path=bedrock_path(NOVA),
)
def start_with_user(context: RequestContext) -> Breach | None:
    if "user-first" not in context.traits or turns(context)[0].role == "user":
        return None
    return Breach("messages.0", USER_FIRST)


@BOOK.rule(
    "bedrock/content-empty",
    why="A message has no content block: leave the message out, or put a text into it.",
    confidence="recorded",
    evidence=cite(
        "vercel/ai#7830 and a fixture beside it (nova-2-lite)",
        "earendil-works/pi#3443",
        "archestra-ai/archestra#4220",
        quote="The content field in the Message object at messages.1 is empty.",
    ),
    breaking=sample_request(user("a"), {"role": "assistant", "content": []}, user("b")),
    accepted=sample_request(user("a"), {"role": "assistant", "content": [{"text": "c"}]}, user("b")),
)
def content_empty(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        if not turn.blocks:
            return Breach(
                turn.at,
                f"The content field in the Message object at {turn.at} is empty. Add a ContentBlock object to the "
                "content field and try again.",
            )
    return None


@BOOK.rule(
    "bedrock/block-without-key",
    why="A content block has none of the members that say what it is, such as a block of another API.",
    confidence="verbatim",
    evidence=cite(
        "tests of maximhq/bifrost and of BerriAI/litellm, which quote it",
        quote="ContentBlock object at messages.1.content.0 must set one of the following keys: text, image, toolUse,",
    ),
    breaking=sample_request({"role": "user", "content": [{"type": "text"}]}),
    accepted=sample_request({"role": "user", "content": [{"type": "text", "text": "a"}]}),
)
def block_without_key(context: RequestContext) -> Breach | None:
    for turn in turns(context):
        for block in turn.blocks:
            if not block.kind:
                return Breach(
                    block.at, f"ContentBlock object at {block.at} must set one of the following keys: {KEYS}."
                )
    return None


@BOOK.rule(
    "bedrock/text-blank",
    why="All text of a message is blank.",
    models="DeepSeek, AI21, Cohere, Llama, Nova but not Nova Micro; Claude has a sentence of its own",
    confidence="verbatim",
    evidence=cite(
        "continuedev/continue#9767",
        "OpenHands/OpenHands#5722",
        "epam/ai-dial-adapter-bedrock tests/integration_tests/test_chat_completion.py",
        quote="The text field in the ContentBlock object at messages.0.content.0 is blank.",
    ),
    breaking=sample_request(user(" ")),
    accepted=sample_request(user(".")),
    path=bedrock_path(LLAMA),
)
def text_blank(context: RequestContext) -> Breach | None:
    for turn in turns(context) if "no-blank-text" in context.traits else ():
        texts = turn.of_kind("text")
        if texts and len(texts) == len(turn.blocks) and not any(text.value.strip() for text in texts):
            return Breach(
                texts[0].at,
                f"The text field in the ContentBlock object at {texts[0].at} is blank. Add text to the text field, and "
                "try again.",
            )
    return None


@BOOK.rule(
    "bedrock/system-unsupported",
    why="The request has system messages: put their text into the first user message.",
    models="Titan and other old models; `system` among the messages also elsewhere but on the newest Claudes",
    confidence="verbatim",
    evidence=cite("several public quotes", quote=NO_SYSTEM),
    breaking=sample_request(system=[{"text": "Be brief."}]),
    accepted=sample_request(system=[]),
    path=bedrock_path(TITAN),
)
def system_unsupported(context: RequestContext) -> Breach | None:
    if "no-system" in context.traits and context.body.get("system"):
        return Breach("system", NO_SYSTEM)
    if "unknown-family" in context.traits or "system-messages" in context.traits:
        return None
    late = next((turn for turn in turns(context) if turn.role == "system"), None)
    return Breach(late.at, NO_SYSTEM) if late else None


@BOOK.rule(
    "bedrock/end-with-user",
    why="The conversation ends with the assistant.",
    models="Nova, Llama, Mistral, Cohere, AI21, Writer; Claude has a sentence of its own",
    confidence="verbatim",
    evidence=cite(
        "three public quotes",
        quote="The model that you are using requires the last turn in the conversation to be a user message.",
    ),
    breaking=sample_request(user("a"), assistant("b")),
    accepted=sample_request(user("a"), user("b")),
    path=bedrock_path(NOVA),
)
def end_with_user(context: RequestContext) -> Breach | None:
    last = turns(context)[-1:]
    if "user-last" not in context.traits or not last or last[0].role != "assistant" or last[0].calls():
        return None
    return Breach(
        last[0].at,
        "The model that you are using requires the last turn in the conversation to be a user message. Add a user "
        "message to the conversation and try again.",
    )
