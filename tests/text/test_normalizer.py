"""Text -> words and lemmas, and where in the text each came from."""

import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spacy.cli.package import package
from spacy.tokens import Doc
from spacy.training import Example

from ragifeval.errors import UserError
from ragifeval.paths import ROOT
from ragifeval.text.clean import clean_text
from ragifeval.text.lemmas import WORD
from ragifeval.text.normalizer import (
    Normalizer,
    load_normalizer,
    normalizer_name,
    split_words,
)


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


SHY, ZWSP, ZWJ, BOM = "\u00ad", "\u200b", "\u200d", "\ufeff"

# Text -> N(text).
NORMALIZED = {
    # The documented example, to the letter.
    "Powiedział jej, że ma 35 lat (skłamał!).": "powiedzieć ona że mieć 35 rok skłamać",
    "": "",
    "… — !? \n\t": "",
    "W URZĘDZIE GMINY": "w urząd gmina",
    "JPK_VAT-7": "jpk vat 7",
    "a.b_C/1": "a b c 1",
    "1112,04 zł": "1112 04 złoty",
    "30zł": "30zł",
    "½ etatu": "½ etat",
    # Decomposed, soft hyphens and zero-width characters, ligatures, superscripts.
    nfd("Żółtą łódź zgłoś w urzędzie"): "żółty łódź zgłosić w urząd",
    f"do{SHY}wo{SHY}dów oso{ZWSP}bistych": "dowód osobisty",
    f"{BOM}gminy{ZWJ}": "gmina",
    f"urze{SHY}\u0328dzie": "urząd",  # the ogonek behind a soft hyphen
    "ﬁrma i ﬂota": "firma i flota",
    "oﬃce": "office",
    "5 cm³ i 20 m²": "5 cm3 i 20 m2",
}


@pytest.mark.parametrize(("text", "joined"), NORMALIZED.items())
def test_normalized(normalizer: Normalizer, text: str, joined: str) -> None:
    assert normalizer(text).joined == joined


def test_letters_are_lowered_after_splitting(normalizer: Normalizer) -> None:
    # "İ".lower() is two characters, the second of which would end a word.
    assert normalizer("İSTANBUL").words == ["i̇stanbul"]
    assert normalizer("İ, Ż").lemmas == ["i̇", "ż"]
    assert normalizer("STRASSE Straße").words == ["strasse", "straße"]
    # "Σ" is lowered by its neighbours, even those beyond a full stop.
    assert normalizer("ΑΣ.Α").words == normalizer("ΑΣ Α").words == ["ας", "α"]


def test_lowering_a_text_is_lowering_its_words() -> None:
    """All characters but those that split_text() knows to be different."""
    known = {"İ", "Σ"}
    points = (chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
    text = " ".join(f"{character}a{character}" for character in points if character not in known)
    assert split_words(text) == [word.lower() for word in WORD.findall(text)]


@pytest.mark.parametrize("text", ["", "a", " Koszt: 10 ZŁ; Ⓐ!", "İ, „Σ” – Ż"])
def test_gaps(normalizer: Normalizer, text: str) -> None:
    normalized = normalizer(text)
    gaps, words = normalized.gaps, normalized.words
    assert len(gaps) == len(words) + 1
    assert "".join(gap + word for gap, word in zip(gaps, [*words, ""], strict=True)) == (
        text.lower() if "İ" not in text else "i̇, „σ” – ż"
    )


def test_the_default_and_what_is_blank_need_no_spacy() -> None:
    code = (
        "import sys; from ragifeval.text.normalizer import load_normalizer;"
        "load_normalizer()('lat'); load_normalizer('blank:de')('Jahr');"
        "print('spacy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == "False\n"


# Text -> text without what cannot be seen. Not NFKC: "½" would become "1⁄2".
CLEANED = {
    "½ ① ㎏ № ⁄ ™": "½ ① ㎏ № ⁄ ™",
    "m¹m²m³": "m1m2m3",
    "ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ": "ff fi fl ffi ffl st st",
    nfd("zażółć gęślą jaźń"): "zażółć gęślą jaźń",
    "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u202a\u2066\u061c": "",
    "a\nb\u00a0c\td": "a\nb\u00a0c\td",
    "ﬁ\u0301": "fí",  # what becomes plain can take the accent that follows
    "\u212a": "K",  # the sign for kelvin is a K
}


@pytest.mark.parametrize(("text", "clean"), CLEANED.items())
def test_cleaned(text: str, clean: str) -> None:
    assert clean_text(text) == clean


def test_only_format_characters_are_deleted() -> None:
    deleted = [chr(point) for point in range(0x110000) if not clean_text(chr(point))]
    assert {unicodedata.category(character) for character in deleted} == {"Cf"}
    # Those of Unicode 14 (Python 3.11); a later Python knows more, and deletes these all the same.
    if unicodedata.unidata_version == "14.0.0":
        known = [
            chr(point) for point in range(0x110000) if unicodedata.category(chr(point)) == "Cf"
        ]
        assert deleted == known


# Text -> the part of it that each word is.
SPANS = {
    "W urzędzie gminy.": ["W", "urzędzie", "gminy"],
    "JPK_VAT": ["JPK", "VAT"],
    nfd("kość łóżko"): [nfd("kość"), nfd("łóżko")],
    f"urzę{SHY}dzie gmi{ZWSP}ny": [f"urzę{SHY}dzie", f"gmi{ZWSP}ny"],
    "ﬁrma oﬃce": ["ﬁrma", "oﬃce"],
    "5 cm³.": ["5", "cm³"],
    "İ, Żar": ["İ", "Żar"],
    f"{SHY}{BOM}dom": ["dom"],
    "": [],
}


@pytest.mark.parametrize(("text", "parts"), SPANS.items())
def test_original_spans(normalizer: Normalizer, text: str, parts: list[str]) -> None:
    spans = normalizer(text).original_spans
    assert [text[start:end] for start, end in spans] == parts


# Characters that meet in texts from PDFs, and those that Unicode joins in odd ways: Hangul and
# Indic letters that compose, singletons, what decomposes for good, ligatures, marks, formats.
ODD = "aęŻİ ßﬁﬃ²³½.-_7٣\n\u0301\u0328\u0307\u0338\u0323\u0489\u00ad\u200b\u200d\ufeff\u034f"
ODD += "각가각\u09c7\u09be\u09cb\u0958\u093c\u0915\u212a\u2126\ufb2c\u05c1\U0001d160\u0f71\u0f72=≠"
texts = st.text(st.sampled_from(ODD)) | st.text()


@settings(max_examples=100)
@given(texts)
@example(f"ᄀ{ZWSP}ᅡ x")
@example(f"e{SHY}\u0328 x")
@example("\u09c7\u09be x")
@example(nfd("Żółć! ąę"))
def test_the_words_stand_where_the_spans_say(normalizer: Normalizer, text: str) -> None:
    normalized = normalizer(text)
    assert len(normalized.words) == len(normalized.lemmas)
    in_text = [normalized.text[start:end].lower() for start, end in normalized.spans]
    assert in_text == list(normalized.words)
    parts = [text[start:end] for start, end in normalized.original_spans]
    assert [split_words(clean_text(part)) for part in parts] == [[w] for w in normalized.words]
    ends = [0, *(place for span in normalized.original_spans for place in span)]
    assert ends == sorted(ends)


@settings(max_examples=50)
@given(texts)
def test_cleaning_again_changes_nothing(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


def test_a_long_text_is_no_longer_than_any_other(normalizer: Normalizer) -> None:
    # spaCy refuses texts of more than nlp.max_length = 1,000,000 characters.
    normalized = normalizer("urzędzie " * 200_000)
    assert len(normalized.lemmas) == 200_000
    assert set(normalized.lemmas) == {"urząd"}


def test_the_memory_of_lemmas_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Normalizer, "REMEMBERED", 3)
    small = load_normalizer()
    text = "gminy urzędu dowodu wniosku gminy urzędu"
    assert small(text).joined == "gmina urząd dowód wniosek gmina urząd"


# A pipeline with a trained lemmatizer, such as pl_core_news_sm has: that one is not on the index.

# "mam" is what this pipeline reads otherwise than the table does.
TAUGHT = """
wniosek/wniosek wniosku/wniosek wnioski/wniosek wniosków/wniosek urząd/urząd urzędu/urząd
urzędzie/urząd urzędem/urząd gminy/gmina gminie/gmina gmina/gmina opłata/opłata opłaty/opłata
opłatę/opłata dowód/dowód dowodu/dowód dowody/dowód składa/składać składam/składać płaci/płacić
płacę/płacić mam/mama mamy/mama w/w za/za się/się o/o złożyć/złożyć można/można 30/30 dni/dzień
dniu/dzień
"""
LEMMAS = dict(pair.split("/") for pair in TAUGHT.split())
SENTENCES = [
    "wniosek składa się w urzędzie gminy",
    "składam wnioski o dowód w gminie",
    "opłatę za dowody płaci się w urzędzie",
    "płacę za wniosek w dniu opłaty",
    "urząd gminy wniosków mamy 30 dni",
    "gmina mam opłata za urzędem dowodu wniosku urzędu",
    "wniosek można złożyć w 30 dni",
]
NAME, VERSION = "urzedowy", "1.2.3"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a saved pipeline: tok2vec and an edit-tree lemmatizer that listens to it."""
    spacy.util.fix_random_seed(0)
    meta = {"name": NAME, "version": VERSION, "author": "", "license": "", "url": ""}
    nlp = spacy.blank("pl", meta=meta)
    nlp.add_pipe("tok2vec")
    nlp.add_pipe("sentencizer")
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": nlp.get_pipe("tok2vec").model.get_dim("nO"),
    }
    model = {"@architectures": "spacy.Tagger.v2", "nO": None, "tok2vec": listener}
    nlp.add_pipe("trainable_lemmatizer", config={"min_tree_freq": 1, "model": model})
    examples = []
    # Single words too: the normalizer shows the pipeline one word at a time.
    for text in [*SENTENCES, *LEMMAS]:
        words = text.split()
        reference = Doc(nlp.vocab, words=words, lemmas=[LEMMAS[word] for word in words])
        examples.append(Example(Doc(nlp.vocab, words=words), reference))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer, drop=0.0)
    path = tmp_path_factory.mktemp("pipeline") / "saved"
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="module")
def site(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for sys.path that holds the pipeline as an installed package, pl_urzedowy."""
    made = tmp_path_factory.mktemp("package")
    package(trained, made, create_sdist=False, silent=True)
    site = tmp_path_factory.mktemp("site")
    project = made / f"pl_{NAME}-{VERSION}"
    shutil.copytree(project / f"pl_{NAME}", site / f"pl_{NAME}")
    shutil.copy(project / "meta.json", site / f"pl_{NAME}")  # as its setup.py does
    information = site / f"pl_{NAME}-{VERSION}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: pl_{NAME}\nVersion: {VERSION}\n", encoding="utf-8"
    )
    return site


def test_a_trained_pipeline_by_path(trained: Path, normalizer: Normalizer) -> None:
    own = load_normalizer(str(trained))
    text = "Składam WNIOSKI w urzędzie gminy: mam 30 dni!"
    assert own(text).joined == "składać wniosek w urząd gmina mama 30 dzień"
    assert own.name == normalizer_name(str(trained)) == "pl_urzedowy-1.2.3"
    assert own.language == "pl"
    # It is this pipeline that spoke, not the table.
    assert normalizer(text).joined == "składać wniosek w urząd gmina mieć 30 dzień"


def test_a_trained_pipeline_reads_each_word_alone(trained: Path) -> None:
    own = load_normalizer(str(trained))
    together = own(" ".join(LEMMAS)).lemmas
    # Another one, which remembers nothing of the first.
    alone = load_normalizer(str(trained))
    assert together == [alone(word).joined for word in LEMMAS]


def test_the_name_and_the_pipeline_are_of_one_package(
    site: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder of the same name in the working directory is not what spaCy loads.
    other = spacy.blank("pl", meta={"name": NAME, "version": "9.9.9"})
    other.to_disk(tmp_path / f"pl_{NAME}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(site)
    own = load_normalizer(f"pl_{NAME}")
    assert own("mam").joined == "mama"
    assert own.name == normalizer_name(f"pl_{NAME}") == f"pl_{NAME}-{VERSION}"


def test_the_name_of_the_table_is_its_version_and_hash(normalizer: Normalizer) -> None:
    version, _, digest = normalizer.name.partition("-")
    assert version.isdigit()
    assert len(digest) == 8
    assert normalizer_name(None) == normalizer.name
    assert normalizer.language == "pl"


# Name of a normalizer without lemmas -> text -> N(text).
BLANK = {
    "blank:de": {
        "Der Antrag kostet 30 Euro (für Schüler: 0).": "der antrag kostet 30 euro für schüler 0",
        "STRASSE, Straße": "strasse straße",
        "İzmir'de": "i̇zmir de",
    },
    "blank:pl": {"W urzędzie gminy mam 35 lat.": "w urzędzie gminy mam 35 lat"},
    "blank:es": {"¿Cuánto cuesta? 3 años.": "cuánto cuesta 3 años"},
}


@pytest.mark.parametrize("name", BLANK)
def test_words_are_their_own_lemmas(name: str) -> None:
    blank = load_normalizer(name)
    language = name.removeprefix("blank:")
    assert {text: blank(text).joined for text in BLANK[name]} == BLANK[name]
    assert blank.name == normalizer_name(name) == f"{language}_blank-{spacy.__version__}"
    assert blank.language == language
    # spaCy gives no other lemmas.
    pipeline = spacy.blank(language)
    for text in BLANK[name]:
        words = blank(text).words
        lemmas = [pipeline(Doc(pipeline.vocab, words=[word]))[0].lemma_ for word in words]
        assert lemmas == [""] * len(words)


UNKNOWN_LANGUAGES = ["", "qq", "German", "DE", "de/", "../lang/de", "lex_attrs"]


def refusal(load: Callable[[str], object], name: str) -> str:
    """The one line about a normalizer that is none."""
    with pytest.raises(UserError) as caught:
        load(name)
    message = str(caught.value)
    assert message.startswith("--normalizer: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("load", [load_normalizer, normalizer_name])
def test_what_is_no_normalizer(
    load: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for language in UNKNOWN_LANGUAGES:
        message = refusal(load, f"blank:{language}")
        assert message.startswith(f"--normalizer: spaCy has no language {language!r}; ")
        assert ", de, " in message
    monkeypatch.chdir(ROOT)  # where "config" is a folder, but no pipeline
    for name in ("pl_no_such_model", "", "json", "no/such/path", "config"):
        message = refusal(load, name)
        assert repr(name) in message
        assert "pip install https://github.com/explosion/spacy-models/" in message
    (tmp_path / "meta.json").write_text("{", encoding="utf-8")
    for path in (tmp_path / "meta.json", tmp_path):
        assert refusal(load, str(path))
