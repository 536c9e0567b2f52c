"""Bugs with the body of a request as a whole: not JSON, JSON twice, without a model, with members of its own."""

import json
from dataclasses import replace
from typing import Any

from agent_conformance.agents.mutants.encoding.bodies import Body, each, in_body, messages_of, spoiled
from agent_conformance.agents.reference import Defences

SCENARIO = "round-trip/result-comes-back"


def _not_json(defences: Defences) -> Defences:
    return replace(defences, body_bytes=lambda body: str(dict(body)).encode())


def _json_twice(defences: Defences) -> Defences:
    def twice(body: Any) -> bytes:
        return json.dumps(defences.body_bytes(body).decode()).encode()

    return replace(defences, body_bytes=twice)


def _without_model(body: Body) -> None:
    body.pop("model", None)


def _model_as_object(body: Body) -> None:
    if "model" in body:
        body["model"] = {"id": body["model"]}


def _own_member(body: Body) -> None:
    body["session_id"] = "s-1"


def _conversation_left_out(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        body.pop(key, None)


def _conversation_empty(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        if key in body:
            body[key] = []


def _conversation_as_object(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        if key in body:
            body[key] = {str(place): message for place, message in enumerate(body[key])}


def _messages_as_texts(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        if key in body:
            body[key] = [json.dumps(message) for message in body[key]]


def _role_left_out(message: Body) -> None:
    message.pop("role", None)


def _roles_of_the_framework(message: Body) -> None:
    if "role" in message:
        message["role"] = {"user": "human", "assistant": "ai", "model": "ai"}.get(message["role"], message["role"])


def _time_of_a_message(message: Body) -> None:
    message["created_at"] = "2026-11-22T12:00:00Z"


def _name_of_the_user(message: Body) -> None:
    if message.get("role") == "user":
        message["name"] = "Ada Lovelace"


MUTANTS = (
    spoiled(
        "M60a_not_json",
        "the body is JSON",
        "https://github.com/ChatGPTNextWeb/NextChat/issues/4064",
        SCENARIO,
        _not_json,
    ),
    spoiled(
        "M60b_json_twice",
        "the body is JSON, and not the text of JSON",
        "https://github.com/protocolbuffers/protobuf, words for a body that is no object",
        SCENARIO,
        _json_twice,
    ),
    spoiled(
        "M60c_without_model",
        "the request names its model",
        "recorded refusals of requests without a model",
        SCENARIO,
        in_body(_without_model),
    ),
    spoiled(
        "M60d_model_as_object",
        "the model is named by its name",
        "recorded refusals of models that are no text",
        SCENARIO,
        in_body(_model_as_object),
    ),
    spoiled(
        "M60e_own_member",
        "the body has the members of the API and no others",
        "https://github.com/Aider-AI/aider/issues/4404",
        SCENARIO,
        in_body(_own_member),
    ),
    spoiled(
        "M60f_conversation_left_out",
        "the request has its conversation",
        "https://github.com/ikechan8370/chatgpt-plugin/issues/733",
        SCENARIO,
        in_body(_conversation_left_out),
    ),
    spoiled(
        "M60g_conversation_empty",
        "the request has at least one message",
        "https://github.com/ikechan8370/chatgpt-plugin/issues/733",
        SCENARIO,
        in_body(_conversation_empty),
    ),
    spoiled(
        "M60h_conversation_as_object",
        "the conversation is a list",
        "recorded refusals of messages that are no list",
        SCENARIO,
        in_body(_conversation_as_object),
    ),
    spoiled(
        "M60i_messages_as_texts",
        "a message is an object, and not its JSON",
        "recorded refusals of messages that are no objects",
        SCENARIO,
        in_body(_messages_as_texts),
    ),
    spoiled(
        "M60j_role_left_out",
        "each message has its role",
        "recorded refusals of messages without a role",
        SCENARIO,
        each(messages_of, _role_left_out),
    ),
    spoiled(
        "M60k_roles_of_the_framework",
        "roles have the names of the API",
        "https://github.com/langchain-ai/langchain, messages of the types `human` and `ai`",
        SCENARIO,
        each(messages_of, _roles_of_the_framework),
    ),
    spoiled(
        "M60l_time_of_a_message",
        "what the agent stores with a message stays at home",
        "https://github.com/anthropics/claude-code/issues/31033",
        SCENARIO,
        each(messages_of, _time_of_a_message),
    ),
    spoiled(
        "M60m_name_of_the_user",
        "the name of a user fits the pattern of the API, or is not sent",
        "public code that quotes the pattern for names of messages",
        SCENARIO,
        each(messages_of, _name_of_the_user),
    ),
)
