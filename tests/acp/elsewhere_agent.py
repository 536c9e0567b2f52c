"""A program over ACP that asks another host for its models, writes its settings, and finds no model."""

import asyncio
import urllib.request
from pathlib import Path
from typing import Any

from acp import run_agent
from small_agent import SmallAgent


class ElsewhereAgent(SmallAgent):
    async def prompt(self, session_id: str, prompt: Any, **_: Any) -> Any:
        settings = Path.home() / ".my" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text("{}")
        await asyncio.to_thread(urllib.request.urlopen, "http://models.example.org/list")


if __name__ == "__main__":
    asyncio.run(run_agent(ElsewhereAgent()))  # type: ignore[arg-type]  # it leaves out what it does not offer
