r"""What is handed from one stage of a build to the next.

files -> Source -> Chunk -> Candidate -> Document and Sample
               \-> Duplicate  \-> Rejection
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """A text that was read from a file: a whole file, or one row of a table.

    Attributes:
        file: where it came from, as a path relative to the folder that was named, or the file's
            name; with `/` on every system, and no folder of this machine before it.
        title: of the text, where the file tells one.
        pages: where each page begins in `text`, in characters; empty where there are no pages.
        row: the row of a table or line of a JSONL file, from 1; None for a whole file.
    """

    file: str
    text: str
    title: str | None = None
    pages: Sequence[int] = ()
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a source: what a question is asked about, and a document of the benchmark.

    Attributes:
        id: of the document it becomes: made of the file's name and its number there, so that it
            does not change when other files are added.
        page: on which it begins, from 1; None where there are no pages.
        row: Source's.
        start: where it begins in the source's text, in characters.
    """

    id: str
    text: str
    file: str
    start: int
    title: str | None = None
    page: int | None = None
    row: int | None = None

    @property
    def end(self) -> int:
        """Where it ends in the source's text, in characters."""
        return self.start + len(self.text)

    @property
    def titled_text(self) -> str:
        """The text under its title, which only the first chunk of a source may hold itself."""
        if self.title is None or self.title in self.text:
            return self.text
        return f"{self.title}\n\n{self.text}"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A chunk that is left out, the id of the kept one that it repeats, and how alike they are.

    Attributes:
        share: 1.0 for an exact duplicate; else the share of word runs in common (Jaccard index).
    """

    chunk: Chunk
    of: str
    share: float


@dataclass(frozen=True)
class Corpus:
    """The documents of a build.

    Attributes:
        chunks: without duplicates, in the order of the files.
        chosen: those to be asked about.
        read: how many files were read.
        unread: file -> why it could not be.
        passed_over: ending -> how many files of a kind that is not read lie in the folders.
    """

    chunks: Sequence[Chunk]
    chosen: Sequence[Chunk]
    duplicates: Sequence[Duplicate]
    read: int
    unread: Mapping[str, str]
    passed_over: Mapping[str, int]


PHRASE_WORDS = 3
"""An answer of at most so many words may be a phrase itself."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with its answer, on its way to becoming a sample.

    Attributes:
        id: of the sample it may become: the chunk's id and the question's number there.
        chunk: id of the chunk that it was asked about.
        ratings: critic -> rating; filled by the critics.
        rationales: critic -> its words.
        phrases: what a right answer must contain, as proposed; checked when samples are made. Each
            is a phrase, or a list of alternatives (a reviewer's).
    """

    id: str
    chunk: str
    question: str
    answer: str
    ratings: Mapping[str, float] = field(default_factory=dict)
    rationales: Mapping[str, str] = field(default_factory=dict)
    phrases: Sequence[str | Sequence[str]] = ()

    @property
    def is_phrase(self) -> bool:
        """Whether the answer is as short as a phrase."""
        return len(self.answer.split()) <= PHRASE_WORDS


@dataclass(frozen=True, slots=True)
class Rejection:
    """A question, or a chunk that brought none, that does not become a sample.

    Attributes:
        id: of the candidate; of the chunk where no candidate came of it.
        stage: "ask", "answer", "criticise", "phrases", "samples" or "review".
        reason: one of few, without figures or names, so that they can be counted.
        words: what else is to be known: the critic's words, the phrase, the reply.
        candidate: None where the model's reply held none.
        is_pending: whether no reply came at all: started again, a build asks once more.
    """

    id: str
    stage: str
    reason: str
    words: str = ""
    candidate: Candidate | None = None
    is_pending: bool = False
