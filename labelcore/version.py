"""Which version of Labelcore this is."""

VERSION = "0.1.0"
