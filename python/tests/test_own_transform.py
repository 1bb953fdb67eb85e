"""User-defined functions s: exact for few samples, with a reported error for many."""

import numpy as np
import pytest
import scipy.sparse

import stkr
from conftest import rbf


def kink(x):
    return max(0.0, float(x) - 0.03)


def jump(x):
    return float(x) if x < 0.05 else 2 * float(x)


@pytest.fixture(scope="module")
def points():
    X = np.random.default_rng(0).normal(size=(300, 3))
    return X, (X[:, 0] > 0).astype(int), np.arange(30)


@pytest.mark.parametrize("s, beta", [(kink, 1e-6), (jump, 1e-4), (np.sinh, 1e-4)])
def test_few_samples_are_diagonalized(points, reference, s, beta):
    X, y, labeled = points
    clf = stkr.STKRClassifier(
        length_scale=1.0, spectral_transform=s, beta=beta, kernel_params={"normalize": False}
    )
    if s is jump:
        with pytest.warns(UserWarning, match="Theorem 1"):  # s is not continuous
            clf.fit(X, y, labeled=labeled)
    else:
        clf.fit(X, y, labeled=labeled)
    Ks = reference(rbf(X, X, 1.0)).transformed(np.vectorize(lambda x: s(max(x, 0.0))))
    A = Ks[np.ix_(labeled, labeled)] + 30 * beta * np.eye(30)
    f = Ks[:, labeled] @ np.linalg.solve(A, np.eye(2)[y[labeled]])
    np.testing.assert_allclose(clf.model_.core.fitted, f, rtol=0, atol=1e-6 * np.abs(f).max())
    assert clf.summary_.converged


def test_many_samples_and_a_rough_s_are_no_success():
    """Too many to diagonalize: reports the polynomial's error and its effect on f."""
    N = 3200
    W = scipy.sparse.diags([np.ones(N - 1), np.ones(N - 1)], [-1, 1], format="csr")
    y = np.full(N, -1)
    y[::160] = np.arange(20) % 2
    s = lambda x: max(0.0, float(x) - 0.503)  # noqa: E731
    with pytest.warns(stkr.ConvergenceWarning, match="s is too rough for a polynomial"):
        clf = stkr.STKRClassifier("graph", spectral_transform=s, beta=1e-6).fit(W, y)
    summary = clf.summary_
    assert not summary.converged and summary.stop_reason == "stagnated"
    assert summary.approximation_error > 1e-8
    np.testing.assert_allclose(
        summary.answer_error, summary.approximation_error * N / (20 * 1e-6), rtol=1e-12
    )
    text = str(summary)
    assert f"{summary.approximation_error:.1e} at most in s" in text
    assert f"relative error of f at most {summary.answer_error:.1e}" in text


def test_a_smooth_s_of_many_samples_is_one():
    N = 3200
    W = scipy.sparse.diags([np.ones(N - 1), np.ones(N - 1)], [-1, 1], format="csr")
    y = np.full(N, -1)
    y[::160] = np.arange(20) % 2
    own = stkr.STKRClassifier("graph", spectral_transform=lambda x: x * x, beta=1.0).fit(W, y)
    named = stkr.STKRClassifier("graph", spectral_transform="power", power=2, beta=1.0).fit(W, y)
    assert own.summary_.converged
    scale = np.abs(named.model_.core.fitted).max()
    np.testing.assert_allclose(
        own.model_.core.fitted, named.model_.core.fitted, rtol=0, atol=1e-7 * scale
    )


@pytest.fixture(scope="module")
def six_blocks():
    """Six components of equal size, so that the eigenvalue 1 has multiplicity six."""
    rng, n, blocks = np.random.default_rng(0), 200, []
    for _ in range(6):
        A = np.zeros((n, n), dtype=bool)
        i, j = rng.integers(0, n, (2, 6 * n))
        A[i, j] = True
        A[np.arange(n - 1), np.arange(1, n)] = True
        A |= A.T
        np.fill_diagonal(A, False)
        blocks.append(A.astype(float))
    labeled = np.concatenate([n * b + np.array([1, 2, 3]) for b in range(6)])
    W = scipy.sparse.block_diag(blocks, format="csr")
    return W, np.repeat(np.arange(6) % 3, n), labeled


def test_equal_eigenvalues_are_taken_together(six_blocks):
    W, truth, labeled = six_blocks
    answers = []
    for seed in (1, 2, 3):
        clf = stkr.STKRClassifier(
            "graph", spectral_transform="truncation", n_components=4, random_state=seed
        )
        with pytest.warns(UserWarning, match="equal"):
            clf.fit(W, truth, labeled=labeled)
        answers.append(clf.transduction_)
        assert (clf.transduction_ == truth).all()
    assert all((one == answers[0]).all() for one in answers)


def test_components_without_labels_use_no_dimensions(six_blocks):
    W, truth, labeled = six_blocks
    labeled = labeled[labeled < 400]  # two of the six
    reached = np.arange(1200) < 400
    own = stkr.STKRClassifier("graph", spectral_transform="truncation", n_components=2)
    own.fit(W, truth, labeled=labeled)
    assert (own.transduction_ == truth)[reached].all()
    gram = stkr.gram.graph(W)
    options = {"spectral_transform": "truncation", "n_components": 2, "beta": 1e-2}
    rhs = np.eye(3)[truth[labeled]]
    f = stkr.solve(gram, labeled, rhs, **options).fitted
    np.testing.assert_allclose(f[reached].argmax(1), truth[reached])
    literal = stkr.solve(gram, labeled, rhs, literal_top_d=True, **options)
    assert np.linalg.matrix_rank(literal.fitted, tol=1e-6 * np.abs(f).max()) <= 2


PAIRS = [(0.02, 0.001), (0.1, 0.05), (0.3, 0.05), (0.5, 0.4), (1.0, 0.5)]


def test_a_transform_through_pairs_is_a_monotone_cubic(moons, reference):
    from scipy.interpolate import PchipInterpolator

    X, y, labeled = moons
    expected = PchipInterpolator(*np.array([(0.0, 0.0), *PAIRS]).T)
    s = stkr.transforms.through(PAIRS)
    x = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(s(x), expected(x), rtol=1e-12, atol=1e-15)
    assert s.validate(0.0, 1.0).valid and np.diff(s(x)).min() >= -1e-15
    np.testing.assert_allclose(s([1.5, -0.5]), [0.5 + 0.5 * expected(1.0, 1),
                                                -0.5 * expected(0.0, 1)], rtol=1e-12)
    # A fit with it, known samples and new ones: 120 samples, diagonalized.
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 2 / 0.3**2)
    targets = np.where(np.isin(np.arange(120), labeled), y.astype(float), np.nan)
    for transform in (s, s.text(), expected):
        reg = stkr.STKRRegressor("precomputed", spectral_transform=transform, beta=0.01,
                                 fit_intercept=False, kernel_params={"normalize": False})
        reg.fit(K, targets)
        c, fitted = reference(K).fit(expected, labeled, y[labeled].astype(float), 0.01)
        np.testing.assert_allclose(reg.transduction_, fitted, atol=1e-6)
        np.testing.assert_allclose(reg.predict(K[:5]), fitted[:5], atol=1e-6)
