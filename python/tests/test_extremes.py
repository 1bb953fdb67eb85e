"""Values that single precision, squares or sums cannot represent are refused, with advice."""

import numpy as np
import pytest
import scipy.sparse

import stkr


@pytest.fixture
def sites():
    """Two sites, each with two groups that are 10 apart."""
    rng = np.random.default_rng(0)
    site, group = np.divmod(np.arange(200), 100)[0], np.arange(200) % 2
    points = np.c_[10 * group, np.zeros(200)] + rng.normal(size=(200, 2))
    labeled = [0, 1, 2, 3, 100, 101, 102, 103]
    return lambda apart: (points + apart * site[:, None], group, labeled)


def test_neighbors_that_single_precision_cannot_tell_apart(sites):
    for apart in (100, 1e6):
        X, y, labeled = sites(apart)
        assert (stkr.STKRClassifier("knn").fit(X, y, labeled=labeled).transduction_ == y).all()
    for apart in (1e8, 1e9):
        X, y, labeled = sites(apart)
        with pytest.raises(ValueError, match="single precision"):
            stkr.STKRClassifier("knn").fit(X, y, labeled=labeled)
    X, y, labeled = sites(100)
    with pytest.raises(ValueError, match="multiply the features"):
        stkr.LabelSpreading("knn").fit(1e-47 * X, y, labeled=labeled)


@pytest.mark.parametrize("scale", [1e-165, 1e-300, 1e160])
def test_kernels_whose_squares_are_not_numbers(sites, scale):
    X, y, labeled = sites(100)
    K = np.exp(-((X[:, None] - X) ** 2).sum(-1) / 8)
    for estimator in (stkr.STKRClassifier, stkr.KernelPCAProbe, stkr.LabelSpreading):
        with pytest.raises(ValueError, match="multiply the kernel"):
            estimator("precomputed").fit(scale * K, y, labeled=labeled)
    with pytest.raises(ValueError, match="multiply the kernel"):
        stkr.STKRClassifierCV("precomputed", cv=2).fit(scale * K, y, labeled=labeled)


def test_weights_that_add_up_to_infinity():
    W = scipy.sparse.csr_matrix(np.ones((6, 6)) - np.eye(6))
    clf = stkr.STKRClassifier("graph").fit(W, [0, 1, -1, -1, -1, -1])
    new = scipy.sparse.csr_matrix([[1e308, 1e308, 0, 0, 0, 0]])
    with pytest.raises(ValueError, match="new node 0: its edge weights add up to inf"):
        clf.predict(new)
    with pytest.raises(ValueError, match="divide all weights by the largest"):
        stkr.STKRClassifier("graph").fit(1e308 * W, [0, 1, -1, -1, -1, -1])
