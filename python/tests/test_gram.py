"""Grams compared with explicit matrices."""

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator, eigsh
from sklearn.metrics.pairwise import cosine_similarity, laplacian_kernel, polynomial_kernel

import stkr
from conftest import rbf


def explicit(gram):
    return gram @ np.eye(gram.shape[0])


@pytest.mark.parametrize("dtype, accuracy", [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize(
    "name, options, kernel",
    [
        ("rbf", {"length_scale": 0.5}, lambda A, B: rbf(A, B, 0.5)),
        ("laplacian", {"length_scale": 0.5}, lambda A, B: laplacian_kernel(A, B, gamma=2.0)),
        ("linear", {}, lambda A, B: A @ B.T),
        ("cosine", {}, cosine_similarity),
        (
            "polynomial",
            {"degree": 3, "gamma": 0.5, "coef0": 2.0},
            lambda A, B: polynomial_kernel(A, B, degree=3, gamma=0.5, coef0=2.0),
        ),
    ],
)
def test_points(moons, name, options, kernel, dtype, accuracy):
    X = moons[0].astype(dtype)
    gram = stkr.gram.points(X, name, **options)
    K = kernel(X.astype(float), X.astype(float))
    np.testing.assert_allclose(explicit(gram), K / len(X), atol=accuracy)
    np.testing.assert_allclose(gram.block([3, 5], [5, 7, 3]), K[[3, 5]][:, [5, 7, 3]], atol=accuracy * 120)
    ours = stkr.gram.points(X, kernel)
    np.testing.assert_allclose(explicit(ours), K / len(X), atol=max(accuracy, 1e-7))


def test_normalized_and_centered_points(moons):
    X = moons[0]
    K = rbf(X, X, 0.5)
    degree = K.mean(1)
    gram = stkr.gram.points(X, length_scale=0.5, normalize=True)
    np.testing.assert_allclose(
        explicit(gram), K / np.sqrt(np.outer(degree, degree)) / len(X), atol=1e-12
    )
    assert gram.largest_eigenvalue() == pytest.approx(1.0)
    centered = explicit(stkr.gram.points(X, length_scale=0.5, center=True))
    np.testing.assert_allclose(centered.sum(0), 0, atol=1e-12)


def test_without_leading_eigenvectors(moons):
    X, y, labeled = moons
    model = stkr.STKRClassifier("knn", spectral_transform="poisson", ridge=0.1).fit(X, y, labeled=labeled)
    S = explicit(stkr.gram.neighbors(X))
    values, vectors = np.linalg.eigh(S)
    assert values[-2] < 1 - 1e-6
    kernel = len(X) * (vectors[:, :-1] * (values[:-1] / (1 - values[:-1]))) @ vectors[:, :-1].T
    G = kernel[np.ix_(labeled, labeled)]
    ridge = 0.1 * np.trace(G) / len(labeled)
    Y = (y[labeled][:, None] == model.classes_).astype(float)
    # Labels are centered and weighted by the inverse of the leading eigenvector.
    leading = np.sqrt(len(X)) * np.abs(vectors[labeled, -1])
    F = kernel[:, labeled] @ np.linalg.solve(G + ridge * np.diag(leading), Y - Y.mean(axis=0))
    np.testing.assert_allclose(model.model_.core.fitted, F, atol=1e-6 * np.abs(F).max())
    with pytest.raises(ValueError, match="or transform poisson"):
        stkr.STKRClassifier("knn", eta=1.0).fit(X, y, labeled=labeled)
    with pytest.raises(ValueError, match="leading eigenvectors, and those of this kernel are not known"):
        stkr.STKRClassifier("linear", spectral_transform="poisson").fit(X, y, labeled=labeled)


def test_graph_normalizations(ring):
    W = ring.toarray()
    degree = W.sum(1)
    S = W / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(explicit(stkr.gram.graph(ring, "symmetric")), S, atol=1e-14)
    np.testing.assert_allclose(
        explicit(stkr.gram.graph(ring)), (np.eye(40) + S) / 2, atol=1e-14
    )
    np.testing.assert_allclose(explicit(stkr.gram.graph(ring, "adjacency")), W / 40, atol=1e-14)
    directed = scipy.sparse.triu(ring).tocsr()
    with pytest.raises(ValueError, match="not symmetric"):
        stkr.gram.graph(directed)
    both = stkr.gram.graph(directed, "symmetric", symmetrize=True)
    np.testing.assert_allclose(explicit(both), S, atol=1e-14)


def test_neighbors_are_those_of_scikit_learn(moons):
    from sklearn.neighbors import kneighbors_graph

    X = moons[0]
    graph = kneighbors_graph(X, 4)
    W = graph.maximum(graph.T).toarray()
    degree = W.sum(1)
    S = (np.eye(len(X)) + W / np.sqrt(np.outer(degree, degree))) / 2
    gram = stkr.gram.neighbors(X, 4, edge_weight="binary")
    np.testing.assert_allclose(explicit(gram), S, atol=1e-12)


def test_a_gram_is_an_operator_of_scipy(moons):
    X = moons[0]
    gram = stkr.gram.points(X, length_scale=0.5)
    values = eigsh(gram, k=3, return_eigenvectors=False)[::-1]
    np.testing.assert_allclose(stkr.eigenpairs(gram, 3).values, values, rtol=1e-9)
    np.testing.assert_allclose(gram.T @ X, gram @ X)
    assert gram.bounds[0] == 0.0 and "rbf" in repr(gram)


def test_an_operator_of_python_is_a_gram(moons):
    X, y, labeled = moons
    K = rbf(X, X, 0.5)
    calls = []

    class Kernel(LinearOperator):
        def __init__(self):
            super().__init__(np.dtype(float), K.shape)

        def _matmat(self, block):
            calls.append(block.shape)
            return K @ block

    own, named = stkr.gram.operator(Kernel()), stkr.gram.precomputed(K)
    calls.clear()
    for method, options in (
        ("stkr", {"spectral_transform": "power", "power": 2}),
        ("stkr", {"eta": 0.5}),
        ("kernel_ridge", {}),
        ("kernel_pca", {"n_components": 5}),
        ("label_propagation", {"eta": 0.5}),
    ):
        ours, theirs = (
            stkr.solve(g, labeled, np.eye(2)[y[labeled]], method=method, **options)
            for g in (own, named)
        )
        np.testing.assert_allclose(ours.fitted, theirs.fitted, atol=1e-7)
    assert calls and all(shape[0] == len(X) for shape in calls)


def test_operators_that_cannot_be_grams():
    with pytest.raises(ValueError, match="not symmetric"):
        stkr.gram.operator(aslinearoperator(np.triu(np.ones((5, 5)))))
    with pytest.raises(ValueError, match="square"):
        stkr.gram.operator(aslinearoperator(np.ones((5, 4))))
    with pytest.raises(TypeError, match="LinearOperator"):
        stkr.gram.operator(np.eye(3))

    def fails(x):
        raise RuntimeError("the disk is on fire")

    broken = LinearOperator((4, 4), matvec=fails, matmat=fails, dtype=float)
    gram = stkr.gram.operator(broken, check=False)
    with pytest.raises(RuntimeError, match="on fire"):
        stkr.solve(gram, [0, 1], [1.0, 2.0])
    flat = LinearOperator((4, 4), matvec=lambda x: x, matmat=lambda x: x[:2], dtype=float)
    with pytest.raises(ValueError, match="matmat returned"):
        stkr.gram.operator(flat)


def test_bad_indices(moons):
    gram = stkr.gram.points(moons[0])
    with pytest.raises(ValueError, match="list of integers"):
        gram.block([0.5], [1])
    with pytest.raises(ValueError, match="120"):
        gram.block([120], [1])


def test_old_spellings_are_taken_with_a_warning():
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.warns(FutureWarning, match="gram.neighbors"):
        old = stkr.gram.neighbours(X, 3)
    np.testing.assert_array_equal(old @ np.eye(12), stkr.gram.neighbors(X, 3) @ np.eye(12))
    with pytest.warns(FutureWarning, match="epsilon_neighbor"):
        old = stkr.gram.points(X, "epsilon_neighbour", length_scale=1.0)
    new = stkr.gram.points(X, "epsilon_neighbor", length_scale=1.0)
    np.testing.assert_array_equal(old @ np.eye(12), new @ np.eye(12))
