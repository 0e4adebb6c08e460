"""The languages in which questions are asked, each with a folder of prompts in config/build/."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE


@dataclass(frozen=True, slots=True)
class Language:
    """What a benchmark in a language says and is normalized with, unless options say otherwise.

    Attributes:
        name: its code, which is also the name of the folder of its prompts.
        refusal_message: what a model is to answer where the documents hold no answer.
        system_message: the system's message when models are evaluated.
        audience: for whom questions must be useful, as the critic of relevance is told.
        normalizer: as `--normalizer` names it; None for the lemma table in data/.
    """

    name: str
    refusal_message: str
    system_message: str
    audience: str
    normalizer: str | None


LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        Language(
            "pl",
            REFUSAL_MESSAGE,
            SYSTEM_MESSAGE,
            "osoby, które szukają praktycznych informacji na dany temat",
            None,
        ),
        Language(
            "en",
            "I could not find an answer to the question",
            "You are a helpful assistant who answers in English.",
            "people who look up practical information on a subject",
            "blank:en",
        ),
        Language(
            "de",
            "Ich konnte keine Antwort auf die Frage finden",
            "Sie sind ein hilfreicher Assistent, der auf Deutsch antwortet.",
            "Menschen, die zu einem Thema praktische Informationen suchen",
            "blank:de",
        ),
        Language(
            "es",
            "No he podido encontrar la respuesta a la pregunta",
            "Es usted un asistente servicial que responde en español.",
            "personas que buscan información práctica sobre un tema",
            "blank:es",
        ),
    )
}
"""Code -> language."""
