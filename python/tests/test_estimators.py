"""Estimators compared with the closed form."""

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import aslinearoperator
from sklearn.base import clone
from sklearn.datasets import load_wine

import stkr
from conftest import rbf, ridge_regression, ridge_unit

ONE_HOT = np.eye(2)


def scores_of(estimator, X):
    return estimator.model_.core.predict_new(estimator._new(X))[0]


@pytest.mark.parametrize(
    "parameters, s",
    [
        ({"eta": 1.2}, lambda x: x / (1 - 1.2 * x)),
        ({"spectral_transform": "power", "power": 3}, lambda x: x**3),
        ({"spectral_transform": "diffusion", "time": 2.0}, lambda x: np.exp(2 * x) - 1),
        (
            {"spectral_transform": "0.4*inverse-laplacian(0.9) + 0.6*smooth-step(0.3)"},
            lambda x: 0.4 * x / (1 - 0.9 * x) + 0.6 * x**4 / (x**4 + 0.3**4),
        ),
        ({"spectral_transform": stkr.transforms.polynomial([1.0, 2.0])}, lambda x: x + 2 * x**2),
        ({"spectral_transform": stkr.transforms.reciprocal([1.0, -0.5], 2)}, lambda x: x**2 / (1 - 0.5 * x)),
        ({"spectral_transform": lambda x: np.sinh(x)}, np.sinh),
    ],
)
def test_classifier_is_the_closed_form(moons, reference, parameters, s):
    X, y, labeled = moons
    clf = stkr.STKRClassifier(
        length_scale=0.3, beta=0.02, kernel_params={"normalize": False}, **parameters
    ).fit(X, y, labeled=labeled)
    c, f = reference(rbf(X, X, 0.3)).fit(s, labeled, ONE_HOT[y[labeled]], 0.02)
    np.testing.assert_allclose(clf.dual_coef_, c, rtol=0, atol=1e-6 * np.abs(c).max())
    new = X[:7] + 0.1
    np.testing.assert_allclose(scores_of(clf, new), rbf(new, X, 0.3) @ c, atol=1e-6 * np.abs(f).max())
    assert (clf.transduction_ == clf.classes_[f.argmax(1)]).all()


def test_truncation_keeps_the_leading_eigenvectors(moons, reference):
    X, y, labeled = moons
    K = rbf(X, X, 0.3)
    clf = stkr.STKRClassifier(
        length_scale=0.3,
        spectral_transform="truncation",
        n_components=5,
        kernel_params={"normalize": False},
    ).fit(X, y, labeled=labeled)
    dense = reference(K)
    cut = dense.values[-5] - 1e-12
    c, _ = dense.fit(lambda x: np.where(x >= cut, x, 0), labeled, ONE_HOT[y[labeled]], ridge=0.1)
    np.testing.assert_allclose(clf.dual_coef_, c, atol=1e-6 * np.abs(c).max())


@pytest.mark.parametrize("unit", ["ridge", "beta"])
@pytest.mark.parametrize("constant", [True, False])
def test_regressor_has_a_free_constant(moons, reference, unit, constant):
    X, y, labeled = moons
    targets = np.stack([y + 5.0, 3.0 - 2 * y], 1)
    model = stkr.STKRRegressor(
        length_scale=0.3,
        spectral_transform="power",
        power=2,
        kernel_params={"normalize": False},
        fit_intercept=constant,
        **{unit: 0.03},
    ).fit(X, targets, labeled=labeled)
    _, f = reference(rbf(X, X, 0.3)).fit(
        lambda x: x**2, labeled, targets[labeled], constant=constant, **{unit: 0.03}
    )
    np.testing.assert_allclose(model.transduction_, f, atol=1e-8)
    one = clone(model).fit(X, targets[:, 0], labeled=labeled)
    np.testing.assert_allclose(one.predict(X), model.predict(X)[:, 0], atol=1e-10)


def test_regressor_chooses_the_ridge_by_leave_one_out(moons, reference):
    X, y, labeled = moons[0], np.sin(3 * moons[0][:, 0]), np.arange(20)
    model = stkr.STKRRegressor(
        length_scale=0.3, spectral_transform="power", power=2, kernel_params={"normalize": False}
    ).fit(X, y, labeled=labeled)
    G = reference(rbf(X, X, 0.3)).transformed(lambda x: x**2)[np.ix_(labeled, labeled)]
    ridges = 10.0 ** -np.arange(9)
    errors = []
    for ridge in ridges:
        beta = ridge * ridge_unit(G) / 20
        left_out = []
        for i in labeled:
            others = np.setdiff1d(labeled, i)
            alpha, b = ridge_regression(G[np.ix_(others, others)], y[others], beta, constant=True)
            left_out.append(G[i, others] @ alpha + b - y[i])
        errors.append(np.mean(np.square(left_out)))
    best = int(np.argmin(errors))
    assert 0 < best < 8  # otherwise the test would prove nothing
    np.testing.assert_allclose(model.summary_.ridge, ridges[best], rtol=1e-12)
    assert model.summary_.ridge_chosen
    np.testing.assert_allclose(model.summary_.beta, ridges[best] * ridge_unit(G) / 20, rtol=1e-8)
    assert "chosen by leave-one-out" in str(model.summary_)


def test_a_ridge_and_a_beta_are_one_too_many(moons):
    X, y, labeled = moons
    for name in ("STKRClassifier", "KernelPCAProbe", "STKRRegressor"):
        with pytest.raises(ValueError, match="give one of them"):
            getattr(stkr, name)(ridge=0.1, beta=0.1).fit(X, y, labeled=labeled)
    with pytest.raises(ValueError, match="give one of them"):
        stkr.STKRClassifierCV(ridges=[0.1], betas=[0.1]).fit(X, y, labeled=labeled)
    with pytest.raises(ValueError, match="give one of them"):
        stkr.solve(stkr.gram.points(X), labeled, y[labeled], ridge=0.1, beta=0.1)


def test_label_propagation_solves_its_system(ring):
    y = np.full(40, -1)
    y[[3, 23]] = [0, 1]
    lp = stkr.LabelSpreading(
        "graph", eta=0.9, kernel_params={"normalization": "symmetric"}
    ).fit(ring, y)
    degree = np.asarray(ring.sum(1)).ravel()
    S = ring.toarray() / np.sqrt(np.outer(degree, degree))
    seed = np.zeros((40, 2))
    seed[[3, 23], [0, 1]] = 1
    F = np.linalg.solve(np.eye(40) - 0.9 * S, seed)
    np.testing.assert_allclose(lp.model_.core.fitted, F, atol=1e-7)
    share = F / F.sum(1, keepdims=True)
    np.testing.assert_allclose(lp.label_distributions_, share, atol=1e-6)
    assert (lp.transduction_ == np.repeat([0, 1], 20)).all()
    few = clone(lp).set_params(n_steps=1).fit(ring, y)
    np.testing.assert_allclose(few.model_.core.fitted, seed + 0.9 * S @ seed, atol=1e-12)


def test_kernel_pca_probe_is_ridge_on_its_features(moons):
    X, y, labeled = moons
    probe = stkr.KernelPCAProbe(
        length_scale=0.3, n_components=4, kernel_params={"normalize": False}
    ).fit(X, y, labeled=labeled)
    unlabeled = np.setdiff1d(np.arange(len(X)), labeled)
    Z = probe.transform(X)
    # Eigenvectors of the kernel on the unlabeled samples, up to sign.
    values, vectors = np.linalg.eigh(rbf(X[unlabeled], X[unlabeled], 0.3) / len(unlabeled))
    np.testing.assert_allclose(probe.eigenvalues_, values[::-1][:4], rtol=1e-8)
    for k in range(4):
        psi = np.sqrt(len(unlabeled) * values[-1 - k]) * vectors[:, -1 - k]
        assert min(np.abs(Z[unlabeled, k] - psi).max(), np.abs(Z[unlabeled, k] + psi).max()) < 1e-7
    P = Z[labeled]
    added = 0.1 * ridge_unit(P @ P.T)  # nβ of the default ridge
    w = np.linalg.solve(P.T @ P + added * np.eye(4), P.T @ ONE_HOT[y[labeled]])
    np.testing.assert_allclose(probe.model_.core.fitted, Z @ w, atol=1e-8)


@pytest.mark.parametrize("kernel", ["precomputed", "callable", "operator"])
def test_kernels_given_from_outside_agree_with_the_named_one(moons, kernel):
    X, y, labeled = moons
    named = stkr.STKRClassifier(
        length_scale=0.3, eta=1.0, kernel_params={"normalize": False}
    ).fit(X, y, labeled=labeled)
    new = X[:5] + 0.1
    if kernel == "callable":
        clf = stkr.STKRClassifier(lambda A, B: rbf(A, B, 0.3), eta=1.0)
        answers = clf.fit(X, y, labeled=labeled).decision_function(new)
    else:
        K = rbf(X, X, 0.3)
        clf = stkr.STKRClassifier("precomputed", eta=1.0)
        clf.fit(aslinearoperator(K) if kernel == "operator" else K, y, labeled=labeled)
        answers = clf.decision_function(rbf(new, X, 0.3))
    np.testing.assert_allclose(answers, named.decision_function(new), atol=1e-6)


def test_graph_of_known_nodes_and_rows_of_new_ones(ring):
    y = np.array([""] * 40, dtype=object)
    y[2], y[9], y[22] = "left", "left", "right"
    clf = stkr.STKRClassifier("graph").fit(ring, y)
    assert (clf.transduction_ == np.repeat(["left", "right"], 20)).all()
    new = scipy.sparse.csr_matrix(([1.0, 1.0, 2.0], ([0, 0, 1], [3, 4, 30])), shape=(3, 40))
    assert clf.predict(new)[:2].tolist() == ["left", "right"]
    shares = clf.predict_proba(new)
    # No edge: 4 samples of the prior, and the one label that no other reaches, which is not "left".
    np.testing.assert_allclose(shares[2], [4 * (2 / 3) / 5, 1 - 4 * (2 / 3) / 5])
    assert clf.predict(new)[2] == "left"
    assert clf.has_evidence(new).tolist() == [True, True, False]
    assert clf.evidence_.all()
    for index_type in (np.int32, np.int64):
        for value_type in (np.float32, np.float64):
            same = ring.astype(value_type)
            same.indices, same.indptr = (a.astype(index_type) for a in (same.indices, same.indptr))
            again = stkr.STKRClassifier("graph").fit(same, y)
            np.testing.assert_allclose(
                again.label_distributions_, clf.label_distributions_, atol=1e-5
            )


@pytest.mark.parametrize(
    "y, labeled, classes",
    [
        (np.array([3, -1, -1, 7, -1]), None, [3, 7]),
        (np.array([3.0, np.nan, np.nan, 7.0, np.nan]), None, [3.0, 7.0]),
        (["a", "", "", "b", ""], None, ["a", "b"]),
        (np.array(["a", None, None, "b", None], dtype=object), None, ["a", "b"]),
        (np.array([-1, 5, 5, 1, 5]), [0, 3], [-1, 1]),
        (np.array([True, False, True, False, True]), [True, False, False, True, False], [0, 1]),
    ],
)
def test_ways_to_say_unlabeled(y, labeled, classes):
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    clf = stkr.STKRClassifier(length_scale=0.5).fit(X, y, labeled=labeled)
    assert clf.classes_.tolist() == classes
    first, last = np.asarray(y)[[0, 3]]
    assert clf.transduction_.tolist() == [first] * 3 + [last] * 2


def test_minus_one_and_one_are_two_classes_with_a_warning():
    with pytest.warns(UserWarning, match="treating them as two classes"):
        clf = stkr.STKRClassifier().fit(np.arange(6.0)[:, None], [-1, -1, -1, 1, 1, 1])
    assert clf.classes_.tolist() == [-1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_kept(moons, dtype):
    X, y, labeled = moons
    X = X.astype(dtype)
    clf = stkr.STKRClassifier(n_components=2).fit(X, y, labeled=labeled)
    for values in (
        clf.decision_function(X),
        clf.predict_proba(X),
        clf.transform(X),
        clf.dual_coef_,
        clf.label_distributions_,
    ):
        assert values.dtype == dtype
    assert stkr.STKRRegressor().fit(X, y, labeled=labeled).predict(X).dtype == dtype
    wide = stkr.STKRClassifier(n_components=2).fit(X.astype(np.float64), y, labeled=labeled)
    np.testing.assert_allclose(clf.predict_proba(X), wide.predict_proba(X), atol=1e-3)


def test_results_do_not_depend_on_threads(digits):
    X, y = digits
    one, two = (
        stkr.STKRClassifier("knn", n_jobs=n).fit(X, y, labeled=range(60)).dual_coef_
        for n in (1, 2)
    )
    assert (one == two).all()


def test_summary_is_readable(moons):
    X, y, labeled = moons
    fixed = stkr.STKRClassifier("rbf", spectral_transform="inverse_laplacian", ridge=0.1)
    summary = fixed.fit(X, y, labeled=labeled).summary_
    text = str(summary)
    assert "rbf(length_scale=" in text and "inverse-laplacian" in text and "residual" in text
    assert summary.converged and summary.residual < 1e-8 and summary.products > 0
    assert summary.tried == [] and summary.scored_by == ""


def test_summary_says_what_was_chosen(moons):
    X, y, labeled = moons
    chosen = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    summary = chosen.summary_
    assert summary.scored_by == "log likelihood of the labels left out"
    scores = [score for _, score, _, _ in summary.tried]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)
    assert f"next {summary.tried[1][0]}" in str(summary)
    # With what was chosen given, nothing is chosen, and the predictions are the same.
    name = summary.tried[0][0]
    assert name.startswith("knn k=")
    again = stkr.STKRClassifier("knn", n_neighbors=int(name.split("k=")[1].split()[0]))
    again.fit(X, y, labeled=labeled)
    assert len(again.summary_.tried) == 1
    assert (again.transduction_ == chosen.transduction_).all()


def test_text_of_an_average(moons):
    X, y, labeled = moons
    average = stkr.STKRClassifier("knn", spectral_transform="0.5*poisson(1)@0.01 + 0.5*power(2)@0.1")
    average.fit(X, y, labeled=labeled)
    one = stkr.STKRClassifier("knn", spectral_transform="poisson", ridge=0.01).fit(X, y, labeled=labeled)
    two = stkr.STKRClassifier("knn", spectral_transform="power", power=2, ridge=0.1)
    two.fit(X, y, labeled=labeled)
    mean = 0.5 * (one.dual_coef_ + two.dual_coef_)
    np.testing.assert_allclose(average.dual_coef_, mean, atol=1e-6 * np.abs(mean).max())
    with pytest.raises(ValueError, match="known before the fit"):
        stkr.STKRClassifier("knn", spectral_transform="learned", n_components=2).fit(X, y, labeled=labeled)
    learned = stkr.STKRClassifier("knn", spectral_transform="learned").fit(X, y, labeled=labeled)
    assert "inverse-laplacian" in learned.summary_.transform
    with pytest.raises(ValueError, match="does not apply to LabelSpreading"):
        stkr.LabelSpreading("auto").fit(X, y, labeled=labeled)
    with pytest.raises(ValueError, match="a choice of its own"):
        stkr.STKRClassifierCV("auto").fit(X, y, labeled=labeled)


def test_class_sizes_are_kept(digits):
    X, y = digits
    sizes = np.bincount(y)
    plain, sized = [], []
    for seed in range(4):
        labeled = [int(np.random.default_rng(seed).choice(np.flatnonzero(y == c))) for c in range(10)]
        plain.append(np.mean(stkr.STKRClassifier().fit(X, y, labeled=labeled).transduction_ == y))
        model = stkr.STKRClassifier(prior=sizes).fit(X, y, labeled=labeled)
        assert np.abs(np.bincount(model.transduction_, minlength=10) - sizes).max() < 0.02 * len(y)
        assert np.mean(model.predict(X) == model.transduction_) > 0.99
        sized.append(np.mean(model.transduction_ == y))
    assert np.mean(sized) > np.mean(plain) + 0.01


def test_not_converging_is_a_warning_and_a_result(ring):
    y = np.full(40, -1)
    y[[3, 23]] = [0, 1]
    with pytest.warns(stkr.ConvergenceWarning, match="max_iterations"):
        lp = stkr.LabelSpreading("graph", eta=0.999, max_iter=2).fit(ring, y)
    assert not lp.summary_.converged and lp.transduction_.shape == (40,)


def test_memory_limit_is_a_memory_error(digits):
    X, y = digits
    with pytest.raises(MemoryError, match="MB"):
        stkr.STKRClassifier(memory="1MB").fit(X, y)


def test_prior_and_class_mass(moons):
    X, y, labeled = moons
    plain = stkr.STKRClassifier(length_scale=0.5)
    moved = stkr.STKRClassifier(length_scale=0.5, class_mass=True, prior=[0.9, 0.1])
    before, after = (clf.fit(X, y, labeled=labeled).transduction_ for clf in (plain, moved))
    assert (after == 0).sum() > (before == 0).sum() + 10
    with pytest.raises(ValueError, match="3 shares for 2 classes"):
        stkr.STKRClassifier(class_mass=True, prior=[0.2, 0.3, 0.5]).fit(X, y, labeled=labeled)


def test_kernel_pca_of_wine_tells_the_cultivars_apart():
    """13 features and a few outliers; scikit-learn's KernelPCA and logistic regression: 0.989."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    probe = stkr.KernelPCAProbe().fit(X, y)
    assert probe.score(X, y) >= 0.95 and probe.summary_.warnings == []
    with pytest.warns(UserWarning, match="concentrate on one or two samples"):
        stkr.KernelPCAProbe(length_scale=0.6).fit(X, y)
