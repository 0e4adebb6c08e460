"""Where the data and the configs lie."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

DOCUMENTS = ROOT / "data" / "documents.jsonl"
SAMPLES = ROOT / "data" / "samples.jsonl"
CONTRAST = ROOT / "data" / "contrast.jsonl"
BADWORDS = ROOT / "data" / "badwords.txt"
LEMMA_TABLE = ROOT / "data" / "lemmas.marisa"
WORDINGS = ROOT / "data" / "wordings.toml"
PROMPT = ROOT / "config" / "prompt.jinja"
LOCAL_CONFIG = ROOT / "config" / "baseline.json"
REMOTE_CONFIG = ROOT / "config" / "remote.json"
