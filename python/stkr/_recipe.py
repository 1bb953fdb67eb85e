"""Parameters of Python's side as the recipe of the library."""

from __future__ import annotations

import numbers
import os

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from .transforms import SpectralTransform

POINT_KERNELS = (
    "rbf",
    "laplacian",
    "matern12",
    "matern32",
    "matern52",
    "linear",
    "polynomial",
    "cosine",
    "epsilon_neighbour",
    "knn",
)
OTHER_KERNELS = ("graph", "precomputed")

# kernel_params, by the kernels they are for.
_KERNEL_PARAMS = {
    "polynomial": ("gamma", "coef0", "degree"),
    "knn": ("edge_weight", "edge_rule", "recall"),
    "graph": ("normalization", "self_loops", "symmetrize"),
}
_FOR_POINTS = ("normalize", "center")


def dashed(name: str) -> str:
    """Names of the library and the command have dashes where Python's have underscores."""
    return name.replace("_", "-")


def seed_of(random_state) -> int:
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state}; expected 0 or more")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads_of(n_jobs) -> int:
    """None: all cores, or as many as OMP_NUM_THREADS allows (joblib sets it in its workers)."""
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return int(limit) if limit.isdigit() else 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r}; expected None or -1 for all cores, or a number")
    return 0 if n_jobs < 0 else int(n_jobs)


def memory_of(memory) -> int:
    """Bytes, or a text such as "4GB"; None: no limit."""
    if memory is None:
        return 0
    if isinstance(memory, str):
        return _core.parse_memory(memory)
    if not isinstance(memory, numbers.Real) or not memory > 0:
        raise ValueError(f"memory={memory!r}; expected bytes, a text such as '4GB', or None")
    return int(memory)


def check_kernel(kernel) -> None:
    if callable(kernel) or kernel in POINT_KERNELS + OTHER_KERNELS:
        return
    raise ValueError(
        f"kernel={kernel!r} is unknown; expected one of {', '.join(POINT_KERNELS)}, graph, "
        "precomputed, or a function of two arrays"
    )


def check_positive(name: str, value) -> float:
    if not isinstance(value, numbers.Real) or not value > 0 or not np.isfinite(value):
        raise ValueError(f"{name}={value!r}; expected a positive number")
    return float(value)


def check_count(name: str, value) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r}; expected a whole number of 1 or more")
    return int(value)


def kernel_options(kernel, kernel_params) -> dict:
    """`kernel_params`, checked against the kernel they are for."""
    given = dict(kernel_params or {})
    allowed = list(_KERNEL_PARAMS.get(kernel, ())) if isinstance(kernel, str) else []
    allowed += _FOR_POINTS if kernel not in ("knn", "graph") else ("center",)
    for name in given:
        if name not in allowed:
            raise ValueError(
                f"kernel_params: {name!r} is not for kernel {kernel!r}; expected "
                f"{', '.join(allowed)}"
            )
    return given


def set_kernel(recipe, kernel, *, length_scale=None, n_neighbors=10, kernel_params=None) -> None:
    """K of a recipe."""
    check_kernel(kernel)
    options = kernel_options(kernel, kernel_params)
    if options.get("normalize") is not None:
        recipe.normalize = bool(options["normalize"])
    recipe.centre = bool(options.get("center", False))
    if callable(kernel) or kernel == "precomputed":
        if length_scale is not None:
            raise ValueError("length_scale is for kernels of points by name; leave it at None")
        return
    if kernel == "graph":
        recipe.kernel = dashed(options.get("normalization", "lazy_walk"))
        recipe.self_loops = bool(options.get("self_loops", False))
        return
    recipe.kernel = kernel
    if isinstance(length_scale, str):
        if length_scale != "median":
            raise ValueError(f"length_scale={length_scale!r}; expected a number or 'median'")
        recipe.median_scale = True
    elif length_scale is not None:
        recipe.length_scale = check_positive("length_scale", length_scale)
    if kernel == "knn":
        recipe.neighbours = check_count("n_neighbors", n_neighbors)
        recipe.edge_weight = dashed(options.get("edge_weight", "self_tuning"))
        recipe.edge_rule = options.get("edge_rule", "either")
        recipe.recall = float(options.get("recall", 1.0))
    for name in _KERNEL_PARAMS["polynomial"]:
        if name in options:
            setattr(recipe, name, options[name])


def set_transform(recipe, transform: SpectralTransform | None) -> None:
    """s of a recipe; None is the library's default."""
    if transform is None:
        return
    kind, values = transform.kind, transform.parameters
    recipe.transform = dashed(kind)
    if kind == "power":
        recipe.power = values[0]
    elif kind == "polynomial":
        recipe.coefficients = list(values[0])
    elif kind == "inverse_laplacian":
        recipe.eta = values[0]
    elif kind == "reciprocal":
        recipe.coefficients, recipe.r = list(values[0]), values[1]
    elif kind == "diffusion":
        recipe.time = values[0]
    elif kind == "truncation":
        recipe.dimension = values[0]
    else:
        recipe.function_name, recipe.function = values


def set_prior(recipe, prior) -> None:
    if prior is None:
        return
    if isinstance(prior, str):
        if prior != "uniform":
            raise ValueError(f"prior={prior!r}; expected 'uniform', a share for each class, or None")
        recipe.uniform_prior = True
        return
    recipe.prior = [float(share) for share in np.asarray(prior, dtype=float).ravel()]


def new_recipe(random_state, n_jobs, memory) -> "_core.Recipe":
    recipe = _core.Recipe()
    recipe.seed = seed_of(random_state)
    recipe.threads = threads_of(n_jobs)
    recipe.memory = memory_of(memory)
    return recipe
