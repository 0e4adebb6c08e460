"""python -m ragifeval report."""

import argparse
from collections.abc import Mapping

from ragifeval import defaults
from ragifeval.benchmark.benchmark import Benchmark, load_benchmark
from ragifeval.benchmark.sets import data_part, set_name
from ragifeval.cli.options import inputs
from ragifeval.cli.settings import scoring_settings, settled
from ragifeval.cli.terminal import say
from ragifeval.errors import UserError
from ragifeval.files import check_output, is_page, written_beside
from ragifeval.results.outputs import prices_of
from ragifeval.results.report.collect import Basis, collect
from ragifeval.results.report.headline import headline
from ragifeval.results.report.page import render
from ragifeval.results.report.runs import notices, read_runs
from ragifeval.results.report.texts import load_texts
from ragifeval.results.sets import by_model, by_set, joined, with_variants
from ragifeval.run.template import PromptTemplate
from ragifeval.scoring.signature import default_or_fingerprint, fingerprint
from ragifeval.tables import plural


def run(options: argparse.Namespace) -> int:
    """Write the page; print where it is."""
    is_named = (options.data, options.docs_path, options.eval_path) != (None, None, None)
    sets = {"": options.logs} if is_named else by_set(options.logs)
    own = {name: settled(options, *logs) for name, logs in sets.items()}
    said = [line for _, lines in own.values() for line in lines]
    settings = {name: found for name, (found, _) in own.items()}
    options = next(iter(settings.values()))
    for found in settings.values():
        check_output(options.output, is_page, inputs(found))
    if not options.output.parent.is_dir():
        raise UserError(f"-o {options.output}: cannot be written: there is no such folder")
    files = {name: (found.docs_path, found.eval_path) for name, found in settings.items()}
    plain = {name: load_benchmark(*paths) for name, paths in files.items()}
    basis, terms = _basis(options, next(iter(plain.values())))
    data = [data_part(plain[name], *paths) for name, paths in files.items()]
    benchmark = joined(
        {name: with_variants(one, sets[name], options.variants) for name, one in plain.items()}
    )
    models = by_model(sets)
    runs = read_runs(models, benchmark.samples, options.matching)
    content = collect(runs, benchmark, basis)
    prices = dict(zip(options.logs, prices_of(options.logs, options.price), strict=True))
    first = [prices[logs[0]] for logs in models]
    head = headline(runs, content.categories, options.seed, first, next(iter(sets)))
    notes = list(notices(runs, terms, load_texts(options.lang), data[1:]))
    names = [
        f"{set_name(*paths) or paths[1].name}, data:{part}"
        for paths, part in zip(files.values(), data, strict=True)
    ]
    page = render(content, head, notes, options.lang, "; ".join(names))
    # Half of a surrogate pair, which a log may hold in a name, cannot be written in UTF-8.
    with written_beside(options.output, errors="replace") as file:
        file.write(page)
    for line in said:
        say(line)
    for line in notices(runs, terms, load_texts("en"), data[1:]):
        say(f"note: {line}")
    answers = sum(run.outcome.answered for run in runs)
    questions = plural(len(content.questions), "question")
    print(f"{options.output}: {questions}, {plural(answers, 'answer')}")
    return 0


def _basis(options: argparse.Namespace, benchmark: Benchmark) -> tuple[Basis, Mapping[str, str]]:
    """What answers are scored and shown by, and the parts of a signature that follow from it."""
    scoring = scoring_settings(options)
    chat, completion = (
        PromptTemplate(options.prompt, options.system_message, options.refusal_message, is_text)
        for is_text in (False, True)
    )
    terms = scoring.signature_parts(data_part(benchmark, options.docs_path, options.eval_path))
    del terms["matching"]  # scores under both rules are shown
    terms["prompt"] = fingerprint(chat.source)
    terms["system"] = default_or_fingerprint(options.system_message, defaults.SYSTEM_MESSAGE)
    return Basis(scoring.load_criteria(), scoring.matching, chat, completion), terms
