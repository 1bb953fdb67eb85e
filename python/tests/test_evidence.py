"""Where no label reaches, and what is answered there."""

import warnings

import numpy as np
import pytest
import scipy.sparse

import stkr


@pytest.mark.parametrize("eta, accuracy", [(0.99, 0.98), (0.9, 1.0), (0.7, 1.0)])
def test_a_long_path_has_evidence_everywhere(eta, accuracy):
    """Values down to 1e-32 of the largest are signal: the path is connected."""
    N, labeled = 120, [0, 1, 119]
    W = np.diag(np.ones(N - 1), 1)
    W = W + W.T
    y = np.full(N, -1)
    y[labeled] = [0, 0, 1]
    clf = stkr.STKRClassifier("graph", eta=eta, beta=0.01).fit(scipy.sparse.csr_matrix(W), y)
    assert clf.evidence_.all() and not clf.tied_.any()
    degree = W.sum(1)
    S = (np.eye(N) + W / np.sqrt(np.outer(degree, degree))) / 2
    K = N * S @ np.linalg.inv(np.eye(N) - eta * S)
    A = K[np.ix_(labeled, labeled)] + 3 * 0.01 * np.eye(3)
    f = K[:, labeled] @ np.linalg.solve(A, np.eye(2)[[0, 0, 1]])
    assert (clf.transduction_ == f.argmax(1)).all()
    truth = np.arange(N) >= N / 2
    assert (clf.transduction_ == truth).mean() >= accuracy
    np.testing.assert_allclose(clf.model_.core.fitted.max(1), f.max(1), rtol=1e-6)


@pytest.fixture
def two_paths():
    """Nodes 0 to 4 with a label at each end, nodes 5 to 7 without any."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (6, 7)]
    rows, columns = zip(*edges)
    half = scipy.sparse.coo_matrix((np.ones(6), (rows, columns)), shape=(8, 8))
    return (half + half.T).tocsr(), np.array([0, -1, -1, -1, 1, -1, -1, -1])


def test_answers_without_evidence_distance_or_majority_are_ties(two_paths):
    W, y = two_paths
    clf = stkr.STKRClassifier("graph").fit(W, y)
    assert clf.evidence_.tolist() == [True] * 5 + [False] * 3
    assert clf.tied_.tolist() == [False] * 5 + [True] * 3
    new = scipy.sparse.csr_matrix(([1.0, 1.0], ([0, 2], [1, 6])), shape=(4, 8))
    with pytest.warns(UserWarning, match="3 of 4 answers are ties") as caught:
        clf.predict(new)
    assert caught[0].filename == __file__
    assert clf.has_evidence(new).tolist() == [True, False, False, False]


def test_a_majority_or_a_prior_decides(two_paths):
    W, y = two_paths
    new = scipy.sparse.csr_matrix((2, 8))
    more = y.copy()
    more[3] = 1
    for clf in (
        stkr.STKRClassifier("graph").fit(W, more),
        stkr.STKRClassifier("graph", prior=[0.4, 0.6]).fit(W, y),
    ):
        assert not clf.tied_.any() and not clf.evidence_[5:].any()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert clf.predict(new).tolist() == [1, 1]


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_the_nearest_labeled_point_decides_where_there_is_a_distance(kernel):
    X = np.concatenate([np.linspace(0, 1, 12), np.linspace(50, 51, 12), np.linspace(80, 81, 12)])
    y = np.full(36, -1)
    y[[2, 20]] = [0, 1]
    options = {"length_scale": 0.3} if kernel == "rbf" else {"n_neighbors": 4}
    clf = stkr.STKRClassifier(kernel, **options).fit(X[:, None], y)
    assert (~clf.evidence_).tolist() == [False] * 24 + [True] * 12
    assert not clf.tied_.any()
    assert (clf.transduction_ == np.repeat([0, 1, 1], 12)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clf.predict([[-300.0], [300.0]]).tolist() == [0, 1]


def test_regression_answers_its_constant(two_paths):
    W, y = two_paths
    model = stkr.STKRRegressor("graph").fit(W, np.where(y < 0, np.nan, y + 3.0))
    assert model.evidence_.tolist() == [True] * 5 + [False] * 3
    np.testing.assert_allclose(model.transduction_[5:], 3.5, atol=1e-10)  # by symmetry
    np.testing.assert_allclose(model.predict(scipy.sparse.csr_matrix((1, 8))), 3.5, atol=1e-10)
