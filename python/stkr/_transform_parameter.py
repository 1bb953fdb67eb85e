"""The parameters of an estimator that describe its spectral transform."""

from __future__ import annotations

from typing import Any, Callable, Union

from . import transforms
from ._checks import did_you_mean
from .transforms import SpectralTransform

Transform = Union[str, SpectralTransform, Callable[[float], float]]

# The parameter that belongs to each transform, and the value if it is None.
_PARAMETER = {
    "inverse_laplacian": ("eta", None),
    "poisson": ("eta", 1.0),
    "power": ("power", 2.0),
    "diffusion": ("time", 1.0),
}
# The transform that a parameter implies, as on the command line.
_IMPLIED = {"eta": "inverse_laplacian", "power": "power", "time": "diffusion"}
_BELONGS_TO = {
    "eta": "inverse_laplacian and poisson",
    "power": "power",
    "time": "diffusion",
}


def is_text(transform: Any) -> bool:
    """Whether it is a text with all parameters, not a name."""
    return isinstance(transform, str) and any(mark in transform for mark in "(*+@")


def transform_name(transform: Any) -> str:
    """Return the library's name of a transform that ``as_transform`` leaves to it."""
    if not isinstance(transform, str) or transform == "auto":
        return ""
    return transform if "@" in transform else transform.replace("_", "-")


def implied_name(transform: Any, eta: Any, power: Any, time: Any) -> Any:
    """Return the transform, or the name that a parameter implies instead of ``"auto"``.

    Raises ValueError for a parameter that does not apply to the transform.
    """
    values = {"eta": eta, "power": power, "time": time}
    given = {name: value for name, value in values.items() if value is not None}
    if isinstance(transform, str) and transform == "auto":
        if len(given) > 1:
            raise ValueError(
                " and ".join(f"{name}={value!r}" for name, value in given.items())
                + " belong to different transforms; give one of them"
            )
        return _IMPLIED[next(iter(given))] if given else transform
    own = None
    if isinstance(transform, str) and not is_text(transform):
        own = _PARAMETER.get(transform.replace("-", "_"), (None, None))[0]
    for name, value in given.items():
        if name != own:
            shown = repr(transform) if isinstance(transform, str) else "an object or a function"
            raise ValueError(
                f"{name}={value!r} applies only to spectral_transform {_BELONGS_TO[name]}, but "
                f"spectral_transform is {shown}; omit {name}"
            )
    return transform


def as_transform(
    transform: Any,
    *,
    eta: float | None = None,
    power: float | None = None,
    time: float | None = None,
    n_components: int | None = None,
) -> SpectralTransform | None:
    """Return the transform that an estimator's parameters describe.

    None: the library makes it, from ``transform_name``.
    """
    transform = implied_name(transform, eta, power, time)
    if isinstance(transform, SpectralTransform):
        return transform
    if callable(transform):
        return transforms.function(transform)
    if not isinstance(transform, str):
        raise ValueError(
            f"spectral_transform is a {type(transform).__name__}; expected a name, an object of "
            "stkr.transforms, or a function s(lambda)"
        )
    if "@" in transform or transform in ("auto", "learned"):
        return None
    if is_text(transform):
        return transforms.from_text(transform)
    return _by_name(transform, {"eta": eta, "power": power, "time": time}, n_components)


def _by_name(
    transform: str, values: dict[str, float | None], n_components: int | None
) -> SpectralTransform | None:
    name = transform.replace("-", "_")
    if name in _PARAMETER:
        parameter, default = _PARAMETER[name]
        value = default if values[parameter] is None else values[parameter]
        made: SpectralTransform | None = None
        if value is not None:  # without eta, the library chooses it
            made = getattr(transforms, name)(value)
        return made
    if name == "truncation":
        if n_components is None:
            raise ValueError(
                "spectral_transform='truncation' needs n_components, the number d to keep"
            )
        return transforms.truncation(n_components)
    if name in ("polynomial", "reciprocal"):
        raise ValueError(
            f"spectral_transform={transform!r} needs coefficients: pass "
            f"stkr.transforms.{name}([...]) instead of the name"
        )
    if name == "smooth_step":
        raise ValueError(
            "spectral_transform='smooth_step' needs a position: write 'smooth-step(0.5)'"
        )
    if name == "through":
        raise ValueError("spectral_transform='through' needs pairs: write 'through(0.1:0.01, 1:1)'")
    hint = did_you_mean(transform, ("auto", "learned", "truncation", *_PARAMETER))
    raise ValueError(
        f"spectral_transform={transform!r} is unknown; expected auto, learned, inverse_laplacian, "
        "poisson, power, diffusion, truncation, a text such as '0.4*inverse-laplacian(0.99) + "
        f"0.6*power(2)', an object of stkr.transforms, or a function s(lambda){hint}"
    )
