"""Stored answers read back: scored again, compared, reported, exported."""
