"""`import fake_providers` loads what every fake needs, and nothing that takes longer than all of it."""

import subprocess
import sys

LATER = ("asyncio", "email", "httptools", "httpx2", "jsonschema_rs", "pydantic", "pytest", "socket", "yaml")


def test_what_few_fakes_need_is_not_imported_with_them() -> None:
    program = f"import fake_providers, sys; print(*(name for name in {LATER} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []
