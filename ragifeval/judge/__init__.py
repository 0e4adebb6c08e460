"""A second opinion on answers: by a model, by the overlap of words, by the ranking of documents.

Never part of correctness, safety and total. docs/judge.md explains each metric.
"""
