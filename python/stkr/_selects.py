"""Selection of the best point of a grid, and the estimator that it describes."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
from scipy.stats import rankdata

from . import _core
from ._estimator import SpectralEstimator
from ._scoring import own_score, scoring_of
from ._progress import progress_of
from ._report import Record
from ._search import kernel_grid, kernel_list, search_grid, single_params, validation_of
from ._specification import new_specification, set_kernel
from ._types import Array, Flags, Floats, Samples

# How, not what is computed: not among the parameters that describe a fit.
_MEANS = ("memory", "device", "n_jobs", "verbose")


class Selects(SpectralEstimator):
    """Mixin that selects the best point of a grid and fits it."""

    _kind: str  # classes or numbers
    _best: dict[str, Any]  # the estimator of a family
    _best_by_default: Any
    cv: Any
    scoring: Any
    best_estimator_: Any
    _selection: Record

    def _sample_kernel(self, X: Samples = None) -> Any:
        return kernel_list(self.kernel)[0]

    def _params(self) -> Any:
        return single_params(self.kernel_params)

    def _search_specification(self) -> _core.Specification:
        kernels = kernel_list(self.kernel)
        self._embedding_size()  # refuse a bad n_components before the search
        spec = new_specification(self.random_state, self.n_jobs, self.memory, self.device)
        spec.progress = progress_of(self.verbose)
        if len(kernels) == 1:
            set_kernel(spec, kernels[0], kernel_params=self._params())
            spec.neighbors = None  # in the grid of kernels instead
        elif self.kernel_params:
            raise ValueError("got kernel_params and a list of kernels; expected one kernel")
        return spec

    def _select(
        self,
        X: Any,
        y: Array,
        names: list[str],
        spec: _core.Specification,
        *,
        class_mass: str = "off",
        features: Any = None,
        groups: Any = None,
    ) -> None:
        """Score the points and store the results."""
        scoring = scoring_of(self.scoring, self._kind)
        known = y >= 0 if y.ndim == 1 else ~np.isnan(y[:, 0])
        validation = validation_of(self.cv, X, y, known, groups)
        scorer = None
        if scoring.scorer is not None:
            classes = getattr(self, "classes_") if self._kind == "classes" else None
            scorer = own_score(scoring.scorer, X, y, classes, getattr(self, "prior", None))
        selection = _core.select(
            self._samples(X, spec, features),
            y,
            names,
            spec,
            search_grid(self),
            kernel_grid(self),
            validation.folds,
            validation.split,
            validation.own_folds,
            scoring.name,
            scorer,
            class_mass,
        )
        self._selection = Record(selection)
        ranking = selection.ranking
        if not ranking:
            raise ValueError(
                "no point of the grid could be fitted: " + "; ".join(selection.warnings)
            )
        self.best_index_ = ranking[0]
        self.cv_results_ = _results(selection, scoring.sign)
        self._points = [self._point(selection, place) for place in range(len(ranking))]
        self.cv_results_["params"] = [params for _, params in self._points]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        expected = selection.expected_score
        self.expected_score_ = None if expected is None else scoring.sign * expected
        self.n_tied_ = selection.tied
        self.n_splits_ = validation.n_splits(int(np.count_nonzero(known)))
        self.left_out_ = list(selection.left_out)
        self.scorer_ = selection.score.replace("-", "_") if scoring.sign > 0 else self.scoring
        self.selection_warnings_ = [validation.note] * bool(validation.note)
        self.selection_warnings_ += selection.warnings
        self.best_family_ = str(self.cv_results_["family"][self.best_index_])
        self.best_params_ = self._points[self.best_index_][1]

    def _point(self, selection: _core.Selection, place: int) -> tuple[Any, dict[str, Any]]:
        """Return the class of a point's estimator and the parameters that are not defaults."""
        point = {name: column[place] for name, column in self.cv_results_.items()}
        family = str(point["family"])
        kind = self._best.get(family, self._best_by_default)
        params = {**self._kernel_params(selection, place), **_method(selection.specification(place), point)}
        for name in ("prior", "fit_intercept", "random_state"):
            params[name] = getattr(self, name, None)
        if family != "kernel_pca":
            params["n_components"] = getattr(self, "n_components", None)
        defaults = _defaults(kind)
        return kind, {
            name: value
            for name, value in params.items()
            if name in defaults and not _is_default(value, defaults[name])
        }

    def _kernel_params(self, selection: _core.Selection, place: int) -> dict[str, Any]:
        chosen = selection.kernel(place)
        own = dict(self._params() or {})
        for name in ("smooth", "share"):
            if isinstance(self.kernel_params, dict) and name in self.kernel_params:
                own[name] = chosen.get(name, 0)  # a share of 0 leaves the kernel out
        kernels = kernel_list(self.kernel)
        result = {
            "kernel": kernels[0] if len(kernels) == 1 else chosen["kernel"],
            "kernel_params": own or None,
            "n_neighbors": chosen.get("n_neighbors"),
        }
        if "gamma" not in own or kernels[0] == "polynomial":  # gamma sets the length scale
            result["length_scale"] = chosen.get("length_scale")
        return result

    def _fit_best(self, X: Samples, y: Array, known: Flags, features: Any) -> None:
        """Fit the best point to all labels and take over its model."""
        kind, params = self._points[self.best_index_]
        means = {name: getattr(self, name) for name in _MEANS if hasattr(self, name)}
        del self._points
        best = kind(**params, **means).fit(X, y, labeled=known, features=features)
        self.best_estimator_ = best
        for name, value in vars(best).items():
            if name not in best.get_params() and name not in ("_sklearn_output_config",):
                setattr(self, name, value)

    def _embedding_scale(self) -> Floats:
        scale: Floats = self.best_estimator_._embedding_scale()
        return scale


@functools.lru_cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, int, float, bool)) and value == default)


def _method(spec: _core.Specification, point: dict[str, Any]) -> dict[str, Any]:
    """Return transform, ridge and class mass of a point as an estimator's parameters."""
    family = point["family"]
    params: dict[str, Any] = {"class_mass": bool(point["class_mass"])}
    if family == "power":
        params.update(spectral_transform="power", power=spec.power)
    elif family == "diffusion":
        params.update(spectral_transform="diffusion", time=spec.time)
    elif family == "kernel_pca":
        params["n_components"] = spec.dimension
    else:
        params["eta"] = spec.eta
    if family == "inverse_laplacian":
        params["spectral_transform"] = "inverse_laplacian"
    if family == "label_propagation":
        params["n_steps"] = spec.iterations
    elif point["ridge"] > 0:
        params["ridge"] = float(point["ridge"])
    else:
        params["beta"] = spec.beta
    return params


def _results(selection: _core.Selection, sign: float) -> dict[str, Any]:
    columns: dict[str, Any] = {name: np.array(v) for name, v in selection.scores.items()}
    scores = sign * columns.pop("score")
    columns["mean_test_score"] = scores
    columns["std_test_score"] = columns.pop("deviation")
    columns["family"] = np.array([name.replace("-", "_") for name in columns["family"]])
    downwards = scores if selection.score == "mse" and sign > 0 else -scores
    finite = np.where(np.isnan(downwards), np.inf, downwards)
    columns["rank_test_score"] = rankdata(finite, method="min").astype(np.int64)
    return columns
