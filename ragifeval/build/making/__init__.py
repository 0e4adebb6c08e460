"""Candidates -> samples that prove themselves."""
