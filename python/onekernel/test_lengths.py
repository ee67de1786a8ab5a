import pytest

from onekernel import hma_grid
from onekernel.lengths import parse_lengths


def test_a_grid_and_a_list():
    assert parse_lengths("6:200:80").tolist() == hma_grid(6, 200, 80).tolist()
    assert parse_lengths("20, 50,100")[:, 1].tolist() == [20, 50, 100]
    assert parse_lengths("50")[:, 1].tolist() == [50]


@pytest.mark.parametrize("text", ["", "6:200", "6:200:80:1", "6:200:8.5", "a,b", "10,,20", "6..200"])
def test_other_texts_are_refused_with_what_would_be_understood(text):
    with pytest.raises(ValueError, match="use start:stop:count"):
        parse_lengths(text)


@pytest.mark.parametrize("text", ["1", "0:10:3", "6:200:0"])
def test_bad_lengths_are_refused(text):
    with pytest.raises(ValueError, match="at least"):
        parse_lengths(text)
