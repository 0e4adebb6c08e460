"""HTML, parsed by lxml and laid out as text by inscriptis."""

import re

import lxml.html
from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.html_engine import Inscriptis
from inscriptis.model.config import ParserConfig
from lxml.etree import LxmlError

from ragifeval.build.reading.text import UnreadableError, check_length, decode, one_line, tidy
from ragifeval.build.records import Source

# A page's text is what is left without what leads to other pages, programs and forms.
_PASSED_OVER = (
    "//script | //style | //noscript | //template | //svg | //iframe | //object | //nav | //button "
    "| //select | //textarea | //dialog | //*[@role='navigation' or @role='search' or @hidden] "
    "| //body/footer | //body/*[@role='contentinfo']"
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")
_HEAD_ENDS = 4096
_LAYOUT = ParserConfig(css=CSS_PROFILES["strict"], table_cell_separator=" | ")


def read_page(data: bytes, file: str) -> list[Source]:
    """The text of an HTML page without navigation, scripts and forms; its title."""
    html = _XML_DECLARATION.sub("", _decode(data))
    try:
        tree = lxml.html.document_fromstring(html)
        titles = [*tree.iter("title"), *tree.iter("h1")]
        title = next(filter(None, (one_line(found.text_content()) for found in titles)), None)
        for element in tree.xpath(_PASSED_OVER):
            if element.getparent() is not None:
                element.drop_tree()
        text = Inscriptis(tree, _LAYOUT).get_text()
    except (LxmlError, ValueError, RecursionError) as error:
        raise UnreadableError(f"is no HTML that can be read: {one_line(error)}") from None
    lines = (" ".join(line.split()) for line in tidy(text).split("\n"))
    return [Source(file, re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip(), title)]


def _decode(data: bytes) -> str:
    """In the encoding that the page declares, unless it is UTF-8 whatever it says."""
    declared = _DECLARED.search(data[:_HEAD_ENDS])
    if declared:
        check_length(len(data))
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            try:
                return tidy(data.decode(declared[1].decode("ascii")))
            except (LookupError, ValueError):
                # An unknown encoding, or another than it says: it is to be found out.
                return decode(data)
    return decode(data)
