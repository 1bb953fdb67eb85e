"""Sets of plausible classes, and calibrated probabilities."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits

import stkr


def test_sets_cover():
    X, y = load_digits(return_X_y=True)
    inside, size = [], []
    for seed in range(5):
        labeled = np.random.default_rng(seed).permutation(len(y))[:100]
        others = np.setdiff1d(np.arange(len(y)), labeled)
        clf = stkr.STKRClassifier("knn").fit(X, y, labeled=labeled)
        sets = clf.predict_set(coverage=0.9)
        assert sets.shape == (len(y), 10) and sets.dtype == bool
        inside.append(sets[others, y[others]].mean())
        size.append(sets[others].sum(1).mean())
    assert 0.85 < np.mean(inside) < 0.95
    assert np.mean(size) < 2


def test_sets_of_new_samples_and_of_files(tmp_path):
    X, y = load_digits(return_X_y=True)
    clf = stkr.STKRClassifier("knn", power=4, ridge=0.1).fit(X[:300], y[:300], labeled=range(60))
    sets = clf.predict_set(X[300:320])
    wider = clf.predict_set(X[300:320], coverage=0.98)
    assert sets.shape == (20, 10) and (wider >= sets).all() and wider.sum() > sets.sum()
    clf.save(tmp_path / "model.npz")
    for again in (stkr.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(clf))):
        assert (again.predict_set(X[300:320]) == sets).all()
        assert (again.predict_set() == clf.predict_set()).all()


def test_probabilities_are_calibrated():
    X, y = load_digits(return_X_y=True)
    labeled = np.random.default_rng(1).permutation(len(y))[:100]
    clf = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    p = clf.label_distributions_
    others = np.setdiff1d(np.arange(len(y)), labeled)
    assert abs(p[others].max(1).mean() - (clf.transduction_ == y)[others].mean()) < 0.05
    assert (p.argmax(1) == clf.transduction_).mean() > 0.999


def test_a_fit_without_the_system_calibrates_on_request(moons):
    X, y, labeled = moons
    plain = stkr.STKRClassifier("rbf", power=2, ridge=0.1, solver="cg")
    plain.fit(X, y, labeled=labeled)
    with pytest.raises(ValueError, match="leave_one_out=True"):
        plain.predict_set()
    left = stkr.STKRClassifier("rbf", power=2, ridge=0.1, solver="cg", leave_one_out=True)
    assert left.fit(X, y, labeled=labeled).predict_set(coverage=0.8).shape == (120, 2)
    p = left.predict_proba(X)
    np.testing.assert_allclose(left.decision_function(X), p[:, 1] - p[:, 0], atol=1e-12)
