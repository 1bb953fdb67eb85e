"""y with unlabelled samples in it, as the library takes it."""

from __future__ import annotations

import numbers
import warnings

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def labeled_mask(labeled, n_samples: int) -> np.ndarray:
    """A mask or indices as a mask."""
    given = np.asarray(labeled)
    if given.dtype == bool:
        if given.shape != (n_samples,):
            raise ValueError(
                f"labeled: a mask of shape {given.shape} for {n_samples} samples; expected one "
                "value for each"
            )
        return given
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(
            f"labeled: got an array of {given.dtype} with {given.ndim} dimensions; expected a "
            "mask of booleans or a list of indices"
        )
    if given.size and (given.min() < 0 or given.max() >= n_samples):
        raise ValueError(
            f"labeled: index {given.min() if given.min() < 0 else given.max()} is out of range; "
            f"there are {n_samples} samples, counted from 0"
        )
    mask = np.zeros(n_samples, dtype=bool)
    mask[given.astype(np.int64)] = True
    return mask


def _is_missing(value) -> bool:
    if value is None or (isinstance(value, str) and value == ""):
        return True
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return value == -1 or value != value
    return False


def _missing_classes(y: np.ndarray) -> np.ndarray:
    """Which entries of y stand for an unknown class."""
    if y.dtype.kind == "O":
        return np.array([_is_missing(value) for value in y], dtype=bool)
    if y.dtype.kind in "US":
        return y == y.dtype.type("")
    if y.dtype.kind == "f":
        return np.isnan(y) | (y == -1)
    if y.dtype.kind == "i":
        return y == -1
    return np.zeros(len(y), dtype=bool)


def _is_plus_minus_one(y: np.ndarray) -> bool:
    """The two classes of support vector machines: one class and unlabelled samples could not be
    learned from anyway."""
    return y.dtype.kind in "if" and len(y) > 0 and set(np.unique(y).tolist()) == {-1, 1}


def _check_length(y: np.ndarray, n_samples: int) -> None:
    if len(y) != n_samples:
        raise ValueError(
            f"y has {len(y)} entries for {n_samples} samples; expected one for each, with the "
            "unlabelled ones marked"
        )


def encode_classes(y, labeled, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes and the code of each sample's, -1 where it is unlabelled."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give the classes, with -1 for "
            "unlabelled samples"
        )
    y = column_or_1d(np.asarray(y), warn=True)
    _check_length(y, n_samples)
    known = labeled_mask(labeled, n_samples) if labeled is not None else ~_missing_classes(y)
    if labeled is None and _is_plus_minus_one(y):
        warnings.warn(
            "y holds only -1 and 1: they are taken for two classes, and every sample for labelled; "
            "say which are with labeled, if -1 was meant to be unlabelled",
            UserWarning,
            stacklevel=4,
        )
        known[:] = True
    if not known.any():
        raise ValueError(
            "no sample is labelled: give y the classes of at least a few (-1, NaN, None or '' "
            "mean unlabelled), or list them in labeled"
        )
    seen = y[known]
    if seen.dtype.kind == "O":
        kinds = {str if isinstance(value, str) else float for value in seen}
        if len(kinds) > 1:
            raise TypeError(
                "y mixes texts and numbers; give all classes as texts, or all as numbers"
            )
        seen = np.array(seen.tolist())
    if seen.dtype.kind == "f" and not np.isfinite(seen).all():
        raise ValueError("y contains NaN or infinity among its labelled samples")
    check_classification_targets(seen)
    classes, codes = np.unique(seen, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"all {len(seen)} labelled samples are of class {classes[0]!r}; expected at least two "
            "classes"
        )
    result = np.full(n_samples, -1, dtype=np.int32)
    result[known] = codes
    return classes, result


def encode_targets(y, labeled, n_samples: int) -> np.ndarray:
    """Targets in two dimensions, rows of NaN where a sample is unlabelled."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give the numbers to predict, with "
            "NaN for unlabelled samples"
        )
    y = np.asarray(y)
    if y.dtype.kind not in "fiub":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y is an array of {y.dtype}; expected numbers, with NaN for unlabelled samples"
            ) from None
    if y.ndim == 1:
        y = y[:, np.newaxis]
    if y.ndim != 2:
        raise ValueError(f"y has {y.ndim} dimensions; expected one, or two for several targets")
    _check_length(y, n_samples)
    y = np.array(y, dtype=np.float64, order="C")
    if np.isinf(y).any():
        raise ValueError("y contains infinity; expected finite numbers, or NaN for unlabelled")
    if labeled is not None:
        known = labeled_mask(labeled, n_samples)
        if np.isnan(y[known]).any():
            raise ValueError("y contains NaN among the samples that labeled lists")
        y[~known] = np.nan
    missing = np.isnan(y)
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if partly.any():
        raise ValueError(
            f"y has NaN in some targets of sample {int(np.argmax(partly))} only; a sample is "
            "labelled in all of them or in none"
        )
    if missing.all():
        raise ValueError(
            "no sample is labelled: give y numbers for at least a few (NaN means unlabelled)"
        )
    return y


def class_names(classes: np.ndarray) -> list[str]:
    """As they are written to files: whole numbers without a point."""
    if classes.dtype.kind == "f":
        whole = classes == np.round(classes)
        return [str(int(c)) if w else repr(float(c)) for c, w in zip(classes, whole)]
    return [c.decode() if isinstance(c, bytes) else str(c) for c in classes.tolist()]


def classes_from_names(names: list[str]) -> np.ndarray:
    """The other direction, for models from files."""
    try:
        numbers_ = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    return np.array(numbers_) if [str(n) for n in numbers_] == list(names) else np.array(names)
