"""Conversion of grids and validation options to the library's form."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from . import _core
from ._checks import LARGEST_COUNT, is_number, is_whole, numbers_of
from ._specification import OTHER_KERNELS, check_kernel, current_name

FAMILIES = ("power", "inverse_laplacian", "diffusion", "kernel_pca", "label_propagation")
DEFAULT_FAMILIES = ("power", "inverse_laplacian", "kernel_pca", "label_propagation")
DEFAULT_TIMES = (0.5, 1.0, 2.0, 4.0, 8.0)


def _listed(name, values) -> list:
    """Return a list, or a single value as a list."""
    listed = [values] if isinstance(values, str) or not np.iterable(values) else list(values)
    if not listed:
        raise ValueError(f"{name} is empty; expected at least one, or None for the default")
    return listed


def search_grid(estimator) -> "_core.Grid":
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
    fields = ("powers", "etas", "times", "dimensions", "propagation_etas")
    for family, field in zip(FAMILIES, fields):
        if family not in families:
            setattr(grid, field, [])
    return grid


def kernel_list(kernel) -> list:
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


def _length_scale(value) -> "_core.LengthScale":
    if isinstance(value, str):
        if value == "median":
            return _core.LengthScale(1.0, False, True)
        if value.endswith("x") and value[:-1].replace(".", "", 1).isdigit():
            return _core.LengthScale(float(value[:-1]), True, False)
    elif is_number(value):
        return _core.LengthScale(float(value), False, False)
    raise ValueError(
        f"length_scales: {value!r}; expected a number, '2x' for twice the default, or 'median'"
    )


_LISTED_PARAMS = ("smooth", "share")


def _listed_params(kernel_params) -> dict:
    """Return the kernel_params of which several values are given."""
    if not isinstance(kernel_params, Mapping):
        return {}
    return {
        name: _listed(f"kernel_params: {name}", kernel_params[name])
        for name in _LISTED_PARAMS
        if isinstance(kernel_params.get(name), (list, tuple, range, np.ndarray))
    }


def single_params(kernel_params):
    """Return kernel_params with the first of several values."""
    listed = _listed_params(kernel_params)
    if not listed:
        return kernel_params
    return {**kernel_params, **{name: values[0] for name, values in listed.items()}}


def kernel_grid(estimator) -> "_core.KernelGrid":
    """Return the grid of kernels, length scales and neighbors; a single kernel is in the spec."""
    kernels = kernel_list(estimator.kernel)
    grid = _core.KernelGrid()
    if len(kernels) > 1:
        grid.kernels = kernels
    if estimator.length_scales is not None:
        grid.length_scales = [
            _length_scale(value) for value in _listed("length_scales", estimator.length_scales)
        ]
    listed = _listed_params(estimator.kernel_params)
    if "smooth" in listed:
        grid.smoothings = numbers_of("kernel_params: smooth", listed["smooth"], int)
    if "share" in listed:
        grid.mixes = numbers_of("kernel_params: share", listed["share"])
    if "knn" in kernels:
        grid.neighbor_counts = numbers_of("n_neighbors", estimator.n_neighbors, int)
    return grid


def _part(indices) -> np.ndarray:
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError
    return np.ascontiguousarray(array, dtype=np.int64)


def validation_of(cv):
    """Return the number of folds (0: leave-one-out) and a pair of index arrays or None."""
    if isinstance(cv, str) and cv == "loo":
        return 0, None
    if is_whole(cv) and cv >= 2:
        return min(int(cv), LARGEST_COUNT), None
    try:
        train, validation = (_part(indices) for indices in cv)
        return 0, (train, validation)
    except (TypeError, ValueError):
        raise ValueError(
            f"cv={cv!r}; expected two folds or more, 'loo', or a pair of index arrays "
            "(train, validation)"
        ) from None


def class_mass_of(value) -> str:
    """Return ``off``, ``on`` or ``both``."""
    if isinstance(value, str) and value == "both":
        return value
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"class_mass={value!r}; expected False, True or 'both'")
    return "on" if value else "off"
