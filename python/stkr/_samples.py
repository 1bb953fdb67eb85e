"""X in the forms it may have: points, a graph, a kernel matrix, an operator."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator
from sklearn.utils import check_array

from . import _core

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # scikit-learn < 1.6

    def _validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)


_FLOATS = (np.float64, np.float32)


def is_operator(X) -> bool:
    return isinstance(X, LinearOperator)


def _check_kind(X, kernel) -> None:
    """Sparse where dense is meant, and the reverse."""
    sparse = scipy.sparse.issparse(X)
    if kernel == "graph" and not sparse:
        shape = getattr(X, "shape", None)
        if shape is None or len(shape) != 2:
            X = np.asarray(X)
            shape = X.shape
        raise ValueError(
            "kernel='graph' takes a SciPy sparse matrix of edge weights, but X is dense "
            f"({' x '.join(str(n) for n in shape)}): wrap it in scipy.sparse.csr_matrix, or use "
            "kernel='knn' to make a graph of points"
        )
    if kernel != "graph" and sparse:
        raise TypeError(
            f"A sparse matrix was passed, but dense data is required for kernel={kernel!r}: use "
            "X.toarray() for points, or kernel='graph' if it is an adjacency matrix"
        )


def check_samples(X, kernel, estimator=None, reset=True):
    """X as a C-contiguous array of float32 or float64, or as CSR. Not copied where it is that."""
    if is_operator(X):
        if kernel != "precomputed":
            raise ValueError("a LinearOperator is a kernel itself: use kernel='precomputed'")
        if reset and estimator is not None:
            estimator.n_features_in_ = X.shape[1]
        return X
    _check_kind(X, kernel)
    options = {"dtype": _FLOATS, "order": "C"}
    if kernel == "graph":
        options = {"dtype": _FLOATS, "accept_sparse": "csr", "accept_large_sparse": True}
    if estimator is None:
        return check_array(X, **options)
    return _validate_data(estimator, X, reset=reset, **options)


def check_square(X, kernel) -> None:
    if kernel in ("graph", "precomputed") and X.shape[0] != X.shape[1]:
        what = "an adjacency matrix" if kernel == "graph" else "a kernel matrix"
        raise ValueError(
            f"kernel={kernel!r}: X is {X.shape[0]} x {X.shape[1]}; expected {what} of all samples, "
            "which is square (should be a square matrix)"
        )


def kernel_matrix(kernel, X, Y):
    """kernel(X, Y), checked."""
    values = kernel(X, Y)
    try:
        values = np.asarray(values, dtype=np.result_type(X.dtype, np.float32), order="C")
    except (TypeError, ValueError):
        raise ValueError(
            f"the kernel function returned a {type(values).__name__}; expected an array of numbers"
        ) from None
    if values.shape != (len(X), len(Y)):
        raise ValueError(
            f"the kernel function returned an array of shape {values.shape}; expected "
            f"{(len(X), len(Y))}: a row for each of its first argument, a column for each of the "
            "second"
        )
    if not np.isfinite(values).all():
        raise ValueError("the kernel function returned values that are not finite")
    return values


def known_samples(X, kernel, feature_names=(), symmetrize=False) -> "_core.Samples":
    """What the library fits on. X went through check_samples."""
    if is_operator(X):
        return _core.Samples.operator(X, X.shape[0])
    if kernel == "graph":
        return _core.Samples.graph(X.indptr, X.indices, X.data, *X.shape, symmetrize)
    if kernel == "precomputed":
        return _core.Samples.kernel(X)
    if callable(kernel):
        return _core.Samples.kernel(kernel_matrix(kernel, X, X))
    return _core.Samples.points(X, [str(name) for name in feature_names])


def new_samples(X, kernel, X_fit=None) -> "_core.NewSamples":
    """What it predicts for."""
    if kernel == "graph":
        return _core.NewSamples.edges(X.indptr, X.indices, X.data, *X.shape)
    if callable(kernel):
        return _core.NewSamples.dense(kernel_matrix(kernel, X, X_fit))
    return _core.NewSamples.dense(X)
