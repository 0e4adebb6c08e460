"""Sources -> chunks: where they are cut, what they are called, and which repeat others."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragifeval.build.chunking import cut, drop_duplicates
from ragifeval.build.records import Chunk, Source


def chunks_of(text: str, size: int | None, overlap: int = 0) -> list[Chunk]:
    return list(cut([Source("a.txt", text)], size, overlap))


# Text, size, overlap -> (start, text) of each chunk.
CUT: list[tuple[str, int | None, int, list[tuple[int, str]]]] = [
    ("Ala ma kota.", 100, 10, [(0, "Ala ma kota.")]),
    # Between paragraphs, though more would fit.
    ("Jeden dwa.\n\nTrzy cztery.", 16, 0, [(0, "Jeden dwa."), (12, "Trzy cztery.")]),
    # Between lines; between sentences, with the full stop; between words; between letters.
    ("Jeden\nDwa\nTrzy", 10, 0, [(0, "Jeden\nDwa"), (10, "Trzy")]),
    ("Jeden. Dwa. Trzy.", 12, 0, [(0, "Jeden. Dwa."), (12, "Trzy.")]),
    ("jeden dwa trzy", 10, 0, [(0, "jeden dwa"), (10, "trzy")]),
    ("abcdefghij", 4, 0, [(0, "abcd"), (4, "efgh"), (8, "ij")]),
    # The overlap is made of whole pieces.
    ("jeden dwa trzy cztery", 14, 5, [(0, "jeden dwa trzy"), (10, "trzy cztery")]),
    # A text that repeats itself.
    ("aaaaaaaaaa", 4, 2, [(0, "aaaa"), (2, "aaaa"), (4, "aaaa"), (6, "aaaa")]),
    # A chunk begins where it says though a letter before it takes four bytes; a size that cuts
    # through combining marks loses none.
    ("👍👍 żółć jest", 8, 0, [(0, "👍👍 żółć"), (8, "jest")]),
    ("e\u0301o\u0301", 2, 0, [(0, "e\u0301"), (2, "o\u0301")]),
    # Nothing to ask about.
    ("", 10, 0, []),
    ("Ala\n\n* * *\n\nkot", 5, 0, [(0, "Ala"), (12, "kot")]),
    # Whole.
    ("\n Ala.\n\nKot. ", None, 0, [(2, "Ala.\n\nKot.")]),
]


@pytest.mark.parametrize(("text", "size", "overlap", "expected"), CUT)
def test_cut(text: str, size: int | None, overlap: int, expected: list[tuple[int, str]]) -> None:
    assert [(chunk.start, chunk.text) for chunk in chunks_of(text, size, overlap)] == expected


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(["ab", "a", "ą.", ".", " ", "\n", "\n\n", "12"]), max_size=60),
    st.integers(1, 20),
    st.data(),
)
def test_every_chunk_stands_where_it_says(
    pieces: list[str], size: int, data: st.DataObject
) -> None:
    text = "".join(pieces)
    overlap = data.draw(st.integers(0, size - 1))
    chunks = chunks_of(text, size, overlap)
    end = 0
    covered: set[int] = set()
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert 0 < len(chunk.text) <= size
        assert chunk.text == chunk.text.strip()
        assert chunk.end > end
        assert chunk.start >= end - overlap
        end = chunk.end
        covered |= {*range(chunk.start, chunk.end)}
    # No letter is lost.
    assert {place for place, letter in enumerate(text) if letter.isalnum()} <= covered


@pytest.mark.parametrize(("size", "overlap"), [(100, 30), (5000, 0)])
def test_pages(size: int, overlap: int) -> None:
    """A text far longer than the window in which a piece is looked for, each page of one head."""
    pages = [f"Urząd Miasta\nStrona {number}\n" + "Treść strony. " * 20 for number in range(1, 9)]
    text = "\n\n".join(pages)
    starts = [text.index(page) for page in pages]
    for chunk in cut([Source("a.pdf", text, "Tytuł", starts)], size, overlap):
        assert chunk.title == "Tytuł"
        assert chunk.page == sum(start <= chunk.start for start in starts)
        if named := re.match(r"Urząd Miasta\nStrona (\d)", chunk.text):
            assert chunk.page == int(named[1])
    source = Source("a.pdf", "Jeden.\n\nDwa.", pages=(0, 0, 6, 8, 12))  # some are empty
    assert [(c.text, c.page) for c in cut([source], 8, 0)] == [("Jeden.", 2), ("Dwa.", 4)]


def test_rows_and_numbers_within_a_file() -> None:
    sources = [
        Source("t.csv", "Jeden. Dwa.", "A", row=1),
        Source("t.csv", "***", row=2),
        Source("t.csv", "Trzy.", "B", row=3),
        Source("u.csv", "Trzy.", row=1),
    ]
    assert [(c.id, c.row, c.title, c.start, c.page) for c in cut(sources, 7, 0)] == [
        ("t-csv-0001", 1, "A", 0, None),
        ("t-csv-0002", 1, "A", 7, None),
        ("t-csv-0003", 3, "B", 0, None),
        ("u-csv-0001", 1, None, 0, None),
    ]


def ids(*files: str) -> list[str]:
    return [chunk.id for chunk in cut([Source(file, "Tekst") for file in files], None, 0)]


def test_ids_of_names_that_are_nearly_the_same() -> None:
    files = ["a b.txt", "a-b.txt", "ą b.txt", "a_b.txt", "документ.txt", "договор.txt", ".txt"]
    found = ids(*files)
    assert len(set(found)) == len(files)
    assert found[0] == "a-b-txt-0001"
    assert ids("zażółć/GĘŚLĄ (2024).PDF") == ["zazolc-gesla-2024-pdf-0001"]
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*-0001", one) for one in found)
    # What comes later changes nothing; nor does what comes before, if its name is another.
    assert ids(*files[:3]) == found[:3]
    assert ids("0.txt", *files)[1:] == found
    one, other = ids("a" * 200 + "1.txt", "a" * 200 + "2.txt")
    assert one != other
    assert len(one) <= 80


def test_the_title_stands_over_a_text_that_does_not_hold_it() -> None:
    source = Source("a.md", "# Cennik basenu\n\nBilet: 9 zł.\n\nUlgowy: 5 zł.", "Cennik basenu")
    assert [chunk.titled_text for chunk in cut([source], 30, 0)] == [
        "# Cennik basenu\n\nBilet: 9 zł.",
        "Cennik basenu\n\nUlgowy: 5 zł.",
    ]


def numbers(first: int, last: int) -> str:
    return " ".join(f"w{number}" for number in range(first, last + 1))


# Texts -> those left out: (id, id of the one it repeats, share). A text of n words has n - 4 runs
# of five.
TEXTS = {
    "none": ([], []),
    "letter case and marks": (["Ala ma kota.", "ALA, MA «KOTA»"], [("c1", "c0", 1.0)]),
    "three times": (["a"] * 3, [("c1", "c0", 1.0), ("c2", "c0", 1.0)]),
    # A word in the middle is in five runs: 40 of 50 = 0.8 of 45 runs.
    "just as much": (
        [numbers(1, 49), numbers(1, 24) + " x " + numbers(26, 49)],
        [("c1", "c0", 0.8)],
    ),
    "a little less": ([numbers(1, 48), numbers(1, 24) + " x " + numbers(26, 48)], []),
    # 89 of 111 runs in common with the first, 91 of 109 with the second, which are no repeats.
    "the one that is most alike": (
        [numbers(1, 104), numbers(21, 124), numbers(12, 115)],
        [("c2", "c1", 91 / 109)],
    ),
    # 91 of 109 with the second, which is left out, but 86 of 114 with the first.
    "never by way of another": (
        [numbers(1, 104), numbers(6, 109), numbers(15, 118)],
        [("c1", "c0", 95 / 105)],
    ),
    "short texts": (["a b c d", "a b c e", "a b c d e"], []),
}


@pytest.mark.parametrize(("texts", "expected"), TEXTS.values(), ids=TEXTS)
def test_what_repeats_another_is_left_out(
    texts: list[str], expected: list[tuple[str, str, float]]
) -> None:
    chunks = [Chunk(f"c{number}", text, "a.txt", 0) for number, text in enumerate(texts)]
    kept, duplicates = drop_duplicates(chunks)
    gone = [duplicate.chunk for duplicate in duplicates]
    assert kept == [chunk for chunk in chunks if chunk not in gone]
    assert [(one.chunk.id, one.of, one.share) for one in duplicates] == expected
