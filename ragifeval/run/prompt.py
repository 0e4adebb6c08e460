"""A Jinja template, a question and its documents -> the prompt: chat messages, or one text."""

import random
from collections.abc import Sequence
from pathlib import Path

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE
from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt
from ragifeval.run.sandbox import load_template, reason_of

# So much of a reply that cannot be read is shown to the model again: some never end.
_REPEATED = 2_000


def second_prompt(prompt: Prompt, reply: str, again: str | None) -> Prompt:
    """The prompt of a second try: the first one, the reply to it, and what was wrong with that.

    Args:
        again: the user's message behind the reply; None leaves the prompt as it is.
    """
    # Some services take no empty message.
    if again is None or prompt.text is not None or not reply.strip():
        return prompt
    shown = Message("assistant", reply[:_REPEATED])
    return Prompt(messages=(*prompt.messages, shown, Message("user", again)))


class PromptTemplate:
    """A template rendered in Jinja's sandbox, without a loader: it reads no file and calls no code.

    It is given `docs` (the contents of the documents), `documents` (the whole objects: id, title,
    contents, source), `question` and `refusal_message`. An undefined name is an error. Time and
    memory are not bounded: a loop that never ends is found out before any question, and ended by
    Ctrl-C.

    Args:
        path: the template file.
        system_message: the system's message of a chat; heads the text in completion mode. Empty
            for none.
        refusal_message: what the model is told to answer where the documents hold no answer.
        text_completion: render one text instead of chat messages.

    Raises:
        UserError: the file cannot be read or is no template.
    """

    def __init__(
        self,
        path: Path,
        system_message: str = SYSTEM_MESSAGE,
        refusal_message: str = REFUSAL_MESSAGE,
        text_completion: bool = False,
    ) -> None:
        self.path = path
        self.system_message = system_message
        self.refusal_message = refusal_message
        self.text_completion = text_completion
        self.source, self._template = load_template(path)

    def render(self, sample: Sample, documents: Sequence[Document]) -> Prompt:
        """Render the prompt of one sample, its documents in the order given.

        Raises:
            UserError: the template uses an undefined name, or does what the sandbox forbids.
        """
        try:
            text = self._template.render(
                docs=[document.contents for document in documents],
                documents=documents,
                question=sample.question,
                refusal_message=self.refusal_message,
            )
            text.encode()  # half of a surrogate pair is no text, for any model
        except Exception as error:  # noqa: BLE001 - what a template raises is up to the template
            raise UserError(
                f"{self.path}: cannot be rendered for sample {sample.id!r}: {reason_of(error)}; "
                "a template is given: docs, documents, question, refusal_message"
            ) from None
        if self.text_completion:
            head = f"{self.system_message}\n\n" if self.system_message else ""
            return Prompt(text=head + text)
        user = Message("user", text)
        if not self.system_message:
            return Prompt(messages=(user,))
        return Prompt(messages=(Message("system", self.system_message), user))


def ordered_documents(
    benchmark: Benchmark, sample: Sample, shuffle_seed: int | None = None
) -> list[Document]:
    """The documents of a sample as the model sees them.

    Args:
        shuffle_seed: None for the order of the data; else the order depends on this seed and on the
            sample's id alone, not on what else is run, or in which order.
    """
    documents = [benchmark.documents[key] for key in sample.context]
    if shuffle_seed is not None:
        # A string seeds through SHA-512: the same order on every platform and in every process.
        random.Random(f"{shuffle_seed}:{sample.id}").shuffle(documents)
    return documents
