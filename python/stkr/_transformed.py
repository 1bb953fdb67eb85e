"""Base class of the estimators that have the parameters of a spectral transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._checks import check_flag
from ._estimator import SpectralEstimator
from ._specification import set_ridge, set_transform, solver_name
from ._transform_parameter import as_transform, implied_name, transform_name
from ._types import Floats


class TransformParameters(SpectralEstimator):
    """Mixin with a spectral transform, its parameters and the ridge."""

    spectral_transform: Any
    eta: Any
    power: Any
    time: Any
    n_components: Any
    ridge: Any
    beta: Any
    solver: Any
    leave_one_out: Any

    def _set_stkr(self, spec: _core.Specification) -> None:
        """Set the solver, the ridge and the transform; keep the system of the fit."""
        spec.leave_one_out = check_flag("leave_one_out", self.leave_one_out)
        spec.keep_system = True
        spec.solver = solver_name(self.solver)
        set_ridge(spec, self.ridge, self.beta)
        transform = self._transform_parameter()
        s = as_transform(
            transform,
            eta=self.eta,
            power=self.power,
            time=self.time,
            n_components=self.n_components,
        )
        set_transform(spec, s)
        if s is None:
            spec.transform_name = transform_name(transform)

    def _transform_parameter(self) -> Any:
        """Return the parameter; an embedding needs one s, so it replaces "auto"."""
        transform = implied_name(self.spectral_transform, self.eta, self.power, self.time)
        if not isinstance(transform, str) or self.n_components is None:
            return transform
        if transform == "learned" or "@" in transform:
            raise ValueError(
                f"spectral_transform={transform!r} and n_components={self.n_components}: an "
                "embedding needs an s that is known before the fit; expected a transform by name "
                "or as text"
            )
        return "inverse_laplacian" if transform == "auto" else transform

    def _embedding_scale(self) -> Floats:
        """Return √s(λ)."""
        values, eta = self.eigenvalues_, self.eta
        transform = self._transform_parameter()
        if eta is None and transform in ("inverse_laplacian", "inverse-laplacian"):
            eta = 0.99 / values[0]
        s = as_transform(
            transform, eta=eta, power=self.power, time=self.time, n_components=self.n_components
        )
        assert s is not None
        scale: Floats = np.sqrt(np.maximum(s(values), 0.0))
        return scale
