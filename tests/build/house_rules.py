"""Chunks and candidates written by hand: rules of a library, a pool, a garden, in two languages."""

import json
from collections import Counter
from pathlib import Path

from ragifeval.build.records import Candidate, Chunk


def house_rules(language: str) -> tuple[list[Chunk], list[Candidate]]:
    """The chunks of a language, each a page of its file, and what is asked about most of them.

    Args:
        language: "pl" (40 chunks, 32 questions) or "de" (12 and 12).
    """
    chunks, candidates = [], []
    pages: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    path = Path(__file__).with_name(f"house_rules.{language}.jsonl")
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
