"""The review as a page: one file that works where it lies, asks for nothing and lets nothing in.

What documents and models say is JSON in it, of which JavaScript makes text nodes, as in the report,
whose elements and colours it shares; its policy lets run only the script that belongs to it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ragifeval import __version__
from ragifeval.build.review.table import COLUMNS, EDITABLE, Row
from ragifeval.results import report
from ragifeval.results.report.texts import LANGUAGES, load_texts
from ragifeval.results.single_page import embedded, policy
from ragifeval.scoring.signature import fingerprint
from ragifeval.text.normalizer import Normalizer

_HERE, _REPORT = Path(__file__).parent, Path(report.__path__[0])
_STYLES = (_REPORT / "page.css", _REPORT / "questions.css", _HERE / "page.css")
_SCRIPTS = (
    _REPORT / "elements.js",
    *(_HERE / f"{name}.js" for name in ("state", "marks", "sample", "page")),
)
_CATALOGUE = _HERE / "texts.toml"
# Those of the report's.
_SHARED_TEXTS = ("mark_document", "mark_unseen", "or")


def render(rows: Sequence[Row], language: str, title: str, normalizer: Normalizer) -> str:
    """The page; what it downloads, read_table() reads.

    Args:
        language: of the samples, as HTML names it ("pl"). The page's own labels are in it too where
            they are translated, else in English.
        title: of the build.
        normalizer: so that phrases are marked in whatever form they stand in the text.
    """
    style, functions = (
        "\n".join(file.read_text(encoding="utf-8") for file in files)
        for files in (_STYLES, _SCRIPTS)
    )
    script = f'"use strict";\n(() => {{\n{functions}}})();\n'
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    page_language = language if language in LANGUAGES else "en"
    shared = load_texts(page_language)
    texts = {**load_texts(page_language, _CATALOGUE), **{key: shared[key] for key in _SHARED_TEXTS}}
    return environment.get_template("page.jinja").render(
        language=language,
        page_language=page_language,
        t=texts,
        title=title,
        version=__version__,
        count=len(rows),
        style=Markup(style),  # noqa: S704 - our own file; CSS does not know HTML's escapes
        script=Markup(script),  # noqa: S704 - our own file; nor does JavaScript
        policy=policy(style, script),
        data=Markup(embedded({**_data(rows, title, normalizer), "texts": texts})),  # noqa: S704 - embedded() escapes it
    )


def _data(rows: Sequence[Row], title: str, normalizer: Normalizer) -> Mapping[str, Any]:
    """What the script is given: each chunk once, however many questions were asked about it."""
    chunks: dict[str, dict[str, str]] = {}
    places: dict[str, int] = {}
    samples: list[dict[str, str | int]] = []
    for row in rows:
        cells = row.cells()
        chunk = {name: cells.pop(name) for name in ("file", "page", "text")}
        # By this the browser keeps verdicts: each is on this very question, text and earlier word.
        known = [title, cells["id"], row.chunk.text, *(cells[name] for name in EDITABLE)]
        if row.chunk.text != chunk["text"]:  # which is cut where it is too long for a cell
            chunk["whole"] = row.chunk.text
        chunks.setdefault(row.chunk.id, chunk)
        place = places.setdefault(row.chunk.id, len(places))
        filled = {name: cell for name, cell in cells.items() if cell}
        samples.append({"of": place, "print": fingerprint(known), **filled})
    return {
        "columns": COLUMNS,
        "samples": samples,
        "chunks": list(chunks.values()),
        "lemmas": _lemmas(rows, normalizer),
    }


def _lemmas(rows: Sequence[Row], normalizer: Normalizer) -> Mapping[str, str]:
    """The lemmas of the words in all texts, where they are not the word itself."""
    texts = {row.chunk.text for row in rows}
    texts.update(text for row in rows for text in row.current.texts())
    known: dict[str, str] = {}
    for text in texts:
        normalized = normalizer(text)
        known.update(zip(normalized.words, normalized.lemmas, strict=True))
    return {word: lemma for word, lemma in sorted(known.items()) if word != lemma}
