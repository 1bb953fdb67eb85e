"""The solvers of the estimators, for given right-hand sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._checks import check_choice, check_count, check_flag, check_number, check_positive
from ._labels import plain_array
from ._specification import new_specification, set_ridge, set_transform, solver_name
from ._renamed import renamed_parameter
from ._summary import Summary
from ._transform_parameter import Transform, as_transform
from ._types import Array
from .exceptions import warn_unless_converged
from .gram import Gram, _indices

__all__ = ["Eigenpairs", "Solution", "eigenpairs", "solve"]

_METHODS = ("stkr", "kernel_pca", "kernel_ridge", "label_propagation")


@dataclass(frozen=True)
class Solution:
    """Result of :func:`solve`.

    Attributes
    ----------
    alpha : ndarray of shape (n_labeled, n_outputs)
        α̂ of the ridge system; empty for methods that have none.
    coefficients : ndarray of shape (n_samples, n_outputs)
        c in f(x) = Σ_i K(x, x_i) c_i for new samples x.
    fitted : ndarray of shape (n_samples, n_outputs)
        f̂ at the samples.
    summary : Summary
    """

    alpha: Array
    coefficients: Array
    fitted: Array
    summary: Summary


@dataclass(frozen=True)
class Eigenpairs:
    """Result of :func:`eigenpairs`.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Decreasing, by algebraic value.
    vectors : ndarray of shape (n_samples, k)
        Orthonormal columns.
    residuals : ndarray of shape (k,)
        ‖S u - λ u‖ relative to the largest |λ|.
    summary : dict
    """

    values: Array
    vectors: Array
    residuals: Array
    summary: dict[str, Any]


def _check_gram(gram: Gram) -> "_core.Gram":
    if not isinstance(gram, Gram):
        raise TypeError(
            f"gram is a {type(gram).__name__}; expected a Gram (stkr.gram.operator makes one from "
            "a LinearOperator)"
        )
    return gram._gram


def _right_hand_sides(y: Any) -> Array:
    """Return y with one column per right-hand side."""
    y = plain_array("y", y)
    if y.ndim not in (1, 2) or y.dtype.kind not in "fiub":
        raise ValueError(
            f"y is an array of {y.dtype} with {y.ndim} dimensions; expected real numbers in one "
            "dimension, or two for several right-hand sides"
        )
    return np.ascontiguousarray(y[:, np.newaxis] if y.ndim == 1 else y, dtype=np.float64)


@renamed_parameter("transform", "spectral_transform")
def solve(
    gram: Gram,
    labeled: Any,
    y: Any,
    *,
    method: str = "stkr",
    spectral_transform: Transform = "auto",
    eta: float | None = None,
    power: float | None = None,
    time: float | None = None,
    n_components: int | None = None,
    ridge: float | None = None,
    beta: float | None = None,
    n_steps: int | None = None,
    step_size: float = 0.0,
    literal_top_d: bool = False,
    solver: str = "auto",
    tol: float = 1e-8,
    max_iter: int = 1000,
    random_state: Any = 1,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Solution:
    """Solve (N·Eᵀ S g(S) E + nβ I) α = y and compute c = q(S) E α, with s(λ) = λ·g(λ).

    q = g, except for lazy walks: there s(λ) = s(½) + (λ - ½) q(λ), since a new sample has no edge
    to itself.

    Parameters
    ----------
    gram : Gram
    labeled : array of int
        Indices of the n samples of y.
    y : array of shape (n_labeled,) or (n_labeled, n_outputs)
        Right-hand sides, used unchanged: no intercept is fitted.
    method : str, default="stkr"
        ``stkr``, ``kernel_pca`` (with ``n_components``), ``kernel_ridge`` or
        ``label_propagation`` (with ``eta`` and ``n_steps``).
    spectral_transform, eta, power, time, n_components, ridge, beta, solver, tol, max_iter, random_state, \
n_jobs, device
        As in :class:`stkr.STKRClassifier`.
    n_steps : int, default=None
        Steps of label propagation; None: until convergence.
    step_size : float, default=0
        γ of ``richardson``; 0: from a bound on the spectrum.
    literal_top_d : bool, default=False
        For ``truncation`` and ``kernel_pca``: use exactly the d leading eigenvectors of all
        samples, as in the definition. Otherwise use those of components that a label reaches, and
        all of equal eigenvalues, so that the result does not depend on the seed.

    Returns
    -------
    Solution

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> g = stkr.gram.points(np.array([[0.0], [1.0], [4.0]]), length_scale=1.0)
    >>> found = stkr.solve(g, [0, 2], [1.0, -1.0], spectral_transform="power")
    >>> found.coefficients.shape, bool(found.fitted[1, 0] > 0)
    ((3, 1), True)
    """
    core = _check_gram(gram)
    check_choice("method", method, _METHODS)
    spec = new_specification(random_state, n_jobs, None, device)
    spec.method = method.replace("_", "-")
    spec.solver = solver_name(solver)
    set_ridge(spec, ridge, beta)
    tol, max_iter = check_positive("tol", tol), check_count("max_iter", max_iter)
    if method != "kernel_pca":
        spec.tolerance, spec.max_iterations = tol, max_iter
    if check_number("step_size", step_size) != 0:
        spec.step_size = step_size
    spec.literal_top_d = check_flag("literal_top_d", literal_top_d)
    if n_steps is not None:
        spec.iterations = check_count("n_steps", n_steps)
    dimension = None if n_components is None else check_count("n_components", n_components)
    eta = None if eta is None else check_positive("eta", eta)
    if method != "stkr":
        spec.dimension, spec.eta = dimension, eta
    else:
        chosen = as_transform(
            spectral_transform, eta=eta, power=power, time=time, n_components=n_components
        )
        set_transform(spec, chosen)
    alpha, coefficients, fitted, summary, choices = core.solve(
        _indices(labeled), _right_hand_sides(y), spec
    )
    warn_unless_converged(summary, stacklevel=2)
    return Solution(alpha, coefficients, fitted, Summary({**summary, "choices": choices}))


def eigenpairs(
    gram: Gram,
    k: int,
    *,
    tol: float = 1e-9,
    max_iter: int = 6,
    random_state: Any = 1,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Eigenpairs:
    """Compute the k largest eigenvalues of S and their eigenvectors.

    Parameters
    ----------
    gram : Gram
    k : int
    tol : float, default=1e-9
        Tolerance on the residual, relative to the largest eigenvalue.
    max_iter : int, default=6
        Number of attempts, each with a better filter.
    random_state : int, default=1
    n_jobs : int, default=None
    device : str or None, default=None

    Returns
    -------
    Eigenpairs

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> pairs = stkr.eigenpairs(stkr.gram.precomputed(np.diag([3.0, 1.0, 2.0])), 2)
    >>> pairs.values
    array([1.        , 0.66666667])
    """
    spec = new_specification(random_state, n_jobs, None, device)
    core = _check_gram(gram)
    if check_count("k", k) > len(core):
        raise ValueError(f"k={k} for a gram of {len(core)} samples; expected at most {len(core)}")
    values, vectors, residuals, summary = core.eigenpairs(
        k,
        check_positive("tol", tol),
        check_count("max_iter", max_iter),
        spec,
    )
    warn_unless_converged(summary, stacklevel=2)
    return Eigenpairs(values, vectors, residuals, summary)
