"""A linear probe on features of one's own is the linear kernel: eqn:topd-krr-def in NumPy."""

import numpy as np
import pytest

import stkr


@pytest.fixture
def encoder():
    """A function of points with five features, the points, targets of the first 25 and new points."""
    rng = np.random.default_rng(7)
    A = rng.standard_normal((3, 5))
    X, Z = rng.standard_normal((60, 3)), rng.standard_normal((9, 3))
    y = np.full(60, np.nan)
    y[:25] = np.sin(X[:25, 0])
    return (lambda points: np.tanh(points @ A)), X, y, Z


def probe(features, y, beta):
    """ŵ* = (Ψ(X_n) Ψ(X_n)ᵀ + nβ I)⁻¹ Ψ(X_n) y, with one row of features per label."""
    n, d = features.shape
    return np.linalg.solve(features.T @ features + n * beta * np.eye(d), features.T @ y)


def test_regression(encoder):
    encode, X, y, Z = encoder
    w = probe(encode(X[:25]), y[:25], 0.02)
    model = stkr.STKRRegressor("linear", power=1, beta=0.02, fit_intercept=False)
    model.fit(encode(X), y)
    np.testing.assert_allclose(model.transduction_, encode(X) @ w, atol=1e-8)
    np.testing.assert_allclose(model.predict(encode(Z)), encode(Z) @ w, atol=1e-8)


@pytest.mark.parametrize("method", ["stkr", "kernel_ridge"])
def test_several_outputs_by_solve(encoder, method):
    encode, X, y, _ = encoder
    targets = np.stack([y[:25], y[:25] ** 2], axis=1)
    w = probe(encode(X[:25]), targets, 0.02)
    options = {"power": 1} if method == "stkr" else {}
    S = stkr.gram.points(encode(X), "linear")
    found = stkr.solve(S, range(25), targets, method=method, beta=0.02, **options)
    np.testing.assert_allclose(found.fitted, encode(X) @ w, atol=1e-8)


def test_classes(encoder):
    encode, X, y, Z = encoder
    classes = np.where(np.isnan(y), -1, y > 0).astype(int)
    w = probe(encode(X[:25]), np.eye(2)[classes[:25]], 0.02)
    clf = stkr.STKRClassifier("linear", power=1, beta=0.02).fit(encode(X), classes)
    np.testing.assert_array_equal(clf.predict(encode(Z)), (encode(Z) @ w).argmax(axis=1))
