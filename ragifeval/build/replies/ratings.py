"""A critic's rating with its rationale."""

import re
from dataclasses import replace

from ragifeval.build.replies.tidying import sound, text_of
from ragifeval.build.replies.wording import is_remark
from ragifeval.run.old.replies import Score, read_score


def read_rating(reply: str, low: float, high: float) -> Score:
    r"""A rating, and the rationale before it as its reason; labelled in any language.

    >>> read_rating("Begründung: Klar.\nGesamtbewertung: 4 von 5\n\nIch hoffe, das hilft.", 1, 5)
    Score(value=4.0, reason='Klar.')

    Args:
        low, high: the least and the greatest rating.

    Raises:
        Unparsed: there is no rating, or there are two, or it is out of range.
    """
    paragraphs = text_of(reply).split("\n\n")
    while is_remark(paragraphs[-1]) and not re.search(r"\d", paragraphs[-1]) and paragraphs[1:]:
        del paragraphs[-1]
    score = read_score("\n\n".join(paragraphs), low, high)
    return replace(score, reason=sound(score.reason))
