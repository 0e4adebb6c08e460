"""The page: a Jinja template with everything inlined, which asks for nothing and lets nothing in.

Whatever a log says is text. Jinja escapes what it writes; the questions are JSON, of which
JavaScript makes text nodes; and the page's policy lets run only the script that belongs to it.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ragifeval import __version__
from ragifeval.results.report.collect import Content
from ragifeval.results.report.headline import Headline, axis_for, cost_plot
from ragifeval.results.report.texts import Numbers, load_texts
from ragifeval.results.single_page import embedded, policy

_HERE = Path(__file__).parent
_STYLES = ("page.css", "questions.css", "print.css")
_SCRIPTS = ("elements.js", "answers.js", "questions.js", "list.js", "filters.js", "main.js")


def render(
    content: Content, headline: Headline, notices: Sequence[str], language: str, data: str = ""
) -> str:
    """Write the page.

    Args:
        notices: what is to be read before the numbers.
        language: one of texts.LANGUAGES.
        data: what the data are called.
    """
    texts = load_texts(language)
    numbers = Numbers(texts)
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_visible,
    )
    environment.filters |= {
        "percent": numbers.percent,
        "decimal": numbers.decimal,
        "fill": lambda text, **values: text.format(**values),
    }
    environment.globals["interval"] = numbers.interval
    style, functions = (
        "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
        for names in (_STYLES, _SCRIPTS)
    )
    script = f'"use strict";\n(() => {{\n{functions}}})();\n'
    axis = axis_for([cell.estimate for cell in headline.aggregates[0].cells if cell])
    return environment.get_template("page.jinja").render(
        language=language,
        t=texts,
        version=__version__,
        headline=headline,
        axis=axis,
        cost_plot=cost_plot(headline, axis),
        notices=notices,
        data_name=data,
        style=Markup(style),  # noqa: S704  our own file, and CSS is no place for HTML's escapes
        script=Markup(script),  # noqa: S704
        policy=policy(style, script),
        data=Markup(embedded({"texts": texts, **vars(content)})),  # noqa: S704
    )


_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _visible(value: object) -> object:
    """A name from a log with what cannot be seen in it, or turns the order of letters, spelt out.

    In the text of answers, the page's own script does it, and changes nothing.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(
        f"‹U+{ord(letter):04X}›"
        if unicodedata.category(letter) in _UNSEEN and letter not in "\n\t"
        else letter
        for letter in value
    )
