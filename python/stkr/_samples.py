"""Checks and conversion of X: points, a graph, a kernel matrix or an operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator
from sklearn.utils import check_array

from . import _core
from ._labels import masked_count
from ._types import Array

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # scikit-learn < 1.6

    def _validate_data(estimator: Any, X: Any, **options: Any) -> Any:
        return estimator._validate_data(X, **options)


_FLOATS = (np.float64, np.float32)


def is_operator(X: Any) -> bool:
    return isinstance(X, LinearOperator)


def _check_kind(X: Any, kernel: Any) -> None:
    """Refuse dense X for kernel 'graph', and sparse X for kernel 'precomputed'."""
    sparse = scipy.sparse.issparse(X)
    if kernel == "graph" and not sparse:
        shape = getattr(X, "shape", None)
        if shape is None or len(shape) != 2:
            X = np.asarray(X)
            shape = X.shape
        raise ValueError(
            "kernel='graph' takes a SciPy sparse matrix of edge weights, but X is dense "
            f"({' x '.join(str(n) for n in shape)}): wrap it in scipy.sparse.csr_matrix, or use "
            "kernel='knn' to build a graph from points"
        )
    if kernel == "precomputed" and sparse:
        raise TypeError(
            "A sparse matrix was passed, but dense data is required for kernel='precomputed': use "
            "X.toarray(), or kernel='graph' if it is an adjacency matrix"
        )


def _check_content(X: Any, kernel: Any) -> None:
    """Refuse masked, complex and non-numeric arrays, which NumPy might convert silently."""
    masked = masked_count(X)
    if masked:
        raise ValueError(
            f"X is a masked array with {masked} masked values; expected a plain "
            "array: fill them with X.filled(...), or remove their rows"
        )
    kind = getattr(getattr(X, "dtype", None), "kind", "f")
    if kind == "c":
        raise ValueError(
            f"Complex data not supported: X is an array of {X.dtype}; expected real numbers"
        )
    if kind not in "fiubO":
        raise ValueError(f"X is an array of {X.dtype}; expected numbers")
    if scipy.sparse.issparse(X):
        _check_places(X)


def _check_places(X: Any) -> None:
    """Refuse indices that are out of range, on which SciPy's conversion to CSR would crash.

    The library checks the indices of CSR matrices.
    """
    try:
        if X.format in ("csc", "bsr"):
            X.check_format(full_check=True)
        elif X.format == "coo" and X.nnz:
            for name, places, count in (("row", X.row, X.shape[0]), ("column", X.col, X.shape[1])):
                if places.min() < 0 or places.max() >= count:
                    wrong = places.min() if places.min() < 0 else places.max()
                    raise ValueError(f"{name} index {wrong} is out of range for {count} {name}s")
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"X is a damaged {X.format} matrix: {error}; rebuild it with scipy.sparse.csr_matrix"
        ) from None


def _first_bad(X: Any) -> Any:
    """Return position and value of the first entry of X that is not finite, or None."""
    if scipy.sparse.issparse(X):
        if X.format not in ("csr", "coo") or X.data.dtype.kind != "f":
            return None
        bad = np.flatnonzero(~np.isfinite(X.data))
        if not len(bad):
            return None
        k = bad[0]
        row = X.row[k] if X.format == "coo" else np.searchsorted(X.indptr, k, "right") - 1
        return f"X[{row}, {(X.col if X.format == 'coo' else X.indices)[k]}]", X.data[k]
    try:
        values = np.asarray(X)
    except ValueError:  # rows of different lengths
        return None
    if values.ndim != 2:
        return None
    if values.dtype.kind in "fiub":
        place: Any = next(iter(np.argwhere(~np.isfinite(values)).tolist()), None)
    else:
        places = ((i, j) for i, row in enumerate(values) for j in range(len(row)))
        place = next((at for at in places if not _is_finite(values[at])), None)
    return None if place is None else (f"X[{place[0]}, {place[1]}]", values[tuple(place)])


def _is_finite(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False


def _validated(X: Any, estimator: Any, reset: Any, options: Any) -> Any:
    """Run scikit-learn's checks; add the position of a bad value to their messages."""
    try:
        if estimator is None:
            return check_array(X, input_name="X", **options)
        return _validate_data(estimator, X, reset=reset, **options)
    except (TypeError, ValueError) as error:
        bad = _first_bad(X)
        if bad is None:
            raise
        place, value = bad
        first = str(error).splitlines()[0].rstrip(".")
        advice = "replace it, or remove its row"
        if isinstance(value, str):
            advice = (
                "encode text as numbers, for example with sklearn.preprocessing.OneHotEncoder, or "
                "leave its column out"
            )
        raise type(error)(
            f"{first}: {place} is {value!r}; expected a finite number: {advice}"
        ) from None


def check_samples(X: Any, kernel: Any, estimator: Any = None, reset: Any = True) -> Any:
    """Return X as a C-contiguous float32 or float64 array, or as CSR. Copies only if needed."""
    if is_operator(X):
        return _check_operator(X, kernel, estimator, reset)
    _check_kind(X, kernel)
    _check_content(X, kernel)
    options: dict[str, Any] = {"dtype": _FLOATS, "order": "C"}
    if scipy.sparse.issparse(X):
        options = {"dtype": _FLOATS, "accept_sparse": "csr", "accept_large_sparse": True}
    return _validated(X, estimator, reset, options)


def _check_operator(X: Any, kernel: Any, estimator: Any, reset: Any) -> Any:
    if kernel != "precomputed":
        raise ValueError("a LinearOperator is a kernel itself: use kernel='precomputed'")
    if not reset:
        raise TypeError(
            "X is a LinearOperator, which cannot describe new samples; expected an array of K "
            "between new samples (rows) and known samples (columns)"
        )
    if estimator is not None:
        estimator.n_features_in_ = X.shape[1]
    return X


def check_symmetric(K: Any) -> None:
    """Check with two random vectors that an operator is real, finite and symmetric."""
    if np.dtype(K.dtype).kind == "c":
        raise ValueError(f"operator: dtype is {K.dtype}; expected real numbers")
    x, y = np.random.default_rng(0).standard_normal((2, K.shape[0]))
    image = np.asarray(K.matmat(np.stack([x, y], axis=1)))
    if image.shape != (K.shape[0], 2):
        raise ValueError(
            f"operator: matmat returned an array of shape {image.shape} for one of shape "
            f"{(K.shape[0], 2)}; expected the same shape"
        )
    if not np.isfinite(image).all():
        raise ValueError("operator: matmat returned values that are not finite")
    left, right = y @ image[:, 0], x @ image[:, 1]
    scale = np.linalg.norm(y) * np.linalg.norm(image[:, 0])
    rounding = 1e-8 if K.dtype == image.dtype == np.float64 else 1e-4
    if not abs(left - right) <= rounding * scale:
        raise ValueError(
            f"operator is not symmetric: <y, Kx> = {left:.6g} but <x, Ky> = {right:.6g} for "
            "random x and y"
        )


def check_square(X: Any, kernel: Any) -> None:
    if kernel in ("graph", "precomputed") and X.shape[0] != X.shape[1]:
        what = "an adjacency matrix" if kernel == "graph" else "a kernel matrix"
        raise ValueError(
            f"kernel={kernel!r}: X is {X.shape[0]} x {X.shape[1]}; expected {what} of all samples "
            "(should be a square matrix)"
        )


def check_columns(X: Any, kernel: Any, n_known: int) -> None:
    """Check the columns of new samples that are given as edges or kernel rows."""
    shape: Any = getattr(X, "shape", ())
    if kernel in ("graph", "precomputed") and len(shape) == 2 and shape[1] != n_known:
        what = "the edges between" if kernel == "graph" else "the kernel between"
        raise ValueError(
            f"X has {shape[1]} columns, but the model has {n_known} samples: give {what} new "
            "samples (rows) and all known samples (columns)"
        )


def kernel_matrix(kernel: Any, X: Any, Y: Any) -> Any:
    """Return kernel(X, Y) after checking its type, shape and values."""
    values = kernel(X, Y)
    try:
        if np.asarray(values).dtype.kind not in "fiubO" or masked_count(values):
            raise TypeError
        values = np.asarray(values, dtype=np.result_type(X.dtype, np.float32), order="C")
    except (TypeError, ValueError):
        kind = f" of {values.dtype}" if hasattr(values, "dtype") else ""
        raise ValueError(
            f"the kernel function returned a {type(values).__name__}{kind}; expected an array of "
            "real numbers"
        ) from None
    if values.shape != (X.shape[0], Y.shape[0]):
        raise ValueError(
            f"the kernel function returned an array of shape {values.shape}; expected "
            f"{(X.shape[0], Y.shape[0])}: one row per row of its first argument, one column per row of "
            "the second"
        )
    finite = np.isfinite(values)
    if not finite.all():
        i, j = np.argwhere(~finite)[0]
        raise ValueError(
            f"the kernel function returned values that are not finite: {values[i, j]} for row {i} "
            f"of its first argument and row {j} of the second"
        )
    return values


def _plain(values: Array) -> Array:
    """Return `values` as a C-contiguous, aligned array. Copies only if needed."""
    return np.require(values, requirements=["C_CONTIGUOUS", "ALIGNED"])


def _csr_arrays(X: Any) -> tuple[Array, Array, Array]:
    """Return indptr, indices and data as contiguous arrays of 32 or 64 bits."""
    places = []
    for name, values in (("indptr", X.indptr), ("indices", X.indices)):
        values = _plain(values)
        if values.dtype.kind not in "iu":
            raise ValueError(
                f"X.{name} is an array of {values.dtype}; expected integers: rebuild X with "
                "scipy.sparse.csr_matrix"
            )
        plain = values.dtype in (np.int32, np.int64)
        places.append(values if plain else values.astype(np.int64))
    return places[0], places[1], _plain(X.data)


def check_features(features: Any, n_nodes: int, n_columns: int | None = None) -> Any:
    """Return node features as a C-contiguous float array or as CSR, one row per node."""
    _check_content(features, "graph" if scipy.sparse.issparse(features) else None)
    try:
        features = check_array(
            features,
            input_name="features",
            dtype=_FLOATS,
            order="C",
            accept_sparse="csr",
            accept_large_sparse=True,
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f"features: {error}") from None
    if features.shape[0] != n_nodes:
        raise ValueError(
            f"features has {features.shape[0]} rows for {n_nodes} nodes; expected one row per "
            "node, in the same order"
        )
    if n_columns is not None and features.shape[1] != n_columns:
        raise ValueError(
            f"features has {features.shape[1]} columns, but the model was fitted with {n_columns}; "
            "expected the same features"
        )
    return features


def set_features(samples: "_core.Samples", features: Any) -> None:
    """Add node features, which check_features returned, to a graph."""
    if scipy.sparse.issparse(features):
        samples.set_sparse_features(*_csr_arrays(features), *features.shape)
    else:
        samples.set_features(_plain(features))


def _rows(X: Any) -> "_core.NewSamples":
    if scipy.sparse.issparse(X):
        return _core.NewSamples.sparse(*_csr_arrays(X), *X.shape)
    return _core.NewSamples.dense(_plain(X))


def new_nodes(edges: Any, features: Any, kinds: Any) -> "_core.NewSamples":
    """Convert edges and features of new nodes to the parts of a model of these kinds."""
    edges, own = _rows(edges), _rows(features)
    forms = {"graph": edges, "points": own, "nodes": _core.NewSamples.parts([edges, own])}
    parts: list[_core.NewSamples] = [forms[kind] for kind in kinds]
    return parts[0] if len(parts) == 1 else _core.NewSamples.parts(parts)


def known_samples(X: Any, kernel: Any, feature_names: Any = (), symmetrize: bool = False) -> "_core.Samples":
    """Convert X, which check_samples returned, for a fit."""
    if is_operator(X):
        check_symmetric(X)
        return _core.Samples.operator(X, X.shape[0])
    if kernel == "graph":
        return _core.Samples.graph(*_csr_arrays(X), X.shape[0], X.shape[1], symmetrize)
    if kernel == "precomputed":
        return _core.Samples.kernel(_plain(X))
    if callable(kernel):
        return _core.Samples.kernel(_plain(kernel_matrix(kernel, X, X)))
    names = [str(name) for name in feature_names]
    if scipy.sparse.issparse(X):
        return _core.Samples.sparse_points(*_csr_arrays(X), X.shape[0], X.shape[1], names)
    return _core.Samples.points(_plain(X), names)


def new_samples(X: Any, kernel: Any, X_fit: Any = None, parts: int = 1) -> "_core.NewSamples":
    """Convert X, which check_samples returned, for predictions; `parts`: kernels in a sum."""
    if callable(kernel):
        return _core.NewSamples.dense(_plain(kernel_matrix(kernel, X, X_fit)))
    samples = _rows(X)
    return samples if parts == 1 else _core.NewSamples.parts([samples] * parts)
