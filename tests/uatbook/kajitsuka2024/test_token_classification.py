"""Random labels, and column files: what is read, what is refused, what can be known."""

import pytest
import torch

from uatbook.kajitsuka2024.experiment.token_classification import Sequences, ceiling, load_conll, synthetic

FILE = """-DOCSTART- -X- -X- O

Nora NNP I-NP I-PER
visits VBZ I-VP O
Oslo NNP I-NP I-LOC
. . O O

Rain NN I-NP O
falls VBZ I-VP O


-DOCSTART- -X- -X- O

Oslo NNP I-NP I-ORG
"""
"""A file of our own in the form of CoNLL-2003."""


def test_random_sequences():
    data = synthetic(10, 4, 7, 5, seed=3)
    assert data.tokens.shape == data.labels.shape == (10, 4)
    assert data.tokens.dtype == data.labels.dtype == torch.int64
    sets = [tuple(sorted(row)) for row in data.tokens.tolist()]
    assert len(set(sets)) == 10
    assert all(len(set(row)) == 4 for row in sets)
    assert set(data.tokens.ravel().tolist()) <= set(range(7))
    assert set(data.labels.ravel().tolist()) <= set(range(5))
    assert (len(data.words), len(data.classes)) == (7, 5)
    assert torch.equal(synthetic(10, 4, 7, 5, seed=3).labels, data.labels)
    assert not torch.equal(synthetic(10, 4, 7, 5, seed=4).tokens, data.tokens)
    assert ceiling(data) == ceiling(data, positional=True) == 1
    assert synthetic(5, 4, 5).tokens.shape == (5, 4)


def test_a_column_file(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(FILE, encoding="utf-8")
    data = load_conll(path)
    words = [[data.words[k] for k in row if k >= 0] for row in data.tokens.tolist()]
    assert words == [["Nora", "visits", "Oslo", "."], ["Rain", "falls"], ["Oslo"]]
    labels = [[data.classes[k] for k in row if k >= 0] for row in data.labels.tolist()]
    assert labels == [["I-PER", "O", "I-LOC", "O"], ["O", "O"], ["I-ORG"]]
    assert ((data.tokens == -1) == (data.labels == -1)).all()
    assert data.classes == ("I-LOC", "I-ORG", "I-PER", "O")
    assert load_conll(path, sentences=2).tokens.shape == (2, 4)
    assert load_conll(path, sentences=9).tokens.shape == (3, 4)
    # Other ends of lines, no empty line at the end, columns parted by tabs.
    path.write_bytes(FILE.rstrip().replace("\n", "\r\n").replace(" ", "\t").encode())
    assert torch.equal(load_conll(str(path)).tokens, data.tokens)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Nora NNP O\nvisits\n", r"line 2: expected a word and a label, in columns, got 'visits'"),
        (b"\n-DOCSTART- O\n\n", "at least one sentence"),
        (b"\xff\xfe O\n", "UTF-8"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, words):
    path = tmp_path / "damaged.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        load_conll(path)


def test_marks_and_blanks_of_unicode(tmp_path):
    """A byte order mark is no part of a word; only spaces and tabs part columns, not a no-break space."""
    path = tmp_path / "marked.txt"
    path.write_bytes("\ufeff-DOCSTART- -X- O\n\nEU\t B-ORG \n10\u00a0000 \tO\n".encode())
    data = load_conll(path)
    assert data.tokens.shape == (1, 2)
    assert data.words == ("10\u00a0000", "EU")
    assert data.classes == ("B-ORG", "O")


def test_long_sentences(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("a O\n" * 5000)
    assert load_conll(path).tokens.shape == (1, 5000)
    assert ceiling(load_conll(path)) == ceiling(load_conll(path), positional=True) == 1
    path.write_text("a O\n" * 200_000)
    with pytest.raises(ValueError, match="line 5001: expected sentences of at most 5,000 tokens"):
        load_conll(path)


def test_many_short_sentences_beside_a_long_one_are_refused_before_they_are_padded(tmp_path, monkeypatch):
    """300,000 sentences of a word and one of 5,000 would be 1.5 thousand million numbers, twice."""
    path = tmp_path / "many.txt"
    path.write_text("a O\n\n" * 300_000 + "a O\n" * 5_000)
    monkeypatch.setattr(torch, "full", None)
    with pytest.raises(ValueError, match="expected at most 20,000,000 tokens with the padding, got 300,001 sent"):
        load_conll(path)


def test_contexts_are_not_hashed_for_every_token():
    """1000 sentences of 1000 tokens: one hash each is 10^6 numbers, one for each token 10^9."""
    tokens = torch.arange(1000).repeat(1000, 1)
    data = Sequences(tokens, tokens % 7, tuple(map(str, range(1000))), tuple("0123456"))
    assert ceiling(data) == 1


@pytest.mark.parametrize(
    ("tokens", "labels", "words"),
    [
        ([[0, 1]], [[0]], "label for every token"),
        ([[0, -1]], [[0, 0]], "padding in different places"),
        ([[-1, -1]], [[-1, -1]], "padding only"),
        ([[0, 2]], [[0, 0]], "tokens: expected numbers from 0 to 1"),
        ([[0, -2]], [[0, -2]], "tokens: expected numbers from 0 to 1"),
        ([[0, 1]], [[0, 9]], "labels: expected numbers from 0 to 1"),
        ([0, 1], [0, 1], "tokens: expected a tensor"),
        ([[0.5]], [[0]], "tokens: expected a tensor"),
        ([[]], [[]], "tokens: expected a tensor"),
    ],
)
def test_sequences_are_checked(tokens, labels, words):
    with pytest.raises(ValueError, match=words):
        Sequences(torch.tensor(tokens), torch.tensor(labels), ("a", "b"), ("x", "y"))


def test_what_is_no_data_is_refused():
    with pytest.raises(ValueError, match="data: expected a Sequences"):
        ceiling(None)
    with pytest.raises(ValueError, match="positional: expected True or False"):
        ceiling(synthetic(4), positional=3)
    with pytest.raises(ValueError, match="tokens: expected a tensor"):
        Sequences([[0]], [[0]], ("a",), ("b",))
    for bad in (None, 3, "f/\0x"):
        with pytest.raises(ValueError, match="could not read it"):
            load_conll(bad)


def test_draws_without_end_are_refused():
    """All 184,756 sets of 10 out of 20 tokens would take 2.3 million draws: each new one is rarer than the last."""
    with pytest.raises(ValueError, match=r"draws find them all different, not about 2,.* draws, got 184756"):
        synthetic(184_756, 10, 20)
    assert len(synthetic(9000, 6, 20).tokens) == 9000
    assert len(synthetic(10, 9, 10).tokens) == 10
    assert len(synthetic(3, 500_000, 1_000_000).tokens) == 3


def test_missing_files_and_bad_numbers_are_refused(tmp_path):
    with pytest.raises(ValueError, match="could not read it"):
        load_conll(tmp_path / "none.txt")
    with pytest.raises(ValueError, match="sentences: expected an int >= 1"):
        load_conll(tmp_path / "none.txt", sentences=0)
    for arguments, words in (
        ((0,), "size: expected an int from 1"),
        ((2, 1), "n: expected an int >= 2"),
        ((2, 2, 5, 1), "classes"),
        ((7, 4, 5), "as many sequences as there are sets of 4 out of 5 tokens, 5, got 7"),
        ((1, 6, 5), "tokens, 0, got 1"),
        ((38_761,), "sets of 6 out of 20 tokens, 38760, got 38761"),
        ((2, 40, 40), "tokens, 1, got 2"),
        ((10**9,), "size: expected an int from 1 to 20,000,000"),
        ((2, 2, 10**9), "vocabulary: expected an int from 1 to 1,000,000"),
        ((2, 2, 5, 2**63), "classes: expected an int from 2 to 1,000,000"),
    ):
        with pytest.raises(ValueError, match=words):
            synthetic(*arguments)
    with pytest.raises(ValueError, match="seed"):
        synthetic(seed=-1)


def test_what_can_be_known():
    """Twice the same words: token 0 labelled 0, 0, 1 there; places tell the third, in another order, apart."""
    tokens = torch.tensor([[0, 1, -1], [0, 1, -1], [1, 0, -1], [0, 1, 2]])
    labels = torch.tensor([[0, 1, -1], [0, 1, -1], [1, 1, -1], [5, 5, 5]])
    data = Sequences(tokens, labels, ("a", "b", "c"), tuple("012345"))
    assert ceiling(data) == 8 / 9
    assert ceiling(data, positional=True) == 1
    same = Sequences(tokens[:2], torch.tensor([[0, 1, -1], [1, 1, -1]]), data.words, data.classes)
    assert ceiling(same) == ceiling(same, positional=True) == 3 / 4
    # How often a word occurs counts: softmax hears it.
    often = Sequences(
        torch.tensor([[0, 0, 1], [0, 1, 1]]), torch.tensor([[0, 0, 0], [1, 1, 1]]), data.words, data.classes
    )
    assert ceiling(often) == 1
