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
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # until Python 3.12 it calls itself for each folder within another
        with contextlib.suppress(OSError):
            _flatten(folder)
        with contextlib.suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)


def _flatten(folder: Path) -> None:
    """Move what lies in folders within this one up to it, level by level, until none has another in it."""
    numbers = count()
    while nested := [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]:
        for inner in nested:
            for name in os.listdir(inner):
                os.rename(os.path.join(inner, name), os.path.join(folder, f"moved-{next(numbers)}"))
            os.rmdir(inner)
