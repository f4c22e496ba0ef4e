"""Data to try Labelcore on within a minute: one file per trial."""
