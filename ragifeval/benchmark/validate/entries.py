"""What makes a phrase unfit to be an entry of `include`: each check, and how its reason is said.

`validate` asks this of a data set, `build` of the phrases that a model or a reviewer proposes. A
reason goes on a sentence that begins with the phrase: "'17' is met by a citation of that number".
"""

from collections.abc import Collection, Iterator

from ragifeval.text.matching import RULES, Text, find_substring
from ragifeval.text.stop_words import stop_words

NOT_CITED = "stands in no cited document"
PART_OF_A_NUMBER = "is part of another number in document"


def flaws(phrase: Text, question: Text, refusal: Text, language: str) -> Iterator[str]:
    """Why a phrase says nothing about an answer that holds it, whatever the documents.

    Args:
        refusal: the refusal message.
        language: of the stop words.
    """
    words = phrase.normalized.words
    if not words:
        yield "has no letter or digit"
        return
    # Two of them may be a fact: "ein Jahr".
    if len(words) == 1 and words[0] in stop_words(language):
        yield "is a mere stop word"
    # "Dwa" as well as "2": they are one by the whole-word rule.
    if all(map(str.isdigit, words)) or all(map(str.isdigit, phrase.canonical.tokens)):
        yield "is met by a citation of that number"
    for name, rule in RULES.items():
        if rule(phrase, question):
            yield f"stands in the question (rule {name})"
        if rule(phrase, refusal):
            yield f"stands in the refusal message (rule {name})"


def is_cited(alternatives: Collection[Text], documents: Collection[Text]) -> bool:
    """Whether one of the phrases stands in one of the documents, by the substring rule."""
    return any(
        find_substring(phrase, document) for phrase in alternatives for document in documents
    )


def is_said(alternatives: Collection[Text], text: Text) -> bool:
    """Whether one of the phrases stands in a text, by either rule."""
    return any(rule(phrase, text) for phrase in alternatives for rule in RULES.values())


def is_part_of_a_number(phrase: Text, document: Text) -> bool:
    """Whether the substring rule finds the phrase with a number cut in two: "30 zł" in "130 zł"."""
    if find_substring(phrase, document) is None:
        return False
    # "4 500" is two lemmas, and one canonical token.
    return _cuts_a_number(phrase.normalized.joined, document.normalized.joined) or _cuts_a_number(
        " ".join(phrase.canonical.tokens), " ".join(document.canonical.tokens)
    )


def _cuts_a_number(needle: str, hay: str) -> bool:
    start = hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        if needle[0].isdigit() and hay[start - 1 : start].isdigit():
            return True
        if needle[-1].isdigit() and hay[end : end + 1].isdigit():
            return True
        start = hay.find(needle, start + 1)
    return False
