"""python -m ragifeval report."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragifeval import defaults
from ragifeval.cli.options import add_data, add_matching, add_prompt, add_scoring, add_seed

if TYPE_CHECKING:
    from ragifeval.benchmark.benchmark import Benchmark
    from ragifeval.results.report.collect import Standard


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    option = parser.add_argument
    option("logs", type=Path, nargs="+", metavar="LOG", help="a log, one for each model")
    option("-o", "--output", type=Path, required=True, help="the page, HTML")
    add_data(parser)
    add_prompt(parser, "shown with the prompt")
    add_scoring(parser)
    add_matching(
        parser, meaning="the rule of the headline and of the marks; the other stands beside it"
    )
    add_seed(parser, "of the intervals")
    option("--lang", choices=("pl", "en"), default="pl", help="language of the page")


def run(options: argparse.Namespace) -> int:
    """Write the page; print where it is."""
    from ragifeval.benchmark.benchmark import load_benchmark
    from ragifeval.errors import UserError
    from ragifeval.files import written_beside
    from ragifeval.results.report.collect import collect
    from ragifeval.results.report.headline import headline
    from ragifeval.results.report.notices import notices
    from ragifeval.results.report.page import render
    from ragifeval.results.report.runs import read_runs
    from ragifeval.results.report.texts import load_texts

    if options.output.resolve() in [path.resolve() for path in options.logs]:
        raise UserError(f"-o {options.output}: is one of the logs; the page is another file")
    if not options.output.parent.is_dir():
        raise UserError(f"-o {options.output}: cannot be written: there is no such folder")
    benchmark = load_benchmark(options.docs_path, options.eval_path)
    runs = read_runs(options.logs, benchmark.samples)
    standard, terms = _standard(options, benchmark)
    shown, results = collect(runs, benchmark, standard)
    head = headline(runs, results, shown.categories, options.seed)
    notes = list(notices(runs, results, terms, load_texts(options.lang)))
    page = render(shown, head, notes, options.lang)
    try:
        # Half of a surrogate pair, which a log may hold in a name, cannot be written in UTF-8.
        with written_beside(options.output, errors="replace") as file:
            file.write(page)
    except OSError as error:
        raise UserError(f"{options.output}: cannot be written: {error.strerror}") from None
    for line in notices(runs, results, terms, load_texts("en")):
        print(f"note: {line}", file=sys.stderr)
    answers = sum(result.outcome.answered for result in results)
    print(f"{options.output}: {len(shown.questions)} questions, {answers} answers")
    return 0


def _standard(
    options: argparse.Namespace, benchmark: "Benchmark"
) -> "tuple[Standard, Mapping[str, str]]":
    """What answers are scored and shown by, and the parts of a signature that follow from it."""
    from ragifeval.results.report.collect import Standard
    from ragifeval.run.template import PromptTemplate
    from ragifeval.scoring.conditions import Criteria, check_refusal_message
    from ragifeval.scoring.scorer import read_badwords
    from ragifeval.scoring.signature import fingerprint, scoring_parts
    from ragifeval.text.normalizer import load_normalizer

    check_refusal_message(options.refusal_message)
    chat, completion = (
        PromptTemplate(options.prompt, options.system_message, options.refusal_message, is_text)
        for is_text in (False, True)
    )
    badwords = read_badwords(options.badwords_path)
    normalizer = load_normalizer(options.normalizer)
    lemmas = frozenset(normalizer.lemma(word) for word in badwords)
    criteria = Criteria(normalizer, options.refusal_message, lemmas)
    is_default = options.system_message == defaults.SYSTEM_MESSAGE
    terms = scoring_parts(
        benchmark.fingerprint(),
        normalizer.name,
        badwords,
        options.matching,
        options.refusal_message,
    )
    del terms["matching"]  # scores under both rules are shown
    terms["prompt"] = fingerprint(chat.source)
    terms["system"] = "default" if is_default else fingerprint(options.system_message)
    return Standard(criteria, options.matching, chat, completion), terms
