"""sample_weight, and the measure of graphs."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import aslinearoperator
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

import stkr
from conftest import rbf

PLAIN = {"length_scale": 0.4, "kernel_params": {"normalize": False}}
WEIGHTED = ("STKRClassifier", "KernelPCAProbe", "STKRRegressor")


class WeightedReference:
    """K_s = P^-½ s(P^½ K P^½) P^-½ and (K_s + nβ V⁻¹) α = y, where V has the label weights."""

    def __init__(self, K, weights):
        self.weights = np.asarray(weights, dtype=float)
        p = self.weights / self.weights.sum()
        root = np.sqrt(p)
        self.values, vectors = np.linalg.eigh(root[:, None] * K * root)
        self.functions = vectors / root[:, None]

    def transformed(self, s):
        return self.functions * s(self.values) @ self.functions.T

    def fit(self, s, labeled, y, beta, constant=False):
        Ks, n = self.transformed(s), len(labeled)
        v = self.weights[labeled] / self.weights[labeled].mean()
        A = Ks[np.ix_(labeled, labeled)] + n * beta * np.diag(1 / v)
        b = 0.0
        if constant:
            one = np.linalg.solve(A, np.ones(n))
            b = one @ y / one.sum()
        return b + Ks[:, labeled] @ np.linalg.solve(A, y - b)


@pytest.fixture
def shifted():
    """Points, targets at 25 of them, and weights that differ a hundredfold."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 2))
    return X, np.sin(2 * X[:, 0]) + 2, np.arange(25), 10.0 ** rng.uniform(-1, 1, 90)


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(
    "options, s",
    [
        ({"eta": 1.1}, lambda x: x / (1 - 1.1 * x)),
        ({"spectral_transform": "power", "power": 2}, lambda x: x**2),
        ({"spectral_transform": "diffusion", "time": 1.5}, lambda x: np.expm1(1.5 * x)),
    ],
)
def test_regression_is_the_weighted_closed_form(shifted, options, s, constant):
    X, y, labeled, weights = shifted
    model = stkr.STKRRegressor(beta=0.02, fit_intercept=constant, **PLAIN, **options)
    model.fit(X, y, labeled=labeled, sample_weight=weights)
    dense = WeightedReference(rbf(X, X, 0.4), weights)
    expected = dense.fit(s, labeled, y[labeled], 0.02, constant)
    np.testing.assert_allclose(model.transduction_, expected, atol=1e-7)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-6)
    assert "sample weights" in str(model.summary_)


def test_classification_is_the_weighted_closed_form(shifted):
    X, y, labeled, weights = shifted
    codes = (y > 2).astype(int)
    clf = stkr.STKRClassifier(beta=0.02, eta=1.1, **PLAIN)
    clf.fit(X, codes, labeled=labeled, sample_weight=weights)
    f = WeightedReference(rbf(X, X, 0.4), weights).fit(
        lambda x: x / (1 - 1.1 * x), labeled, np.eye(2)[codes[labeled]], 0.02
    )
    np.testing.assert_allclose(clf.model_.core.fitted, f, atol=1e-7)


@pytest.mark.parametrize("name", ["STKRClassifier", "STKRRegressor"])
def test_a_weight_of_two_is_a_sample_twice(shifted, name):
    X, y, labeled, _ = shifted
    if name == "STKRClassifier":
        y = (y > 2).astype(int)
    times = 1 + np.arange(len(X)) % 2
    twice = np.repeat(np.arange(len(X)), times)
    weighted = getattr(stkr, name)(beta=0.02, eta=1.1, **PLAIN)
    repeated = clone(weighted).fit(X[twice], y[twice], labeled=np.isin(twice, labeled))
    weighted.fit(X, y, labeled=labeled, sample_weight=times)
    new = X + 0.1
    if name == "STKRClassifier":
        scores = [m.model_.core.predict_new(m._new(new))[0] for m in (weighted, repeated)]
        np.testing.assert_allclose(*scores, atol=1e-7)
    else:
        np.testing.assert_allclose(weighted.predict(new), repeated.predict(new), atol=1e-7)


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("kernel", ["rbf", "knn", "graph", "precomputed", "callable"])
def test_a_weight_of_zero_leaves_the_sample_out(moons, name, kernel):
    X, y, labeled = moons
    rng = np.random.default_rng(0)
    weights = np.where(rng.random(120) < 0.3, 0.0, 1.0 + rng.random(120))
    weights[labeled] = [1.0, 2.0, 1.0, 1.5, 0.0, 1.0]
    kept, new = weights > 0, X[:10] + 0.05
    K = rbf(X, X, 0.3)
    options = {"length_scale": 0.3} if kernel == "rbf" else {}
    if name != "KernelPCAProbe":
        options["spectral_transform"] = "power"
    everything, part, fresh, fresh_part, rest = X, X[kept], new, new, X[~kept]
    if kernel in ("graph", "precomputed"):
        form = scipy.sparse.csr_matrix if kernel == "graph" else np.ascontiguousarray
        rows = rbf(new, X, 0.3)
        everything, part = form(K), form(K[np.ix_(kept, kept)])
        fresh, fresh_part, rest = form(rows), form(rows[:, kept]), form(K[np.ix_(~kept, kept)])
    one = getattr(stkr, name)(
        (lambda A, B: rbf(A, B, 0.3)) if kernel == "callable" else kernel, n_components=3, **options
    )
    other = clone(one)
    mask = np.isin(np.arange(120), labeled)
    Z = one.fit_transform(everything, y, labeled=labeled, sample_weight=weights)
    other.fit(part, y[kept], labeled=mask[kept], sample_weight=weights[kept])
    assert (one.transduction_[kept] == other.transduction_).all()
    assert (one.transduction_[~kept] == other.predict(rest)).all()
    assert (one.predict(fresh) == other.predict(fresh_part)).all()
    assert (one.evidence_[kept] == other.evidence_).all() and len(one.evidence_) == 120
    np.testing.assert_array_equal(one.transform(fresh), other.transform(fresh_part))
    np.testing.assert_array_equal(Z[~kept], other.transform(rest))
    np.testing.assert_array_equal(Z[kept], other._embedding[0] * other._embedding_scale())
    assert (one.dual_coef_[~kept] == 0).all()
    if kernel != "callable":
        again = pickle.loads(pickle.dumps(one))
        assert (again.transduction_ == one.transduction_).all()


def test_a_class_that_does_not_count_is_no_class():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [9.0]])
    clf = stkr.STKRClassifier(length_scale=0.5)
    clf.fit(X, ["a", "", "b", "", "c"], sample_weight=[1, 1, 1, 1, 0])
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.transduction_[-1] == "b"  # the nearest


def test_equal_weights_change_nothing(moons):
    X, y, labeled = moons
    plain = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    for weights in (1.0, np.full(120, 7.0), [3] * 120):
        same = stkr.STKRClassifier().fit(X, y, labeled=labeled, sample_weight=weights)
        assert (same.dual_coef_ == plain.dual_coef_).all()


def test_importance_weights_serve_where_the_samples_are_wanted():
    """Covariate shift: a straight line fits a curve best where the weights are large."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (400, 1))
    y, labeled = (x[:, 0] > 0.7) * (x[:, 0] - 0.7) * 10, np.arange(200)
    ratio = np.exp(-((x[:, 0] - 0.9) ** 2) / (2 * 0.05**2))
    wanted = ratio > 0.5
    errors = []
    for weights in (None, ratio + 1e-6):
        model = stkr.STKRRegressor("linear", spectral_transform="power", power=1, beta=1e-6)
        model.fit(x, y, labeled=labeled, sample_weight=weights)
        errors.append(np.mean((model.transduction_ - y)[wanted] ** 2))
    assert errors[1] < 0.2 * errors[0]


def test_an_operator_takes_weights_but_no_zeros(shifted):
    X, y, labeled, weights = shifted
    K = rbf(X, X, 0.4)
    model = stkr.STKRRegressor("precomputed", eta=1.1, beta=0.02)
    named = clone(model).fit(K, y, labeled=labeled, sample_weight=weights)
    model.fit(aslinearoperator(K), y, labeled=labeled, sample_weight=weights)
    np.testing.assert_allclose(model.transduction_, named.transduction_, atol=1e-6)
    weights = weights.copy()
    weights[7] = 0
    with pytest.raises(ValueError, match=r"sample_weight\[7\] is 0, but a LinearOperator"):
        model.fit(aslinearoperator(K), y, labeled=labeled, sample_weight=weights)


def test_who_takes_weights():
    for name in WEIGHTED:
        assert has_fit_parameter(getattr(stkr, name)(), "sample_weight")
    for name in ("LabelSpreading", "STKRClassifierCV", "STKRRegressorCV"):
        assert not has_fit_parameter(getattr(stkr, name)(), "sample_weight")


@pytest.mark.parametrize(
    "weights, message",
    [
        (np.ones(5), r"has shape \(5,\); expected \(120,\)"),
        (np.ones((120, 1)), r"has shape \(120, 1\)"),
        (-np.ones(120), r"sample_weight\[0\] is -1.0; expected a finite number"),
        (np.full(120, np.nan), r"sample_weight\[0\] is nan"),
        (np.full(120, np.inf), r"sample_weight\[0\] is inf"),
        (np.zeros(120), "0 weights are positive; expected two or more"),
        (["a"] * 120, "expected numbers"),
        ([None] * 120, "expected|nan"),
        (1j, "expected numbers"),
        (np.r_[np.zeros(6), np.ones(114)], "no sample is labeled"),
    ],
)
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_are_none(moons, name, weights, message):
    X, y, labeled = moons
    with pytest.raises(ValueError, match=message):
        getattr(stkr, name)().fit(X, y, labeled=labeled, sample_weight=weights)


def test_centering_does_not_go_with_weights(shifted):
    X, y, labeled, weights = shifted
    with pytest.raises(ValueError, match="centering cannot be combined"):
        stkr.STKRRegressor(kernel_params={"center": True}).fit(
            X, y, labeled=labeled, sample_weight=weights
        )


# The measure of graphs.


@pytest.fixture
def dense_graph():
    rng = np.random.default_rng(1)
    B = np.abs(rng.normal(size=(50, 50))) ** 3
    W = B @ B.T
    return W / W.mean(), np.r_[rng.normal(size=6), np.full(44, np.nan)]


def test_the_probability_kernel_is_the_proposition_of_the_appendix(dense_graph):
    """K = Tr(D) D⁻¹WD⁻¹ under p = D/Tr(D) is the inverse Laplacian of D^-½ W D^-½, up to P."""
    W, y = dense_graph
    d, labeled, eta, beta = W.sum(1), np.arange(6), 0.9, 0.1
    p = d / d.sum()
    values, vectors = np.linalg.eigh(W / np.sqrt(np.outer(d, d)))
    Ks = (vectors * (values / (1 - eta * values))) @ vectors.T / np.sqrt(np.outer(p, p))
    params = {"normalization": "probability"}
    model = stkr.STKRRegressor("graph", eta=eta, beta=beta, fit_intercept=False, kernel_params=params)
    model.fit(scipy.sparse.csr_matrix(W), y)
    plain = Ks[:, labeled] @ np.linalg.solve(
        Ks[np.ix_(labeled, labeled)] + 6 * beta * np.eye(6), y[labeled]
    )
    scale = np.abs(plain).max()
    np.testing.assert_allclose(model.transduction_, plain, rtol=0, atol=1e-8 * scale)
    S = stkr.gram.graph(scipy.sparse.csr_matrix(W), "probability")
    assert abs(stkr.eigenpairs(S, 1).values[0] - 1) < 1e-10


def test_the_measure_can_be_chosen(dense_graph):
    W, y = dense_graph
    sparse = scipy.sparse.csr_matrix(W)
    d, labeled, eta = W.sum(1), np.arange(6), 0.5

    def fit(**params):
        model = stkr.STKRRegressor(
            "graph", eta=eta, beta=0.1, fit_intercept=False, kernel_params=params
        )
        return model.fit(sparse, y).transduction_

    K = d.sum() * W / np.outer(d, d)
    for measure, weights in (("uniform", np.ones(50)), ("degree", d)):
        Ks = WeightedReference(K, weights).transformed(lambda x: x / (1 - eta * x))
        f = Ks[:, labeled] @ np.linalg.solve(
            Ks[np.ix_(labeled, labeled)] + 0.6 * np.eye(6), y[labeled]
        )
        found = fit(normalization="probability", measure=measure)
        np.testing.assert_allclose(found, f, rtol=0, atol=1e-8 * np.abs(f).max())
    assert (fit() == fit(measure="uniform")).all()
    with pytest.raises(ValueError, match="it needs a single graph kernel and no sample"):
        stkr.STKRRegressor("graph", kernel_params={"measure": "degree"}).fit(
            sparse, y, sample_weight=1 + np.arange(50)
        )
