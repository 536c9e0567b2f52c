"""Reading a file of a stranger: whatever lies at a path, it takes no longer and no more memory than a large file."""

import errno
import stat
from pathlib import Path

LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is read at all."""


def read_data(path: Path) -> bytes:
    """Raises `OSError`, also for a pipe, whose writer may never come, and for a device, which may never end."""
    found = path.stat()
    if stat.S_ISREG(found.st_mode) and found.st_size > LARGEST:
        raise OSError(errno.EFBIG, f"it has {found.st_size:,} bytes")
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device")
    with path.open("rb") as file:
        return file.read(LARGEST)
