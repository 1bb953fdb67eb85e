"""Conversion of y, with unlabeled samples, to the library's form."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import column_or_1d

from ._types import Array, Flags, Floats, Labels


def masked_count(values: Any) -> int:
    """Return the number of masked values of a masked array; 0 for others."""
    return int(np.sum(values.mask)) if isinstance(values, np.ma.MaskedArray) else 0


def plain_array(name: str, values: Any) -> Array:
    """Return `values` as an array; refuse masked, sparse and ragged values."""
    masked = masked_count(values)
    if masked:
        raise ValueError(
            f"{name} is a masked array with {masked} masked values; expected "
            "a plain array: fill them with .filled(...), or remove them"
        )
    if scipy.sparse.issparse(values):
        raise TypeError(f"{name} is a sparse matrix; expected an array: use {name}.toarray()")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has entries of different lengths; expected an array") from None


def labeled_mask(labeled: Any, n_samples: int) -> Flags:
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


def _is_na(value: Any) -> bool:
    """Whether it is None, NaN, or pandas' mark for a missing value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and value != value


def _is_missing(value: Any) -> bool:
    if _is_na(value) or (isinstance(value, str) and value == ""):
        return True
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return bool(value == -1)
    return False


def missing_classes(y: Array) -> Flags:
    """Return a mask of the entries of y that mean unlabeled."""
    if y.dtype.kind == "O":
        return np.array([_is_missing(value) for value in y], dtype=bool)
    if y.dtype.kind in "US":
        empty: Flags = y == y.dtype.type("")
        return empty
    if y.dtype.kind == "f":
        unknown: Flags = np.isnan(y) | (y == -1)
        return unknown
    if y.dtype.kind == "i":
        marked: Flags = y == -1
        return marked
    return np.zeros(len(y), dtype=bool)


def _is_plus_minus_one(y: Array) -> bool:
    """Whether y has only the classes -1 and 1, as for support vector machines.

    If -1 meant unlabeled, only one class would be left, which cannot be learned.
    """
    return y.dtype.kind in "if" and len(y) > 0 and set(np.unique(y).tolist()) == {-1, 1}


def _check_length(y: Array, n_samples: int) -> None:
    if len(y) != n_samples:
        raise ValueError(
            f"y has {len(y)} entries for {n_samples} samples; expected one per sample, with "
            "unlabeled samples marked"
        )


def encode_classes(
    y: Labels, labeled: Any, n_samples: int, counted: Flags | None = None
) -> tuple[Array, Array]:
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
    known = labeled_mask(labeled, n_samples) if labeled is not None else ~missing_classes(y)
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
            "no sample is labeled: set the classes of at least a few in y (-1, NaN, None, pd.NA and '' "
            "mean unlabeled), or list them in labeled"
        )
    seen = y[known]
    if seen.dtype.kind == "O":
        marked = [_is_na(value) for value in seen]
        if any(marked):  # labeled lists it
            i = int(np.flatnonzero(known)[marked.index(True)])
            raise ValueError(
                f"y contains NaN or no value among its labeled samples: y[{i}] is {y[i]}; give its "
                "class, or leave it out of labeled"
            )
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


def _numbers_with_nan(y: Array) -> Array:
    """Return an array of objects as numbers; missing values become NaN."""
    flat = [np.nan if _is_na(value) else float(value) for value in y.ravel()]
    return np.array(flat, dtype=np.float64).reshape(y.shape)


def encode_targets(
    y: Labels, labeled: Any, n_samples: int, counted: Flags | None = None
) -> Floats:
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
            y = _numbers_with_nan(y)
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
    targets: Floats = y
    return targets


def known_classes(y: Labels, n_samples: int, classes: Array) -> tuple[Array, Flags]:
    """Return the classes of the samples that have one, and a mask of these.

    -1 is a class if it is one of ``classes``.
    """
    y = column_or_1d(plain_array("y", y), warn=True)
    _check_length(y, n_samples)
    known = ~missing_classes(y)
    if -1 in classes.tolist():
        known |= np.array([value == -1 for value in y.tolist()])
    if not known.any():
        raise ValueError("y: no sample has a class to compare with; give some")
    seen: Array = y[known]
    return (np.asarray(seen.tolist()) if seen.dtype.kind == "O" else seen), known


def known_targets(y: Labels, n_samples: int) -> tuple[Floats, Flags]:
    """Return the targets of the samples that have one, and a mask of these."""
    targets = encode_targets(y, None, n_samples)
    known: Flags = ~np.isnan(targets[:, 0])
    seen = targets[known]
    return (seen[:, 0] if np.ndim(y) == 1 else seen), known


def class_names(classes: Array) -> list[str]:
    """Return the class names for files: integers without a decimal point."""
    if classes.dtype.kind == "f":
        whole = classes == np.round(classes)
        return [str(int(c)) if w else repr(float(c)) for c, w in zip(classes, whole)]
    return [c.decode() if isinstance(c, bytes) else str(c) for c in classes.tolist()]


def classes_from_names(names: list[str], boolean: bool = False) -> Array:
    """Convert the class names of a model file to classes."""
    if boolean:
        return np.array([name == "True" for name in names])
    try:
        numbers_ = [int(name) for name in names]
    except ValueError:
        return np.array(names)
    return np.array(numbers_) if [str(n) for n in numbers_] == list(names) else np.array(names)
