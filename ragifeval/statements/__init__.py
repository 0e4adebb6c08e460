"""Statements: entries of include and exclude that an answer must say, or must not say, of a thing.

The rule, with examples and the recipe for authors: docs/conditions.md.
"""
