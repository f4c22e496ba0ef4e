"""Recompute a session from its file, its plan and its log, and say whether they agree."""

from labelcore.replay.bundle import Bundle, read_bundle, replay_bundle
from labelcore.replay.result import ReplayResult
from labelcore.replay.walk import replay, replay_project

__all__ = [
    "Bundle",
    "ReplayResult",
    "read_bundle",
    "replay",
    "replay_bundle",
    "replay_project",
]
