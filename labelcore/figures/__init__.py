"""How results are computed from the state of a session."""
