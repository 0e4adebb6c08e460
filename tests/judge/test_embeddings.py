"""BERTScore and cosine: against bert-score called directly, and what goes wrong with a model."""

from importlib import util
from pathlib import Path

import pytest

from ragifeval.errors import UserError
from ragifeval.judge.embeddings import BertScore, Cosine, installed, load_named
from ragifeval.judge.items import Item
from ragifeval.judge.lexical import judge_lexical, settings
from ragifeval.judge.own_models import OwnModels, Pairs, check_model, shown

LETTERS = "aąbcćdeęfghijklłmnńoópqrsśtuvwxyzźż0123456789.,"
PAIRS: Pairs = [
    ("Opłata wynosi 30 zł.", "Opłata wynosi 30 zł."),
    ("Opłata wynosi 30 zł.", "Płaci się trzydzieści złotych."),
    ("Termin to 14 dni.", "Siedem dni, " * 40),
]
ITEMS = [
    Item(str(n), "q", answer, reference=reference) for n, (reference, answer) in enumerate(PAIRS)
]


def make_bert(folder: Path, limit: int | None = None, layers: int = 3) -> Path:
    """A BERT with random weights, whose words are letters.

    Args:
        limit: the tokens of a text, as the tokenizer says it; None for a tokenizer that does not.
    """
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += [mark + letter for mark in ("", "##") for letter in LETTERS]
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    options = {} if limit is None else {"model_max_length": limit}
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), **options).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=32,
            num_hidden_layers=layers,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=64,
            initializer_range=0.5,
        )
        BertModel(config).save_pretrained(folder)
    return folder


class TestBertScore:
    @pytest.fixture(autouse=True)
    def package(self) -> None:
        pytest.importorskip("bert_score", reason="bert-score is not installed")

    def direct(self, model: Path, pairs: Pairs, layer: int, **how: object) -> list[list[float]]:
        import bert_score

        references, answers = zip(*pairs, strict=True)
        found = bert_score.score(
            list(answers), list(references), model_type=str(model), num_layers=layer, **how
        )
        return [column.tolist() for column in found]

    def test_is_that_of_bert_score(self, tmp_path: Path) -> None:
        model = make_bert(tmp_path / "tiny", 64)
        measure = BertScore(str(model), "pl")
        found = measure(PAIRS)
        assert list(found) == list(measure.names)
        for column, wanted in zip(found.values(), self.direct(model, PAIRS, 3), strict=True):
            assert list(column) == pytest.approx(wanted, abs=1e-6)
        assert found["bertscore_f1"][0] == pytest.approx(1)
        assert found["bertscore_f1"][1] < 0.999
        assert measure.how.endswith(f", {shown(str(model))} layer 3, not rescaled")

    @pytest.mark.parametrize(
        ("model", "language", "how"),
        [
            (None, "en", ", roberta-large layer 17, rescaled for en"),
            (None, "pl", ", bert-base-multilingual-cased layer 9, not rescaled"),
            ("roberta-base", "en", ", roberta-base layer 10, rescaled for en"),
            ("roberta-base", "pl", ", roberta-base layer 10, not rescaled"),
        ],
    )
    def test_layer_and_baseline_are_those_of_bert_score(
        self, model: str | None, language: str, how: str
    ) -> None:
        assert BertScore(model, language).how.endswith(how)

    def test_a_folder_named_as_a_known_model_is_taken_for_it(self, tmp_path: Path) -> None:
        import bert_score

        name = "distilbert-base-uncased"
        model = make_bert(tmp_path / name, 64, layers=6)
        measure = BertScore(str(model), "en")
        assert measure.how.endswith(f"{shown(str(model))} layer 5, rescaled for en")
        baseline = Path(bert_score.__file__).parent / "rescale_baseline" / "en" / f"{name}.tsv"
        found = measure([*PAIRS, ("Nic.", "")])
        how = {"lang": "en", "rescale_with_baseline": True, "baseline_path": str(baseline)}
        for column, wanted in zip(found.values(), self.direct(model, PAIRS, 5, **how), strict=True):
            assert list(column[:3]) == pytest.approx(wanted, abs=1e-5)
        # Of an empty text: raw 0, then (0 - b) / (1 - b).
        line = baseline.read_text(encoding="utf-8").splitlines()[1 + 5].split(",")
        floor = [-float(base) / (1 - float(base)) for base in line[1:]]
        assert [column[3] for column in found.values()] == pytest.approx(floor, abs=1e-5)

    def test_an_empty_text_takes_no_other_with_it(self, tmp_path: Path) -> None:
        """bert-score calls a method for it that transformers 5 has no more."""
        measure = BertScore(str(make_bert(tmp_path / "tiny", 64)), "pl")
        found = measure([("Nic.", " \n"), *PAIRS])
        assert [column[0] for column in found.values()] == [0, 0, 0]
        for column, whole in zip(found.values(), measure(PAIRS).values(), strict=True):
            assert list(column[1:]) == list(whole)
        assert [column[0] for column in measure([("Nic.", "")]).values()] == [0, 0, 0]

    def test_a_tokenizer_without_a_limit(self, tmp_path: Path) -> None:
        """bert-score hands 10^30 on, which is too much; the model has 64 positions."""
        limited = BertScore(str(make_bert(tmp_path / "62", 62)), "pl")(PAIRS)
        assert BertScore(str(make_bert(tmp_path / "none")), "pl")(PAIRS) == limited

    def test_t5_in_a_path(self, tmp_path: Path) -> None:
        model = make_bert(tmp_path / "t5" / "tiny", 64)
        with pytest.raises(
            UserError, match=r"tiny cannot be loaded: bert-score takes any path with"
        ):
            load_named([BertScore(str(model), "pl")])


class TestCosine:
    @pytest.fixture(autouse=True)
    def package(self) -> None:
        pytest.importorskip(
            "sentence_transformers", reason="sentence-transformers is not installed"
        )

    def test_by_a_folder(self, tmp_path: Path) -> None:
        """Of a plain BERT, sentence-transformers takes the mean of the last layer's tokens."""
        import torch
        from transformers import AutoModel, AutoTokenizer

        model = make_bert(tmp_path / "tiny", 64)
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
            assert value == pytest.approx(
                float(torch.cosine_similarity(first, second, 0)), abs=1e-5
            )


def test_all_that_is_installed_is_named_with_its_settings(tmp_path: Path) -> None:
    packages = ("bert_score", "sentence_transformers")
    if not all(util.find_spec(package) for package in packages):
        pytest.skip("bert-score or sentence-transformers is not installed")
    model = str(make_bert(tmp_path / "tiny", 64))
    models = OwnModels(model, model)
    judged = judge_lexical(ITEMS, measures := installed(models, "pl"))
    assert [list(one.scores) for one in judged] == [list(settings(measures))] * len(ITEMS)
    assert models.parts() == {"bertscore_model": shown(model), "embedding_model": shown(model)}


def test_a_default_that_cannot_be_had_leaves_its_scores_out() -> None:
    """The tests may not reach the Hub."""
    measures = installed(OwnModels(), "pl")
    if not measures:
        pytest.skip("neither bert-score nor sentence-transformers is installed")
    (first, *_) = judge_lexical(ITEMS, measures)
    assert "bleu" in first.scores
    assert set(first.detail) == {measure.name for measure in measures}
    assert all("\n" not in reason for reason in first.detail.values())


def test_the_name_of_a_folder_tells_what_it_holds_and_no_path(tmp_path: Path) -> None:
    for parent, content in (("a", "1"), ("b", "1"), ("c", "2")):
        folder = tmp_path / parent / "model|x"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(content, encoding="utf-8")
    first, second, other = (shown(str(tmp_path / parent / "model|x")) for parent in "abc")
    assert first == second != other
    assert first.startswith("model/x#")
    assert shown("org/name") == "org/name"


@pytest.mark.parametrize(
    ("source", "package", "message"),
    [
        ("x", "no-such-package", "needs no-such-package, which is not installed: pip install no-"),
        ("/nope", "pytest", "--option: /nope: is no folder; name a model's folder, or one on the"),
        (__file__, "pytest", "is no folder; name a model's folder"),
        (str(Path(__file__).parent), "pytest", "holds no model: neither config.json nor modules"),
    ],
)
def test_what_an_option_names_is_checked(source: str, package: str, message: str) -> None:
    with pytest.raises(UserError) as told:
        check_model("--option", source, package)
    assert message in str(told.value)


def test_what_can_be_a_model_is_left_to_its_package(tmp_path: Path) -> None:
    (tmp_path / "modules.json").touch()
    for source in (None, "org/name", str(tmp_path)):
        assert check_model("--option", source, "pytest") == source
