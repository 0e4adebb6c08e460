"""Where the data and the configs lie: in a checkout beside the package, in a wheel inside it."""

from importlib.resources import files
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parent.parent

IS_CHECKOUT = (_CHECKOUT / "data" / "lemmas.json").is_file() and (
    _CHECKOUT / "config" / "prompt.jinja"
).is_file()

ROOT = _CHECKOUT if IS_CHECKOUT else Path(str(files("ragifeval")))

DATA, CONFIG = ROOT / "data", ROOT / "config"

DOCUMENTS = DATA / "documents.jsonl"
SAMPLES = DATA / "samples.jsonl"
CONTRAST = DATA / "contrast.jsonl"
BADWORDS = DATA / "badwords.txt"
LEMMA_TABLE = DATA / "lemmas.marisa"
STOP_WORDS = DATA / "stopwords.json"
WORDINGS = DATA / "wordings.toml"
PROMPT = CONFIG / "prompt.jinja"
LOCAL_CONFIG = CONFIG / "baseline.json"
REMOTE_CONFIG = CONFIG / "remote.json"
JUDGE_PROMPTS = CONFIG / "judge"
BUILD_PROMPTS = CONFIG / "build"
