"""Norms and smoothness of functions on the samples, and how scores separate classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .. import _core
from .._checks import check_count, check_positive, numbers_of
from .._labels import missing_classes, plain_array
from .._specification import new_specification
from .._types import Floats
from ._grams import Model, columns, core_gram, function_values, power_or_transform


@dataclass(frozen=True)
class RkhsNorm:
    """A norm in H_{K_s}.

    Attributes
    ----------
    squared : float
        ‖f‖²; infinite if f is not in the space.
    error : float
        An estimate of its error; 0 if it is exact.
    outside : float
        The share of ‖f‖²_P outside of the space.
    converged : bool
    """

    squared: float
    error: float
    outside: float
    converged: bool

    @property
    def norm(self) -> float:
        """‖f‖."""
        return float(np.sqrt(self.squared))

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of f's means, equal to the norm (Proposition 1, prop:extend-lip)."""
        return self.norm


@dataclass(frozen=True)
class Smoothness:
    """How smooth f is at one scale.

    Attributes
    ----------
    p : float
    ratio : float
        r_{K^p}(f) = ‖f - E f‖²_P/‖f - E f‖²_{K^p}; 0 if f - E f is not in H_{K^p}, NaN if f is
        constant.
    variance : float
        ‖f - E f‖²_P.
    norm : RkhsNorm
        Of f - E f in H_{K^p}.
    """

    p: float
    ratio: float
    variance: float
    norm: RkhsNorm


@dataclass(frozen=True, eq=False)
class Discriminant:
    """How well scores separate classes.

    Attributes
    ----------
    share : ndarray of shape (n_scores,)
        η² of each column: its variance between classes, as a share of all.
    overall : float
        Tr B/Tr T of the scatter between classes and of all.
    ratio_trace : float
        Tr(T⁻¹ B).
    classes : int
        That occur.
    """

    share: Floats
    overall: float
    ratio_trace: float
    classes: int


def rkhs_norm(
    model: Model,
    f: Any,
    p: Any = None,
    *,
    exact_below: int = 1000,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> RkhsNorm:
    """Return ‖f‖² in H_{K^p} (eqn:def-hkp) or H_{K_s}.

    With S u_i = λ_i u_i, this is Σ <u_i, f>²/(N s(λ_i)): the smallest norm of functions with
    these values at the samples.

    Parameters
    ----------
    model : Gram or fitted estimator
    f : array of shape (n_samples,)
        f at the samples.
    p : number, str, SpectralTransform or callable
        A power p > 0, or s. None: s of the fit.
    exact_below : int, default=1000
        Up to so many samples, by all eigenvectors, else by the Lanczos method.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    RkhsNorm

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> S = stkr.gram.precomputed(np.diag([2.0, 4.0]))  # λ = 1, 2
    >>> round(stkr.theory.rkhs_norm(S, [1.0, 2.0], p=1).squared, 12)
    1.5
    """
    spec = new_specification(random_state, n_jobs, None)
    s, limit = power_or_transform(p, model), check_count("exact_below", exact_below)
    core = core_gram(model)
    return RkhsNorm(**_core.rkhs_norm(core, s, function_values("f", f, model), limit, spec))


def rkhs_inner_product(
    model: Model,
    f: Any,
    g: Any,
    p: Any = None,
    *,
    exact_below: int = 1000,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> float:
    """Return <f, g> in H_{K^p} (eqn:def-hkp) or H_{K_s}.

    Parameters
    ----------
    model, f, p, exact_below, random_state, n_jobs
        As in :func:`rkhs_norm`.
    g : array of shape (n_samples,)
        g at the samples. Functions outside of the space raise ValueError.

    Returns
    -------
    float
    """
    spec = new_specification(random_state, n_jobs, None)
    s, limit = power_or_transform(p, model), check_count("exact_below", exact_below)
    first, second = function_values("f", f, model), function_values("g", g, model)
    return _core.rkhs_inner_product(core_gram(model), s, first, second, limit, spec)


def smoothness(
    model: Model,
    f: Any,
    scales: float | Sequence[float] = (1.0, 2.0, 4.0),
    *,
    exact_below: int = 1000,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> list[Smoothness]:
    """Return r_{K^p}(f) at several scales p > 0: the multiscale smoothness of f (Section 2.1).

    Parameters
    ----------
    model, f, exact_below, random_state, n_jobs
        As in :func:`rkhs_norm`. The paper's K is centered (``center=True``).
    scales : number or sequence of number, default=(1, 2, 4)
        p of each scale.

    Returns
    -------
    list of Smoothness
    """
    spec = new_specification(random_state, n_jobs, None)
    powers = [check_positive("scales", p) for p in numbers_of("scales", scales)]
    limit, values = check_count("exact_below", exact_below), function_values("f", f, model)
    found = _core.smoothness(core_gram(model), values, powers, limit, spec)
    for one in found:
        one["norm"] = RkhsNorm(**one["norm"])
    return [Smoothness(**one) for one in found]


def poincare_constants(
    model: Model,
    p: float = 1.0,
    count: int = 1,
    *,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Return the Poincaré constants C²: the suprema of r_{K^p}(f), λ_j^p for j = 1, ..., count.

    The j-th is that of functions orthogonal to the first j - 1 eigenfunctions.

    Parameters
    ----------
    model : Gram or fitted estimator
    p : float, default=1
    count : int, default=1
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    ndarray of shape (count,)
    """
    spec = new_specification(random_state, n_jobs, None)
    core, number = core_gram(model), check_count("count", count)
    if number > len(core):
        raise ValueError(f"count={number} for {len(core)} samples; expected at most {len(core)}")
    return _core.poincare_constants(core, check_positive("p", p), number, spec)


def discriminant(scores: Any, classes: Any) -> Discriminant:
    """Return how well scores separate classes: η² and the ratio trace (appendix).

    Parameters
    ----------
    scores : array of shape (n_samples, n_scores) or (n_samples,)
        For example an embedding, or leading eigenvectors.
    classes : array of shape (n_samples,)
        -1, NaN, None or an empty string: not counted.

    Returns
    -------
    Discriminant

    Examples
    --------
    >>> from stkr import theory
    >>> theory.discriminant([0.0, 1.0, 4.0, 5.0], ["a", "a", "b", "b"]).overall
    0.9411764705882353
    """
    labels = plain_array("classes", classes)
    if labels.ndim != 1:
        raise ValueError(f"classes has {labels.ndim} dimensions; expected one class per sample")
    missing = missing_classes(labels)
    codes = np.full(len(labels), -1, dtype=np.int64)
    codes[~missing] = np.unique(labels[~missing], return_inverse=True)[1]
    return Discriminant(**_core.discriminant(columns("scores", scores), codes))
