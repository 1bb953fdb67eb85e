"""Conversion of grids and validation options to the library's form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneOut

from . import _core
from ._checks import LARGEST_COUNT, is_whole, numbers_of
from ._specification import OTHER_KERNELS, check_kernel, current_name, length_scale_of
from ._types import Array, Flags, Indices
from .metrics import LabeledKFold

FAMILIES = ("power", "inverse_laplacian", "diffusion", "kernel_pca", "label_propagation")
DEFAULT_FAMILIES = ("power", "inverse_laplacian", "kernel_pca", "label_propagation")
DEFAULT_TIMES = (0.5, 1.0, 2.0, 4.0, 8.0)


def _listed(name: str, values: Any) -> list[Any]:
    """Return a list, or a single value as a list."""
    listed = [values] if isinstance(values, str) or not np.iterable(values) else list(values)
    if not listed:
        raise ValueError(f"{name} is empty; expected at least one, or None for the default")
    return listed


def search_grid(estimator: Any) -> _core.Grid:
    """Return the grid of transforms and ridges."""
    families = DEFAULT_FAMILIES if estimator.families is None else estimator.families
    families = _listed("families", families)
    for family in families:
        if family not in FAMILIES:
            raise ValueError(f"families: {family!r}; expected some of {', '.join(FAMILIES)}")
    grid = _core.Grid()
    if estimator.powers is not None:
        grid.powers = numbers_of("powers", estimator.powers)
    if estimator.etas is not None:
        grid.etas = grid.propagation_etas = numbers_of("etas", estimator.etas)
    times = DEFAULT_TIMES if estimator.times is None else estimator.times
    grid.times = numbers_of("times", times)
    if estimator.dimensions is not None:
        grid.dimensions = numbers_of("dimensions", estimator.dimensions, int)
    if estimator.ridges is not None and estimator.betas is not None:
        raise ValueError("ridges and betas both set the ridge; give one of them")
    if estimator.ridges is not None:
        grid.ridges = numbers_of("ridges", estimator.ridges)
    if estimator.betas is not None:
        grid.betas = numbers_of("betas", estimator.betas)
    _check_applies(estimator, families)
    fields = ("powers", "etas", "times", "dimensions", "propagation_etas")
    for family, field in zip(FAMILIES, fields):
        if family not in families:
            setattr(grid, field, [])
    return grid


def _check_applies(estimator: Any, families: list[str]) -> None:
    """Refuse a list of parameters whose family is not tried."""
    users = {
        "powers": ("power",),
        "etas": ("inverse_laplacian", "label_propagation"),
        "times": ("diffusion",),
        "dimensions": ("kernel_pca",),
    }
    for name, names in users.items():
        if getattr(estimator, name) is not None and not set(names) & set(families):
            raise ValueError(
                f"{name} belongs to {' and '.join(names)}, which is not among the families; omit "
                f"{name}, or add the family"
            )


def kernel_list(kernel: Any) -> list[Any]:
    """Return a list of one kernel, or of several named point kernels."""
    kernels = list(kernel) if isinstance(kernel, (list, tuple)) else [kernel]
    if not kernels:
        raise ValueError("kernel is an empty list; expected at least one kernel")
    kernels = [current_name(one) for one in kernels]
    for one in kernels:
        check_kernel(one)
        if one == "auto":
            raise ValueError(
                "kernel='auto' is a choice of its own: use STKRClassifier or STKRRegressor, or "
                "list the kernels to try"
            )
    alone = [one for one in kernels if callable(one) or one in OTHER_KERNELS]
    if len(kernels) > 1 and alone:
        raise ValueError(
            f"kernel: {alone[0]!r} cannot be in a list; expected only named point kernels"
        )
    return kernels


_LISTED_PARAMS = ("smooth", "share")


def _listed_params(kernel_params: Any) -> dict[str, list[Any]]:
    """Return the kernel_params of which several values are given."""
    if not isinstance(kernel_params, Mapping):
        return {}
    return {
        name: _listed(f"kernel_params: {name}", kernel_params[name])
        for name in _LISTED_PARAMS
        if isinstance(kernel_params.get(name), (list, tuple, range, np.ndarray))
    }


def single_params(kernel_params: Any) -> Any:
    """Return kernel_params with the first of several values."""
    listed = _listed_params(kernel_params)
    if not listed:
        return kernel_params
    return {**kernel_params, **{name: values[0] for name, values in listed.items()}}


def kernel_grid(estimator: Any) -> _core.KernelGrid:
    """Return the grid of kernels, length scales and neighbors; a single kernel is in the spec."""
    kernels = kernel_list(estimator.kernel)
    grid = _core.KernelGrid()
    if len(kernels) > 1:
        grid.kernels = kernels
    if estimator.length_scales is not None:
        grid.length_scales = [
            length_scale_of("length_scales", value)
            for value in _listed("length_scales", estimator.length_scales)
        ]
    listed = _listed_params(estimator.kernel_params)
    if "smooth" in listed:
        grid.smoothings = numbers_of("kernel_params: smooth", listed["smooth"], int)
    if "share" in listed:
        grid.mixes = numbers_of("kernel_params: share", listed["share"])
    if "knn" in kernels:
        counts = 10 if estimator.n_neighbors is None else estimator.n_neighbors
        grid.neighbor_counts = numbers_of("n_neighbors", counts, int)
    elif estimator.n_neighbors is not None:
        raise ValueError(
            f"n_neighbors={estimator.n_neighbors!r} applies only to kernel 'knn', which is not "
            "among the kernels; omit it"
        )
    return grid


def _part(indices: Any) -> Indices:
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError
    return np.ascontiguousarray(array, dtype=np.int64)


@dataclass(frozen=True)
class Validation:
    """How points are scored: on a split, by given folds, or by a number of folds."""

    folds: int = 0  # 0: leave-one-out
    split: tuple[Indices, Indices] | None = None
    own_folds: list[tuple[Indices, Indices]] | None = None
    note: str = ""

    def n_splits(self, n_labeled: int) -> int:
        if self.split is not None:
            return 1
        return len(self.own_folds) if self.own_folds is not None else self.folds or n_labeled


_EXPECTED_CV = (
    "expected two folds or more, 'loo', a splitter of scikit-learn, a list of (train, test) pairs "
    "of index arrays, or a pair of index arrays (train, validation)"
)
DEFAULT_FOLDS = 5


def validation_of(cv: Any, X: Any, y: Array, known: Flags, groups: Any = None) -> Validation:
    """Return how to validate; y has class codes or targets, ``known`` says what is labeled."""
    n_labeled = int(np.count_nonzero(known))
    if cv is None:
        if n_labeled >= DEFAULT_FOLDS:
            return Validation(DEFAULT_FOLDS)
        return Validation(note=f"only {n_labeled} labeled samples: chosen by leave-one-out")
    if isinstance(cv, LeaveOneOut) or (isinstance(cv, str) and cv == "loo"):
        return Validation()
    if is_whole(cv) and cv >= 2:
        if cv > n_labeled:
            raise ValueError(
                f"cv={cv}: {cv} folds but only {n_labeled} labeled samples; use cv='loo' "
                "(leave-one-out), fewer folds, or label more samples"
            )
        return Validation(min(int(cv), LARGEST_COUNT))
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        return Validation(own_folds=_split_labeled(cv, X, y, known, groups))
    given = list(cv) if np.iterable(cv) and not isinstance(cv, (str, bytes, Mapping)) else [cv]
    try:
        train, validation = (_part(indices) for indices in given)
        return Validation(split=(train, validation))
    except (TypeError, ValueError):
        pass
    try:
        pairs = [(_part(train), _part(test)) for train, test in given]
    except (TypeError, ValueError):
        raise ValueError(f"cv={cv!r}; {_EXPECTED_CV}") from None
    if not pairs:
        raise ValueError(f"cv={cv!r} has no folds; {_EXPECTED_CV}")
    return Validation(own_folds=[_labeled_only(pair, known) for pair in pairs])


def _labeled_only(pair: tuple[Indices, Indices], known: Flags) -> tuple[Indices, Indices]:
    """Return a fold without unlabeled samples, which every fit sees; refuse unknown ones."""
    for part in pair:
        if part.size and (part.min() < 0 or part.max() >= len(known)):
            wrong = part.min() if part.min() < 0 else part.max()
            raise ValueError(
                f"cv contains the index {wrong}, but the data has {len(known)} samples"
            )
    train, test = (part[known[part]] for part in pair)
    return train, test


def _split_labeled(
    cv: Any, X: Any, y: Array, known: Flags, groups: Any
) -> list[tuple[Indices, Indices]]:
    """Return the folds of the labeled samples that a splitter makes, by sample."""
    labeled = np.flatnonzero(known)
    seen = y[labeled]
    if seen.ndim == 2 and seen.shape[1] == 1:
        seen = seen[:, 0]
    rows = X[labeled] if hasattr(X, "dtype") and hasattr(X, "__getitem__") else labeled[:, None]
    own = None if groups is None else np.asarray(groups)[labeled]
    if isinstance(cv, LabeledKFold):
        rows, seen = X, np.where(known, y, -1) if y.ndim == 1 else y
        labeled = np.arange(len(known))
    folds = []
    for train, test in cv.split(rows, seen, own):
        folds.append(_labeled_only((labeled[_part(train)], labeled[_part(test)]), known))
    if not folds:
        raise ValueError(f"cv={cv!r} makes no folds")
    return folds


def class_mass_of(value: Any) -> str:
    """Return ``off``, ``on`` or ``both``."""
    if isinstance(value, str) and value == "both":
        return value
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"class_mass={value!r}; expected False, True or 'both'")
    return "on" if value else "off"
