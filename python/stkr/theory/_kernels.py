"""Transformed kernels and diffusion distances between samples of a fit and new ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._checks import check_count, check_positive
from .._specification import new_specification
from .._types import Floats
from ..exceptions import ConvergenceWarning
from ._grams import Model, columns, core_gram, fresh_samples, known_indices, power_or_transform


@dataclass(frozen=True, eq=False)
class TransformedKernel:
    """A transformed kernel between samples.

    Attributes
    ----------
    values : ndarray of shape (n, n)
        K_s(x, x') of the known samples, then of the new ones.
    error : float
        The largest error of s if it was approximated; 0 if it is exact.
    converged : bool
    """

    values: Floats
    error: float
    converged: bool


def transformed_kernel(
    model: Model,
    p: Any = None,
    known: Any = None,
    new: Any = None,
    *,
    among: Any = None,
    dense_below: int = 3000,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> TransformedKernel:
    """Return K̂_s (eqn:hatks-def) among samples: those of the fit, new ones, or both.

    Parameters
    ----------
    model : Gram or fitted estimator
    p : number, str, SpectralTransform or callable
        A power p > 0, or s. None: s of the fit. For p < 1, the part of K that no sample spans is
        left out, and all eigenvectors are computed.
    known : array of int, optional
        Samples of the gram.
    new : array or sparse matrix, optional
        New samples, in the form that ``predict`` takes.
    among : array of shape (n_new, n_new), optional
        K among the new samples, for kernels that do not determine it: those given by their values.
    dense_below : int, default=3000
        Up to so many samples, transforms that are not smooth use all eigenvectors.
    random_state : int, default=1
    n_jobs : int, default=None

    Returns
    -------
    TransformedKernel

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> S = stkr.gram.points(np.array([[1.0], [2.0]]), "linear")
    >>> stkr.theory.transformed_kernel(S, 2, known=[1], new=[[3.0]]).values
    array([[10. , 15. ],
           [15. , 22.5]])
    """
    spec = new_specification(random_state, n_jobs, None)
    core, s = core_gram(model), power_or_transform(p, model)
    if known is None and new is None:
        raise ValueError("no samples; give known, new or both")
    if among is not None and new is None:
        raise ValueError("among is K among new samples, but there are none; omit it")
    found = _core.transformed_kernel(
        core,
        s,
        known_indices("known", known, model),
        fresh_samples(model, new),
        None if among is None else columns("among", among),
        check_count("dense_below", dense_below),
        spec,
    )
    result = TransformedKernel(*found)
    if not result.converged:
        warnings.warn(
            f"the transform was approximated to {result.error:.2g} only; raise dense_below, or use "
            "a smoother transform",
            ConvergenceWarning,
            stacklevel=2,
        )
    return result


def diffusion_distances(
    model: Model,
    p: float = 1.0,
    known: Any = None,
    new: Any = None,
    *,
    among: Any = None,
    dense_below: int = 3000,
    random_state: Any = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Return d_{K^p}(x, x') among samples: the diffusion distance at scale p (Section 2.1).

    Parameters
    ----------
    model, known, new, among, dense_below, random_state, n_jobs
        As in :func:`transformed_kernel`.
    p : float, default=1
        The scale p > 0.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> S = stkr.gram.points(np.array([[1.0], [2.0]]), "linear")
    >>> stkr.theory.diffusion_distances(S, 1, known=[0, 1], new=[[4.0]])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    kernel = transformed_kernel(
        model,
        check_positive("p", p),
        known,
        new,
        among=among,
        dense_below=dense_below,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return _core.kernel_distances(kernel.values)
