"""The results that a session gives: plain values, without their computation."""
