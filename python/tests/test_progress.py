"""The parameter verbose."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from stkr import STKRClassifier, STKRClassifierCV, _progress


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:800], y[:800]


def test_is_silent_by_default(digits, capfd):
    X, y = digits
    STKRClassifier("knn").fit(X, y, labeled=range(60))
    out, err = capfd.readouterr()
    assert not out and not err


def test_shows_phases_as_text_without_tqdm(digits, capfd, monkeypatch):
    X, y = digits
    monkeypatch.setattr(_progress, "_tqdm", lambda: None)
    quiet = STKRClassifier("knn").fit(X, y, labeled=range(60))
    loud = STKRClassifier("knn", verbose=True).fit(X, y, labeled=range(60))
    assert "stkr: " in capfd.readouterr().err
    np.testing.assert_array_equal(loud.label_distributions_, quiet.label_distributions_)


def test_shows_bars_with_tqdm(digits, capfd):
    pytest.importorskip("tqdm")
    X, y = digits
    STKRClassifierCV("rbf", cv=3, verbose=True).fit(X, y, labeled=range(100))
    assert "%" in capfd.readouterr().err


def test_lines_are_rare(capsys):
    lines = _progress._Lines(interval=60.0)
    for k in range(100):
        lines("search", k, 100, k / 100)
    lines("solve", 1, 2, 0.5)
    lines("", 0, 0, 1.0)
    assert capsys.readouterr().err.splitlines() == ["stkr: search", "stkr: solve 50%"]


def test_an_error_while_showing_ends_the_call(digits, monkeypatch):
    X, y = digits

    def fail(*_):
        raise RuntimeError("closed")

    monkeypatch.setattr(_progress, "_tqdm", lambda: None)
    monkeypatch.setattr(_progress._Lines, "__call__", fail)
    with pytest.raises(RuntimeError, match="closed"):
        STKRClassifierCV("rbf", verbose=True).fit(X, y, labeled=range(100))


def test_verbose_is_a_flag(digits):
    X, y = digits
    with pytest.raises((TypeError, ValueError), match="verbose"):
        STKRClassifier("knn", verbose="loud").fit(X, y)
