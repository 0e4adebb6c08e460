"""A published evaluation comes out again: Dataworkz' 100 answers to FinQABench.

Source: github.com/dataworkz-dev/dataworkz-eval, data/apple10k_evaluation_result.csv. Its means are
recall 0.825, precision 0.735 and F1 0.749 of claims.
"""

import json
import re
from pathlib import Path

import pytest

from ragifeval.__main__ import main
from tools.testing.loopback import Call, Loopback, Response, chat
from tools.testing.process import write_records
from tools.testing.scripted import write_config

# Claims of the reference, of the answer, and in common, for each of the 100 answers: first the
# answers that make other claims than the reference, then, in one number, those that make the same.
UNEQUAL = [
    *((19, 11, 0), (1, 1, 0), (1, 3, 0), (2, 2, 0), (7, 1, 0), (1, 4, 0), (1, 1, 0), (7, 8, 1)),
    *((4, 10, 1), (3, 10, 1), (8, 2, 1), (1, 9, 1), (2, 6, 1), (21, 18, 6), (6, 12, 3)),
    *((5, 17, 4), (1, 4, 1), (1, 4, 1), (7, 7, 3), (6, 3, 2), (1, 3, 1), (2, 2, 1), (1, 3, 1)),
    *((1, 3, 1), (1, 3, 1), (5, 2, 2), (12, 8, 6), (6, 4, 3), (7, 13, 6), (6, 14, 6), (4, 5, 3)),
    *((1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 2, 1), (4, 8, 4), (17, 15, 11), (9, 5, 5)),
    *((4, 7, 4), (6, 7, 5), (2, 3, 2), (4, 3, 3), (4, 3, 3), (9, 7, 7), (4, 5, 4), (5, 6, 5)),
    (16, 19, 16),
]
EQUAL = [
    *(1, 1, 10, 7, 2, 6, 7, 2, 1, 2, 1, 1, 1, 1, 1, 5, 3, 11, 1, 1, 1, 1, 2, 1, 2, 3, 4, 6, 9, 4),
    *(11, 2, 1, 1, 1, 1, 2, 2, 6, 1, 2, 1, 1, 1, 4, 4, 2, 3, 1, 5, 6, 7),
]
COUNTS = [*UNEQUAL, *((count, count, count) for count in EQUAL)]


def reply_to(call: Call) -> Response:
    """What the judge said of the answer: the counts as published, and lists of that many."""
    number = int(re.findall(r"answer (\d+)", call.prompt)[-1])
    reply: dict[str, object] = {}
    for side, count in zip(("reference", "candidate", "common"), COUNTS[number], strict=True):
        reply |= {f"{side}_claims": ["claim"] * count, f"{side}_count": count}
    return chat(f"Each claim was compared.\n```json\n{json.dumps(reply, indent=4)}\n```")


def test_the_means_of_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COUNTS) == 100
    lines = [
        {"question": f"question {number}", "reference": "r", "answer": f"answer {number}"}
        for number in range(100)
    ]
    log = write_records(tmp_path / "answers.jsonl", lines)
    with Loopback(reply_to) as server:
        config = write_config(tmp_path / "judge.json", server.url, 32)
        options = ["--metrics", "claims", "--model_config", str(config)]
        assert main(["judge", str(log), *options]) == 0
    said = capsys.readouterr()
    rows = [line.split()[:4] for line in said.out.splitlines()[2:6]]
    assert rows[1:] == [
        ["recall", "0.8252", "100", "0"],
        ["precision", "0.7350", "100", "0"],
        ["f1", "0.7490", "100", "0"],
    ]
