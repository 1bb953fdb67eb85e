"""Conversion of Python parameters to the library's spec."""

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
from .transforms import SpectralTransform

POINT_KERNELS = tuple(_core.point_kernel_names())
OTHER_KERNELS = ("graph", "precomputed")
# "auto" instead of the library's name of the default.
SOLVERS = ("auto", *_core.solver_names()[1:])


def _one_of(*choices):
    return lambda name, value: check_choice(name, value, choices)


def underscored(names) -> tuple:
    """Convert the library's names, which have dashes, to Python's."""
    return tuple(name.replace("-", "_") for name in names)


_MEASURE = _one_of(*_core.measure_names())

# The kernel_params of each kernel and their checks.
_KERNEL_PARAMS = {
    "polynomial": {"gamma": check_number, "coef0": check_number, "degree": check_count},
    "knn": {
        "edge_weight": _one_of(*underscored(_core.edge_weight_names())),
        "edge_rule": _one_of(*_core.edge_rule_names()),
        "recall": check_number,
        "measure": _MEASURE,
    },
    # Those of the node features are in _FEATURE_PARAMS.
    "graph": {
        "normalization": _one_of(*underscored(_core.graph_kernel_names())),
        "self_loops": check_flag,
        "symmetrize": check_flag,
        "measure": _MEASURE,
    },
}


def _check_steps(name, value):
    if not is_whole(value) or not 0 <= value <= 1000:
        raise ValueError(
            f"{name}={value!r}; expected 0 (the features themselves) to 1000 smoothing steps"
        )
    return int(value)


def _check_share(name, value):
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(
            f"{name}={value!r}; expected a number from 0 to 1: the graph's own kernel gets the rest"
        )
    return float(value)


# The kernel_params of kernel "graph" that apply to the node features. The features alone are the
# default, because with the default transform a sum is worse on every graph that was measured
# (docs/selection.md).
_FEATURE_PARAMS = {
    "features": (_one_of(*(name for name in POINT_KERNELS if name != "knn")), "cosine"),
    "smooth": (_check_steps, 2),
    "share": (_check_share, 1.0),
    "features_length_scale": (check_positive, None),
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
    known = (*POINT_KERNELS, *OTHER_KERNELS, "auto")
    if callable(kernel) or (isinstance(kernel, str) and kernel in known):
        return
    raise ValueError(
        f"kernel={kernel!r} is unknown; expected auto, one of {', '.join(POINT_KERNELS)}, graph, "
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
    if kernel == "graph":
        allowed.update({name: check for name, (check, _) in _FEATURE_PARAMS.items()})
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


def set_kernel(spec, kernel, *, length_scale=None, n_neighbors=None, kernel_params=None) -> None:
    """Set the kernel of a spec."""
    kernel = current_name(kernel)
    if isinstance(kernel, str) and kernel == "auto" and n_neighbors is not None:
        kernel = "knn"
    check_kernel(kernel)
    options = kernel_options(kernel, kernel_params)
    if "normalize" in options:
        spec.normalize = options["normalize"]
    spec.center = options.get("center", False)
    spec.measure = options.get("measure", "")
    if callable(kernel) or kernel in OTHER_KERNELS:
        if length_scale is not None:
            raise ValueError(
                f"length_scale={length_scale!r} applies only to named point kernels; expected None"
            )
        if kernel == "graph":
            spec.kernel = dashed(options.get("normalization", "lazy_walk"))
            spec.self_loops = options.get("self_loops", False)
        return
    spec.kernel = "" if kernel == "auto" else kernel
    if isinstance(length_scale, str):
        if length_scale != "median":
            raise ValueError(f"length_scale={length_scale!r}; expected a number or 'median'")
        spec.length_scale = _core.LengthScale(median=True)
    elif length_scale is not None:
        length_scale = check_positive("length_scale", length_scale)
        spec.length_scale = _core.LengthScale(length_scale, relative=False)
    if kernel == "knn":
        spec.neighbors = 10 if n_neighbors is None else check_count("n_neighbors", n_neighbors)
        spec.edge_weight = dashed(options.get("edge_weight", "self_tuning"))
        spec.edge_rule = options.get("edge_rule", "either")
        spec.recall = options.get("recall", 1.0)
    for name in _KERNEL_PARAMS["polynomial"]:
        if name in options:
            setattr(spec, name, options[name])


def set_feature_kernel(spec, kernel, kernel_params, given: bool) -> None:
    """Set the kernel of the node features of a graph; `given`: whether there are any."""
    options = kernel_options(kernel, kernel_params)
    named = [name for name in _FEATURE_PARAMS if name in options]
    if not given:
        if named:
            raise ValueError(
                f"kernel_params: {named[0]!r} is for node features; pass them as "
                "fit(graph, y, features=...), or omit it"
            )
        return
    if kernel == "auto" and not named:
        return
    if kernel not in ("auto", "graph"):
        raise ValueError(
            f"features are node features of a graph, but kernel={kernel!r}: use kernel='graph', or "
            "add the columns to X"
        )
    chosen = {name: options.get(name, default) for name, (_, default) in _FEATURE_PARAMS.items()}
    spec.features_kernel = chosen["features"]
    spec.smooth = chosen["smooth"]
    spec.features_share = chosen["share"]
    if chosen["features_length_scale"] is not None:
        spec.features_length_scale = _core.LengthScale(
            chosen["features_length_scale"], relative=False
        )


def solver_name(solver) -> str:
    """Return the library's name of a solver."""
    check_choice("solver", solver, SOLVERS)
    return "" if solver == "auto" else solver


def set_ridge(spec, ridge, beta) -> None:
    """Set the ridge or β of a spec; if both are None, the library chooses."""
    if ridge is not None:
        spec.ridge = check_positive("ridge", ridge)
    if beta is not None:
        spec.beta = check_positive("beta", beta)


def set_transform(spec, transform: SpectralTransform | None) -> None:
    """Set the transform of a specification; None: the library's default."""
    spec.transform = None if transform is None else transform.build()


def set_prior(spec, prior) -> None:
    if prior is None:
        return
    if isinstance(prior, str):
        if prior != "uniform":
            raise ValueError(
                f"prior={prior!r}; expected 'uniform', a share per class, or None"
            )
        spec.uniform_prior = True
        return
    spec.prior = numbers_of("prior", prior)


def new_specification(random_state, n_jobs, memory) -> "_core.Specification":
    spec = _core.Specification()
    spec.seed = seed_of(random_state)
    spec.threads = threads_of(n_jobs)
    spec.memory = memory_of(memory)
    return spec
