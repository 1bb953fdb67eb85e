"""Conversion of Python parameters to the library's recipe."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from ._checks import (
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_positive,
    is_number,
    is_whole,
    numbers_of,
)
from .transforms import SpectralTransform, checked_function

POINT_KERNELS = (
    "rbf",
    "laplacian",
    "matern12",
    "matern32",
    "matern52",
    "linear",
    "polynomial",
    "cosine",
    "epsilon_neighbor",
    "knn",
)
OTHER_KERNELS = ("graph", "precomputed")
SOLVERS = ("auto", "direct", "richardson", "cg", "minres", "diagonalize")


def _one_of(*choices):
    return lambda name, value: check_choice(name, value, choices)


_MEASURE = _one_of("uniform", "degree")

# The kernel_params of each kernel and their checks.
_KERNEL_PARAMS = {
    "polynomial": {"gamma": check_number, "coef0": check_number, "degree": check_count},
    "knn": {
        "edge_weight": _one_of("self_tuning", "heat", "binary", "cosine"),
        "edge_rule": _one_of("either", "mutual"),
        "recall": check_number,
        "measure": _MEASURE,
    },
    "graph": {
        "normalization": _one_of("lazy_walk", "symmetric", "probability", "adjacency"),
        "self_loops": check_flag,
        "symmetrize": check_flag,
        "measure": _MEASURE,
    },
}


def dashed(name: str) -> str:
    """Convert a Python name to the library's, which has dashes instead of underscores."""
    return name.replace("_", "-")


def seed_of(random_state) -> int:
    if is_whole(random_state) and 0 <= random_state < 2**64:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    raise ValueError(
        f"random_state={random_state!r}; expected an integer from 0 to 2^64 - 1, a "
        "numpy.random.RandomState, or None"
    )


def threads_of(n_jobs) -> int:
    """Return the number of threads.

    None and -1: the library's current default (joblib sets OMP_NUM_THREADS in its workers).
    """
    most = max(64, 4 * (os.cpu_count() or 1))
    if n_jobs is None:
        return min(_core.default_threads(), most)
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ValueError(
            f"n_jobs={n_jobs!r}; expected None or -1 for all cores, or a number of threads"
        )
    if n_jobs > most:
        raise ValueError(f"n_jobs={n_jobs}; expected at most {most}, or -1 for all cores")
    return min(_core.default_threads(), most) if n_jobs < 0 else int(n_jobs)


def memory_of(memory) -> int:
    """Convert bytes or a string such as "4GB" to bytes; None: 0, no limit."""
    if memory is None:
        return 0
    if isinstance(memory, str):
        return _core.parse_memory(memory)
    if not is_number(memory) or not 1 <= memory < 2**63:
        raise ValueError(f"memory={memory!r}; expected bytes, a string such as '4GB', or None")
    return int(memory)


def current_name(kernel):
    """Return the current name of a kernel; warn if its name is deprecated."""
    if not isinstance(kernel, str) or kernel != "epsilon_neighbour":
        return kernel
    warnings.warn(
        "kernel 'epsilon_neighbour' is deprecated and will be removed in 0.3; use "
        "'epsilon_neighbor'",
        FutureWarning,
        stacklevel=2,
    )
    return "epsilon_neighbor"


def check_kernel(kernel) -> None:
    if callable(kernel) or (isinstance(kernel, str) and kernel in POINT_KERNELS + OTHER_KERNELS):
        return
    raise ValueError(
        f"kernel={kernel!r} is unknown; expected one of {', '.join(POINT_KERNELS)}, graph, "
        "precomputed, or a function of two arrays"
    )


def kernel_options(kernel, kernel_params) -> dict:
    """Return `kernel_params` as a dict, after checking them for this kernel."""
    if kernel_params is None:
        return {}
    if not isinstance(kernel_params, Mapping):
        raise ValueError(
            f"kernel_params={kernel_params!r}; expected a dict of options by name, or None"
        )
    allowed = dict(_KERNEL_PARAMS.get(kernel, {})) if isinstance(kernel, str) else {}
    if kernel not in ("knn", "graph"):
        allowed["normalize"] = check_flag
    allowed["center"] = check_flag
    for name in kernel_params:
        if name not in allowed:
            raise ValueError(
                f"kernel_params: {name!r} does not apply to kernel {kernel!r}; expected "
                f"{', '.join(allowed)}"
            )
    # None: the option's default.
    return {
        name: allowed[name](name, value)
        for name, value in kernel_params.items()
        if value is not None
    }


def set_kernel(recipe, kernel, *, length_scale=None, n_neighbors=10, kernel_params=None) -> None:
    """Set the kernel of a recipe."""
    kernel = current_name(kernel)
    check_kernel(kernel)
    options = kernel_options(kernel, kernel_params)
    if "normalize" in options:
        recipe.normalize = options["normalize"]
    recipe.center = options.get("center", False)
    recipe.measure = options.get("measure", "")
    if callable(kernel) or kernel in OTHER_KERNELS:
        if length_scale is not None:
            raise ValueError(
                f"length_scale={length_scale!r} applies only to named point kernels; expected None"
            )
        if kernel == "graph":
            recipe.kernel = dashed(options.get("normalization", "lazy_walk"))
            recipe.self_loops = options.get("self_loops", False)
        return
    recipe.kernel = kernel
    if isinstance(length_scale, str):
        if length_scale != "median":
            raise ValueError(f"length_scale={length_scale!r}; expected a number or 'median'")
        recipe.median_scale = True
    elif length_scale is not None:
        recipe.length_scale = check_positive("length_scale", length_scale)
    if kernel == "knn":
        recipe.neighbors = check_count("n_neighbors", n_neighbors)
        recipe.edge_weight = dashed(options.get("edge_weight", "self_tuning"))
        recipe.edge_rule = options.get("edge_rule", "either")
        recipe.recall = options.get("recall", 1.0)
    for name in _KERNEL_PARAMS["polynomial"]:
        if name in options:
            setattr(recipe, name, options[name])


def solver_name(solver) -> str:
    """Return the library's name of a solver."""
    check_choice("solver", solver, SOLVERS)
    return "automatic" if solver == "auto" else solver


def set_ridge(recipe, ridge, beta) -> None:
    """Set the ridge or β of a recipe; if both are None, the library chooses."""
    if ridge is not None:
        recipe.ridge = check_positive("ridge", ridge)
    if beta is not None:
        recipe.beta = check_positive("beta", beta)


def set_transform(recipe, transform: SpectralTransform | None) -> None:
    """Set the transform of a recipe; None: the library's default."""
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
        recipe.function_name, recipe.function = values[0], checked_function(*values)


def set_prior(recipe, prior) -> None:
    if prior is None:
        return
    if isinstance(prior, str):
        if prior != "uniform":
            raise ValueError(
                f"prior={prior!r}; expected 'uniform', a share per class, or None"
            )
        recipe.uniform_prior = True
        return
    recipe.prior = numbers_of("prior", prior)


def new_recipe(random_state, n_jobs, memory) -> "_core.Recipe":
    recipe = _core.Recipe()
    recipe.seed = seed_of(random_state)
    recipe.threads = threads_of(n_jobs)
    recipe.memory = memory_of(memory)
    return recipe
