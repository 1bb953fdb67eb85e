"""Pages about a fit."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from stkr import STKRClassifier, STKRClassifierCV, STKRRegressor


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], y[:300]


@pytest.fixture(scope="module")
def fitted(digits):
    X, y = digits
    return STKRClassifier("knn").fit(X, y, labeled=range(60))


def test_shows_choices_shares_and_uncertain_samples(fitted):
    page = str(fitted.report())
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    for text in ["What was chosen", "Class shares", "The least certain samples", "Evidence", "Transform",
                 "STKRClassifier("]:
        assert text in page
    assert "leaving one label out" not in page
    assert "<script" not in page


def test_with_the_data_shows_leave_one_out_spectrum_and_pictures(fitted, digits):
    X, y = digits
    page = str(fitted.report(X=X, y=y, labeled=range(60), image="8x8"))
    for text in ["Accuracy, leaving one label out", "(60 samples)", "Spectrum", "data:image/png"]:
        assert text in page


def test_is_written_and_shown_in_a_frame(fitted, tmp_path):
    report = fitted.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    frame = report._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "<style>" not in frame
    assert "characters" in repr(report)


def test_names_samples(fitted):
    page = str(fitted.report(names=[f"<row {i}>" for i in range(300)]))
    assert "&lt;row " in page and "<row " not in page


def test_escapes_classes():
    X = np.r_[np.zeros((6, 2)), np.ones((6, 2))] + 0.01 * np.arange(12)[:, np.newaxis]
    y = np.array(["<script>alert(1)</script>"] * 6 + ["b"] * 6, dtype=object)
    page = str(STKRClassifier("rbf").fit(X, y).report())
    assert "&lt;script&gt;" in page and "<script" not in page


def test_shows_numbers():
    X = np.linspace(0, 3, 60)[:, np.newaxis]
    y = np.where(np.arange(60) % 3 == 0, np.sin(X[:, 0]), np.nan)
    model = STKRRegressor().fit(X, y)
    assert "Smallest" in str(model.report())
    page = str(model.report(X=X, y=y))
    assert "R², leaving one label out" in page and "(20 samples)" in page


def test_shows_a_selection(digits):
    X, y = digits
    clf = STKRClassifierCV("knn", families=["power"], powers=[1, 2], ridges=[1, 0.1], cv=3)
    page = str(clf.fit(X, y, labeled=range(60)).report())
    for text in ["Selection for", "The best points", "Confusion, cross-validation", "Class shares"]:
        assert text in page


def test_a_pickled_estimator_still_has_a_page(fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    page = str(copy.report())
    assert "Class shares" in page and "The least certain samples" in page


def test_bad_arguments(fitted, digits):
    X, y = digits
    with pytest.raises(ValueError, match="need X"):
        fitted.report(image="8x8")
    with pytest.raises(ValueError, match="needs y"):
        fitted.report(X=X)
    with pytest.raises(ValueError, match="28x28"):
        fitted.report(X=X, y=y, labeled=range(60), image="8")
    with pytest.raises(Exception):
        clone(fitted).report()
