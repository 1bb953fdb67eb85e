"""The paper's learning guarantees as numbers.

Symbols as in the paper: n labeled and m unlabeled samples, κ² ≥ K(x, x), λ₁ the largest eigenvalue
of T_K, λ̂₁ that of S, β_n the ridge, s(λ) ≤ Mλ (``slope``), and of the target ‖f*‖_P ≤ B
(``scale_b``) with ‖f*‖²_{K_s} ≤ ε‖f*‖²_P.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from .. import _core
from .._checks import check_count, check_number, is_whole
from ._grams import core_transform


@dataclass(frozen=True)
class Assumption:
    """One condition of a statement.

    Attributes
    ----------
    name : str
    holds : bool or None
        None if it cannot be checked.
    reason : str
    """

    name: str
    holds: bool | None
    reason: str


@dataclass(frozen=True)
class Bound:
    """A bound with everything that it depends on. ``print`` shows all of it.

    Attributes
    ----------
    name, label : str
        ``"Theorem 3"``, and the paper's label, ``"thm:approx"``.
    quantity : str
        What is bounded.
    lower : bool
        Whether it is a lower bound.
    value : float
        Infinite if the expression has no finite value.
    constant_unknown : bool
        Whether the value has 1 in place of a constant that the paper does not give.
    inputs : dict
    assumptions : tuple of Assumption
    probability : float
        With which it holds at least; 0 or less says nothing.
    trivial : float
        What is known without it.
    trivial_name : str
    vacuous : bool
        Whether it says no more than that.
    applies : bool or None
        The worst of the assumptions.
    verdict : str
        One sentence.
    """

    name: str
    label: str
    quantity: str
    lower: bool
    value: float
    constant_unknown: bool
    inputs: dict[str, float]
    assumptions: tuple[Assumption, ...]
    probability: float
    trivial: float
    trivial_name: str
    vacuous: bool
    applies: bool | None
    verdict: str

    def __repr__(self) -> str:
        return f"<Bound {self.label}: {self.verdict}>"

    def __str__(self) -> str:
        marks = {True: "holds", False: "fails", None: "unknown"}
        lines = [self.verdict, ", ".join(f"{k} = {v:g}" for k, v in self.inputs.items())]
        lines += [f"{marks[a.holds]:8}{a.name}: {a.reason}" for a in self.assumptions]
        return "\n".join(lines)


@dataclass(frozen=True)
class Facts:
    """What is known about the assumptions; None: bounds say that they cannot be checked.

    Attributes
    ----------
    independent : bool or None
        Samples are independent draws from P.
    kernel_bound : bool or None
        K(x, x) ≤ κ² for almost all x (ass:bt).
    target : bool or None
        ass:target with the given ε and B.
    moments : bool or None
        ass:moment with the given σ and L.
    decay : bool or None
        s(λ_i) = O(i^(-1/p)).
    embedding : bool or None
        EMB of thm:steinwart.
    """

    independent: bool | None = None
    kernel_bound: bool | None = None
    target: bool | None = None
    moments: bool | None = None
    decay: bool | None = None
    embedding: bool | None = None


def made(found: dict[str, Any]) -> Bound:
    """Return the bound that the library computed."""
    found["assumptions"] = tuple(Assumption(*one) for one in found["assumptions"])
    return Bound(**found)


def core_facts(facts: Facts) -> "_core.TheoryFacts":
    if not isinstance(facts, Facts):
        raise TypeError(f"facts is a {type(facts).__name__}; expected stkr.theory.Facts")
    core = _core.TheoryFacts()
    for field in fields(facts):
        value = getattr(facts, field.name)
        if value is not None and not isinstance(value, bool):
            raise ValueError(f"{field.name}={value!r}; expected True, False or None")
        setattr(core, field.name, value)
    return core


_COUNTS = ("n", "m", "d")


def fill(inputs: Any, facts: Facts, **values: Any) -> Any:
    """Set the inputs of a statement."""
    for name, value in values.items():
        if name == "m" and is_whole(value) and value == 0:  # no unlabeled samples
            checked: float = 0
        elif name in _COUNTS:
            checked = check_count(name, value)
        else:
            checked = check_number(name, value)
        setattr(inputs, name, checked)
    inputs.facts = core_facts(facts)
    return inputs


def estimation_bound(
    n: int,
    *,
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
    """Theorem 2 (thm:est): ‖f̃ - f*‖²_P with the kernel K_s itself, up to a constant c₀.

    Parameters
    ----------
    n : int
        Labels.
    p : float, default=1
        s(λ_i) = O(i^(-1/p)), in (0, 1] (:func:`eigenvalue_decay`).
    tau : float, default=3
        τ; the bound holds with probability 1 - 4e^(-τ).
    kappa_squared : float
        κ² (:func:`kernel_bound`).
    slope : float
        M (``spectral_transform.validate``).
    epsilon, scale_b, sigma, moment_l : float
        ε and B of ass:target, σ and L of ass:moment (:func:`target_estimates`).
    facts : Facts

    Returns
    -------
    Bound
    """
    inputs = fill(_core.EstimationInputs(), facts, n=n, p=p, tau=tau, kappa_squared=kappa_squared,
                  slope=slope, epsilon=epsilon, scale_b=scale_b, sigma=sigma, moment_l=moment_l)
    return made(_core.estimation_bound(inputs))


def agnostic_laplacian_bound(
    n: int,
    *,
    own_slope: float,
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
    """Proposition 3 (prop:agnostic-lap): Theorem 2 for the inverse Laplacian, whatever s* is.

    Parameters
    ----------
    own_slope : float
        M of the inverse Laplacian, 1/(1 - ηλ₁).
    slope, epsilon : float
        M of s*, for which the target has ε.
    n, p, tau, kappa_squared, scale_b, sigma, moment_l, facts
        As in :func:`estimation_bound`.

    Returns
    -------
    Bound
    """
    inputs = fill(_core.EstimationInputs(), facts, n=n, p=p, tau=tau, kappa_squared=kappa_squared,
                  slope=slope, epsilon=epsilon, scale_b=scale_b, sigma=sigma, moment_l=moment_l)
    return made(_core.agnostic_laplacian_bound(inputs, check_number("own_slope", own_slope)))


def _approximation(
    spectral_transform: Any, facts: Facts, **values: Any
) -> "_core.ApproximationInputs":
    inputs: _core.ApproximationInputs = fill(_core.ApproximationInputs(), facts, **values)
    inputs.transform = core_transform(spectral_transform)
    return inputs


def approximation_bound(
    spectral_transform: Any,
    *,
    n: int,
    m: int,
    kappa_squared: float,
    eigenvalue: float,
    beta: float,
    delta: float = 0.1,
    mean_square_y: float = 1.0,
    facts: Facts = Facts(),
) -> Bound:
    """Theorem 3 (thm:approx): ‖f̂ - f̃‖²_P, the price of K̂_s in place of K_s.

    Parameters
    ----------
    spectral_transform : number, str, SpectralTransform or callable
        s; a number is a power.
    n, m : int
        Labeled and unlabeled samples.
    kappa_squared : float
        κ² (:func:`kernel_bound`).
    eigenvalue : float
        λ_max = max(λ₁, λ̂₁).
    beta : float
        β_n.
    delta : float, default=0.1
        The probability that the bound may fail.
    mean_square_y : float, default=1
        ‖y‖²/n.
    facts : Facts

    Returns
    -------
    Bound
    """
    inputs = _approximation(spectral_transform, facts, n=n, m=m, kappa_squared=kappa_squared,
                            eigenvalue=eigenvalue, beta=beta, delta=delta,
                            mean_square_y=mean_square_y)
    return made(_core.approximation_bound(inputs))


def kernel_gap_bound(
    spectral_transform: Any,
    *,
    n: int,
    m: int,
    kappa_squared: float,
    eigenvalue: float,
    delta: float = 0.1,
    facts: Facts = Facts(),
) -> Bound:
    """Lemma lem:approx-2: |K̂_s(x, x_j) - K_s(x, x_j)| for all x and all samples x_j at once.

    Parameters and result as in :func:`approximation_bound`.
    """
    inputs = _approximation(spectral_transform, facts, n=n, m=m, kappa_squared=kappa_squared,
                            eigenvalue=eigenvalue, delta=delta)
    return made(_core.kernel_gap_bound(inputs))


def inner_product_gap_bound(
    spectral_transform: Any,
    *,
    n: int,
    m: int,
    kappa_squared: float,
    eigenvalue: float,
    delta: float = 0.1,
    facts: Facts = Facts(),
) -> Bound:
    """Corollary cor:lem-approx-2-square: the gap of the inner products of K̂_s and K_s.

    Parameters and result as in :func:`approximation_bound`.
    """
    inputs = _approximation(spectral_transform, facts, n=n, m=m, kappa_squared=kappa_squared,
                            eigenvalue=eigenvalue, delta=delta)
    return made(_core.inner_product_gap_bound(inputs))


def largest_eigenvalue_bound(
    lambda_1: float,
    samples: int,
    *,
    kappa_squared: float,
    delta: float = 0.1,
    facts: Facts = Facts(),
) -> Bound:
    """Lemma lem:hat-lambda-bound: λ̂₁ of S is at most this, if λ₁ of T_K is ``lambda_1``.

    Parameters
    ----------
    lambda_1 : float
    samples : int
        n + m.
    kappa_squared, delta, facts
        As in :func:`approximation_bound`.

    Returns
    -------
    Bound
    """
    found = _core.largest_eigenvalue_bound(
        check_number("lambda_1", lambda_1),
        check_count("samples", samples),
        check_number("kappa_squared", kappa_squared),
        check_number("delta", delta),
        core_facts(facts),
    )
    return made(found)


def theory_beta(n: int, p: float, c: float = 1.0) -> float:
    """Return β_n = c n^(-1/(1+p)), as in Theorem 2."""
    return _core.theory_beta(check_count("n", n), check_number("p", p), check_number("c", c))


def needed_unlabeled(n: int, p: float) -> float:
    """Return n^(4/(1+p)): Theorem 3 vanishes if m grows faster, with the β_n of Theorem 2."""
    return _core.needed_unlabeled(check_count("n", n), check_number("p", p))


def power_series(spectral_transform: Any, eigenvalue: float) -> Assumption:
    """Assumption 1 (ass:analytic): s(λ) = Σ π_p λ^p with π_p ≥ 0, converging at ``eigenvalue``."""
    s, at = core_transform(spectral_transform), check_number("eigenvalue", eigenvalue)
    return Assumption("s(λ) = Σ π_p λ^p with π_p >= 0 (ass:analytic)", *_core.power_series(s, at))
