"""BERTScore and cosine against their packages called directly; mistakes in naming a model."""

from pathlib import Path

import pytest

from ragifeval.errors import UserError
from ragifeval.judge.embeddings import BertScore, Cosine, Pairs, check_model, public_name

LETTERS = "aąbcćdeęfghijklłmnńoópqrsśtuvwxyzźż0123456789.,"
PAIRS: Pairs = [
    ("Opłata wynosi 30 zł.", "Opłata wynosi 30 zł."),
    ("Opłata wynosi 30 zł.", "Płaci się trzydzieści złotych."),
    ("Termin to 14 dni.", "Siedem dni, " * 40),
]


def make_bert(folder: Path, limit: int | None = None, layers: int = 3) -> Path:
    """A BERT with random weights, whose words are letters.

    Args:
        limit: the tokens of a text, as the tokenizer says it; None for a tokenizer that does not.
    """
    for package in ("torch", "bert_score", "sentence_transformers"):
        pytest.importorskip(package, reason=f"{package} is not installed: requirements-dev.txt")
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += [mark + letter for mark in ("", "##") for letter in LETTERS]
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    options = {} if limit is None else {"model_max_length": limit}
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), **options).save_pretrained(folder)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "max_position_embeddings": 64}
    depth = {"num_hidden_layers": layers, "num_attention_heads": 4}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = BertConfig(vocab_size=len(words), initializer_range=0.5, **sizes, **depth)
        BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("models") / "tiny", 62)


def direct(model: Path, pairs: Pairs, layer: int, **how: object) -> list[list[float]]:
    """What bert-score itself says."""
    import bert_score

    references, answers = zip(*pairs, strict=True)
    found = bert_score.score(
        list(answers), list(references), model_type=str(model), num_layers=layer, **how
    )
    return [column.tolist() for column in found]


def test_bertscore_is_that_of_bert_score(model: Path, tmp_path: Path) -> None:
    measure = BertScore(str(model), "pl")
    found = measure(PAIRS)
    assert list(found) == list(measure.scores)
    for column, wanted in zip(found.values(), direct(model, PAIRS, 3), strict=True):
        assert list(column) == pytest.approx(wanted, abs=1e-6)
    assert found["bertscore_f1"][0] == pytest.approx(1)
    assert found["bertscore_f1"][1] < 0.999
    assert measure.settings.endswith(f", {public_name(str(model))} layer 3, not rescaled")
    # A tokenizer without a limit gets that of the model; bert-score would hand 10^30 on.
    assert BertScore(str(make_bert(tmp_path / "none")), "pl")(PAIRS) == found
    # An empty text scores 0, and takes no other with it.
    blank = measure([("Nic.", " \n"), *PAIRS])
    assert [list(column) for column in blank.values()] == [
        pytest.approx([0, *column]) for column in found.values()
    ]


def test_a_folder_named_as_a_known_model_is_taken_for_it(tmp_path: Path) -> None:
    name = "distilbert-base-uncased"
    model = make_bert(tmp_path / name, 64, layers=6)
    import bert_score

    measure = BertScore(str(model), "en")
    assert measure.settings.endswith(f"{public_name(str(model))} layer 5, rescaled for en")
    baseline = Path(bert_score.__file__).parent / "rescale_baseline" / "en" / f"{name}.tsv"
    found = measure([*PAIRS, ("Nic.", "")])
    how = {"lang": "en", "rescale_with_baseline": True, "baseline_path": str(baseline)}
    for column, wanted in zip(found.values(), direct(model, PAIRS, 5, **how), strict=True):
        assert list(column[:3]) == pytest.approx(wanted, abs=1e-5)
    # Of an empty text: raw 0, then (0 - b) / (1 - b).
    line = baseline.read_text(encoding="utf-8").splitlines()[1 + 5].split(",")
    floor = [-float(base) / (1 - float(base)) for base in line[1:]]
    assert [column[3] for column in found.values()] == pytest.approx(floor, abs=1e-5)


def test_cosine_is_that_of_the_mean_of_all_tokens(model: Path) -> None:
    """Of a plain BERT, sentence-transformers takes the mean of the last layer's tokens."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    found = Cosine(str(model))(PAIRS)["cosine"]
    tokenizer, bert = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model)
    for value, texts in zip(found, PAIRS, strict=True):
        with torch.no_grad():
            first, second = (
                bert(**tokenizer(text, return_tensors="pt", truncation=True))
                .last_hidden_state[0]
                .mean(0)
                for text in texts
            )
        assert value == pytest.approx(float(torch.cosine_similarity(first, second, 0)), abs=1e-5)


def test_the_name_of_a_folder_tells_what_it_holds_and_no_path(tmp_path: Path) -> None:
    for parent, content in (("a", "1"), ("b", "1"), ("c", "2")):
        folder = tmp_path / parent / "model|x"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(content, encoding="utf-8")
    first, second, other = (public_name(str(tmp_path / parent / "model|x")) for parent in "abc")
    assert first == second != other
    assert first.startswith("model/x#")
    assert public_name("org/name") == "org/name"


@pytest.mark.parametrize(
    ("source", "package", "message"),
    [
        ("x", "no-such-package", "needs no-such-package, which is not installed: pip install no-"),
        ("/nope", "pytest", "--option: /nope: is not a folder; name a model's folder, or one on"),
        (str(Path(__file__).parent), "pytest", "holds no model: neither config.json nor modules"),
    ],
)
def test_what_an_option_names_is_checked(source: str, package: str, message: str) -> None:
    with pytest.raises(UserError) as told:
        check_model("--option", source, package)
    assert message in str(told.value)
