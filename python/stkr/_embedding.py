"""The spectral embedding of an estimator: ``transform`` and what scikit-learn expects beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from ._prediction import Predictor
from ._types import Array, Floats, Labels, Samples

if TYPE_CHECKING:
    from typing import Self


def _has_embedding(estimator: Any) -> bool:
    if estimator._always_embeds or getattr(estimator, "n_components", None) is not None:
        return True
    raise AttributeError(
        f"{type(estimator).__name__} has no spectral embedding: set n_components"
    )


def eigenvector_signs(values: Array, y: Array) -> Array:
    """Return the factors, 1 or -1, that fix the signs of eigenvectors.

    The entry of largest absolute value becomes positive. If the largest and the smallest entry
    have the same absolute value, the labels decide instead of rounding and the sample order.
    """
    known = y >= 0 if y.ndim == 1 else ~np.isnan(y[:, 0])
    labels = y[known].astype(float).reshape(known.sum(), -1)[:, 0]
    top, bottom = values.max(axis=0), -values.min(axis=0)
    balanced = np.abs(top - bottom) <= 1e-6 * np.maximum(top, bottom)
    leaning = (labels - labels.mean()) @ values[known]
    return np.where(np.where(balanced, leaning < 0, bottom > top), -1.0, 1.0)


class Embedding(Predictor):
    """Embeds samples, if ``n_components`` requests it. ``_embedding`` is of the last fit."""

    _always_embeds = False
    _embedding: list[Floats] | None
    eigenvalues_: Floats

    def _keep_embedding(self, embedding: Any, y: Array) -> None:
        """Store eigenvalues, values and coefficients; y determines the signs."""
        self._embedding = None
        if embedding is not None:
            self.eigenvalues_, *parts = embedding
            signs = eigenvector_signs(parts[0], y)
            self._embedding = [signs * part for part in parts]

    def _embedding_scale(self) -> Floats:
        """Return the factors of the eigenfunctions: √s(λ) makes inner products K_s."""
        return np.ones(len(self.eigenvalues_))

    def _embed(self, X: Samples) -> Array:
        model, samples = self._model(), self._new(X)
        if self._embedding is None:
            raise NotFittedError(
                f"This {type(self).__name__} was fitted without n_components: fit it again to "
                "embed samples"
            )
        scale = self._embedding_scale()
        values, coefficients = self._embedding[0] * scale, self._embedding[1] * scale
        return self._cast(model.kernel_product(samples, coefficients, values))

    @available_if(_has_embedding)
    def transform(self, X: Samples) -> Any:
        """Return the spectral embedding of new samples, one column per leading eigenfunction.

        Parameters
        ----------
        X : array or sparse matrix
            As in ``predict``.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or what ``set_output`` requests
            √s(λ_k) ψ_k(x): inner products of rows approximate the transformed kernel. A sample
            that equals a fitted one gets the same row as in ``fit_transform``.
        """
        return self._contained(X, self._embed(X))

    @available_if(_has_embedding)
    def fit_transform(
        self, X: Samples, y: Labels = None, labeled: Any = None, **fit_params: Any
    ) -> Any:
        """Fit, then embed the same samples.

        Parameters
        ----------
        X, y, labeled, **fit_params
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or what ``set_output`` requests
            √s(λ_k) ψ_k at the samples: √(N s(λ_k)) times the k-th eigenvector of S.
        """
        fit: Any = getattr(self, "fit")
        fit(X, y, labeled=labeled, **fit_params)
        assert self._embedding is not None
        values = self._cast(self._embedding[0] * self._embedding_scale())
        if self._counted is not None:
            values = self._with_left_out(values, self._embed(X)[~self._counted])
        return self._contained(X, values)

    @available_if(_has_embedding)
    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns of ``transform``: the class and a number.

        Parameters
        ----------
        input_features : list of str, optional
            Ignored, except that their number must be that of the features.

        Returns
        -------
        ndarray of str
        """
        self._model()
        expected = getattr(self, "n_features_in_", None)
        if input_features is not None and expected is not None and len(input_features) != expected:
            raise ValueError(
                f"input_features should have length equal to number of features ({expected}), got "
                f"{len(input_features)}"
            )
        name = type(self).__name__.lower()
        return np.asarray([f"{name}{k}" for k in range(len(self.eigenvalues_))], dtype=object)

    @available_if(_has_embedding)
    def set_output(self, *, transform: str | None = None) -> Self:
        """Set what ``transform`` and ``fit_transform`` return.

        Parameters
        ----------
        transform : "default", "pandas" or None
            Arrays or DataFrames; None changes nothing.

        Returns
        -------
        self
        """
        if transform is not None:
            _check_container(transform)
            self._sklearn_output_config = {"transform": transform}  # scikit-learn's clone copies it
        return self

    def _contained(self, X: Samples, values: Array) -> Any:
        own = self.__dict__.get("_sklearn_output_config", {})
        container = own.get("transform", get_config().get("transform_output", "default"))
        _check_container(container)
        if container == "default":
            return values
        import pandas

        columns = self.get_feature_names_out()
        return pandas.DataFrame(values, index=getattr(X, "index", None), columns=columns)


def _check_container(container: Any) -> None:
    if container not in ("default", "pandas"):
        raise ValueError(f"set_output: transform={container!r}; expected 'default' or 'pandas'")
