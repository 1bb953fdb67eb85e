"""New samples get the predictions and embeddings of known ones with the same edges."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_digits

import stkr
from conftest import r2_score, ridge_regression

TRANSFORMS = [
    {"eta": 0.99},
    {"eta": 0.5},
    {"spectral_transform": "power", "power": 2},
    {"spectral_transform": "power", "power": 7},
    {"spectral_transform": "diffusion", "time": 3.0},
    {"spectral_transform": "0.4*inverse-laplacian(0.9) + 0.6*smooth-step(0.7, 8) + power(2)"},
    {"spectral_transform": stkr.transforms.reciprocal([1.0, -0.3, -0.3], 2)},
    {"spectral_transform": np.sinh},
]


@pytest.fixture
def graph():
    """40 connected nodes, and targets at four of them."""
    rng = np.random.default_rng(0)
    W = np.triu(rng.random((40, 40)) < 0.15, 1).astype(float)
    W += np.diag(np.ones(39), 1) * (W == 0)
    W = W + W.T
    y = np.full(40, np.nan)
    y[[0, 10, 20, 30]] = [1.0, -1.0, 2.0, -2.0]
    return W, y


@pytest.mark.parametrize("options", TRANSFORMS)
@pytest.mark.parametrize("normalization", ["lazy_walk", "symmetric", "adjacency", "probability"])
def test_a_node_presented_again_with_its_edges_has_its_value(graph, normalization, options):
    W, y = graph
    if "eta" in options and normalization == "adjacency":
        options = {"eta": options["eta"] / (40 * np.linalg.eigvalsh(W)[-1])}
    model = stkr.STKRRegressor(
        "graph", kernel_params={"normalization": normalization}, beta=1e-2, **options
    ).fit(scipy.sparse.csr_matrix(W), y)
    unlabeled = np.flatnonzero(np.isnan(y))
    again = model.predict(scipy.sparse.csr_matrix(W[unlabeled]))
    seen = model.transduction_[unlabeled]
    np.testing.assert_allclose(again, seen, rtol=0, atol=1e-8 * np.abs(seen).max())


@pytest.mark.parametrize("n_steps", [None, 1, 5])
def test_label_propagation_gives_a_new_node_what_an_unlabeled_one_has(graph, n_steps):
    W, _ = graph
    y = np.full(40, -1)
    y[[0, 10, 20, 30]] = [0, 1, 0, 1]
    unlabeled = np.flatnonzero(y < 0)
    lp = stkr.LabelSpreading("graph", eta=0.9, n_steps=n_steps, tol=1e-12)
    lp.fit(scipy.sparse.csr_matrix(W), y)
    new = lp.model_.core.predict_new(lp._new(scipy.sparse.csr_matrix(W[unlabeled])))[0]
    np.testing.assert_allclose(new, lp.model_.core.fitted[unlabeled], atol=1e-10)


def neighbor_graph(X, k):
    """Return W of the rule `either` with weights 1, and the distances to the k-th neighbors."""
    distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    np.fill_diagonal(distance, np.inf)
    reach = np.sort(distance, axis=1)[:, k - 1]
    return ((distance <= reach[:, None]) | (distance <= reach[None])).astype(float), reach


def edges_of_new(X, reach, new, k):
    distance = np.sqrt(((new[:, None] - X[None]) ** 2).sum(-1))
    own = np.sort(distance, axis=1)[:, k - 1]
    return ((distance <= own[:, None]) | (distance <= reach[None])).astype(float)


@pytest.mark.parametrize("s, options", [
    (lambda x: x / (1 - 0.9 * x), {"eta": 0.9}),
    (lambda x: x**3, {"spectral_transform": "power", "power": 3}),
])  # fmt: skip
def test_new_points_have_the_edges_of_the_rule_and_the_dense_value(s, options):
    rng = np.random.default_rng(1)
    X, new, labeled, k = rng.normal(size=(150, 2)), rng.normal(size=(60, 2)), np.arange(30), 6
    y = np.sin(2 * X[:, 0])
    W, reach = neighbor_graph(X, k)
    edges = edges_of_new(X, reach, new, k)
    assert (edges.sum(1) > k).any()  # known points add edges beyond the k nearest
    N, degree = len(X), W.sum(1)
    S = (np.eye(N) + W / np.sqrt(np.outer(degree, degree))) / 2
    values, vectors = np.linalg.eigh(S)
    Ks = N * (vectors * s(values) @ vectors.T)
    alpha, b = ridge_regression(Ks[np.ix_(labeled, labeled)], y[labeled], beta=0.5, constant=True)
    # q of s(λ) = s(½) + (λ - ½) q(λ): the part that a sample shares with others.
    quotient = (s(values) - s(0.5)) / (values - 0.5)
    q = vectors * quotient @ vectors.T
    shared = edges / np.sqrt(np.outer(edges.sum(1), degree)) / 2
    expected = b + N * shared @ q[:, labeled] @ alpha
    model = stkr.STKRRegressor(
        "knn", n_neighbors=k, kernel_params={"edge_weight": "binary"}, beta=0.5, **options
    ).fit(X, y, labeled=labeled)
    np.testing.assert_allclose(model.transduction_, b + Ks[:, labeled] @ alpha, atol=1e-7)
    np.testing.assert_allclose(model.predict(new), expected, atol=1e-7)


def test_regression_on_neighbors_is_as_good_on_new_points_as_on_seen_ones():
    rng = np.random.default_rng(0)
    X, new = rng.uniform(0, 1, (600, 2)), rng.uniform(0.03, 0.97, (400, 2))
    f, f_new = (np.sin(2 * np.pi * Z[:, 0]) + Z[:, 1] ** 2 for Z in (X, new))
    labeled = rng.choice(600, 80, replace=False)
    hidden = np.setdiff1d(np.arange(600), labeled)
    cv = stkr.STKRRegressorCV("knn").fit(X, f, labeled=labeled)
    seen, fresh = r2_score(f[hidden], cv.transduction_[hidden]), r2_score(f_new, cv.predict(new))
    assert abs(seen - fresh) < 0.02 and fresh > 0.9
    assert abs(cv.best_score_ - fresh) < 0.05  # selection scores the function that predict uses


@pytest.mark.parametrize("eta", [0.99, 0.9, 0.5])
def test_new_values_are_not_drawn_to_the_mean(eta):
    rng = np.random.default_rng(0)
    X, new = rng.uniform(0, 1, (600, 1)), rng.uniform(0.02, 0.98, (300, 1))
    f, f_new = np.sin(2 * np.pi * X[:, 0]) + 3.0, np.sin(2 * np.pi * new[:, 0]) + 3.0
    labeled = rng.choice(600, 60, replace=False)
    hidden = np.setdiff1d(np.arange(600), labeled)
    model = stkr.STKRRegressor("knn", eta=eta).fit(X, f, labeled=labeled)
    seen = np.polyfit(f[hidden], model.transduction_[hidden], 1)[0]
    fresh = np.polyfit(f_new, model.predict(new), 1)[0]
    # A few percent more: the degrees of known points exclude the edges of new ones.
    assert abs(fresh / seen - 1) < 0.13


@pytest.mark.parametrize("class_mass", [False, True])
@pytest.mark.parametrize("kernel", ["knn", "rbf"])
def test_training_points_presented_as_new_get_the_same_answers(kernel, class_mass):
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    labeled = np.concatenate([rng.choice(np.flatnonzero(y == c), 2, replace=False) for c in range(10)])
    clf = stkr.STKRClassifier(kernel, class_mass=class_mass).fit(X, y, labeled=labeled)
    assert (clf.predict(X) != clf.transduction_).sum() == 0
    model = stkr.STKRRegressor(kernel).fit(X, y.astype(float), labeled=labeled)
    np.testing.assert_allclose(model.predict(X), model.transduction_, atol=1e-6)


def embedding_case():
    X, y = load_digits(return_X_y=True)
    return X[:700], y[:700], np.arange(70)


@pytest.mark.parametrize("options, s", [
    ({"spectral_transform": "power", "power": 1}, lambda x: x),
    ({"eta": 0.9}, lambda x: x / (1 - 0.9 * x)),
])  # fmt: skip
def test_the_embedding_on_neighbors_is_that_of_the_eigenvectors(options, s):
    X, y, labeled = embedding_case()
    clf = stkr.STKRClassifier("knn", n_components=6, **options)
    Z = clf.fit_transform(X, y, labeled=labeled)
    pairs = stkr.eigenpairs(stkr.gram.neighbors(X), 6)
    expected = np.sqrt(len(X) * s(pairs.values)) * pairs.vectors
    np.testing.assert_allclose(clf.eigenvalues_, pairs.values, atol=1e-9)
    for k in range(6):
        sign = np.sign(expected[:, k] @ Z[:, k])
        np.testing.assert_allclose(sign * Z[:, k], expected[:, k], rtol=0, atol=1e-6)
        assert abs(np.linalg.norm(Z[:, k]) / np.linalg.norm(expected[:, k]) - 1) < 1e-8
        assert abs(np.corrcoef(sign * Z[:, k], expected[:, k])[0, 1] - 1) < 1e-8
    np.testing.assert_array_equal(clf.transform(X[::7]), Z[::7])
    # A new point close to a known one is also close to it in the embedding.
    near = clf.transform(X[::7] + 1e-3)
    assert 0.9 < np.linalg.norm(near) / np.linalg.norm(Z[::7]) < 1.1


def test_a_new_node_is_embedded_like_a_known_one_with_its_edges(graph):
    W, _ = graph
    y = np.full(40, -1)
    y[[0, 10]] = [0, 1]
    clf = stkr.STKRClassifier("graph", n_components=4)
    Z = clf.fit_transform(scipy.sparse.csr_matrix(W), y)
    np.testing.assert_allclose(clf.transform(scipy.sparse.csr_matrix(W)), Z, atol=1e-7)


def test_signs_of_the_embedding_do_not_depend_on_the_order_of_samples():
    """Symmetric points: the largest entries of an antisymmetric eigenvector have both signs."""
    X = np.repeat([[1.0, 3.0], [2.0, 1.0], [3.0, 3.0], [4.0, 1.0]], 4, axis=0)
    y = np.repeat([0, 1, 0, 1], 4)
    order = np.random.default_rng(0).permutation(16)
    for name in ("STKRClassifier", "KernelPCAProbe", "STKRRegressor"):
        one, other = (getattr(stkr, name)(n_components=2) for _ in range(2))
        one.fit(X, y)
        other.fit(X[order], y[order])
        np.testing.assert_allclose(one.transform(X + 0.1), other.transform(X + 0.1), atol=1e-8)
