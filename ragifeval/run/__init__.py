"""Asking a model: prompts, the loop, the journal on disk, the summary."""
