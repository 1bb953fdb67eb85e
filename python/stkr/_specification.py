"""Conversion of Python parameters to the library's spec."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from ._checks import (
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_positive,
    did_you_mean,
    is_number,
    is_whole,
    numbers_of,
)
from .transforms import SpectralTransform

POINT_KERNELS = tuple(_core.point_kernel_names())
OTHER_KERNELS = ("graph", "precomputed")
# "auto" instead of the library's name of the default.
SOLVERS = ("auto", *_core.solver_names()[1:])


_Check = Callable[[str, Any], Any]


def _one_of(*choices: str) -> _Check:
    return lambda name, value: check_choice(name, value, choices)


def underscored(names: Iterable[str]) -> tuple[str, ...]:
    """Convert the library's names, which have dashes, to Python's."""
    return tuple(name.replace("-", "_") for name in names)


_MEASURE = _one_of(*_core.measure_names())

# The kernel_params of each kernel and their checks.
_KERNEL_PARAMS: dict[str, dict[str, _Check]] = {
    "rbf": {"gamma": check_positive},  # instead of a length scale
    "laplacian": {"gamma": check_positive},
    "polynomial": {"gamma": check_number, "coef0": check_number, "degree": check_count},
    "knn": {
        "edge_weight": _one_of(*underscored(_core.edge_weight_names())),
        "edge_rule": _one_of(*_core.edge_rule_names()),
        "recall": check_number,
        "principal_components": check_count,
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


def _check_steps(name: str, value: Any) -> int:
    if not is_whole(value) or not 0 <= value <= 1000:
        raise ValueError(
            f"{name}={value!r}; expected 0 (the features themselves) to 1000 smoothing steps"
        )
    return int(value)


def _check_share(name: str, value: Any) -> float:
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(
            f"{name}={value!r}; expected a number from 0 to 1: the graph's own kernel gets the rest"
        )
    return float(value)


# The kernel_params of kernel "graph" that apply to the node features. The features alone are the
# default, because with the default transform a sum is worse on every graph that was measured
# (docs/selection.md).
_FEATURE_PARAMS: dict[str, tuple[_Check, Any]] = {
    "features": (_one_of(*(name for name in POINT_KERNELS if name != "knn")), "cosine"),
    "smooth": (_check_steps, 2),
    "share": (_check_share, 1.0),
    "features_length_scale": (check_positive, None),
}


# The kernel_params of point kernels for another kernel of the same points in a sum.
_SUM_PARAMS: dict[str, _Check] = {
    "add": _one_of(*POINT_KERNELS),
    "share": _check_share,
    "add_length_scale": check_positive,
}


def dashed(name: str) -> str:
    """Convert a Python name to the library's, which has dashes instead of underscores."""
    return name.replace("_", "-")


def seed_of(random_state: Any) -> int:
    if is_whole(random_state) and 0 <= random_state < 2**64:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    raise ValueError(
        f"random_state={random_state!r}; expected an integer from 0 to 2^64 - 1, a "
        "numpy.random.RandomState, or None"
    )


def threads_of(n_jobs: Any) -> int:
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


def memory_of(memory: Any) -> int:
    """Convert bytes or a string such as "4GB" to bytes; None: 0, no limit."""
    if memory is None:
        return 0
    if isinstance(memory, str):
        return _core.parse_memory(memory)
    if not is_number(memory) or not 1 <= memory < 2**63:
        raise ValueError(f"memory={memory!r}; expected bytes, a string such as '4GB', or None")
    return int(memory)


def current_name(kernel: Any) -> Any:
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


def check_kernel(kernel: Any) -> None:
    known = (*POINT_KERNELS, *OTHER_KERNELS, "auto")
    if callable(kernel) or (isinstance(kernel, str) and kernel in known):
        return
    other = {"gaussian": "rbf", "poly": "polynomial", "nearest_neighbors": "knn"}
    hint = did_you_mean(other.get(str(kernel).lower(), kernel), known)
    raise ValueError(
        f"kernel={kernel!r} is unknown; expected auto, one of {', '.join(POINT_KERNELS)}, graph, "
        f"precomputed, or a function of two arrays{hint}"
    )


def kernel_options(kernel: Any, kernel_params: Any) -> dict[str, Any]:
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
    if kernel in POINT_KERNELS:
        allowed.update(_SUM_PARAMS)
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


def length_scale_of(name: str, value: Any) -> _core.LengthScale:
    """Convert a number, "median", or a multiple of the default such as "2x"."""
    if isinstance(value, str):
        if value == "median":
            return _core.LengthScale(median=True)
        try:
            factor = float(value[:-1]) if value.endswith("x") else float("nan")
        except ValueError:
            factor = float("nan")
        if 0 < factor < float("inf"):
            return _core.LengthScale(factor, relative=True)
    elif is_number(value):
        return _core.LengthScale(float(value), relative=False)
    raise ValueError(
        f"{name}: {value!r}; expected a number, '2x' for twice the default, or 'median'"
    )


def _check_applies(kernel: Any, length_scale: Any, n_neighbors: Any, options: Any) -> None:
    """Refuse parameters that another kernel has."""
    named = isinstance(kernel, str) and kernel not in OTHER_KERNELS
    if length_scale is not None and not named:
        raise ValueError(
            f"length_scale={length_scale!r} applies only to named point kernels; expected None"
        )
    if length_scale is not None and "gamma" in options and kernel != "polynomial":
        raise ValueError(
            f"length_scale={length_scale!r} and kernel_params gamma={options['gamma']!r} both set "
            "the length scale; give one of them"
        )
    if n_neighbors is not None and kernel != "knn":
        raise ValueError(
            f"n_neighbors={n_neighbors!r} applies only to kernel 'knn', but kernel={kernel!r}; "
            "omit one of them"
        )


def set_kernel(
    spec: _core.Specification,
    kernel: Any,
    *,
    length_scale: Any = None,
    n_neighbors: Any = None,
    kernel_params: Any = None,
) -> None:
    """Set the kernel of a spec."""
    kernel = current_name(kernel)
    if isinstance(kernel, str) and kernel == "auto" and n_neighbors is not None:
        kernel = "knn"
    check_kernel(kernel)
    options = kernel_options(kernel, kernel_params)
    _check_applies(kernel, length_scale, n_neighbors, options)
    if "normalize" in options:
        spec.normalize = options["normalize"]
    spec.center = options.get("center", False)
    spec.measure = options.get("measure", "")
    if callable(kernel) or kernel in OTHER_KERNELS:
        if kernel == "graph":
            spec.kernel = dashed(options.get("normalization", "lazy_walk"))
            spec.self_loops = options.get("self_loops", False)
        return
    spec.kernel = "" if kernel == "auto" else kernel
    if length_scale is not None:
        if not isinstance(length_scale, str):
            check_positive("length_scale", length_scale)
        spec.length_scale = length_scale_of("length_scale", length_scale)
    if kernel == "knn":
        spec.neighbors = 10 if n_neighbors is None else check_count("n_neighbors", n_neighbors)
        spec.edge_weight = dashed(options.get("edge_weight", "self_tuning"))
        spec.edge_rule = options.get("edge_rule", "either")
        spec.recall = options.get("recall", 1.0)
        spec.principal_components = options.get("principal_components")
    for name in _KERNEL_PARAMS["polynomial"]:
        if name in options:
            setattr(spec, name, options[name])
    _set_added_kernel(spec, options)


def _set_added_kernel(spec: _core.Specification, options: dict[str, Any]) -> None:
    """Set the second kernel of a sum over the same points."""
    if "add" not in options:
        for name in _SUM_PARAMS:
            if name in options:
                raise ValueError(
                    f"kernel_params: {name!r} is for a sum of kernels; name the other kernel with "
                    "'add', or omit it"
                )
        return
    spec.features_kernel = options["add"]
    spec.features_share = options.get("share", 0.5)
    if "add_length_scale" in options:
        spec.features_length_scale = _core.LengthScale(options["add_length_scale"], relative=False)


def set_feature_kernel(
    spec: _core.Specification, kernel: Any, kernel_params: Any, given: bool
) -> None:
    """Set the kernel of the node features of a graph; `given`: whether there are any."""
    options = kernel_options(kernel, kernel_params)
    named = [name for name in _FEATURE_PARAMS if name in options]
    if not given and kernel in POINT_KERNELS:
        return
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


def solver_name(solver: Any) -> str:
    """Return the library's name of a solver."""
    check_choice("solver", solver, SOLVERS)
    return "" if solver == "auto" else str(solver)


def set_ridge(spec: _core.Specification, ridge: Any, beta: Any) -> None:
    """Set the ridge or β of a spec; if both are None, the library chooses."""
    if ridge is not None:
        spec.ridge = check_positive("ridge", ridge)
    if beta is not None:
        spec.beta = check_positive("beta", beta)


def set_transform(spec: _core.Specification, transform: SpectralTransform | None) -> None:
    """Set the transform of a specification; None: the library's default."""
    spec.transform = None if transform is None else transform.build()


def set_prior(spec: _core.Specification, prior: Any) -> None:
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


def new_specification(random_state: Any, n_jobs: Any, memory: Any, device: Any = None) -> _core.Specification:
    spec = _core.Specification()
    spec.seed = seed_of(random_state)
    spec.threads = threads_of(n_jobs)
    spec.memory = memory_of(memory)
    if device is not None:
        if not isinstance(device, str):
            raise ValueError(f"device={device!r}; expected a name such as 'cpu', or None")
        spec.device = device
    return spec
