"""Sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._labels import plain_array
from ._specification import OTHER_KERNELS
from ._samples import is_operator
from ._types import Array


def check_weights(sample_weight: Any, n_samples: int) -> Array:
    """Return a weight of 0 or more per sample; a number, or None for 1, applies to all."""
    weights = plain_array("sample_weight", 1.0 if sample_weight is None else sample_weight)
    if weights.dtype.kind not in "fiubO":
        raise ValueError(f"sample_weight is an array of {weights.dtype}; expected numbers")
    try:
        weights = weights.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight has non-numeric values; expected numbers") from None
    if weights.ndim == 0:
        weights = np.full(n_samples, weights)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; expected {(n_samples,)}, one weight per "
            "sample"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"sample_weight[{i}] is {weights[i]}; expected a finite number >= 0")
    if np.count_nonzero(weights) < 2:
        raise ValueError(
            f"sample_weight: {np.count_nonzero(weights)} weights are positive; expected two or more"
        )
    return weights


def part_of(X: Any, kernel: Any, rows: Array, columns: Array) -> Any:
    """Return some rows of X, and some columns if X describes pairs of samples."""
    if is_operator(X):
        raise ValueError(
            f"sample_weight[{int(np.argmin(columns))}] is 0, but a LinearOperator cannot be "
            "sliced: build it without such samples, or give every sample a positive weight"
        )
    return X[rows][:, columns] if kernel in OTHER_KERNELS else X[rows]
