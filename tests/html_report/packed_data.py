"""The data of a page, unpacked as its script does it."""

import base64
import json
import re
import zlib
from typing import Any


def block(page: str, name: str) -> Any:
    [packed] = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(json.loads(packed))))
