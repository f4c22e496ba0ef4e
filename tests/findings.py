"""What a finding of a test rests on, where the test is about something else."""

from typing import Any

from labelcore.promises import Promise

BASIS: dict[str, Any] = {
    "labels_used": 100, "draws_used": 100, "method": "m", "promise": Promise.WATCHED,
    "assumptions": (), "source": "s",
}  # fmt: skip
