"""Chunks and candidates written by hand: rules of a library, a pool, a garden."""

import json
from collections import Counter
from pathlib import Path

from ragifeval.build.records import Candidate, Chunk


def house_rules() -> tuple[list[Chunk], list[Candidate]]:
    """40 chunks, each a page of its file, and 32 questions about them."""
    chunks, candidates = [], []
    pages: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    path = Path(__file__).with_name("house_rules.pl.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        file, text = row["file"], row["text"]
        pages[file] += 1
        key = f"{file.split('.')[0]}-{pages[file]:04}"
        chunks.append(Chunk(key, text, file, ends[file], page=pages[file]))
        ends[file] += len(text)
        if "question" in row:
            candidates.append(
                Candidate(f"{key}-1", key, row["question"], row["answer"], phrases=row["phrases"])
            )
    return chunks, candidates
