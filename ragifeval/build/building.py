"""The stages of a build, one after the other: read, cut, ask, criticise, propose phrases."""

from collections.abc import Sequence
from dataclasses import asdict
from random import Random

from ragifeval.build.asking import Models
from ragifeval.build.chunking import cut, drop_duplicates
from ragifeval.build.folder import BuildFolder, write_objects, write_records
from ragifeval.build.plan import BuildPlan, Facts
from ragifeval.build.reading import FoundFiles, read_files
from ragifeval.build.records import Chunk, Corpus
from ragifeval.build.stages import ask_questions, criticise, propose_phrases
from ragifeval.errors import UserError
from ragifeval.files import write_json, written_beside


def read_chunks(plan: BuildPlan, found: FoundFiles, folder: BuildFolder | None) -> Corpus:
    """Read the files and cut them.

    Args:
        folder: where the texts are kept for another start; None to keep nothing.

    Raises:
        UserError: no file holds a text.
    """
    sources, failed = read_files(found.files, folder.files if folder is not None else None)
    chunks, duplicates = drop_duplicates(list(cut(sources, plan.chunk_size, plan.chunk_overlap)))
    unread = {**found.unread, **failed}
    if not chunks:
        reasons = "; ".join(f"{file}: {reason}" for file, reason in unread.items())
        raise UserError(f"DOCS: there is no text in them ({reasons or 'no file was found'})")
    return Corpus(
        chunks=chunks,
        chosen=_chosen(chunks, plan),
        duplicates=duplicates,
        read=len(found.files) - len(failed),
        unread=unread,
        passed_over=dict(found.passed_over),
    )


def _chosen(chunks: Sequence[Chunk], plan: BuildPlan) -> Sequence[Chunk]:
    if plan.limit is None or plan.limit >= len(chunks):
        return chunks
    places = Random(plan.samples.seed).sample(range(len(chunks)), plan.limit)
    return [chunks[place] for place in sorted(places)]


def build(folder: BuildFolder, plan: BuildPlan, found: FoundFiles, overwrite: bool) -> Models:
    """Go through the stages; what they leave in the folder, finish() makes the benchmark of.

    Returns:
        the models, which tell whether the user interrupted it: the folder is as it was then, but
        for what was read and replied.
    """
    if overwrite:
        folder.start_over()
    corpus = read_chunks(plan, found, folder)
    models = Models(plan, folder)
    asked = ask_questions(models, corpus.chosen)
    criticised = criticise(models, asked.candidates, corpus.chosen)
    proposed = propose_phrases(models, criticised.candidates, corpus.chosen)
    if models.interrupted:
        return models
    # While one of these files is of this build and another of the last one, none is finished.
    folder.candidates.unlink(missing_ok=True)
    write_json(folder.facts, asdict(Facts.of(plan, corpus)))
    write_records(folder.chunks, corpus.chunks)
    write_objects(
        folder.duplicates,
        ({"id": one.chunk.id, "of": one.of, "share": one.share} for one in corpus.duplicates),
    )
    write_records(folder.dropped, [*asked.rejections, *criticised.rejections, *proposed.rejections])
    with written_beside(folder.prompt) as file:
        file.write(plan.evaluation.source)
    # Last: with it, the build counts as finished.
    write_records(folder.candidates, proposed.candidates)
    return models
