"""STKRRegressor: the intercept of the paper's ridge regression, and the quality of defaults."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

import stkr
from conftest import r2_score, rbf, ridge_regression


def test_the_constant_is_that_of_the_minimizer():
    """Of mean (b + h(x_i) - y_i)² + β‖h‖² over h and b, with centered K: eqn:ridge."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    X[:40] -= 2
    labeled = np.r_[:3, 40:48]
    y = np.where(X[:, 0] < -1, 5.0, 1.0) + 0.1 * rng.normal(size=80)
    P = np.eye(80) - 1 / 80
    values, vectors = np.linalg.eigh(P @ rbf(X, X, 1.0) @ P / 80)
    values = np.maximum(values, 0)
    eta, beta = 0.9 / values[-1], 0.05
    Ks = 80 * (vectors * (values / (1 - eta * values))) @ vectors.T
    G = Ks[np.ix_(labeled, labeled)]
    alpha, b = ridge_regression(G, y[labeled], beta, constant=True)
    model = stkr.STKRRegressor(
        length_scale=1.0, eta=eta, beta=beta, kernel_params={"normalize": False, "center": True}
    ).fit(X, y, labeled=labeled)
    np.testing.assert_allclose(model.transduction_, b + Ks[:, labeled] @ alpha, atol=1e-8)

    def objective(b, alpha):
        return np.mean((b + G @ alpha - y[labeled]) ** 2) + beta * alpha @ G @ alpha

    least = objective(b, alpha)
    for _ in range(20):
        assert objective(b + 1e-3 * rng.normal(), alpha + 1e-3 * rng.normal(size=11)) >= least


def uniform(features):
    return lambda rng, count: rng.uniform(0, 1, (count, features))


CURVES = {
    "sine": (uniform(1), 60, lambda X: np.sin(2 * np.pi * X[:, 0]) + 3),
    "sine and square": (uniform(2), 80, lambda X: np.sin(2 * np.pi * X[:, 0]) + X[:, 1] ** 2),
    "waves": (uniform(3), 100, lambda X: np.sin(3 * X[:, 0]) * np.cos(3 * X[:, 1]) + X[:, 2]),
    "slope": (
        lambda rng, count: rng.normal(size=(count, 5)),
        120,
        lambda X: np.tanh(X @ [1, 0.5, -0.5, 0.2, 0]) + 0.1 * X[:, 0] * X[:, 1],
    ),
}


@pytest.mark.parametrize("name", CURVES)
def test_defaults_learn_a_function_without_noise(name):
    points, labels, f = CURVES[name]
    rng = np.random.default_rng(0)
    X, new = points(rng, 600), points(rng, 400)
    labeled = rng.choice(600, labels, replace=False)
    mean = f(X[labeled]).mean()
    tuned = GridSearchCV(
        KernelRidge(kernel="rbf"),
        {"gamma": np.logspace(-2, 2, 9), "alpha": np.logspace(-8, 0, 9)},
        cv=5,
    ).fit(X[labeled], f(X[labeled]) - mean)
    best = r2_score(f(new), tuned.predict(new) + mean)
    model = stkr.STKRRegressor().fit(X, f(X), labeled=labeled)
    assert r2_score(f(new), model.predict(new)) > best - 0.02
    hidden = np.setdiff1d(np.arange(600), labeled)
    assert r2_score(f(X)[hidden], model.transduction_[hidden]) > best - 0.02
