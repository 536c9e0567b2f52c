"""Amber files, read and written by syrupy. It is imported only where a snapshot file is: syrupy is an extra."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from syrupy.data import Snapshot, SnapshotCollection
from syrupy.extensions.amber.serializer import AmberDataSerializer

from agent_conformance.baseline.snapshot_changes import VERSION as FORMAT


class SnapshotSerializer(AmberDataSerializer):
    """Amber with a version of its own: syrupy takes no file of the suite for one of its own, nor the reverse."""

    VERSION = FORMAT

    @classmethod
    def snapshot_sort_key(cls, snapshot: Snapshot, name_order: dict[str, int] | None = None) -> Any:
        """The order in which the snapshots were added: sorting is stable. Amber's own is by name."""
        return 0


def read_snapshots(path: Path) -> list[tuple[str, str]]:
    """Each snapshot's name and data."""
    return [(snapshot.name, str(snapshot.data)) for snapshot in SnapshotSerializer.read_file(str(path))]


def write_snapshots(path: Path, snapshots: Iterable[tuple[str, str]]) -> None:
    """All at once: whatever interrupts it, the file is the old one or the new one.

    syrupy writes in place, and leaves a lock file under xdist: both happen in a temporary folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        fresh = Path(folder, path.name)
        collection = SnapshotCollection(location=str(fresh))
        for name, data in snapshots:
            collection.add(Snapshot(name, data))
        SnapshotSerializer.write_file(collection)
        os.replace(fresh, path)
