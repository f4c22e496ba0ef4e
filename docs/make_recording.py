"""Record the session that an empty start page shows: ``python -m docs.make_recording``."""

from __future__ import annotations

import json

from labelcore.ui.start import RECORDED, record

if __name__ == "__main__":
    RECORDED.write_text(json.dumps(record(), separators=(",", ":")) + "\n", encoding="utf-8")
