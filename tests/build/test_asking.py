"""What is read from the replies of a build, case by case."""

from typing import Any

import pytest
from pydantic import BaseModel

from ragifeval.build.asking import ExamAnswer, Pair, Phrases, Points, Questions, Rating
from ragifeval.paths import BUILD_PROMPTS
from ragifeval.run.structured import Unparsed, read_reply
from ragifeval.run.template import Template

PAIR = {"question": "Ile?", "answer": "30 zł"}
PHRASES = {"phrases": ["30 zł", "7 dni"]}
# A template, what its reply is read into, the reply -> what is read; None where it is not.
REPLIES: list[tuple[str, type[BaseModel], str, dict[str, Any] | None]] = [
    ("factoid", Pair, '{"question": "Ile?", "answer": " 30 zł\\n"}', PAIR),
    ("factoid", Pair, "Jasne!\n**Odpowiedź:** 30 zł\n**Pytanie:** Ile?", PAIR),
    ("factoid", Pair, '{"question": "Ile?", "answer": 30}', PAIR | {"answer": "30"}),
    ("factoid", Pair, '{"question": "Ile?", "answer": null}', None),
    ("factoid", Pair, '{"question": "…", "answer": "…"}', None),
    ("factoid", Pair, '{"question": "Ile?", "answer": "30 \\ud83d"}', None),
    ("factoid", Pair, "Pytanie: Ile?\nOdpowiedź: 3\nPytanie: Kto?\nOdpowiedź: Ja", None),
    ("exam_questions", Questions, '{"questions": [" Ile? "]}', {"questions": ["Ile?"]}),
    ("exam_questions", Questions, '{"questions": []}', None),
    ("exam_questions", Questions, '{"questions": ["Ile?", "…"]}', None),
    ("exam_answer", ExamAnswer, '{"answer": null}', {"answer": None}),
    ("exam_answer", ExamAnswer, "Odpowiedź: 30 zł", {"answer": "30 zł"}),
    ("exam_answer", ExamAnswer, '{"answer": ""}', None),
    ("phrases", Phrases, '{"phrases": ["30 zł", "7\\u00a0dni"]}', PHRASES),
    ("phrases", Phrases, '{"phrases": "30 zł"}', None),
    ("relevance", Rating, "Uzasadnienie: x\nOcena końcowa: 4", {"rationale": "x", "rating": 4}),
    ("relevance", Rating, '{"rationale": "", "rating": "4"}', {"rationale": "", "rating": 4}),
    ("relevance", Rating, '{"rationale": "Tak.", "rating": 6}', None),
    ("relevance", Rating, '{"rationale": "Tak.", "rating": 0}', None),
    ("relevance", Rating, '{"rationale": "Tak.", "rating": NaN}', None),
    ("additive", Points, '{"rationale": "Źle.", "rating": 0}', {"rationale": "Źle.", "rating": 0}),
    ("additive", Points, '{"rationale": "Tak.", "rating": 5}', None),
]


@pytest.mark.parametrize(("name", "model", "reply", "expected"), REPLIES)
def test_reply(
    name: str, model: type[BaseModel], reply: str, expected: dict[str, Any] | None
) -> None:
    labels = Template(BUILD_PROMPTS / "pl" / f"{name}.jinja").labels
    if expected is None:
        with pytest.raises(Unparsed):
            read_reply(reply, model, labels)
    else:
        assert read_reply(reply, model, labels).model_dump() == expected
