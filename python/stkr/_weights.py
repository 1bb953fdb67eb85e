"""Samples that do not count alike."""

from __future__ import annotations

import numpy as np

from ._labels import plain_array
from ._recipe import OTHER_KERNELS
from ._samples import is_operator


def check_weights(sample_weight, n_samples: int) -> np.ndarray:
    """A weight of 0 or more for each sample; one number, or None, counts for all."""
    weights = plain_array("sample_weight", 1.0 if sample_weight is None else sample_weight)
    if weights.dtype.kind not in "fiubO":
        raise ValueError(f"sample_weight is an array of {weights.dtype}; expected numbers")
    try:
        weights = weights.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight holds what is no number; expected numbers") from None
    if weights.ndim == 0:
        weights = np.full(n_samples, weights)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has the shape {weights.shape}; expected {(n_samples,)}, one for each "
            "sample, in one dimension"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"sample_weight[{i}] is {weights[i]}; expected 0 or more, and finite")
    if np.count_nonzero(weights) < 2:
        raise ValueError(
            f"sample_weight: {np.count_nonzero(weights)} samples count; expected two or more"
        )
    return weights


def part_of(X, kernel, rows: np.ndarray, columns: np.ndarray):
    """Some samples; where X is about pairs of them, beside which others."""
    if is_operator(X):
        raise ValueError(
            f"sample_weight[{int(np.argmin(columns))}] is 0, but a LinearOperator cannot be cut: "
            "leave such samples out of it, or give all a weight above 0"
        )
    return X[rows][:, columns] if kernel in OTHER_KERNELS else X[rows]
