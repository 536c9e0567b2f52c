"""Folders that agents write into: removing them, whatever is in them."""

import contextlib
import os
import shutil
from itertools import count
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Removes what can be removed, and raises nothing. Most are empty, or have a file or two: by hand that is cheap."""
    try:
        with os.scandir(folder) as entries:
            for path in [entry.path for entry in entries]:
                os.unlink(path)
        os.rmdir(folder)
    except OSError:
        _remove_all(folder)


def _remove_all(folder: Path) -> None:
    """Where folders are deeper than Python calls itself, or than it may open files, they are first brought up."""
    for _ in range(2):
        with contextlib.suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        with contextlib.suppress(OSError):
            _empty_nested(folder)


def _empty_nested(folder: Path) -> None:
    """Move each folder that lies in one within this one up to it, and remove whatever else is in there.

    Each entry is seen once, and no path becomes long. What cannot be moved or removed stays.
    """
    numbers = count()
    nested = [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    while nested:
        inner = nested.pop()
        with contextlib.suppress(OSError):
            with os.scandir(inner) as entries:
                found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
            for path, is_folder in found:
                if is_folder:
                    up = os.path.join(folder, f"moved-{next(numbers)}")
                    os.rename(path, up)
                    nested.append(up)
                else:
                    os.unlink(path)
            os.rmdir(inner)
