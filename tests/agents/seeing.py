"""Right agents that hand pictures on, for tests: in the result itself, or beside it where the wire lets them."""

import json
from typing import Any

from agent_conformance import Message, Part, Setup, Tool
from tests.agents.plain import PlainAgent


def image_url(part: Part) -> str:
    return f"data:{part.media_type};base64,{part.data}"


def chat_image(part: Part) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": image_url(part)}}


def input_image(part: Part) -> dict[str, Any]:
    return {"type": "input_image", "image_url": image_url(part)}


def image_block(part: Part) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}


def inline_data(part: Part) -> dict[str, Any]:
    return {"inlineData": {"mimeType": part.media_type, "data": part.data}}


class InResult(PlainAgent):
    """The pictures stand in the result; in chat completions in a tool message, which gpt-4.1 takes."""

    features = PlainAgent.features | {"images", "user-images"}

    def __init__(self, setup: Setup) -> None:
        self.pictures: list[Part] = []
        super().__init__(setup)

    def restore(self, role: str, run: list[Message]) -> None:
        self.pictures = [part for message in run for part in message.parts if part.type == "image"]
        super().restore(role, run)
        if role == "tool":
            self.show()

    def begin(self, message: Any) -> None:
        parts = message if isinstance(message, list) else []
        super().begin("\n".join(part.text for part in parts if part.type == "text") if parts else message)
        if pictures := [part for part in parts if part.type == "image"]:
            self.beside(self.messages[-1], pictures)

    def run(self, name: str, arguments: Any) -> str:
        value = next(tool for tool in self.tools() if tool.name == name).call(arguments)
        if not isinstance(value, list):
            return Tool.text(value)
        self.pictures += [part for part in value if part.type == "image"]
        return "\n".join(part.text for part in value if part.type == "text")

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.show()

    def show(self) -> None:
        """Put the pictures of the last batch where the model sees them."""
        pictures, self.pictures = self.pictures, []
        if pictures:
            self.within(self.messages[-1], pictures)

    def within(self, message: dict[str, Any], pictures: list[Part]) -> None:
        match self.setup.wire:
            case "openai-chat":
                message["content"] = [{"type": "text", "text": message["content"]}, *map(chat_image, pictures)]
            case "openai-responses":
                message["output"] = [{"type": "input_text", "text": message["output"]}, *map(input_image, pictures)]
            case "anthropic-messages":
                result = message["content"][-1]
                result["content"] = [{"type": "text", "text": result["content"]}, *map(image_block, pictures)]
            case "gemini-generate":
                message["parts"][-1]["functionResponse"]["parts"] = [*map(inline_data, pictures)]
            case "ollama-chat":
                message["images"] = [part.data for part in pictures]

    def beside(self, message: dict[str, Any], pictures: list[Part]) -> None:
        """Add pictures to a message of the user."""
        match self.setup.wire:
            case "openai-chat" | "cohere-chat":
                message["content"] = [{"type": "text", "text": message["content"]}, *map(chat_image, pictures)]
            case "openai-responses":
                message["content"] = [{"type": "input_text", "text": message["content"]}, *map(input_image, pictures)]
            case "anthropic-messages":
                content = message["content"]
                texts = content if isinstance(content, list) else [{"type": "text", "text": content}]
                message["content"] = [*texts, *map(image_block, pictures)]
            case "gemini-generate":
                message["parts"] += map(inline_data, pictures)
            case "ollama-chat":
                message["images"] = [part.data for part in pictures]


class Beside(InResult):
    """The pictures stand after all results: in the same content, or in a message of the user with a label."""

    def within(self, message: dict[str, Any], pictures: list[Part]) -> None:
        if self.setup.wire in ("openai-chat", "openai-responses", "cohere-chat"):
            self.messages += self.shape.user("What the tools have shown:")
        self.beside(self.messages[-1], pictures)


class Twice(Beside):
    """Wrong: they stand in the result and beside it."""

    def within(self, message: dict[str, Any], pictures: list[Part]) -> None:
        InResult.within(self, message, pictures)
        super().within(message, pictures)


class AsText(InResult):
    """Wrong: the base64 is a part of the text."""

    def run(self, name: str, arguments: Any) -> str:
        value = next(tool for tool in self.tools() if tool.name == name).content(arguments)
        return json.dumps([{"text": part.text, "data": part.data} for part in value])


class Blind(InResult):
    """Wrong: the pictures are lost."""

    def within(self, message: dict[str, Any], pictures: list[Part]) -> None:
        return None

    def beside(self, message: dict[str, Any], pictures: list[Part]) -> None:
        return None


class Late(InResult):
    """Wrong: the model sees a picture with the request after the next one."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        taken = super().take(response)
        self.shown_late()
        return taken

    def within(self, message: dict[str, Any], pictures: list[Part]) -> None:
        self.late = (message, pictures)

    def shown_late(self) -> None:
        if hasattr(self, "late"):
            super().within(*self.late)
