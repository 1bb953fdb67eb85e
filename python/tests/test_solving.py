"""solve and eigenpairs compared with NumPy."""

import numpy as np
import pytest

import stkr
from conftest import rbf, ridge_regression


@pytest.mark.parametrize("solver", ["auto", "direct", "cg", "minres", "diagonalize", "richardson"])
def test_every_solver_solves_the_same_system(moons, reference, solver):
    X, y, labeled = moons
    K = rbf(X, X, 0.4)
    rhs = np.stack([y[labeled] - 0.5, y[labeled] * 2.0], 1)
    options = {"max_iter": 200000, "tol": 1e-9} if solver == "richardson" else {}
    found = stkr.solve(
        stkr.gram.precomputed(K),
        labeled,
        rhs,
        spectral_transform="power",
        power=2,
        beta=0.05,
        solver=solver,
        **options,
    )
    c, f = reference(K).fit(lambda x: x**2, labeled, rhs, 0.05)
    np.testing.assert_allclose(found.coefficients, c, atol=1e-6 * np.abs(c).max())
    np.testing.assert_allclose(found.fitted, f, atol=1e-6 * np.abs(f).max())
    assert found.alpha.shape == rhs.shape and found.summary.converged


def test_kernel_ridge_uses_labeled_samples_only(moons):
    X, y, labeled = moons
    K = rbf(X, X, 0.4)
    found = stkr.solve(
        stkr.gram.precomputed(K), labeled, y[labeled].astype(float), method="kernel_ridge"
    )
    alpha, _ = ridge_regression(K[np.ix_(labeled, labeled)], y[labeled], ridge=0.1)
    np.testing.assert_allclose(found.fitted[:, 0], K[:, labeled] @ alpha, atol=1e-8)


@pytest.mark.parametrize("size", [60, 2000])
def test_eigenpairs(size):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((size, 3))
    gram = stkr.gram.points(X, length_scale=1.5)
    pairs = stkr.eigenpairs(gram, 6)
    values = np.linalg.eigvalsh(rbf(X, X, 1.5) / size)[::-1][:6]
    np.testing.assert_allclose(pairs.values, values, rtol=1e-8)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(6), atol=1e-8)
    residual = gram @ pairs.vectors - pairs.vectors * pairs.values
    assert np.linalg.norm(residual, axis=0).max() < 1e-8
    assert pairs.summary["converged"]


def test_not_converging_warns(moons):
    X, y, labeled = moons
    gram = stkr.gram.points(X, length_scale=0.3)
    with pytest.warns(stkr.ConvergenceWarning, match="richardson"):
        found = stkr.solve(
            gram, labeled, y[labeled].astype(float), spectral_transform="power", solver="richardson",
            max_iter=3, beta=1e-6,
        )
    assert not found.summary.converged and found.summary.stop_reason == "max_iterations"


def test_what_is_wrong_is_said(moons):
    X, y, labeled = moons
    gram = stkr.gram.points(X)
    rhs = y[labeled].astype(float)
    with pytest.raises(ValueError, match="method='svm'"):
        stkr.solve(gram, labeled, rhs, method="svm")
    for name in ("ridge", "beta"):
        with pytest.raises(ValueError, match=f"{name}=0; expected a positive number"):
            stkr.solve(gram, labeled, rhs, **{name: 0})
    with pytest.raises(TypeError, match="expected a Gram"):
        stkr.solve(np.eye(3), labeled, rhs)
    with pytest.raises(ValueError, match="solver='lu'; expected one of auto"):
        stkr.solve(gram, labeled, rhs, solver="lu")
    with pytest.raises(ValueError, match="targets are 5 x 1 but 6 samples"):
        stkr.solve(gram, labeled, rhs[:-1])
    with pytest.raises(ValueError, match="k=121 for a gram of 120"):
        stkr.eigenpairs(gram, 121)
