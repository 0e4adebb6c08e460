"""What the options of a command line say, as the settings that the rest of the package takes."""

import argparse

from ragifeval.run.plan import RunSettings
from ragifeval.scoring.scorer import ScoringSettings


def scoring_settings(options: argparse.Namespace) -> ScoringSettings:
    """What `add_scoring` and `add_matching` say."""
    return ScoringSettings(
        options.refusal_message, options.normalizer, options.badwords_path, options.matching
    )


def run_settings(options: argparse.Namespace) -> RunSettings:
    """What the options of an evaluation say, the model aside."""
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
