"""Estimates from fits: what unlabeled samples cost, and the constants of the assumptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._checks import check_count
from .._specification import new_specification
from .._types import Floats, Indices
from ._grams import Model, columns, core_gram, core_transform, given_fit


@dataclass(frozen=True, eq=False)
class CrossFit:
    """An estimate of ‖f̂ - f̃‖²_P, the error that Theorem 3 (thm:approx) bounds.

    Attributes
    ----------
    estimate : float
        From fits that share the labels but no unlabeled sample.
    adjusted : float
        The same if labeled samples count as draws from P, too.
    standard_error : float
        Of ``estimate``.
    terms : ndarray of shape (parts,)
        Its terms, one per fit.
    parts : list of ndarray of int
        The unlabeled samples of each fit.
    mean : ndarray of shape (n_samples, n_outputs)
        The mean of the fits at the samples.
    """

    estimate: float
    adjusted: float
    standard_error: float
    terms: Floats
    parts: list[Indices]
    mean: Floats

    def __repr__(self) -> str:
        return (
            f"<CrossFit of {len(self.parts)} parts: {self.estimate:.3g} ± {self.standard_error:.2g},"
            f" adjusted {self.adjusted:.3g}>"
        )


@dataclass(frozen=True)
class TargetEstimate:
    """Estimates of the constants of Assumptions 3 and 4, not proofs of these.

    Attributes
    ----------
    mean : float
        E f̂, which ass:target wants to be 0.
    scale_b : float
        B = ‖f̂‖_P.
    epsilon : float
        ε = ‖f̂‖²_{K_s}/‖f̂‖²_P.
    sigma : float
        σ: the root mean square of residuals of labels left out. It contains the error of f̂.
    moment_l : float
        L: the largest of these in absolute value. The residuals satisfy ass:moment with σ and L;
        further labels may not.
    """

    mean: float
    scale_b: float
    epsilon: float
    sigma: float
    moment_l: float


@dataclass(frozen=True)
class TargetEstimates:
    """Of all outputs of a fit.

    Attributes
    ----------
    worst : TargetEstimate
        The largest of each number.
    outputs : tuple of TargetEstimate
    residuals : int
        Labels left out.
    """

    worst: TargetEstimate
    outputs: tuple[TargetEstimate, ...]
    residuals: int


def cross_fit(
    model: Model,
    labeled: Any = None,
    y: Any = None,
    spectral_transform: Any = None,
    *,
    ridge: float | None = None,
    beta: float | None = None,
    fit_intercept: bool | None = None,
    parts: int = 4,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> CrossFit:
    """Estimate ‖f̂ - f̃‖²_P from the data, where Theorem 3 (thm:approx) is vacuous.

    Fits that share the labels but no unlabeled sample differ by this error only.

    Parameters
    ----------
    model : Gram or fitted estimator
        An estimator with one transform and one ridge needs no further arguments.
    labeled : array of int
        Labeled samples of a Gram.
    y : array of shape (n_labeled,) or (n_labeled, n_outputs)
        Their targets.
    spectral_transform : number, str, SpectralTransform or callable
        s; a number is a power.
    ridge, beta : float
        One of them: relative, or the paper's β_n.
    fit_intercept : bool, default=False
    parts : int, default=4
        Number of fits, at least 2.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    CrossFit

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import STKRRegressor, theory
    >>> X = np.random.default_rng(0).uniform(0, 6, (120, 1))
    >>> y = np.where(np.arange(120) < 12, np.sin(X[:, 0]), np.nan)
    >>> model = STKRRegressor("rbf", length_scale=1.0, power=2, ridge=0.1).fit(X, y)
    >>> found = theory.cross_fit(model)
    >>> len(found.parts), bool(0 < found.estimate < 0.1)
    (4, True)
    """
    spec = new_specification(random_state, n_jobs, None)
    fit = given_fit(model, labeled, y, spectral_transform, ridge, beta, fit_intercept)
    found = _core.cross_fit(
        core_gram(model),
        fit.labeled,
        fit.y,
        fit.transform,
        fit.ridge,
        fit.beta,
        fit.constant,
        check_count("parts", parts),
        spec,
    )
    found["parts"] = [np.array(part, dtype=np.int64) for part in found["parts"]]
    found["terms"] = np.array(found["terms"])
    return CrossFit(**found)


def target_estimates(
    model: Model,
    labeled: Any = None,
    y: Any = None,
    spectral_transform: Any = None,
    *,
    ridge: float | None = None,
    beta: float | None = None,
    fit_intercept: bool | None = None,
    values: Any = None,
    residuals: Any = None,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> TargetEstimates:
    """Estimate ε and B of ass:target, σ and L of ass:moment from a fit, every label left out once.

    Parameters
    ----------
    model, labeled, y, spectral_transform, ridge, beta, fit_intercept, random_state, n_jobs
        As in :func:`cross_fit`.
    values, residuals : array, optional
        f̂ at the samples and residuals of labels that it did not see, with ``spectral_transform``:
        those of any other fit, instead of ``labeled`` and ``y``.

    Returns
    -------
    TargetEstimates
    """
    spec = new_specification(random_state, n_jobs, None)
    if (values is None) != (residuals is None):
        raise ValueError("give both values and residuals, or neither")
    if values is not None:
        if any(one is not None for one in (labeled, y, ridge, beta, fit_intercept)):
            raise ValueError("values and residuals replace labeled, y and the ridge; omit these")
        worst, outputs, count = _core.target_estimates(
            core_gram(model),
            core_transform(spectral_transform, model),
            columns("values", values),
            columns("residuals", residuals),
            spec,
        )
    else:
        fit = given_fit(model, labeled, y, spectral_transform, ridge, beta, fit_intercept)
        worst, outputs, count = _core.target_estimates_of_fit(
            core_gram(model),
            fit.labeled,
            fit.y,
            fit.transform,
            fit.ridge,
            fit.beta,
            fit.constant,
            spec,
        )
    each = tuple(TargetEstimate(**one) for one in outputs)
    return TargetEstimates(TargetEstimate(**worst), each, count)
