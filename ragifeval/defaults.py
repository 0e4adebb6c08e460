"""The defaults of the options. Imported before anything heavy."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

DOCUMENTS = ROOT / "data" / "documents.jsonl"
SAMPLES = ROOT / "data" / "samples.jsonl"
BADWORDS = ROOT / "data" / "badwords.txt"
LEMMA_TABLE = ROOT / "data" / "lemmas.marisa"
CONTRAST = ROOT / "tests" / "data" / "contrast.jsonl"
PROMPT = ROOT / "config" / "prompt.jinja"
LOCAL_CONFIG = ROOT / "config" / "baseline.json"
REMOTE_CONFIG = ROOT / "config" / "remote.json"

SYSTEM_MESSAGE = "Jesteś pomocnym asystentem udzielającym odpowiedzi w języku polskim."
REFUSAL_MESSAGE = "Nie udało mi się odnaleźć odpowiedzi na pytanie"
MATCHING = "substring"
SEED = 0
