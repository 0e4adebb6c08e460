"""Answers of logs, or of any system, scored anew."""
