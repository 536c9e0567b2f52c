"""An agent that shows the secrets it has, in each form and in each way that the suite passes on."""

import base64
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from urllib.parse import quote

import httpx

from agent_conformance import AgentError

SETTING = 'of-the-"adapter"\\&0123456789'
LATE = "late-abcdefghijklmnop-0123456789"


def late():
    """As `load_dotenv` does in the middle of a turn; afterwards it is gone again."""
    os.environ["LATE_TOKEN"] = LATE
    return os.environ.pop("LATE_TOKEN")


def dotenv():
    return Path(__file__).with_name(".env").read_text().partition("=")[2].strip()


def forms(value):
    basic = base64.b64encode(f"user:{value}".encode()).decode()
    return (value, json.dumps({"x": value}), quote(value, safe=""), repr(value), f"Basic {basic}", basic.rstrip("="))


class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup):
        self.setup = setup
        self.api_key = SETTING

    def send(self, message):
        values = [os.environ["START_API_KEY"], late(), self.api_key, dotenv(), self.setup.api_key]
        text = "\n".join(form for value in values for form in forms(value))
        print("printed", text)
        print("printed", text, file=sys.stderr)
        logging.getLogger("agent").warning("logged %s", text)
        warnings.warn(f"warned {text}", stacklevel=1)
        if "crash" in message:
            raise ValueError(text)
        if "fail" in message:
            raise AgentError(text)
        body = {"model": self.setup.model, "messages": [{"role": "user", "content": f"{message} {text}"}]}
        if "refused" in message:
            body["temperature"] = text
        headers = {"authorization": f"Bearer {self.setup.api_key}"}
        httpx.post(f"{self.setup.base_url}/chat/completions", json=body, headers=headers)
        return f"/home/me/of/the/cache and 10000000000000000000 and get_weather and {text}"
