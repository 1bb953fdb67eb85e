"""Bounds and estimates of stkr.theory: the paper's formulas in NumPy."""

import math

import numpy as np
import pytest

import stkr
from conftest import rbf
from stkr import theory

ESTIMATION = {"p": 0.5, "tau": 4.0, "kappa_squared": 1.5, "slope": 2.0, "epsilon": 3.0,
              "scale_b": 0.7, "sigma": 0.2, "moment_l": 0.9}


def bracket(n, p, kappa_squared, slope, epsilon, scale_b, sigma, moment_l, **_):
    energy = epsilon * scale_b**2
    return (energy + sigma**2) * n ** (-1 / (1 + p)) + max(
        moment_l**2, kappa_squared * slope * energy
    ) * n ** (-(1 + 2 * p) / (1 + p))


def test_theorem_2_and_proposition_3():
    bound = theory.estimation_bound(50, **ESTIMATION)
    assert bound.value == pytest.approx(16 * 1.5 * 2 * bracket(50, **ESTIMATION), rel=1e-12)
    assert bound.probability == pytest.approx(1 - 4 * math.exp(-4))
    assert (bound.name, bound.label) == ("Theorem 2", "thm:est")
    assert bound.constant_unknown and not bound.lower
    assert bound.inputs["κ²"] == 1.5 and bound.inputs["n"] == 50
    assert bound.trivial == pytest.approx(0.49) and bound.vacuous
    agnostic = theory.agnostic_laplacian_bound(50, own_slope=5.0, **ESTIMATION)
    swapped = theory.estimation_bound(50, **{**ESTIMATION, "slope": 5.0, "epsilon": 6.0})
    assert agnostic.value == pytest.approx(swapped.value, rel=1e-12)


def test_theorem_3_and_its_lemmas():
    given = dict(n=20, m=80, kappa_squared=1.2, eigenvalue=0.5, delta=0.05)
    gap = 2 * 0.5 * 1.2**2 / 10 * (2 + math.sqrt(2 * math.log(20)))  # s = λ³: (s/λ)' = 2λ
    assert theory.kernel_gap_bound(3, **given).value == pytest.approx(gap, rel=1e-12)
    assert theory.inner_product_gap_bound(3, **given).value == pytest.approx(0.25 * gap, rel=1e-12)
    bound = theory.approximation_bound(3, beta=0.3, mean_square_y=0.7, **given)
    assert bound.value == pytest.approx(8 * 0.125 / 0.09 * 0.7 * gap, rel=1e-12)
    assert bound.vacuous and "vacuous" in bound.verdict and bound.applies is None
    assert bound.assumptions[0].holds is True
    many = theory.approximation_bound(3, beta=0.3, **{**given, "m": 10**9})
    assert not many.vacuous
    assert theory.approximation_bound("inverse-laplacian(3)", beta=0.3, **given).value == math.inf
    eigenvalue = theory.largest_eigenvalue_bound(0.4, 100, kappa_squared=1.2, delta=0.05)
    assert eigenvalue.value == pytest.approx(
        0.4 + 0.12 * (2 * math.sqrt(2) + math.sqrt(19 * math.log(2 * 101 / 0.05))), rel=1e-12
    )


def test_proposition_4_and_theorems_5_and_6():
    bound = theory.top_d_lower_bound(0.8, 0.1, epsilon=2.0, scale_b=3.0)
    assert bound.lower and bound.value == pytest.approx(0.1 / 0.7 * 0.6 * 9, rel=1e-12)
    assert bound.applies and not bound.vacuous
    probe = theory.top_d_estimation_bound(
        50, lambda_d=0.2, gap_p=0.01, gap_kernel=0.3, delta=0.05, **ESTIMATION
    )
    projected = {**ESTIMATION, "epsilon": 6.0, "slope": 1.0}
    assert probe.value == pytest.approx(
        3 * (0.01 + 0.05 * 0.3) + 16 * 1.5 * bracket(50, **projected), rel=1e-12
    )
    needed = 16 * 1.5**2 / 0.04 * (2 + math.sqrt(2 * math.log(40))) ** 2
    assert theory.top_d_needed_labels(1.5, 0.2, 0.05) == pytest.approx(needed, rel=1e-12)
    assert probe.applies is False and "does not apply" in probe.verdict
    pca = theory.top_d_approximation_bounds(
        4, 100, kappa_squared=1.5, lambda_1=0.5, lambda_next=0.1, epsilon=3.0, delta=0.05
    )
    upper = 0.1 + 0.15 * (4 + 3 * math.sqrt(math.log(120)))
    assert pca.g_lower.value == 0.1 and pca.g_upper.value == pytest.approx(upper, rel=1e-12)
    assert pca.kernel.value == math.inf and pca.kernel.applies is False
    known = theory.top_d_approximation_bounds(
        4, 100, kappa_squared=1.5, lambda_1=0.5, lambda_next=0.1, epsilon=3.0, g_squared=0.2
    )
    assert known.kernel.value == pytest.approx((3 * 0.5 - 0.5) / 0.3, rel=1e-12)


def test_fischer_and_steinwart():
    bound = theory.fischer_steinwart_bound(
        100, beta_n=0.1, p=0.5, alpha=0.75, embedding_c2=2, beta=0.5, source_c3=3, gamma=0.25,
        largest_target=1.5, kappa_squared=1.2, sigma=0.4, moment_l=0.6,
    )  # fmt: skip
    variance = (0.16 * 1.2 + 36) / (100 * 0.1**0.75)
    rest = 4 * 7.5**2 / (1e4 * 0.1**1.25)
    assert bound.value == pytest.approx(18 * 0.1**0.25 + 9 * (variance + rest), rel=1e-12)


def test_the_facts_decide_what_applies():
    given = dict(n=20, m=0, kappa_squared=1.0, eigenvalue=0.5, beta=1.0)
    known = theory.Facts(independent=True, kernel_bound=True)
    assert theory.approximation_bound(2, facts=known, **given).applies is True
    wrong = theory.approximation_bound(2, facts=theory.Facts(independent=False), **given)
    assert wrong.applies is False and "known to fail" in wrong.verdict
    assert theory.approximation_bound("smooth-step(0.5)", facts=known, **given).applies is False
    text = str(wrong)
    assert "fails   samples are independent" in text and "κ² = 1" in text
    assert repr(wrong).startswith("<Bound thm:approx: Theorem 3 does not apply")
    assert theory.power_series(2, 0.5).holds and not theory.power_series(2.5, 0.5).holds
    assert theory.theory_beta(16, 1.0, 2.0) == pytest.approx(0.5)
    assert theory.needed_unlabeled(16, 1.0) == pytest.approx(256)


@pytest.mark.parametrize("call, message", [
    (lambda: theory.estimation_bound(0), "n=0"),
    (lambda: theory.estimation_bound(10, p=2), "p = 2"),
    (lambda: theory.estimation_bound(10, epsilon="much"), "epsilon='much'"),
    (lambda: theory.estimation_bound(10, facts={"independent": True}), "facts is a dict"),
    (lambda: theory.estimation_bound(10, facts=theory.Facts(decay="yes")), "decay='yes'"),
    (lambda: theory.approximation_bound(
        2, n=1, m=-1, kappa_squared=1, eigenvalue=1, beta=1), "m=-1"),
    (lambda: theory.kernel_gap_bound(
        "truncation(3)", n=1, m=1, kappa_squared=1, eigenvalue=1), "not a function"),
    (lambda: theory.kernel_gap_bound(2, n=1, m=1, kappa_squared=1, eigenvalue=1, delta=2), "δ = 2"),
    (lambda: theory.top_d_lower_bound(0.1, 0.2, epsilon=1), "expected a number in"),
    (lambda: theory.fischer_steinwart_bound(10, beta_n=0.1, alpha=2), "α = 2"),
])
def test_bad_inputs(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.fixture
def problem():
    """Points, targets of the first ten, the gram and the dense K²."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((40, 2))
    y = np.stack([np.sin(X[:10, 0]), X[:10, 1] ** 2], axis=1)
    K = rbf(X, X, 0.8)
    return X, y, stkr.gram.points(X, length_scale=0.8), K @ K / 40


def test_target_estimates_are_the_dense_formulas(problem):
    X, y, S, K2 = problem
    G = K2[:10, :10]
    beta = 0.05
    alpha = np.linalg.solve(G + 10 * beta * np.eye(10), y)
    f = K2[:, :10] @ alpha
    residuals = np.empty_like(y)
    for i in range(10):
        rest = np.delete(np.arange(10), i)
        inner = G[np.ix_(rest, rest)] + 9 * beta * np.eye(9)
        residuals[i] = y[i] - G[i, rest] @ np.linalg.solve(inner, y[rest])
    found = theory.target_estimates(S, range(10), y, 2, beta=beta)
    assert found.residuals == 10 and len(found.outputs) == 2
    for c, one in enumerate(found.outputs):
        square = (f[:, c] ** 2).mean()
        expected = [f[:, c].mean(), np.sqrt(square), alpha[:, c] @ G @ alpha[:, c] / square,
                    np.sqrt((residuals[:, c] ** 2).mean()), abs(residuals[:, c]).max()]
        np.testing.assert_allclose(
            [one.mean, one.scale_b, one.epsilon, one.sigma, one.moment_l], expected, rtol=1e-7)
    assert found.worst.moment_l == max(one.moment_l for one in found.outputs)
    values, vectors = np.linalg.eigh(S @ np.eye(40))
    h = vectors[:, -3:] @ [1.0, 2.0, 3.0]
    own = theory.target_estimates(S, spectral_transform=1, values=h, residuals=[0.1, -0.3])
    assert own.worst.epsilon == pytest.approx(([1, 4, 9] / values[-3:]).sum() / 14, rel=1e-8)
    assert own.worst.moment_l == 0.3 and own.worst.sigma == pytest.approx(np.sqrt(0.05))
    bound = theory.estimation_bound(10, epsilon=found.worst.epsilon, scale_b=found.worst.scale_b)
    assert bound.inputs["ε"] == found.worst.epsilon


def test_cross_fit_is_the_variance_of_fits_on_parts(problem):
    X, y, S, _ = problem
    K = S.block(range(40), range(40))
    found = theory.cross_fit(S, range(10), y, 2, beta=0.05, parts=3)
    fits = []
    for part in found.parts:
        chosen = np.sort(np.concatenate([np.arange(10), part]))
        K2 = K[:, chosen] @ K[chosen][:, :10] / len(chosen)
        fits.append(K2 @ np.linalg.solve(K2[:10] + 0.5 * np.eye(10), y))
    mean = np.mean(fits, axis=0)
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    terms = [((f - mean) ** 2).sum() / 40 / 2 for f in fits]
    np.testing.assert_allclose(found.terms, terms, rtol=1e-6)
    assert found.estimate == pytest.approx(np.mean(terms), rel=1e-6)
    assert sorted(np.concatenate(found.parts)) == list(range(10, 40))
    assert found.adjusted == pytest.approx(found.estimate * 20**2 * 9 / (30 * 40))
    assert "3 parts" in repr(found)
    again = theory.cross_fit(S, range(10), y, 2, beta=0.05, parts=3, n_jobs=1)
    assert again.estimate == found.estimate
    other = theory.cross_fit(S, range(10), y, 2, beta=0.05, parts=3, random_state=2)
    assert other.estimate != found.estimate


def test_estimates_of_an_estimator(problem):
    X, y, S, _ = problem
    targets = np.full(40, np.nan)
    targets[:10] = y[:, 0]
    model = stkr.STKRRegressor("rbf", length_scale=0.8, kernel_params={"normalize": False},
                               power=2, ridge=0.1).fit(X, targets)
    # With a free constant, Y may be shifted by any number.
    given = dict(beta=model.beta_, fit_intercept=True)
    for function in (theory.cross_fit, theory.target_estimates):
        a, b = function(model), function(S, range(10), y[:, 0], 2, **given)
        if function is theory.cross_fit:
            assert a.estimate == pytest.approx(b.estimate, rel=1e-6)
        else:
            assert a.worst.epsilon == pytest.approx(b.worst.epsilon, rel=1e-6)
            assert a.worst.sigma == pytest.approx(b.worst.sigma, rel=1e-6)
    for wrong in (dict(labeled=[0]), dict(ridge=0.1), dict(spectral_transform=2)):
        with pytest.raises(ValueError, match="those of the estimator"):
            theory.cross_fit(model, **wrong)


@pytest.mark.parametrize("arguments, message", [
    ((), "labeled and y are missing"),
    ((range(10), np.ones(10), 2), "one of ridge and beta"),
    ((range(10), np.ones(9), 2, 0.1), "9"),
    ((range(10), np.ones(10), None, 0.1), "spectral_transform is missing"),
    ((range(50), np.ones(50), 2, 0.1), "40|out of range"),
    ((range(10), np.full(10, np.nan), 2, 0.1), "finite|nan"),
])
def test_bad_labels(problem, arguments, message):
    S = problem[2]
    labeled, y, s, ridge = (*arguments, None, None, None, None)[:4]
    for function in (theory.cross_fit, theory.target_estimates):
        with pytest.raises(ValueError, match=message):
            function(S, labeled, y, s, ridge=ridge)
    with pytest.raises(ValueError, match="both values and residuals"):
        theory.target_estimates(S, values=np.ones(40))
    with pytest.raises(ValueError, match="expected at least|part"):
        theory.cross_fit(S, range(10), np.ones(10), 2, ridge=0.1, parts=1)
