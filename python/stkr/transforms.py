"""Spectral transforms s(λ) of the kernel K_s = Σ s(λ_i) ψ_i ψ_iᵀ.

Estimators accept a name with its parameters, an object of this module, or any function of one
number with s(0) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._checks import check_count, check_number, numbers_of

__all__ = [
    "SpectralTransform",
    "Validity",
    "power",
    "polynomial",
    "inverse_laplacian",
    "reciprocal",
    "diffusion",
    "truncation",
    "poisson",
    "smooth_step",
    "through",
    "weighted_sum",
    "from_text",
    "function",
]


@dataclass(frozen=True)
class Validity:
    """Whether the conditions of the paper's Theorem 1 hold on a spectrum.

    Attributes
    ----------
    valid : bool
        Whether all of them hold.
    slope : float
        M, the largest s(λ)/λ found.
    conditions : tuple of (str, bool, str)
        Each condition, whether it holds, and where it fails.
    """

    valid: bool
    slope: float
    conditions: tuple[tuple[str, bool, str], ...]

    def __str__(self) -> str:
        lines = [
            f"{'ok  ' if holds else 'FAIL'}  {condition}{': ' + finding if finding else ''}"
            for condition, holds, finding in self.conditions
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class SpectralTransform:
    """An immutable transform s(λ). The functions of this module create it.

    Examples
    --------
    >>> from stkr import transforms
    >>> s = transforms.inverse_laplacian(0.5)
    >>> s([0.0, 1.0])
    array([0., 2.])
    >>> s.describe()
    'inverse-laplacian eta=0.5'
    """

    kind: str
    parameters: tuple[Any, ...]

    def build(self) -> _core.SpectralTransform:
        """Return the library's transform."""
        if self.kind == "function":
            name, s = self.parameters
            return _core.SpectralTransform.function(name, checked_function(name, s))
        if self.kind == "sum":
            return _core.SpectralTransform.sum([(a, s.build()) for a, s in self.parameters])
        made: _core.SpectralTransform = getattr(_core.SpectralTransform, self.kind)(*self.parameters)
        return made

    def __call__(self, eigenvalues: Any) -> Any:
        """Return s at every eigenvalue. A truncation returns them unchanged: it depends on rank."""
        return self.build()(np.asarray(eigenvalues, dtype=float))

    def describe(self) -> str:
        """Return the name and the parameters."""
        return self.build().describe()

    def text(self) -> str:
        """Return the exact text that ``spectral_transform`` and the command's ``--transform`` accept."""
        return self.build().text()

    def validate(self, lower: float = 0.0, upper: float = 1.0) -> Validity:
        """Check Theorem 1 on the spectrum [lower, upper]: s(0) = 0, s ≥ 0, non-decreasing, s ≤ Mλ.

        Examples
        --------
        >>> from stkr import transforms
        >>> transforms.power(2).validate().valid
        True
        >>> transforms.polynomial([1.0, -1.0]).validate().valid
        False
        """
        lower, upper = check_number("lower", lower), check_number("upper", upper)
        if not lower <= upper:
            raise ValueError(f"lower={lower:g} and upper={upper:g}; expected lower <= upper")
        valid, slope, conditions = self.build().validate(lower, upper)
        return Validity(valid, slope, tuple(conditions))

    def __repr__(self) -> str:
        return f"<SpectralTransform {self.describe()}>"


def _checked(kind: str, *parameters: Any) -> SpectralTransform:
    transform = SpectralTransform(kind, parameters)
    transform.build()  # refuses parameters outside their domain
    return transform


def power(exponent: float) -> SpectralTransform:
    """Power, s(λ) = λ^p.

    Parameters
    ----------
    exponent : float
        p ≥ 1.

    Returns
    -------
    SpectralTransform
    """
    return _checked("power", check_number("power", exponent))


def polynomial(coefficients: Sequence[float]) -> SpectralTransform:
    """Polynomial, s(λ) = Σ π_p λ^p.

    Parameters
    ----------
    coefficients : sequence of float
        π_1, π_2, ...: no constant term, since s(0) = 0.

    Returns
    -------
    SpectralTransform
    """
    return _checked("polynomial", tuple(numbers_of("coefficients", coefficients)))


def inverse_laplacian(eta: float) -> SpectralTransform:
    """Inverse Laplacian, s(λ) = λ/(1 - ηλ).

    Parameters
    ----------
    eta : float
        0 < η < 1/λ₁.

    Returns
    -------
    SpectralTransform
    """
    return _checked("inverse_laplacian", check_number("eta", eta))


def reciprocal(coefficients: Sequence[float], r: int = 1) -> SpectralTransform:
    """Reciprocal, 1/s(λ) = Σ ξ_p λ^(p-r).

    Parameters
    ----------
    coefficients : sequence of float
        ξ_0 > 0, ξ_1, ...
    r : int, default=1
        At least 1.

    Returns
    -------
    SpectralTransform
    """
    values = tuple(numbers_of("coefficients", coefficients))
    return _checked("reciprocal", values, check_count("r", r))


def diffusion(time: float) -> SpectralTransform:
    """Diffusion, s(λ) = exp(tλ) - 1.

    Parameters
    ----------
    time : float
        t > 0.

    Returns
    -------
    SpectralTransform
    """
    return _checked("diffusion", check_number("time", time))


def truncation(dimension: int) -> SpectralTransform:
    """Truncation, s(λ_i) = λ_i for the d largest eigenvalues, 0 for the others.

    Parameters
    ----------
    dimension : int
        d ≥ 1.

    Returns
    -------
    SpectralTransform
    """
    return _checked("truncation", check_count("dimension", dimension))


def poisson(eta: float = 1.0) -> SpectralTransform:
    """Inverse Laplacian without the kernel's leading eigenvectors, for very few labels.

    The limit η = 1 is Poisson learning. The kernel must know its leading eigenvectors: a graph, a
    neighbor graph or a degree-normalized kernel. As a function of λ in units of λ₁,
    s(λ) = λ/(1 - ηλ) below 1 and s(1) = 0.

    Parameters
    ----------
    eta : float, default=1
        0 < η ≤ 1, in units of 1/λ₁.

    Returns
    -------
    SpectralTransform
    """
    return _checked("poisson", check_number("eta", eta))


def smooth_step(position: float, sharpness: int = 4) -> SpectralTransform:
    """Smooth step, s(λ) = λ^p/(λ^p + c^p): near 0 below c, near 1 above.

    Parameters
    ----------
    position : float
        c > 0, where s is 1/2.
    sharpness : int, default=4
        p, even.

    Returns
    -------
    SpectralTransform
    """
    return _checked(
        "smooth_step", check_number("position", position), check_count("sharpness", sharpness)
    )


def through(pairs: Sequence[tuple[float, float]]) -> SpectralTransform:
    """Through given pairs (λ_i, s_i) and (0, 0), by a monotone cubic: s of your own by its values.

    Parameters
    ----------
    pairs : sequence of (float, float)
        λ > 0 and s(λ) ≥ 0, not less for a larger λ. Beyond the pairs, s continues linearly.

    Returns
    -------
    SpectralTransform

    Examples
    --------
    >>> from stkr import transforms
    >>> s = transforms.through([(0.1, 0.01), (1, 1)])
    >>> s([0.1, 1.0])
    array([0.01, 1.  ])
    >>> s.validate().valid, s.text()
    (True, 'through(0.1:0.01, 1:1)')
    """
    checked = []
    for pair in pairs:
        try:
            eigenvalue, value = pair
        except (TypeError, ValueError):
            raise ValueError(
                f"through: found {pair!r}; expected pairs of an eigenvalue and a value of s"
            ) from None
        checked.append((check_number("eigenvalue", eigenvalue), check_number("value", value)))
    return _checked("through", tuple(checked))


def weighted_sum(terms: Sequence[tuple[float, SpectralTransform]]) -> SpectralTransform:
    """Sum, s(λ) = Σ a_k s_k(λ).

    Theorem 1 holds for it if it holds for every s_k.

    Parameters
    ----------
    terms : sequence of (float, SpectralTransform)
        a_k > 0 and s_k; no truncation.

    Returns
    -------
    SpectralTransform

    Examples
    --------
    >>> from stkr import transforms
    >>> s = transforms.weighted_sum([(0.5, transforms.inverse_laplacian(0.5)), (2, transforms.power(2))])
    >>> s([1.0])
    array([3.])
    >>> s.text()
    '0.5*inverse-laplacian(0.5) + 2*power(2)'
    """
    checked = []
    for term in terms:
        try:
            weight, transform = term
        except (TypeError, ValueError):
            raise ValueError(
                f"weighted_sum: found {term!r}; expected pairs of a weight and a transform"
            ) from None
        if not isinstance(transform, SpectralTransform):
            raise ValueError(
                f"weighted_sum: found a {type(transform).__name__}; expected an object of "
                "stkr.transforms"
            )
        checked.append((check_number("weight", weight), transform))
    return _checked("sum", *checked)


def from_text(text: str) -> SpectralTransform:
    """Read a transform, or a sum of transforms, with all parameters.

    Parameters
    ----------
    text : str
        Terms with optional weights: ``power(p)``, ``polynomial(pi_1, ...)``,
        ``inverse-laplacian(eta)``, ``reciprocal(r, xi_0, ...)``, ``diffusion(t)``,
        ``smooth-step(c)`` or ``smooth-step(c, p)``, ``through(lambda_1:s_1, ...)``;
        ``truncation(d)`` alone.

    Returns
    -------
    SpectralTransform

    Examples
    --------
    >>> from stkr import transforms
    >>> transforms.from_text("0.4*inverse-laplacian(0.99) + 0.6*power(2)")
    <SpectralTransform 0.4*inverse-laplacian(0.99) + 0.6*power(2)>
    """
    return _checked("from_text", str(text))


def function(s: Callable[[float], float], name: str | None = None) -> SpectralTransform:
    """User-defined s of one number, with s(0) = 0.

    Parameters
    ----------
    s : callable
        Maps a float to a float.
    name : str, optional
        Name in summaries.

    Returns
    -------
    SpectralTransform

    Examples
    --------
    >>> from stkr import transforms
    >>> transforms.function(lambda x: x * x, name="square")([3.0])
    array([9.])
    """
    if not callable(s):
        raise TypeError(f"function: got {type(s).__name__}; expected a function of one number")
    return SpectralTransform("function", (str(name or getattr(s, "__name__", "function")), s))


def checked_function(name: str, s: Callable[[float], Any]) -> Callable[[float], float]:
    """Return s with a TypeError that names a value which is not a number."""

    def call(eigenvalue: float) -> float:
        value = s(eigenvalue)
        try:
            return float("no number" if isinstance(value, (str, bytes)) else value)
        except (TypeError, ValueError):
            raise TypeError(
                f"transform {name!r}: s({eigenvalue:g}) is a {type(value).__name__}; expected a "
                "number"
            ) from None

    return call
