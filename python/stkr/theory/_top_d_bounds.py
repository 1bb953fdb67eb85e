"""Bounds of kernel PCA with a linear probe, and the theorem that the estimation bounds rest on."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core
from .._checks import check_number
from ._bounds import Bound, Facts, fill, made


@dataclass(frozen=True)
class TopDApproximation:
    """Theorem 6 (thm:topd-approx).

    Attributes
    ----------
    g_lower : Bound
        On the largest ‖g‖²_P.
    g_upper : Bound
        On every ‖g‖²_P.
    kernel : Bound
        On ‖f* - f̃_d‖²_K.
    """

    g_lower: Bound
    g_upper: Bound
    kernel: Bound


def top_d_lower_bound(
    s_first: float, s_next: float, *, epsilon: float, scale_b: float = 1.0
) -> Bound:
    """Proposition 4 (prop:top-d-lower): no d functions approximate every target better.

    Parameters
    ----------
    s_first, s_next : float
        s(λ₁) and s(λ_{d+1}).
    epsilon, scale_b : float
        ε and B of ass:target.

    Returns
    -------
    Bound
    """
    values = [check_number(name, value) for name, value in
              (("s_first", s_first), ("s_next", s_next), ("epsilon", epsilon),
               ("scale_b", scale_b))]
    return made(_core.top_d_lower_bound(*values))


def top_d_estimation_bound(
    n: int,
    *,
    lambda_d: float,
    gap_p: float,
    gap_kernel: float,
    delta: float = 0.1,
    p: float = 1.0,
    tau: float = 3.0,
    kappa_squared: float = 1.0,
    slope: float = 1.0,
    epsilon: float = 1.0,
    scale_b: float = 1.0,
    sigma: float = 1.0,
    moment_l: float = 1.0,
    facts: Facts = Facts(),
) -> Bound:
    """Theorem 5 (thm:topd-est): ‖f̂_d - f̃_d‖²_P of the linear probe on kernel PCA, up to c₀.

    Parameters
    ----------
    lambda_d : float
        λ̃_d of kernel PCA (``eigenvalues_`` of :class:`stkr.KernelPCAProbe`).
    gap_p, gap_kernel : float
        ‖f* - f̃_d‖² in the norms of P and K.
    delta : float, default=0.1
    n, p, tau, kappa_squared, slope, epsilon, scale_b, sigma, moment_l, facts
        As in :func:`estimation_bound`.

    Returns
    -------
    Bound
    """
    inputs = fill(_core.EstimationInputs(), facts, n=n, p=p, tau=tau, kappa_squared=kappa_squared,
                  slope=slope, epsilon=epsilon, scale_b=scale_b, sigma=sigma, moment_l=moment_l)
    values = [check_number(name, value) for name, value in
              (("delta", delta), ("lambda_d", lambda_d), ("gap_p", gap_p),
               ("gap_kernel", gap_kernel))]
    return made(_core.top_d_estimation_bound(inputs, *values))


def top_d_needed_labels(kappa_squared: float, lambda_d: float, delta: float = 0.1) -> float:
    """Return the smallest n that Theorem 5 admits: 16 κ⁴ λ̃_d⁻² (2 + √(2 log 2/δ))²."""
    return _core.top_d_needed_labels(
        check_number("kappa_squared", kappa_squared),
        check_number("lambda_d", lambda_d),
        check_number("delta", delta),
    )


def top_d_approximation_bounds(
    d: int,
    m: int,
    *,
    kappa_squared: float,
    lambda_1: float,
    lambda_next: float,
    g_squared: float | None = None,
    slope: float = 1.0,
    epsilon: float = 1.0,
    scale_b: float = 1.0,
    delta: float = 0.1,
    facts: Facts = Facts(),
) -> TopDApproximation:
    """Theorem 6 (thm:topd-approx): what kernel PCA leaves out of a target.

    Parameters
    ----------
    d, m : int
        Functions, and the samples of kernel PCA.
    kappa_squared : float
        κ².
    lambda_1, lambda_next : float
        λ₁ and λ_{d+1}.
    g_squared : float, optional
        ‖g‖²_P; None: its upper bound.
    slope, epsilon, scale_b, delta, facts
        As in :func:`estimation_bound` and :func:`approximation_bound`.

    Returns
    -------
    TopDApproximation
    """
    inputs = fill(_core.TopDApproximationInputs(), facts, d=d, m=m, kappa_squared=kappa_squared,
                  lambda_1=lambda_1, lambda_next=lambda_next, slope=slope, epsilon=epsilon,
                  scale_b=scale_b, delta=delta)
    if g_squared is not None:
        inputs.g_squared = check_number("g_squared", g_squared)
    return TopDApproximation(*map(made, _core.top_d_approximation_bounds(inputs)))


def fischer_steinwart_bound(
    n: int,
    *,
    beta_n: float,
    p: float = 1.0,
    alpha: float = 1.0,
    embedding_c2: float = 1.0,
    beta: float = 1.0,
    source_c3: float = 1.0,
    gamma: float = 0.0,
    largest_target: float = 1.0,
    kappa_squared: float = 1.0,
    sigma: float = 1.0,
    moment_l: float = 1.0,
    tau: float = 3.0,
    facts: Facts = Facts(),
) -> Bound:
    """Fischer and Steinwart's theorem (thm:steinwart): ‖f̃ - f*‖² in H_{K^γ}, up to a constant A.

    Parameters
    ----------
    n : int
        Labels.
    beta_n : float
        The ridge.
    p : float
        EVD: λ_i ≤ c₁ i^(-1/p), in (0, 1].
    alpha, embedding_c2 : float
        EMB: H_{K^α} lies in L^∞ with norm at most c₂, α in (0, 1].
    beta, source_c3 : float
        SRC: ‖f*‖_{K^β} ≤ c₃, β in (0, 2].
    gamma : float
        The norm that is bounded, γ in [0, 1]; 0: ‖·‖_P.
    largest_target : float
        B_∞, at least every |f*(x)|.
    kappa_squared, sigma, moment_l, tau, facts
        As in :func:`estimation_bound`.

    Returns
    -------
    Bound
    """
    inputs = fill(_core.FischerSteinwartInputs(), facts, n=n, beta_n=beta_n, p=p, alpha=alpha,
                  embedding_c2=embedding_c2, beta=beta, source_c3=source_c3, gamma=gamma,
                  largest_target=largest_target, kappa_squared=kappa_squared, sigma=sigma,
                  moment_l=moment_l, tau=tau)
    return made(_core.fischer_steinwart_bound(inputs))
