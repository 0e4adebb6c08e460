"""Text -> words and lemmas, and where in the text each came from."""

import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from hypothesis import example, given, settings
from hypothesis import strategies as st

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


SHY, ZWSP = "\u00ad", "\u200b"

# Text -> N(text).
NORMALIZED = {
    # The documented example, to the letter.
    "Powiedział jej, że ma 35 lat (skłamał!).": "powiedzieć ona że mieć 35 rok skłamać",
    "a.b_C/1": "a b c 1",
    "1112,04 zł": "1112 04 złoty",
    # Decomposed, soft hyphens and zero-width characters, ligatures, superscripts.
    nfd("Żółtą łódź zgłoś w urzędzie"): "żółty łódź zgłosić w urząd",
    f"do{SHY}wo{SHY}dów oso{ZWSP}bistych": "dowód osobisty",
    f"urze{SHY}\u0328dzie": "urząd",  # the ogonek behind a soft hyphen
    "ﬁrma ﬂota ﬁ\u0301": "firma flota fí",  # what becomes plain can take an accent
    "5 cm³ i 20 m²": "5 cm3 i 20 m2",
    "½ ① ㎏ \u212am": "½ ① km",  # no NFKC: "½" would become "1⁄2"
    # "İ".lower() is two characters, the second of which would end a word.
    "İSTANBUL, İ": "i̇stanbul i̇",
    # "Σ" is lowered by its neighbours, even those beyond a full stop.
    "ΑΣ.Α ΑΣ Α": "ας α ας α",
}


@pytest.mark.parametrize(("text", "joined"), NORMALIZED.items())
def test_normalized(normalizer: Normalizer, text: str, joined: str) -> None:
    assert normalizer(text).joined == joined


def test_lowering_a_text_is_lowering_its_words() -> None:
    """All characters but those that split_text() knows to be different."""
    known = {"İ", "Σ"}
    points = (chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
    text = " ".join(f"{character}a{character}" for character in points if character not in known)
    assert split_words(text) == [word.lower() for word in WORD.findall(text)]


def test_only_format_characters_are_deleted() -> None:
    deleted = [chr(point) for point in range(0x110000) if not clean_text(chr(point))]
    assert {unicodedata.category(character) for character in deleted} == {"Cf"}


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
    assert unicodedata.is_normalized("NFC", clean_text(text))


def test_a_character_of_nearly_all_answers_joins_no_other() -> None:
    for point in range(0x2100):
        text = f"a{chr(point)}a"
        assert unicodedata.is_normalized("NFC", clean_text(text)), hex(point)


def test_the_memory_of_lemmas_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Normalizer, "REMEMBERED", 3)
    small = load_normalizer()
    text = "gminy urzędu dowodu wniosku gminy urzędu"
    assert small(text).joined == "gmina urząd dowód wniosek gmina urząd"


NAME, VERSION = "urzedowy", "1.2.3"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a pipeline that reads "mam" otherwise than the table does, and in context."""
    nlp = spacy.blank("pl", meta={"name": NAME, "version": VERSION})
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "mam"}]], {"LEMMA": "mama"})
    ruler.add([[{"LOWER": "gminy"}]], {"LEMMA": "gmina"})
    ruler.add([[{"LOWER": "gminy"}, {"LOWER": "mam"}]], {"LEMMA": "mieć"}, index=1)
    path = tmp_path_factory.mktemp("pipeline") / "saved"
    nlp.to_disk(path)
    return path


def test_a_pipeline_by_path_reads_each_word_alone(saved: Path, normalizer: Normalizer) -> None:
    own = load_normalizer(str(saved))
    assert own("W GMINY mam 30 dni!").joined == "w gmina mama 30 dni"
    assert own.name == normalizer_name(str(saved)) == "pl_urzedowy-1.2.3"
    assert own.language == normalizer.language == "pl"
    version, _, digest = normalizer.name.partition("-")
    assert version.isdigit()
    assert len(digest) == 8
    assert normalizer_name(None) == normalizer.name


def test_the_name_and_the_pipeline_are_of_one_package(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / f"pl_{NAME}"
    shutil.copytree(saved, package / f"pl_{NAME}-{VERSION}")
    shutil.copy(saved / "meta.json", package)
    (package / "__init__.py").write_text(
        "from spacy.util import load_model_from_init_py\n"
        "def load(**changes):\n    return load_model_from_init_py(__file__, **changes)\n"
    )
    information = tmp_path / "site" / f"pl_{NAME}-{VERSION}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Name: pl_{NAME}\nVersion: {VERSION}\n")
    # A folder of the same name in the working directory is not what spaCy loads.
    other = spacy.blank("pl", meta={"name": NAME, "version": "9.9.9"})
    other.to_disk(tmp_path / f"pl_{NAME}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "site")
    own = load_normalizer(f"pl_{NAME}")
    assert own("mam").joined == "mama"
    assert own.name == normalizer_name(f"pl_{NAME}") == f"pl_{NAME}-{VERSION}"


@pytest.mark.parametrize(
    ("language", "text", "joined"),
    [
        ("de", "STRASSE kostet (für Schüler: 0).", "strasse kostet für schüler 0"),
        ("es", "¿Cuánto cuesta? İ 3 años.", "cuánto cuesta i̇ 3 años"),
    ],
)
def test_words_are_their_own_lemmas(language: str, text: str, joined: str) -> None:
    blank = load_normalizer(f"blank:{language}")
    assert blank(text).joined == joined
    assert blank.name == normalizer_name(f"blank:{language}")
    assert blank.name == f"{language}_blank-{spacy.__version__}"
    assert blank.language == language


@pytest.mark.parametrize("load", [load_normalizer, normalizer_name])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("blank:qq", "spaCy has no language 'qq'; after 'blank:' stands one of af, "),
        ("blank:../lang/de", "spaCy has no language '../lang/de'; "),
        ("pl_no_such_model", "'pl_no_such_model' is installed or saved there; pl_core_news_sm is"),
        ("config", "no spaCy pipeline 'config' is installed"),  # a folder
        ("", "no spaCy pipeline '' is installed"),
    ],
)
def test_what_is_no_normalizer(
    load: Callable[[str], object], name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(UserError) as caught:
        load(name)
    assert str(caught.value).startswith("--normalizer: ")
    assert reason in str(caught.value)
