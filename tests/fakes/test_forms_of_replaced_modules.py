"""The usual forms of messages and tools are read although `sys.modules` has lost the modules that define them."""

import subprocess
import sys

from tests.patience import PATIENCE

PROGRAM = """
import gc, importlib, sys
from fake_providers.registry import WIRES
from fake_providers.skippable_forms import Usual

for module in WIRES.values():
    importlib.import_module(f"{module}.rules")
usual = [one for one in gc.get_objects() if isinstance(one, Usual)]
for name in [name for name in sys.modules if name.startswith("fake_providers")]:
    del sys.modules[name]
for one in usual:
    assert one.members
    for kind in one.forms:
        one.read({} if kind is None else {"role": kind, "type": kind})
print(len(usual))
"""


def test_forms_are_read_without_their_modules() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False
    )

    assert done.stderr == ""
    assert int(done.stdout) >= 14
