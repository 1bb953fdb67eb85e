"""The estimators in the tools of scikit-learn and joblib."""

import io
import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import stkr
from conftest import CLASSIFIERS, ESTIMATORS, make, rbf
from stkr.metrics import LabeledKFold, labeled_scorer


def test_pipeline_and_grid_search(digits):
    X, y = digits
    search = GridSearchCV(
        make_pipeline(StandardScaler(), stkr.STKRClassifier("knn")),
        {"stkrclassifier__beta": [1e-3, 1e-1], "stkrclassifier__spectral_transform": ["power"]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_[-1].get_params()["spectral_transform"] == "power"


def test_grid_search_cuts_graphs_and_kernels_on_both_sides(moons, ring):
    X, y, _ = moons
    K = rbf(X, X, 0.3)
    search = GridSearchCV(stkr.STKRClassifier("precomputed"), {"beta": [1e-2, 1.0]}, cv=3)
    assert search.fit(K, y).best_score_ > 0.9
    halves = np.repeat([0, 1], 20)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(stkr.STKRClassifier("graph"), {"beta": [1e-2]}, cv=folds)
    assert search.fit(ring, halves).best_score_ > 0.9


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_pickle_and_joblib_keep_every_bit(moons, kernel, tmp_path):
    X, y, labeled = moons
    clf = stkr.STKRClassifier(kernel, n_components=2).fit(X, y, labeled=labeled)
    buffer = io.BytesIO()
    joblib.dump(clf, buffer)
    buffer.seek(0)
    for again in (pickle.loads(pickle.dumps(clf)), joblib.load(buffer)):
        assert (again.predict_proba(X + 0.1) == clf.predict_proba(X + 0.1)).all()
        assert (again.transform(X) == clf.transform(X)).all()
        assert (again.transduction_ == clf.transduction_).all()
        assert str(again.summary_) == str(clf.summary_)


def test_joblib_workers_fit_the_same(moons):
    X, y, labeled = moons
    here = stkr.STKRClassifier().fit(X, y, labeled=labeled).predict_proba(X)
    there = joblib.Parallel(n_jobs=2)(
        joblib.delayed(lambda: stkr.STKRClassifier().fit(X, y, labeled=labeled).predict_proba(X))()
        for _ in range(2)
    )
    for values in there:
        assert (values == here).all()


@pytest.fixture
def partly(digits):
    """Digits with every third label, and the truth."""
    X, y = digits
    return X, np.where(np.arange(len(y)) % 3 == 0, y, -1)


def test_scores_leave_out_unlabeled_samples(partly):
    """Unlabeled samples are no class -1: a cross-validated accuracy of 0.17 would be the result."""
    X, y = partly
    clf = stkr.STKRClassifier("knn")
    for scoring in (None, labeled_scorer("accuracy")):
        assert cross_val_score(clf, X, y, cv=KFold(4), scoring=scoring).mean() > 0.85
    folds = LabeledKFold(4, random_state=0)
    assert cross_val_score(clf, X, y, cv=folds, scoring="accuracy").mean() > 0.85
    search = GridSearchCV(clf, {"n_neighbors": [5, 10]}, cv=folds, scoring="f1_macro").fit(X, y)
    assert search.best_score_ > 0.85


@pytest.mark.parametrize("mark", [-1, None, float("nan"), ""])
def test_score_of_partly_labeled_y(digits, mark):
    X, y = digits
    texts = mark is None or mark == ""
    truth = np.array([f"c{c}" for c in y], dtype=object) if texts else y.astype(float)
    partly = np.array([c if i % 2 else mark for i, c in enumerate(truth)], dtype=truth.dtype)
    clf = stkr.STKRClassifier("knn").fit(X, truth, labeled=range(100))
    known = np.arange(len(y)) % 2 == 1
    assert clf.score(X, partly) == (clf.predict(X) == truth)[known].mean()
    with pytest.raises(ValueError, match="no sample has a class"):
        clf.score(X[:4], [mark] * 4)


def test_minus_one_is_scored_if_it_is_a_class(moons):
    X, y, labeled = moons
    signs = 2 * y - 1
    clf = stkr.STKRClassifier("knn").fit(X, signs, labeled=labeled)
    assert clf.score(X, signs) == (clf.predict(X) == signs).mean()


def test_score_of_partly_known_targets(moons):
    X, _, _ = moons
    y = np.sin(3 * X[:, 0])
    model = stkr.STKRRegressor(ridge=1e-3).fit(X, y, labeled=range(40))
    partly = np.where(np.arange(len(y)) % 2 == 0, np.nan, y)
    assert model.score(X, partly) == pytest.approx(model.score(X[1::2], y[1::2]))


def test_folds_of_labeled_samples(partly):
    X, y = partly
    seen = []
    for train, test in LabeledKFold(5, random_state=1).split(X, y):
        assert (y[test] >= 0).all() and len(train) + len(test) == len(y)
        assert set(np.flatnonzero(y == -1)) <= set(train)
        seen += test.tolist()
        assert abs(np.bincount(y[test], minlength=10) - np.bincount(y[y >= 0]) / 5).max() < 1.01
    assert sorted(seen) == np.flatnonzero(y >= 0).tolist()
    with pytest.raises(ValueError, match="for 3 labeled samples"):
        next(LabeledKFold(5).split(X, np.where(np.arange(len(y)) < 9, y, -1)))
    numbers = np.where(y >= 0, y + 0.5, np.nan)
    assert sum(len(test) for _, test in LabeledKFold(3).split(X, numbers)) == (y >= 0).sum()


def test_labeled_scorer_is_the_scorer_of_the_labeled_part(partly):
    from sklearn.metrics import get_scorer

    X, y = partly
    clf = stkr.STKRClassifier("knn").fit(X, y)
    known = y >= 0
    for name in ("balanced_accuracy", "neg_log_loss"):
        expected = get_scorer(name)(clf, X[known], y[known])
        assert labeled_scorer(name)(clf, X, y) == pytest.approx(expected)
    assert pickle.loads(pickle.dumps(labeled_scorer("accuracy")))(clf, X, y) > 0.9


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_fit_predict_and_logarithms(moons, name):
    X, y, labeled = moons
    clf = make(name)
    answers = clf.fit_predict(X, y, labeled=labeled)
    assert (answers == clf.transduction_).all()
    with np.errstate(divide="ignore"):
        assert (clf.predict_log_proba(X) == np.log(clf.predict_proba(X))).all()


def test_the_old_name_of_the_parameter_warns(moons):
    X, y, labeled = moons
    with pytest.warns(FutureWarning, match="transform is deprecated .*; use spectral_transform"):
        old = stkr.STKRClassifier("knn", transform="power", power=3)
    new = stkr.STKRClassifier("knn", spectral_transform="power", power=3)
    assert old.get_params() == new.get_params()
    with pytest.warns(FutureWarning, match="use spectral_transform"):
        old.set_params(transform="diffusion", power=None)
    assert clone(old).spectral_transform == "diffusion" and "diffusion" in repr(old)
    assert "transform" not in old.get_params() and not hasattr(old, "transform")
    with pytest.raises(TypeError, match="give spectral_transform only"):
        stkr.STKRClassifier(transform="power", spectral_transform="power")
    with pytest.warns(FutureWarning, match="use spectral_transform"):
        stkr.STKRRegressor(transform="power")
    with pytest.warns(FutureWarning, match="use spectral_transform"):
        stkr.solve(stkr.gram.points(X), labeled, y[labeled], transform="power", beta=0.1)
    again = pickle.loads(pickle.dumps(new.fit(X, y, labeled=labeled)))
    assert again.get_params() == new.get_params()


def test_the_old_name_of_label_spreading_warns(ring):
    y = np.full(40, -1)
    y[[3, 23]] = [0, 1]
    with pytest.warns(FutureWarning, match="class LabelPropagation .* use LabelSpreading"):
        old = stkr.LabelPropagation("graph", eta=0.9)
    new = stkr.LabelSpreading("graph", eta=0.9)
    assert old.get_params() == new.get_params()
    assert (old.fit(ring, y).dual_coef_ == new.fit(ring, y).dual_coef_).all()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_new_names_do_not_warn(moons, name):
    X, y, labeled = moons
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        clone(make(name)).fit(X, y, labeled=labeled)
