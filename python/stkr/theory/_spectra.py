"""The spectrum of the kernel, and what the paper assumes of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from .. import _core
from .._checks import check_count, check_number, check_positive
from .._specification import new_specification
from .._types import Floats
from ..transforms import checked_function
from ._grams import Model, core_gram, core_transform, known_indices


@dataclass(frozen=True)
class Estimate:
    """A random estimate.

    Attributes
    ----------
    value : float
    standard_error : float
        0 if the value is exact.
    resolution : float
        Of counts: how far the count may be off because eigenvalues next to the limit are not
        resolved.
    """

    value: float
    standard_error: float = 0.0
    resolution: float = 0.0

    def __float__(self) -> float:
        return self.value


class SpectralDensity:
    """The distribution of the N eigenvalues of S. :func:`spectral_density` creates it.

    Attributes
    ----------
    size : int
        N.
    exact : bool
        Whether all eigenvalues are known.
    nodes, weights : list of ndarray
        Per random vector a quadrature of the distribution; one with all eigenvalues if exact.
    smallest, largest : float
        The outermost nodes.
    """

    def __init__(self, core: "_core.SpectralDensity") -> None:
        self._density = core

    @property
    def size(self) -> int:
        return self._density.size

    @property
    def exact(self) -> bool:
        return self._density.exact

    @property
    def nodes(self) -> list[Floats]:
        return self._density.nodes

    @property
    def weights(self) -> list[Floats]:
        return self._density.weights

    @property
    def smallest(self) -> float:
        return self._density.smallest()

    @property
    def largest(self) -> float:
        return self._density.largest()

    def trace(self, phi: Callable[[float], float]) -> Estimate:
        """Return Tr φ(S) = Σ φ(λ_i)."""
        if not callable(phi):
            raise TypeError(f"phi is a {type(phi).__name__}; expected a function of one number")
        return Estimate(*self._density.trace(checked_function("phi", phi)))

    def count_above(self, eigenvalue: float) -> Estimate:
        """Return the number of eigenvalues above a limit."""
        return Estimate(*self._density.count_above(check_number("eigenvalue", eigenvalue)))

    def __repr__(self) -> str:
        how = "all eigenvalues" if self.exact else f"{len(self.nodes)} random vectors"
        return (
            f"<SpectralDensity of {self.size} eigenvalues in [{self.smallest:.3g}, "
            f"{self.largest:.3g}], by {how}>"
        )


@dataclass(frozen=True)
class EigenvalueDecay:
    """The decay s(λ_i) = O(i^(-1/p)) of Theorem 2 (thm:est).

    Attributes
    ----------
    p : float
        In (0, 1]; 1 holds for every kernel of finite trace.
    lower, upper : float
        A 95 % interval of the regression of log s(λ_i) on log i.
    fitted : float
        p before it was capped at 1.
    capped, determined : bool
        Whether it was; whether at least three eigenvalues are above the floor.
    constant : float
        c in s(λ_i) ≈ c i^(-1/p).
    used : int
        The eigenvalues of the regression.
    r_squared : float
    finding : str
        What to know about p; empty if nothing.
    """

    p: float
    lower: float
    upper: float
    fitted: float
    capped: bool
    determined: bool
    constant: float
    used: int
    r_squared: float
    finding: str


@dataclass(frozen=True)
class Definiteness:
    """Whether K is a Mercer kernel on the samples.

    Attributes
    ----------
    smallest, largest : float
        λ_N and λ_1.
    negative : Estimate
        The share of negative eigenvalues.
    semidefinite : bool
    remedy : str
        What to do if it is not; empty if it is.
    """

    smallest: float
    largest: float
    negative: Estimate
    semidefinite: bool
    remedy: str


@dataclass(frozen=True)
class KernelBound:
    """K(x, x) ≤ κ² (ass:bt) on the samples, a lower bound of the supremum over all x.

    Attributes
    ----------
    kappa_squared : float
        κ².
    sample : int
        That attains it.
    samples : int
        Looked at.
    complete : bool
        Whether these are all.
    """

    kappa_squared: float
    sample: int
    samples: int
    complete: bool


def spectral_density(
    model: Model,
    *,
    exact_below: int = 1000,
    probes: int = 10,
    steps: int = 80,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> SpectralDensity:
    """Return the distribution of the eigenvalues of S, by stochastic Lanczos quadrature.

    Parameters
    ----------
    model : Gram or fitted estimator
    exact_below : int, default=1000
        Up to so many samples, all eigenvalues are computed.
    probes, steps : int
        Random vectors, at least 2, and Lanczos steps of each.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    SpectralDensity

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> density = stkr.theory.spectral_density(stkr.gram.precomputed(np.diag([4.0, 2.0])))
    >>> density
    <SpectralDensity of 2 eigenvalues in [1, 2], by all eigenvalues>
    >>> density.count_above(1.5).value
    1.0
    """
    spec = new_specification(random_state, n_jobs, None)
    options = check_count("exact_below", exact_below), check_count("probes", probes)
    core = _core.spectral_density(core_gram(model), *options, check_count("steps", steps), spec)
    return SpectralDensity(core)


def eigenvalue_decay(
    model: Model,
    spectral_transform: Any = None,
    *,
    exact_below: int = 1000,
    leading: int = 100,
    floor: float = 1e-10,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> EigenvalueDecay:
    """Estimate p of the decay s(λ_i) = O(i^(-1/p)), on which the rates of Theorem 2 depend.

    Parameters
    ----------
    model : Gram or fitted estimator
    spectral_transform : number, str, SpectralTransform or callable
        s; a number is a power. None: that of the fit.
    exact_below, leading : int
        Up to so many samples, all eigenvalues are used; else so many.
    floor : float, default=1e-10
        s(λ_i) below it, relative to s(λ_1), is rounding.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    EigenvalueDecay
    """
    spec = new_specification(random_state, n_jobs, None)
    s = core_transform(spectral_transform, model)
    counts = check_count("exact_below", exact_below), check_count("leading", leading)
    found = _core.eigenvalue_decay(
        core_gram(model), s, *counts, check_positive("floor", floor), spec
    )
    return EigenvalueDecay(**found)


def effective_dimension(
    model: Model,
    spectral_transform: Any = None,
    *,
    beta: float | None = None,
    samples: Any = None,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> Estimate:
    """Return d(β) = Tr G (G + nβ I)⁻¹, the directions of the labels that a fit follows.

    Parameters
    ----------
    model : Gram or fitted estimator
    spectral_transform : number, str, SpectralTransform or callable
        s; a number is a power. None: that of the fit.
    beta : float
        The paper's β_n. None: that of the fit.
    samples : array of int, optional
        The n samples of G = G_{K_s,n}. None: the labeled ones of a fit; all samples of a Gram,
        by :func:`spectral_density`.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    Estimate
    """
    spec = new_specification(random_state, n_jobs, None)
    core, s = core_gram(model), core_transform(spectral_transform, model)
    if beta is None:
        beta = getattr(model, "beta_", None)
    if beta is None:
        raise ValueError("beta is missing; only an estimator with one ridge has its own (beta_)")
    beta = check_positive("beta", beta)
    if samples is None and not isinstance(core, _core.Gram):
        samples = core.labeled
    if samples is not None:
        chosen = known_indices("samples", samples, model)
        return Estimate(_core.effective_dimension(core, s, chosen, beta, spec))
    density = spectral_density(model, random_state=random_state, n_jobs=n_jobs)
    return Estimate(*density._density.effective_dimension(s, beta))


def definiteness(
    model: Model,
    *,
    exact_below: int = 1000,
    probes: int = 10,
    steps: int = 80,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> Definiteness:
    """Return whether K is positive semidefinite on the samples, as the paper assumes.

    Parameters
    ----------
    model, exact_below, probes, steps, random_state, n_jobs
        As in :func:`spectral_density`.

    Returns
    -------
    Definiteness
    """
    spec = new_specification(random_state, n_jobs, None)
    options = check_count("exact_below", exact_below), check_count("probes", probes)
    found = _core.definiteness(core_gram(model), *options, check_count("steps", steps), spec)
    found["negative"] = Estimate(*found["negative"])
    return Definiteness(**found)


def kernel_bound(
    model: Model, *, most: int | None = None, random_state: Any = 1, n_jobs: int | None = None
) -> KernelBound:
    """Return κ² of Assumption 2 (ass:bt): the largest K(x, x) over the samples.

    Parameters
    ----------
    model : Gram or fitted estimator
    most : int, optional
        Look at so many samples, drawn at random. None: at all.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    KernelBound
    """
    spec = new_specification(random_state, n_jobs, None)
    count = 0 if most is None else check_count("most", most)
    return KernelBound(**_core.kernel_bound(core_gram(model), count, spec))
