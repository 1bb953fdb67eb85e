"""Conversion of y, with unlabeled samples, to the library's form."""

from __future__ import annotations

import numbers
import warnings

import numpy as np
import scipy.sparse
from sklearn.utils import column_or_1d


def plain_array(name: str, values) -> np.ndarray:
    """Return `values` as an array; refuse masked, sparse and ragged values."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array with {np.ma.count_masked(values)} masked values; expected "
            "a plain array: fill them with .filled(...), or remove them"
        )
    if scipy.sparse.issparse(values):
        raise TypeError(f"{name} is a sparse matrix; expected an array: use {name}.toarray()")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has entries of different lengths; expected an array") from None


def labeled_mask(labeled, n_samples: int) -> np.ndarray:
    """Convert a mask or indices to a mask."""
    given = plain_array("labeled", labeled)
    if given.dtype == bool:
        if given.shape != (n_samples,):
            raise ValueError(
                f"labeled: a mask of shape {given.shape} for {n_samples} samples; expected one "
                "value per sample"
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
            f"expected 0 to {n_samples - 1}"
        )
    times = np.bincount(given.astype(np.int64), minlength=n_samples)
    if (times > 1).any():
        raise ValueError(
            f"labeled: index {int(np.argmax(times > 1))} is listed {times.max()} times; expected "
            "every index once. If this is a mask, pass labeled.astype(bool)"
        )
    return times > 0


def _is_missing(value) -> bool:
    if value is None or (isinstance(value, str) and value == ""):
        return True
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return value == -1 or value != value
    return False


def _missing_classes(y: np.ndarray) -> np.ndarray:
    """Return a mask of the entries of y that mean unlabeled."""
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
    """Whether y has only the classes -1 and 1, as for support vector machines.

    If -1 meant unlabeled, only one class would be left, which cannot be learned.
    """
    return y.dtype.kind in "if" and len(y) > 0 and set(np.unique(y).tolist()) == {-1, 1}


def _check_length(y: np.ndarray, n_samples: int) -> None:
    if len(y) != n_samples:
        raise ValueError(
            f"y has {len(y)} entries for {n_samples} samples; expected one per sample, with "
            "unlabeled samples marked"
        )


def encode_classes(y, labeled, n_samples: int, counted=None) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes and each sample's code, -1 if it is unlabeled or not ``counted``."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give the classes, with -1 for "
            "unlabeled samples"
        )
    y = plain_array("y", y)
    if y.dtype.kind not in "biufUSO":
        raise ValueError(
            f"y is an array of {y.dtype}; expected integers or strings as classes"
        )
    y = column_or_1d(y, warn=True)
    _check_length(y, n_samples)
    known = labeled_mask(labeled, n_samples) if labeled is not None else ~_missing_classes(y)
    if labeled is None and _is_plus_minus_one(y):
        warnings.warn(
            "y holds only -1 and 1: treating them as two classes, and every sample as labeled; if "
            "-1 means unlabeled, pass the labeled samples in labeled",
            UserWarning,
            stacklevel=4,
        )
        known[:] = True
    if counted is not None:
        known = known & counted
    if not known.any():
        raise ValueError(
            "no sample is labeled: set the classes of at least a few in y (-1, NaN, None and '' "
            "mean unlabeled), or list them in labeled"
        )
    seen = y[known]
    if seen.dtype.kind == "O":
        kinds = {str if isinstance(value, str) else float for value in seen}
        if len(kinds) > 1:
            raise TypeError(
                "y mixes strings and numbers; expected only strings or only numbers as classes"
            )
        seen = plain_array("y", seen.tolist())
    if seen.ndim != 1 or seen.dtype.kind == "O":
        raise ValueError(
            f"y holds {type(y[known][0]).__name__} objects; expected integers or strings as "
            "classes"
        )
    if seen.dtype.kind == "f" and not np.isfinite(seen).all():
        i = np.flatnonzero(known)[~np.isfinite(seen)][0]
        raise ValueError(
            f"y contains NaN or infinity among its labeled samples: y[{i}] is {y[i]}; give its "
            "class, or leave it out of labeled"
        )
    if seen.dtype.kind == "f" and (seen != np.round(seen)).any():
        raise ValueError(
            f"Unknown label type: y holds {seen[seen != np.round(seen)][0]}; expected integers "
            "or strings as classes. For regression targets, use a regressor"
        )
    classes, codes = np.unique(seen, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"all {len(seen)} labeled samples are of class {classes[0]!r}; expected at least two "
            "classes"
        )
    result = np.full(n_samples, -1, dtype=np.int32)
    result[known] = codes
    return classes, result


def encode_targets(y, labeled, n_samples: int, counted=None) -> np.ndarray:
    """Return targets in two dimensions; rows of unlabeled or not ``counted`` samples are NaN."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give the regression targets, with "
            "NaN for unlabeled samples"
        )
    y = plain_array("y", y)
    if y.dtype.kind not in "fiub":
        try:
            if y.dtype.kind != "O":
                raise TypeError
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y is an array of {y.dtype}; expected numbers, with NaN for unlabeled samples"
            ) from None
    if y.ndim == 1:
        y = y[:, np.newaxis]
    if y.ndim != 2:
        raise ValueError(f"y has {y.ndim} dimensions; expected one, or two for several targets")
    _check_length(y, n_samples)
    y = np.array(y, dtype=np.float64, order="C")
    if labeled is not None:
        known = labeled_mask(labeled, n_samples)
        unknown = known & np.isnan(y).any(axis=1)
        if unknown.any():
            raise ValueError(
                f"y contains NaN among the samples that labeled lists: sample "
                f"{int(np.argmax(unknown))}; give its target, or leave it out of labeled"
            )
        y[~known] = np.nan
    if counted is not None:
        y[~counted] = np.nan
    infinite = np.isinf(y).any(axis=1)
    if infinite.any():
        raise ValueError(
            f"y contains infinity: sample {int(np.argmax(infinite))}; expected finite numbers, or "
            "NaN for unlabeled samples"
        )
    missing = np.isnan(y)
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if partly.any():
        raise ValueError(
            f"y has NaN in only some targets of sample {int(np.argmax(partly))}; mark an unlabeled "
            "sample by NaN in every target"
        )
    if missing.all():
        raise ValueError(
            "no sample is labeled: set the targets of at least a few in y (NaN means unlabeled)"
        )
    return y


def class_names(classes: np.ndarray) -> list[str]:
    """Return the class names for files: integers without a decimal point."""
    if classes.dtype.kind == "f":
        whole = classes == np.round(classes)
        return [str(int(c)) if w else repr(float(c)) for c, w in zip(classes, whole)]
    return [c.decode() if isinstance(c, bytes) else str(c) for c in classes.tolist()]


def classes_from_names(names: list[str], boolean: bool = False) -> np.ndarray:
    """Convert the class names of a model file to classes."""
    if boolean:
        return np.array([name == "True" for name in names])
    try:
        numbers_ = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    return np.array(numbers_) if [str(n) for n in numbers_] == list(names) else np.array(names)
