"""Logs side by side, with intervals and tests."""
