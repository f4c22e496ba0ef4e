"""The log: events, what they do to the state, and any moment of it."""
