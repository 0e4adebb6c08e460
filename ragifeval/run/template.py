"""Prompts as Jinja templates that nobody vetted, rendered in a sandbox.

There is no loader, so a template reads no file and calls no code; an undefined name is an error.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from jinja2 import StrictUndefined, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ragifeval.benchmark.benchmark import Benchmark, Document, Sample
from ragifeval.defaults import REFUSAL_MESSAGE, SYSTEM_MESSAGE
from ragifeval.errors import UserError
from ragifeval.generators.base import Message, Prompt

_ROLES: tuple[Literal["system", "user"], ...] = ("system", "user")
# The front matter: {#- labels: question = Pytanie; answer = Odpowiedź -#}
_LABELS = re.compile(r"\A\s*\{#-?\s*labels:(.*?)-?#\}", re.DOTALL)


class Template:
    """A template of a prompt.

    Its blocks `system` and `user` become the messages of those roles; without blocks the whole
    text is the user's message. Time and memory are not bounded: a loop that never ends is ended
    by Ctrl-C.

    Args:
        path: the template file.

    Attributes:
        source: the text of the file.
        labels: field of a reply -> the labels that a model may put before it, from a comment at
            the head of the file: `{#- labels: question = Pytanie, Question; answer = ... -#}`.

    Raises:
        UserError: the file cannot be read or is not a template.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.source = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: is not UTF-8 text ({error.reason})") from None
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
        # Prompts are plain text for a model; escaping is for HTML.
        environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
        try:
            self._template = environment.from_string(self.source)
        except TemplateSyntaxError as error:
            raise UserError(f"{path}:{error.lineno}: {error.message}") from None
        except Exception as error:  # noqa: BLE001 - what Jinja makes of it is not always Python
            raise UserError(f"{path}: is no template: {_reason(error)}") from None
        self.labels = _read_labels(path, self.source)

    def render(self, values: Mapping[str, object]) -> Prompt:
        """Render the messages of a chat, without white space at their ends and empty ones.

        Raises:
            UserError: the template uses a name that it is not given, or does what the sandbox
                forbids.
        """
        blocks = self._template.blocks
        if "user" not in blocks and "system" not in blocks:
            return Prompt(messages=(Message("user", self.render_text(values).strip()),))
        messages = []
        for role in _ROLES:
            if role in blocks:
                text = self._rendered(partial(self._render_block, role, values), values).strip()
                if text:
                    messages.append(Message(role, text))
        return Prompt(messages=tuple(messages))

    def _render_block(self, role: str, values: Mapping[str, object]) -> str:
        return "".join(self._template.blocks[role](self._template.new_context(dict(values))))

    def render_text(self, values: Mapping[str, object], name: str = "") -> str:
        """Render the whole file as one text, blocks in place.

        Args:
            name: what it is rendered for, for the message of an error.

        Raises:
            UserError: as render().
        """
        return self._rendered(lambda: self._template.render(values), values, name)

    def _rendered(
        self, render: Callable[[], str], values: Mapping[str, object], name: str = ""
    ) -> str:
        try:
            text = render()
            text.encode()  # half of a surrogate pair is not text, for any model
        except Exception as error:  # noqa: BLE001 - what a template raises is up to the template
            raise UserError(
                f"{self.path}: cannot be rendered{name and f' for {name}'}: {_reason(error)}; "
                f"a template is given: {', '.join(values)}"
            ) from None
        return text


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _read_labels(path: Path, source: str) -> Mapping[str, Sequence[str]]:
    comment = _LABELS.match(source)
    if comment is None:
        return {}
    labels = {}
    for entry in comment[1].split(";"):
        field, equals, names = entry.partition("=")
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        if not field.strip() or not equals or not wanted:
            raise UserError(f"{path}: labels: 'field = label' is expected, not {entry.strip()!r}")
        labels[field.strip()] = wanted
    return labels


AGAIN = "again.jinja"
"""In a folder of prompts: what the model is told when its reply could not be read."""


def load_again(folder: Path) -> str | None:
    """The message of `again.jinja`; None where a folder of the user's own has none.

    Raises:
        UserError: it is no template, is empty, or wants to be given something.
    """
    path = folder / AGAIN
    if not path.exists():
        return None
    messages = Template(path).render({}).messages
    if not messages or not messages[-1].content:
        raise UserError(f"{path}: its {{% block user %}} is empty; write what the model is told")
    return messages[-1].content


class PromptTemplate:
    """The template of the evaluation's prompt.

    It is given `docs` (the contents of the documents), `documents` (the whole objects: id, title,
    contents, source), `question` and `refusal_message`.

    Args:
        path: the template file.
        system_message: the system's message of a chat; heads the text in completion mode. Empty
            for none.
        refusal_message: what the model is told to answer where the documents hold no answer.
        text_completion: render one text instead of chat messages.

    Raises:
        UserError: the file cannot be read or is not a template.
    """

    def __init__(
        self,
        path: Path,
        system_message: str = SYSTEM_MESSAGE,
        refusal_message: str = REFUSAL_MESSAGE,
        text_completion: bool = False,
    ) -> None:
        self.system_message = system_message
        self.refusal_message = refusal_message
        self.text_completion = text_completion
        self._template = Template(path)
        self.source = self._template.source

    def render(self, sample: Sample, documents: Sequence[Document]) -> Prompt:
        """Render the prompt of one sample, its documents in the order given.

        Raises:
            UserError: the template uses an undefined name, or does what the sandbox forbids.
        """
        values = {
            "docs": [document.contents for document in documents],
            "documents": documents,
            "question": sample.question,
            "refusal_message": self.refusal_message,
        }
        text = self._template.render_text(values, f"sample {sample.id!r}")
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
