"""The CV estimators: scores, choices, and the fit of the chosen point."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

import stkr
from conftest import rbf, ridge_unit


def test_scores_are_those_of_single_fits(digits):
    X, y = digits
    labeled = np.arange(60)
    cv = stkr.STKRClassifierCV(
        families=["power"], powers=[1, 2], betas=[1e-2, 1.0], cv="loo", length_scales=[10.0]
    ).fit(X, y, labeled=labeled)
    results = cv.cv_results_
    assert len(results["beta"]) == 4 and set(results["family"]) == {"power"}
    for k in range(4):
        right = 0
        for i in labeled:
            others = np.setdiff1d(labeled, [i])
            clf = stkr.STKRClassifier(
                spectral_transform="power",
                power=results["parameter"][k],
                beta=results["beta"][k],
                length_scale=10.0,
            ).fit(X, y, labeled=others)
            right += clf.transduction_[i] == y[i]
        assert results["mean_test_score"][k] == pytest.approx(right / len(labeled))
    best = np.flatnonzero(results["rank_test_score"] == 1)
    assert cv.best_index_ in best and (results["mean_test_score"][best] == cv.best_score_).all()
    assert results["mean_test_score"].max() == cv.best_score_


def test_the_best_is_fitted_to_all_labels(digits):
    X, y = digits
    cv = stkr.STKRClassifierCV(families=["inverse_laplacian"], length_scales=[8.0]).fit(
        X, y, labeled=range(80)
    )
    assert cv.best_family_ == "inverse_laplacian" and cv.best_params_["length_scale"] == 8.0
    clf = stkr.STKRClassifier(**cv.best_params_).fit(X, y, labeled=range(80))
    assert (cv.dual_coef_ == clf.dual_coef_).all()
    assert (cv.predict(X[100:120] + 0.1) == clf.predict(X[100:120] + 0.1)).all()


def test_relative_ridges_and_the_beta_that_they_are(digits, reference):
    X, y = digits
    labeled = np.arange(60)
    cv = stkr.STKRClassifierCV(
        "precomputed", families=["power"], powers=[1, 3], ridges=[0.5, 1e-2], cv="loo"
    ).fit(rbf(X, X, 12.0), y, labeled=labeled)
    results = cv.cv_results_
    assert results["ridge"].tolist() == [0.5, 1e-2] * 2
    dense = reference(rbf(X, X, 12.0))
    for p, ridge, beta in zip(results["parameter"], results["ridge"], results["beta"]):
        G = dense.transformed(lambda x: x**p)[np.ix_(labeled, labeled)]
        assert beta == pytest.approx(ridge * ridge_unit(G) / 60, rel=1e-8)
    assert cv.best_params_["ridge"] == results["ridge"][cv.best_index_]
    assert cv.summary_.beta == pytest.approx(results["beta"][cv.best_index_])
    given = stkr.STKRClassifierCV(families=["power"], betas=[0.3, 0.1]).fit(X, y, labeled=labeled)
    assert "beta" in given.best_params_ and "ridge" not in given.best_params_
    assert set(given.cv_results_["beta"]) == {0.3, 0.1} and not given.cv_results_["ridge"].any()


def test_of_equal_scores_the_least_loss_wins(digits):
    X, y = digits
    cv = stkr.STKRClassifierCV("knn", families=["inverse_laplacian"], cv="loo")
    cv.fit(X, y, labeled=range(100))
    results = cv.cv_results_
    equals = results["mean_test_score"] == cv.best_score_
    assert equals.sum() > 1
    assert results["loss"][cv.best_index_] == results["loss"][equals].min()
    for rank in set(results["rank_test_score"]):
        tied = results["rank_test_score"] == rank
        assert len(set(results["mean_test_score"][tied])) == 1  # equal scores have equal ranks
        assert rank == 1 + (results["mean_test_score"] > results["mean_test_score"][tied][0]).sum()
    assert (results["rank_test_score"] == 1).sum() == cv.n_tied_ == equals.sum()


def test_the_expected_score_is_below_the_best_of_noise():
    """Random labels: the best of many scores is optimistic, the expected score is not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    cv = stkr.STKRClassifierCV(cv=5).fit(X, y, labeled=range(60))
    assert cv.best_score_ > 0.55
    assert cv.best_score_ - cv.expected_score_ > 0.03
    assert abs(cv.expected_score_ - 0.5) < 0.13  # two standard errors of sixty coin tosses
    model = stkr.STKRRegressorCV(scoring="mse").fit(X, rng.normal(size=200), labeled=range(60))
    assert model.expected_score_ > model.best_score_  # smaller is better
    alone = stkr.STKRClassifierCV(families=["power"], powers=[2], ridges=[0.1])
    assert alone.fit(X, y, labeled=range(60)).expected_score_ is None


@pytest.mark.parametrize("constant", [True, False])
def test_selection_has_the_constant_of_the_fit(moons, constant):
    X, _, _ = moons
    y, labeled = np.sin(3 * X[:, 0]) + 4, np.arange(20)
    options = {"length_scale": 0.2, "spectral_transform": "power", "power": 2, "beta": 0.5}
    cv = stkr.STKRRegressorCV(
        families=["power"], powers=[2], betas=[0.5], length_scales=[0.2], cv="loo", scoring="mse",
        fit_intercept=constant,
    ).fit(X, y, labeled=labeled)  # fmt: skip
    errors = []
    for i in labeled:
        model = stkr.STKRRegressor(fit_intercept=constant, **options)
        model.fit(X, y, labeled=np.setdiff1d(labeled, i))
        errors.append((model.transduction_[i] - y[i]) ** 2)
    assert cv.best_score_ == pytest.approx(np.mean(errors), rel=1e-6)


def test_every_family_and_several_kernels(digits):
    X, y = digits
    cv = stkr.STKRClassifierCV(
        ["rbf", "knn"],
        families=["power", "inverse_laplacian", "diffusion", "kernel_pca", "label_propagation"],
        powers=[2],
        etas=[0.9],
        times=[1.0],
        dimensions=[10],
        betas=[1e-2],
        length_scales=["0.5x", "1x", "median"],
        n_neighbors=[5, 10],
        class_mass="both",
    ).fit(X, y, labeled=range(80))
    results = cv.cv_results_
    assert set(results["family"]) == {
        "power",
        "inverse_laplacian",
        "diffusion",
        "kernel_pca",
        "label_propagation",
    }
    assert len(set(results["kernel"])) == 5
    assert set(results["class_mass"]) == {True, False}
    assert cv.best_score_ > 0.8 and cv.best_estimator_.kernel in ("rbf", "knn")


def test_a_validation_set_of_ones_own(digits):
    X, y = digits
    train, validation = np.arange(60), np.arange(60, 120)
    cv = stkr.STKRClassifierCV(
        families=["power"], powers=[2], betas=[1e-2], length_scales=[8.0], cv=(train, validation)
    ).fit(X, y, labeled=range(120))
    clf = stkr.STKRClassifier(spectral_transform="power", power=2, length_scale=8.0, beta=1e-2)
    clf.fit(X, y, labeled=train)
    expected = (clf.transduction_[validation] == y[validation]).mean()
    assert cv.best_score_ == pytest.approx(expected)


def test_regression_by_either_score(moons):
    X, _, _ = moons
    y = np.sin(3 * X[:, 0])
    for scoring, better in ((None, max), ("r2", max), ("mse", min)):
        model = stkr.STKRRegressorCV(scoring=scoring, families=["power"]).fit(
            X, y, labeled=range(60)
        )
        assert model.best_score_ == better(model.cv_results_["mean_test_score"])
        assert np.abs(model.transduction_ - y).mean() < 0.1


def test_graphs_and_kernel_matrices(ring, moons):
    halves = np.repeat([0, 1], 20)
    cv = stkr.STKRClassifierCV("graph", families=["power"], cv=2)
    cv.fit(ring, halves, labeled=[1, 5, 9, 21, 25, 29])
    assert (cv.transduction_ == halves).mean() > 0.9
    X, y, _ = moons
    K = rbf(X, X, 0.3)
    cv = stkr.STKRClassifierCV("precomputed", families=["power"]).fit(K, y, labeled=range(30))
    assert (cv.transduction_ == y).mean() > 0.95
    assert (cv.predict(K) == cv.transduction_).all()


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"cv": 1}, "two folds"),
        ({"cv": "kfold"}, "'loo'"),
        ({"cv": (1, 2, 3)}, "pair of index arrays"),
        ({"families": ["cubic"]}, "'cubic'"),
        ({"betas": []}, "betas is empty"),
        ({"betas": [-1.0]}, "positive"),
        ({"etas": [1.5]}, "between 0 and 1"),
        ({"powers": ["a"]}, "list of numbers"),
        ({"length_scales": ["2y"]}, "'2y'"),
        ({"scoring": "r2"}, "expected one of accuracy"),
        ({"scoring": accuracy_score}, "use sklearn.metrics.make_scorer"),
        ({"scoring": "accurate"}, "get_scorer_names"),
        ({"class_mass": "maybe"}, "'both'"),
        ({"kernel": ["rbf", "graph"]}, "cannot be in a list"),
        ({"kernel": []}, "empty list"),
        ({"kernel": ["rbf", "knn"], "kernel_params": {"recall": 0.9}}, "expected one kernel"),
    ],
)
def test_bad_parameters(digits, parameters, message):
    X, y = digits
    with pytest.raises(ValueError, match=message):
        stkr.STKRClassifierCV(**parameters).fit(X, y, labeled=range(60))
