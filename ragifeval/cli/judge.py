"""python -m ragifeval judge."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ragifeval import __version__
from ragifeval.benchmark.benchmark import load_benchmark
from ragifeval.cli.batch import batch_files, say_written
from ragifeval.cli.options import inputs
from ragifeval.cli.settings import model_changes, settled
from ragifeval.cli.terminal import EXIT_INTERRUPTED, say, show
from ragifeval.errors import UserError
from ragifeval.files import check_output, is_judged_log, is_log, is_summary
from ragifeval.generators.config import RemoteConfig
from ragifeval.judge.agreement import agreements
from ragifeval.judge.embeddings import PACKAGES, check_model, public_name
from ragifeval.judge.items import Item, Judgement, all_given, given, missing, read_items
from ragifeval.judge.judged_log import check_replaceable, replies_path, write_judged
from ragifeval.judge.judging import JudgePlan, Judging, prompts_shown
from ragifeval.judge.metrics import (
    METRICS,
    MODEL_METRICS,
    TEMPLATES,
    ClaimOverlap,
    Correctness,
    Faithfulness,
    Metric,
)
from ragifeval.judge.summary import notes, rows, summary, table
from ragifeval.paths import JUDGE_PROMPTS
from ragifeval.results.outputs import output_paths, summary_path
from ragifeval.results.sets import with_variants
from ragifeval.run.models import AnyConfig, load_any_config
from ragifeval.run.template import AGAIN, Template, load_again
from ragifeval.scoring.signature import Signature, fingerprint, model_part
from ragifeval.tables import plural
from ragifeval.text.clean import well_formed


def run(options: argparse.Namespace) -> int:
    """Judge; print the tables; 1 where an answer is left unjudged."""
    options, said = settled(options, *options.logs)
    for line in said:
        say(line)
    single = _single(options)
    sources = [Path("-")] if single is not None else options.logs
    outputs: Sequence[Path | None] = [None]
    if single is None:
        make = not options.dry_run
        outputs = output_paths(options.logs, options.output, replies_path, make=make)
    plan = _make_plan(options, model_changes(options))
    all_items = [[single]] if single is not None else _read(options)
    if options.dry_run:
        return _print_prompts(plan, all_items)
    if (files := batch_files(options)) is not None:
        plan = replace(plan, files=files)
    for path, items in zip(outputs, all_items, strict=True):
        if path is None:
            continue
        check_output(path, lambda file: is_log(file) or is_judged_log(file), inputs(options))
        check_output(summary_path(path), is_summary, inputs(options))
        if not options.overwrite:
            check_replaceable(path, plan.signature, items)
    judging = Judging(plan)
    complete = True
    for source, items, output in zip(sources, all_items, outputs, strict=True):
        if not judging.interrupted:
            complete &= _judge(judging, plan, source, items, output, options)
    say_written(plan.files)
    if judging.interrupted:
        return EXIT_INTERRUPTED
    return 0 if complete else 1


def _make_plan(options: argparse.Namespace, changes: Mapping[str, Any]) -> JudgePlan:
    """Read and check all that the options name, the answers aside.

    Args:
        changes: keys over those of the model config.
    """
    metrics = _metrics(options, bool(changes))
    models = _embedding_models(options, metrics)
    folder = (options.prompts or JUDGE_PROMPTS / options.language).resolve()
    names = [name for name in TEMPLATES if name.partition("_")[0] in metrics]
    templates = {name: Template(folder / f"{name}.jinja") for name in names}
    makers: Mapping[str, Callable[[], Metric[Any]]] = {
        "correctness": lambda: Correctness(templates, options.threshold),
        "faithfulness": lambda: Faithfulness(templates, options.window),
        "claims": lambda: ClaimOverlap(templates),
    }
    asking = [makers[name]() for name in metrics if name in makers]
    config = None
    is_named = options.model_config is not None or bool(changes)
    if asking and (is_named or not options.dry_run):
        if not is_named:
            raise UserError(
                "--model_config: is missing; only --metrics lexical,retrieval needs none"
            )
        config = load_any_config(options.model_config, changes, options.dry_run)
    replies = {
        "language": options.language,
        # All of them, so that another metric can be added to a judged log.
        "prompts": fingerprint({path.name: path.read_text("utf-8-sig") for path in _all(folder)}),
        "structured": options.structured,
        "version": __version__,
        "model": model_part(config.display_name, config.scored_settings()) if config else "none",
    }
    own = {
        "metrics": "+".join(metrics),
        "threshold": f"{options.threshold:g}",
        "window": str(options.window),
        "k": str(options.k),
        **{option: public_name(source) for option, source in models.items()},
    }
    signature = Signature({**own, **replies})
    return JudgePlan(
        metrics=metrics,
        asking=asking,
        config=config,
        again=load_again(folder),
        models=models,
        language=options.language,
        use_schema=options.structured == "auto" and _takes_schema(config),
        k=options.k,
        replies=Signature(replies),
        signature=signature,
    )


def _takes_schema(config: AnyConfig | None) -> bool:
    """Whether a schema can be sent; a `response_format` of the user's own is left as it is."""
    return isinstance(config, RemoteConfig) and "response_format" not in config.extra_body


def _all(folder: Path) -> Sequence[Path]:
    own = {*(f"{name}.jinja" for name in TEMPLATES), AGAIN}
    return sorted(path for path in folder.glob("*.jinja") if path.name in own)


def _metrics(options: argparse.Namespace, is_named: bool) -> Sequence[str]:
    if options.metrics is not None:
        asked = [name.strip() for name in options.metrics.split(",") if name.strip()]
        for name in asked:
            if name not in METRICS:
                raise UserError(f"--metrics: {name!r} is none of: {', '.join(METRICS)}")
        if not asked:
            raise UserError(f"--metrics: names none of: {', '.join(METRICS)}")
        return [name for name in METRICS if name in asked]
    if options.question is not None:
        return ["claims"]
    has_judge = is_named or options.model_config or options.dry_run
    return [*MODEL_METRICS, "lexical"] if has_judge else ["lexical"]


def _embedding_models(options: argparse.Namespace, metrics: Sequence[str]) -> Mapping[str, str]:
    models = {}
    for name, package in PACKAGES.items():
        source = getattr(options, name)
        if source is None:
            continue
        if "lexical" not in metrics:
            raise UserError(f"--{name}: is for --metrics lexical, which is not asked for")
        check_model(f"--{name}", source, package)
        models[name] = source
    return models


def _single(options: argparse.Namespace) -> Item | None:
    """The one answer of the command line; None where logs are named."""
    texts = (options.question, options.reference, options.answer, options.context)
    if all(text is None for text in texts):
        if not options.logs:
            raise UserError("name a log, or --question, --reference and --answer")
        return None
    if options.logs:
        raise UserError("--question, --reference, --answer, --context: are for one answer, no log")
    if options.answer is None:
        raise UserError("--answer: is missing")
    if options.output is not None:
        raise UserError("-o: is for logs; one answer's judgement is printed")
    return Item(
        "-",
        given(options.question),
        well_formed(options.answer),
        reference=given(options.reference),
        contexts=all_given(options.context),
    )


def _read(options: argparse.Namespace) -> Sequence[Sequence[Item]]:
    benchmark = load_benchmark(options.docs_path, options.eval_path)
    return [
        read_items(log, with_variants(benchmark, [log], options.variants))[: options.limit]
        for log in options.logs
    ]


def _print_prompts(plan: JudgePlan, all_items: Sequence[Sequence[Item]]) -> int:

    for item in (item for items in all_items for item in items):
        for metric in plan.asking:
            reason = missing(item, metric.needs)
            if reason is not None:
                show(f"=== {item.id}/{metric.name}: unjudged: {reason}\n")
                continue
            for number, prompt in enumerate(prompts_shown(metric, item)):
                show(f"=== {item.id}/{metric.name}/{number}\n{prompt}\n")
    show(str(plan.signature))
    return 0


def _judge(
    judging: Judging,
    plan: JudgePlan,
    source: Path,
    items: Sequence[Item],
    output: Path | None,
    options: argparse.Namespace,
) -> bool:
    """Judge one log, write and print what came of it; return whether all is judged."""
    kept = replies_path(output) if output is not None else None
    judged = judging.judge(items, kept, options.overwrite)
    if judging.torn_lines:
        say(f"{kept}: the last line was cut off and is dropped")
    if judging.resumed:
        say(f"{kept}: {plural(judging.resumed, 'reply was', 'replies were')} already there")
    found = rows(judging.settings, judged)
    if str(source) == "-":
        _show_single(judged[0])
    stopped = " (interrupted)" if judging.interrupted else ""
    title = f"{source}: {plural(len(items), 'answer')}, judged by {plan.judge}{stopped}"
    show(table(title, found, str(plan.signature)) + "\n")
    agreement = _show_agreement(items, judged, options.seed) if options.agreement else []
    if output is not None:
        content = summary(plan, found, judged, judging.interrupted) | {"agreement": agreement}
        write_judged(output, items, judged, plan.signature, content)
    for line in notes(plan.metrics, judged):
        say(f"{source}: {line}")
    return not any(one.unjudged for row in judged for one in row.values())


def _show_single(judged: Mapping[str, Judgement]) -> None:
    value = {
        name: {**one.scores, **one.detail, **({"unjudged": one.unjudged} if one.unjudged else {})}
        for name, one in judged.items()
    }
    show(json.dumps(value, ensure_ascii=False, indent=2))


def _show_agreement(
    items: Sequence[Item], judged: Sequence[Mapping[str, Judgement]], seed: int
) -> list[dict[str, object]]:

    found = agreements(items, judged, seed)
    for one in found:
        show(
            f"{one.name}, {plural(one.count, 'answer')}:\n"
            f"  Cohen's kappa   {one.kappa}\n  Spearman's rho  {one.rho}\n"
        )
    if not found:
        say("--agreement: no answer has both a judged score and one by the rules")
    return [asdict(one) for one in found]
