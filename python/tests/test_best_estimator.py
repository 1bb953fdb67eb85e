"""What scikit-learn users expect of a search: best_estimator_, scorers, splitters, cv_results_."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score, get_scorer, log_loss, make_scorer, mean_absolute_error
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

import stkr
from conftest import rbf
from stkr import _core

SMALL = {
    "powers": [2],
    "etas": [0.9, 0.99],
    "times": [1.0],
    "dimensions": [10],
    "ridges": [1e-2, 1.0],
}
BELONGS = {
    "power": "powers",
    "inverse_laplacian": "etas",
    "label_propagation": "etas",
    "diffusion": "times",
    "kernel_pca": "dimensions",
}


def small(family):
    return {"families": [family], BELONGS[family]: SMALL[BELONGS[family]], "ridges": SMALL["ridges"]}


@pytest.mark.parametrize("family", list(BELONGS))
@pytest.mark.parametrize(
    "kernel, options",
    [
        ("rbf", {"length_scales": ["0.5x", "2x", "median"], "class_mass": "both"}),
        ("rbf", {"length_scales": [7.5], "kernel_params": {"normalize": False}}),
        (["rbf", "knn"], {"n_neighbors": [5, 8]}),
        ("polynomial", {"kernel_params": {"degree": 2, "gamma": 0.1, "coef0": 1.0}}),
        ("rbf", {"kernel_params": {"gamma": 0.01}, "prior": "uniform"}),
    ],
)
def test_best_params_repeat_the_fit(digits, family, kernel, options):
    X, y = digits
    cv = stkr.STKRClassifierCV(kernel, cv=3, **small(family), **options)
    cv.fit(X, y, labeled=range(80))
    best = cv.best_estimator_
    kind = {"kernel_pca": stkr.KernelPCAProbe, "label_propagation": stkr.LabelSpreading}
    assert type(best) is kind.get(family, stkr.STKRClassifier)
    again = type(best)(**cv.best_params_).fit(X, y, labeled=range(80))
    assert (again.dual_coef_ == best.dual_coef_).all()
    assert (again.predict_proba(X + 0.1) == cv.predict_proba(X + 0.1)).all()
    assert clone(best).set_params(**cv.best_params_).get_params() == best.get_params()


@pytest.mark.parametrize("family", list(BELONGS))
def test_best_params_of_a_regression(moons, family):
    X, _, _ = moons
    y = np.sin(3 * X[:, 0])
    options = {**small(family), "fit_intercept": family != "power"}
    cv = stkr.STKRRegressorCV(length_scales=["1x", "3x"], **options).fit(X, y, labeled=range(40))
    again = type(cv.best_estimator_)(**cv.best_params_).fit(X, y, labeled=range(40))
    assert (again.predict(X) == cv.predict(X)).all()
    assert again.predict(X).shape == (120,)


def test_best_params_of_graphs_and_features(ring):
    y = np.repeat([0, 1], 20)
    rng = np.random.default_rng(0)
    features = np.repeat(np.eye(2), 20, axis=0) + 0.5 * rng.standard_normal((40, 2))
    labeled = [1, 5, 9, 13, 21, 25, 29, 33]
    params = {"features": "cosine", "smooth": [1, 2], "share": [0.3, 1.0]}
    cv = stkr.STKRClassifierCV("graph", kernel_params=params, **small("power"))
    cv.fit(ring, y, labeled=labeled, features=features)
    chosen = cv.best_params_["kernel_params"]
    assert chosen["smooth"] in (1, 2) and chosen["share"] in (0.3, 1.0)
    again = stkr.STKRClassifier(**cv.best_params_).fit(ring, y, labeled=labeled, features=features)
    assert (again.dual_coef_ == cv.dual_coef_).all()
    lazy = stkr.STKRClassifierCV("graph", **small("label_propagation")).fit(ring, y, labeled=labeled)
    again = stkr.LabelSpreading(**lazy.best_params_).fit(ring, y, labeled=labeled)
    assert (again.dual_coef_ == lazy.dual_coef_).all()


def test_best_params_of_kernels_of_ones_own(moons):
    X, y, labeled = moons
    K = rbf(X, X, 0.3)
    own = stkr.STKRClassifierCV("precomputed", cv="loo", **small("power")).fit(K, y, labeled=range(20))
    again = stkr.STKRClassifier(**own.best_params_).fit(K, y, labeled=range(20))
    assert (again.dual_coef_ == own.dual_coef_).all()


def test_results_by_point(digits):
    X, y = digits
    cv = stkr.STKRClassifierCV("knn", powers=[1, 2], etas=[0.9], dimensions=[10], ridges=[0.1, 1.0])
    cv.fit(X, y, labeled=range(80))
    results = cv.cv_results_
    assert len(results["params"]) == len(results["mean_test_score"])
    assert results["params"][cv.best_index_] == cv.best_params_
    kinds = {"kernel_pca": stkr.KernelPCAProbe, "label_propagation": stkr.LabelSpreading}
    for family, params in zip(results["family"], results["params"]):
        kinds.get(family, stkr.STKRClassifier)(**params)  # all can be set
    assert cv.n_splits_ == 5 and (results["std_test_score"] >= 0).all()
    again = pickle.loads(pickle.dumps(cv))
    assert (again.best_estimator_.predict(X) == cv.predict(X)).all()


def shares(clf):
    """Probabilities that are not calibrated, as searches score them."""
    scores, evidence, *_ = clf._fitted()
    return _core.class_probabilities(scores, evidence, list(clf.model_.core.prior))


def held_out(X, y, labeled, folds, params):
    """Predictions for the held-out samples by plain fits, and the samples; one fold after another."""
    scores, samples = [], []
    for train, test in folds:
        clf = stkr.STKRClassifier(**params).fit(X, y, labeled=labeled[train])
        scores.append(shares(clf)[labeled[test]])
        samples.append(labeled[test])
    return np.concatenate(scores), np.concatenate(samples), clf.classes_


@pytest.mark.parametrize(
    "splitter",
    [
        StratifiedKFold(4, shuffle=True, random_state=3),
        ShuffleSplit(3, test_size=0.3, random_state=1),  # overlapping, not everything
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
@pytest.mark.parametrize("family", ["power", "label_propagation"])
def test_splitters_divide_the_labeled_samples(digits, splitter, family):
    X, y = digits
    labeled = np.arange(0, 160, 2)
    options = {"powers": [2], "betas": [1e-2]} if family == "power" else {"etas": [0.9]}
    cv = stkr.STKRClassifierCV(
        "rbf", length_scales=[8.0], families=[family], cv=splitter, **options
    ).fit(X, y, labeled=labeled)
    folds = list(splitter.split(X[labeled], y[labeled]))
    assert cv.n_splits_ == len(folds)
    kind = stkr.STKRClassifier if family == "power" else stkr.LabelSpreading
    for k in range(len(cv.cv_results_["params"])):
        right = []
        for train, test in folds:
            clf = kind(**cv.cv_results_["params"][k]).fit(X, y, labeled=labeled[train])
            right.append(clf.transduction_[labeled[test]] == y[labeled[test]])
        assert cv.cv_results_["mean_test_score"][k] == pytest.approx(np.concatenate(right).mean())
        deviation = np.std([one.mean() for one in right])
        assert cv.cv_results_["std_test_score"][k] == pytest.approx(deviation)


def test_other_forms_of_folds(digits):
    X, y = digits
    labeled = np.arange(60)
    options = {"length_scales": [8.0], **small("power")}
    loo = stkr.STKRClassifierCV(cv="loo", **options).fit(X, y, labeled=labeled)
    same = stkr.STKRClassifierCV(cv=LeaveOneOut(), **options).fit(X, y, labeled=labeled)
    assert (same.cv_results_["mean_test_score"] == loo.cv_results_["mean_test_score"]).all()
    assert same.n_splits_ == 60
    p = loo.best_score_
    assert loo.cv_results_["std_test_score"][loo.best_index_] == pytest.approx(np.sqrt(p * (1 - p)))
    # Folds by hand, in which unlabeled samples are ignored, and a splitter for partly labeled y.
    folds = list(KFold(3).split(X[:60]))
    more = [(np.append(train, [200, 300]), np.append(test, 399)) for train, test in folds]
    by_hand = stkr.STKRClassifierCV(cv=more, **options).fit(X, y, labeled=labeled)
    made = stkr.STKRClassifierCV(cv=KFold(3), **options).fit(X, y, labeled=labeled)
    ours = stkr.STKRClassifierCV(
        cv=stkr.metrics.LabeledKFold(3, stratify=False, shuffle=False), **options
    ).fit(X, y, labeled=labeled)
    for other in (made, ours):
        for name in ("mean_test_score", "std_test_score"):
            assert (other.cv_results_[name] == by_hand.cv_results_[name]).all()
    once = stkr.STKRClassifierCV(cv=(fold for fold in folds), **options).fit(X, y, labeled=labeled)
    assert (once.cv_results_["mean_test_score"] == by_hand.cv_results_["mean_test_score"]).all()
    groups = np.arange(len(y)) % 6
    grouped = stkr.STKRClassifierCV(cv=GroupKFold(3), **options)
    assert grouped.fit(X, y, labeled=labeled, groups=groups).n_splits_ == 3
    with pytest.raises(ValueError, match="groups"):
        grouped.fit(X, y, labeled=labeled)


@pytest.mark.parametrize("name", ["neg_log_loss", "f1_weighted", "roc_auc_ovr", "f1_macro"])
def test_scorers_of_scikit_learn(digits, name):
    X, y = digits
    labeled = np.arange(100)
    splitter = StratifiedKFold(4)
    cv = stkr.STKRClassifierCV(
        length_scales=[20.0], scoring=name, cv=splitter, **small("inverse_laplacian")
    ).fit(X, y, labeled=labeled)
    folds = list(splitter.split(X[labeled], y[labeled]))
    for score, params in zip(cv.cv_results_["mean_test_score"], cv.cv_results_["params"]):
        proba, samples, classes = held_out(X, y, labeled, folds, params)
        truth, answers = y[samples], classes[proba.argmax(1)]
        if name == "neg_log_loss":
            expected = -log_loss(truth, proba)
        elif name == "roc_auc_ovr":
            from sklearn.metrics import roc_auc_score

            expected = roc_auc_score(truth, proba, multi_class="ovr")
        else:
            expected = f1_score(truth, answers, average=name.removeprefix("f1_"))
        assert score == pytest.approx(expected, rel=1e-6)
    assert cv.best_score_ == cv.cv_results_["mean_test_score"].max()
    assert cv.scorer_ == ("macro_f1" if name == "f1_macro" else name)
    assert (cv.expected_score_ is None) == (name != "f1_macro")
    assert np.isfinite(cv.cv_results_["std_test_score"]).all()


def test_scorer_objects_and_functions(digits):
    X, y = digits
    options = {"length_scales": [20.0], "cv": 3, **small("power")}
    named = stkr.STKRClassifierCV(scoring="neg_log_loss", **options).fit(X, y, labeled=range(90))
    for scoring in (get_scorer("neg_log_loss"), lambda est, X, y: -log_loss(y, est.predict_proba(X))):
        same = stkr.STKRClassifierCV(scoring=scoring, **options).fit(X, y, labeled=range(90))
        np.testing.assert_allclose(
            same.cv_results_["mean_test_score"], named.cv_results_["mean_test_score"], rtol=1e-12
        )
    two = stkr.STKRClassifierCV(scoring="roc_auc", cv="loo", **small("power"))
    two.fit(X, (y > 4).astype(int), labeled=range(60))  # by decision_function
    assert 0.5 < two.best_score_ <= 1 and np.isnan(two.cv_results_["std_test_score"]).all()

    # Folds without all classes have no log loss of their own.
    few = stkr.STKRClassifierCV(scoring="neg_log_loss", cv=9, length_scales=[20.0], **small("power"))
    few.fit(X, y, labeled=range(30))
    assert np.isfinite(few.best_score_) and np.isnan(few.cv_results_["std_test_score"]).all()

    def broken(estimator, X, y):
        raise RuntimeError("this scorer does not work")

    with pytest.raises(RuntimeError, match="this scorer does not work"):
        stkr.STKRClassifierCV(scoring=broken, **options).fit(X, y, labeled=range(90))
    with pytest.raises(ValueError, match="expected all [0-9]+ held-out samples at once"):
        stkr.STKRClassifierCV(
            scoring=lambda est, X, y: (est.predict(X[:1]) == y[:1]).mean(), **options
        ).fit(X, y, labeled=range(90))


def test_scores_of_a_split(digits):
    X, y = digits
    train, validation = np.arange(60), np.arange(60, 120)
    cv = stkr.STKRClassifierCV(
        length_scales=[20.0], cv=(train, validation), scoring="neg_log_loss", **small("power")
    ).fit(X, y, labeled=range(120))
    for score, params in zip(cv.cv_results_["mean_test_score"], cv.cv_results_["params"]):
        clf = stkr.STKRClassifier(**params).fit(X, y, labeled=train)
        expected = -log_loss(y[validation], shares(clf)[validation])
        assert score == pytest.approx(expected, rel=1e-6)
    assert cv.n_splits_ == 1 and not cv.cv_results_["std_test_score"].any()


def test_scores_of_regressions(moons):
    X, _, _ = moons
    y = np.sin(3 * X[:, 0])
    options = {"length_scales": [0.3], **small("power")}
    mse, negative, absolute = (
        stkr.STKRRegressorCV(scoring=name, **options).fit(X, y, labeled=range(40))
        for name in ("mse", "neg_mean_squared_error", make_scorer(mean_absolute_error))
    )
    np.testing.assert_array_equal(
        negative.cv_results_["mean_test_score"], -mse.cv_results_["mean_test_score"]
    )
    assert negative.best_index_ == mse.best_index_ and negative.best_score_ == -mse.best_score_
    assert negative.expected_score_ == -mse.expected_score_
    assert (negative.cv_results_["rank_test_score"] == mse.cv_results_["rank_test_score"]).all()
    assert absolute.best_score_ == absolute.cv_results_["mean_test_score"].max()  # it says larger
    two = np.stack([y, -y], axis=1)
    both = stkr.STKRRegressorCV(scoring="neg_mean_absolute_error", **options)
    both.fit(X, two, labeled=range(40))
    one = stkr.STKRRegressorCV(scoring="neg_mean_absolute_error", **options)
    one.fit(X, y, labeled=range(40))
    np.testing.assert_allclose(
        both.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"], rtol=1e-9
    )


def test_few_labels_are_left_out_one_by_one(moons):
    X, y, _ = moons
    cv = stkr.STKRClassifierCV(**small("power")).fit(X, y, labeled=range(4))
    assert cv.n_splits_ == 4
    assert "only 4 labeled samples: chosen by leave-one-out" in cv.selection_warnings_
    with pytest.raises(ValueError, match="5 folds but only 4 labeled samples; use cv='loo'"):
        stkr.STKRClassifierCV(cv=5, **small("power")).fit(X, y, labeled=range(4))
