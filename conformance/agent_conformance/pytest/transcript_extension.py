"""How syrupy writes and compares the transcripts of fakes, for people's own tests. Imports syrupy, an extra."""

import difflib
from collections.abc import Iterator
from typing import Any

from syrupy.extensions.amber import AmberSnapshotExtension


class FakeTranscriptExtension(AmberSnapshotExtension):
    """A transcript as it reads, without quotes, and a difference as a plain diff.

        assert fake.transcript == snapshot.use_extension(FakeTranscriptExtension)

    Snapshots stand in the same amber file as syrupy's own. Whatever is no text is left to syrupy.
    """

    def serialize(self, data: Any, **options: Any) -> str:
        return data if isinstance(data, str) and data else super().serialize(data, **options)

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """syrupy's own colours single characters, also where nothing shows colours."""
        recorded, got = str(snapshot_data).split("\n"), str(serialized_data).split("\n")
        return difflib.unified_diff(recorded, got, "recorded", "got", lineterm="")
