"""What the options of a command line say, as the settings that the rest of the package takes.

An option that is not given is answered by the summary of the log that is read, then by --language,
then by the default.
"""

import argparse
import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragifeval import defaults, paths
from ragifeval.benchmark.benchmark import Benchmark
from ragifeval.benchmark.sets import find_set, set_name
from ragifeval.errors import UserError
from ragifeval.files import is_summary, read_json_object
from ragifeval.generators.config.reading import read_model_args
from ragifeval.languages import LANGUAGES
from ragifeval.results.outputs import summary_path
from ragifeval.run.plan import RunSettings
from ragifeval.scoring.scorer import ScoringSettings
from ragifeval.text.normalizer import split_words
from ragifeval.text.stop_words import frozen_languages, stop_words

_PATHS = ("docs_path", "eval_path", "prompt", "badwords_path")
_RECALLED = (*_PATHS, "system_message", "refusal_message", "normalizer", "matching")
_DEFAULTS: Mapping[str, Any] = {
    "prompt": paths.PROMPT,
    "system_message": defaults.SYSTEM_MESSAGE,
    "refusal_message": defaults.REFUSAL_MESSAGE,
    "normalizer": None,
    "badwords_path": paths.BADWORDS,
    "matching": defaults.MATCHING,
}


def settled(options: argparse.Namespace, *logs: Path) -> tuple[argparse.Namespace, list[str]]:
    """The options with an answer to each that was not given, and what the user should know.

    Args:
        logs: whose summaries answer first; where several differ, the first of them.

    Raises:
        UserError: there is no such set, or the data of a run are not where they were.
    """
    options, notes = copy.copy(options), list[str]()
    language = getattr(options, "language", None)
    given = {name: value for name, value in vars(options).items() if value is not None}
    if options.data is not None:
        files = zip(("docs_path", "eval_path"), find_set(options.data), strict=True)
        given = {**dict(files), **given}
    known = dict(_DEFAULTS)
    if language is not None and language in LANGUAGES:
        preset = LANGUAGES[language]
        known["prompt"] = paths.BUILD_PROMPTS / language / "evaluation.jinja"
        known["system_message"] = preset.system_message
        known["refusal_message"] = preset.refusal_message
        known["normalizer"] = preset.normalizer
    recalled: dict[str, Any] = {}
    for log in logs:
        told = _recall(log)
        if not {"docs_path", "eval_path"} & given.keys():
            _check_files(log, told)
        for name, value in told.items():
            if name in given and given[name] != value and hasattr(options, name):
                notes.append(f"{log}: --{name} {given[name]} is taken, where the run had {value}")
            elif recalled.setdefault(name, value) != value and name not in given:
                notes.append(
                    f"{log}: --{name} {recalled[name]} is taken, where this run had {value}"
                )
    if language is None:
        known |= recalled
    known = {**dict(zip(("docs_path", "eval_path"), find_set("core"), strict=True)), **known}
    if "docs_path" in recalled:
        known |= {name: recalled[name] for name in ("docs_path", "eval_path") if name in recalled}
    for name, value in known.items():
        if hasattr(options, name):
            setattr(options, name, given.get(name, value))
    if getattr(options, "normalizer", None) == "default":
        options.normalizer = None
    if language is not None and hasattr(options, "refusal_message"):
        options.language = None  # it has been heeded: settled options stay as they are
    return options, notes


def _recall(log: Path) -> dict[str, Any]:
    """The options of the run that wrote a log, as its summary tells them."""
    path = summary_path(log)
    if not path.is_file() or not is_summary(path):
        return {}
    options = read_json_object(path).get("options")
    if not isinstance(options, dict):
        return {}
    told = {name: options[name] for name in _RECALLED if isinstance(options.get(name), str)}
    if "normalizer" in options and options["normalizer"] is None:
        told["normalizer"] = None
    return told | {name: _found(told[name], log) for name in _PATHS if name in told}


def _found(name: str, log: Path) -> Path:
    """A file that a summary names: the harness's own, or as seen from here or from the log."""
    places = (paths.ROOT / name, Path(name), log.parent / name)
    return next((path for path in places if path.is_file()), Path(name))


def _check_files(log: Path, told: Mapping[str, Any]) -> None:
    for name in ("docs_path", "eval_path"):
        if name in told and not told[name].is_file():
            raise UserError(
                f"{log}: the data of the run are not there: {told[name]}; name them with --data"
            )


def scoring_settings(options: argparse.Namespace) -> ScoringSettings:
    """What `add_scoring` and `add_matching` say, once settled."""
    return ScoringSettings(
        options.refusal_message, options.normalizer, options.badwords_path, options.matching
    )


def run_settings(options: argparse.Namespace) -> RunSettings:
    """What the options of an evaluation say, once settled; the model aside."""
    ids = options.ids
    return RunSettings(
        docs_path=options.docs_path,
        eval_path=options.eval_path,
        prompt=options.prompt,
        system_message=options.system_message,
        text_completion=options.text_completion,
        shuffle_seed=options.seed if options.shuffle_context else None,
        scoring=scoring_settings(options),
        ids=None if ids is None else [key.strip() for key in ids.split(",") if key.strip()],
        limit=options.limit,
        variants=options.variants,
        repeats=options.repeats,
    )


def model_changes(options: argparse.Namespace) -> dict[str, Any]:
    """The keys of a model config that --model and --model_args give."""
    changes = read_model_args(options.model_args) if options.model_args is not None else {}
    if options.model is not None:
        changes["model"] = options.model
    return changes


def public_options(
    options: argparse.Namespace, public_settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The options, and the words of the command, without what --model_args may hold of secrets.

    Args:
        public_settings: of the model's config; a value that differs from it is not shown.
    """
    told = dict(vars(options))
    if options.model_args is not None:
        told["model_args"] = _public_args(options.model_args, public_settings)
    typed: list[str] = []
    for word in told.get("typed", ()):
        name, mark, value = word.partition("=")
        if typed and _is_model_args(typed[-1]):
            word = _public_args(word, public_settings)
        elif mark and _is_model_args(name):
            word = f"{name}={_public_args(value, public_settings)}"
        typed.append(word)
    return {**told, "typed": typed}


def _is_model_args(word: str) -> bool:
    return word.replace("-", "_") == "__model_args"


def _public_args(text: str, public_settings: Mapping[str, Any]) -> str:
    shown = []
    for key, value in read_model_args(text).items():
        public = public_settings.get(key, "***")
        value = value if public in (value, [value]) else public
        shown.append(
            f"{key}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        )
    return ",".join(shown)


def language_doubt(settings: RunSettings, benchmark: Benchmark) -> Iterator[str]:
    """Yield a warning where own questions are in another language than the prompt."""
    if set_name(settings.docs_path, settings.eval_path) is not None:
        return
    questions = [sample.question for sample in benchmark.samples[:200]]
    texts = [document.contents for document in [*benchmark.documents.values()][:200]]
    asked = _language(" ".join([*questions, *texts]))
    prompt = _language(settings.prompt.read_text(encoding="utf-8-sig"))
    if asked and prompt and asked != prompt:
        yield (
            f"warning: the data are in {_NAMES[asked]}, the prompt in {_NAMES[prompt]}; "
            f"--language {asked} takes prompt, messages and normalizer for {_NAMES[asked]}"
        )


_NAMES = {"de": "German", "en": "English", "es": "Spanish", "pl": "Polish"}
# The share of stop words that a language must have of a text, and twice as many as any other.
_LEAST = 0.1


def _language(text: str) -> str | None:
    """The language whose stop words a text is full of; None where that is not clear."""
    words = split_words(text)
    counts = Counter(
        {name: sum(word in stop_words(name) for word in words) for name in frozen_languages()}
    )
    (first, most), (_, other) = counts.most_common(2)
    return first if most > _LEAST * len(words) and most >= 1.5 * other else None
