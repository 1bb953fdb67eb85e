"""Samples without evidence, and their predictions."""

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
    with pytest.warns(UserWarning, match="3 of 4 predictions are ties") as caught:
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


@pytest.fixture
def path():
    """Two paths of 120 and 30 nodes, every tenth node labeled."""
    W = scipy.sparse.diags([np.ones(149)], [1]).tolil()
    W[119, 120] = 0
    y = np.full(150, -1)
    y[5::10] = (np.arange(5, 150, 10) >= 120).astype(int)
    return (W + W.T).tocsr(), y


def test_a_model_that_knows_nothing_is_told_of(path):
    W, y = path
    with pytest.warns(UserWarning, match="of 135 unlabeled samples have no evidence"):
        clf = stkr.STKRClassifier("graph", spectral_transform="power", power=1).fit(W, y)
    assert any("have no evidence" in text for text in clf.summary_.warnings)
    assert "have no evidence" in str(clf.summary_)
    with pytest.warns(UserWarning, match="20 of 20 samples have no evidence"):
        clf.predict(scipy.sparse.csr_matrix((20, 150)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stkr.STKRClassifier("graph").fit(W, y)


def test_selection_does_not_choose_what_knows_nothing(path):
    W, y = path
    options = {"powers": [1], "etas": [0.99], "ridges": [100, 0.1]}
    cv = stkr.STKRClassifierCV("graph", families=["power", "inverse_laplacian"], **options)
    cv.fit(W, y)
    assert cv.best_family_ == "inverse_laplacian"
    assert cv.best_score_ == 1 and cv.n_tied_ == 2 and cv.left_out_ == []
    assert cv.cv_results_["mean_test_score"][:2].tolist() == [0.5, 0.5]  # guesses
    assert cv.selection_warnings_ == []
    del options["etas"]  # of the other family
    alone = stkr.STKRClassifierCV("graph", families=["power"], **options)
    with pytest.warns(UserWarning, match="have no evidence"):
        alone.fit(W, y)
    assert "15 of 15 held-out samples have no evidence" in alone.selection_warnings_[0]


def test_nearly_one_class_is_told_of_unless_labels_say_so():
    rng = np.random.default_rng(3)
    X = np.r_[rng.normal(size=(300, 1)), rng.normal(size=(300, 1)) + 40]
    y = np.full(600, -1)
    y[:12], y[300] = np.arange(12) % 2, 1
    with pytest.warns(UserWarning, match="60 of 60 samples with evidence are predicted"):
        stkr.STKRClassifier(length_scale=5.0).fit(X, y).predict(np.full((60, 1), 40.0))
    y[:12] = 1
    y[12] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stkr.STKRClassifier(length_scale=5.0).fit(X, y).predict(np.full((60, 1), 40.0))
