"""What the functions of stkr.theory accept: grams and fitted estimators, transforms, functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from .. import _core, transforms
from .._certainty import Questions
from .._checks import check_flag, check_positive, is_number
from .._labels import plain_array
from .._samples import check_columns, check_samples, new_samples
from .._transform_parameter import as_transform
from .._types import Floats, Indices
from ..gram import Gram, _indices
from ..solving import _right_hand_sides

Model = Union[Gram, Questions]
CoreGram = Union["_core.Gram", "_core.FittedSystem"]


def core_gram(model: Any) -> CoreGram:
    """Return the library's gram."""
    if isinstance(model, Gram):
        return model._gram
    if isinstance(model, Questions):
        return model._system()
    raise TypeError(
        f"got a {type(model).__name__}; expected a Gram (stkr.gram) or a fitted estimator that "
        "keeps its kernel, such as STKRClassifier"
    )


def core_transform(s: Any, model: Any = None) -> "_core.SpectralTransform":
    """Return the library's transform: p ≥ 1, an object, a text or a function; None: of the fit."""
    if s is None:
        return fit_of(model).transform
    if is_number(s):
        return transforms.power(s).build()
    made = as_transform(s)
    if made is None:
        raise ValueError(
            f"spectral_transform={s!r} has open parameters; expected all of them, as in "
            "'inverse-laplacian(0.9)', or an object of stkr.transforms"
        )
    return made.build()


def power_or_transform(s: Any, model: Any = None) -> "float | _core.SpectralTransform":
    """Return p > 0 as a number, or the library's transform."""
    return check_positive("p", s) if is_number(s) else core_transform(s, model)


def function_values(name: str, f: Any, model: Any) -> Floats:
    """Return f at the samples of the gram as a column."""
    values = plain_array(name, f)
    core = core_gram(model)
    counted = getattr(model, "_counted", None)
    size = len(core) if counted is None else len(counted)
    if values.shape != (size,) or values.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} is an array of {values.dtype} with shape {values.shape}; expected {size} real "
            "numbers, one per sample"
        )
    if counted is not None:
        values = values[counted]
    column: Floats = np.ascontiguousarray(values[:, np.newaxis], dtype=np.float64)
    return column


def columns(name: str, values: Any) -> Floats:
    """Return an array of one or two dimensions with one column per output."""
    found = plain_array(name, values)
    if found.ndim not in (1, 2) or found.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} is an array of {found.dtype} with {found.ndim} dimensions; expected real "
            "numbers in one dimension, or two for several outputs"
        )
    two = found[:, np.newaxis] if found.ndim == 1 else found
    result: Floats = np.ascontiguousarray(two, dtype=np.float64)
    return result


def known_indices(name: str, known: Any, model: Any) -> Indices:
    """Return indices of samples; refuse fits that left some out, whose numbers differ."""
    if known is not None and getattr(model, "_counted", None) is not None:
        raise ValueError(f"{name}: the fit left samples of weight 0 out; pass new samples instead")
    result: Indices = _indices([] if known is None else known)
    return result


def fresh_samples(model: Any, X: Any) -> "_core.NewSamples | None":
    """Convert new samples, which have the form that predictions take."""
    if X is None:
        return None
    if isinstance(model, Questions):
        return model._new(X)
    kernel = model._kernel_in
    check_columns(X, kernel, model.shape[0])
    return new_samples(check_samples(X, kernel), kernel, model._X_fit)


@dataclass(frozen=True)
class StkrFit:
    """A fit with one transform and one ridge."""

    labeled: Indices
    y: Floats
    transform: "_core.SpectralTransform"
    ridge: float
    beta: float | None
    constant: bool


def fit_of(model: Any) -> StkrFit:
    """Return what an estimator solved; refuse averages."""
    if not isinstance(model, Questions):
        raise ValueError("spectral_transform is missing; only a fitted estimator has its own")
    system = model._system()
    terms = system.terms
    if len(terms) != 1 or len(terms[0][1]) != 1:
        raise ValueError(
            "the fit has no single transform and ridge: it is an average, or was solved with "
            "sample weights or without its system; fit with spectral_transform and ridge, or pass "
            "a Gram, labels and these parameters"
        )
    transform, (ridge,) = terms[0]
    beta = getattr(model, "beta_", None)
    return StkrFit(system.labeled, system.y, transform, ridge, beta, system.constant)


def given_fit(
    model: Any, labeled: Any, y: Any, s: Any, ridge: Any, beta: Any, fit_intercept: Any
) -> StkrFit:
    """Return the fit of an estimator, or the one that is given for a gram."""
    if isinstance(model, Questions):
        given = (labeled, y, s, ridge, beta, fit_intercept)
        if any(value is not None for value in given):
            raise ValueError(
                "labeled, y, spectral_transform, ridge, beta and fit_intercept are those of the "
                "estimator; pass them with a Gram only"
            )
        return fit_of(model)
    core_gram(model)
    if labeled is None or y is None:
        raise ValueError("labeled and y are missing; a Gram has no labels")
    if (ridge is None) == (beta is None):
        raise ValueError("give one of ridge and beta: a ridge chosen anew would change the result")
    return StkrFit(
        _indices(labeled),
        _right_hand_sides(y),
        core_transform(s, model),
        0.1 if ridge is None else check_positive("ridge", ridge),
        None if beta is None else check_positive("beta", beta),
        False if fit_intercept is None else check_flag("fit_intercept", fit_intercept),
    )
