"""What data and labels say about how to learn from them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import clone

from . import _core
from ._checks import check_count, check_flag
from ._estimator import SpectralEstimator
from ._report import Report
from ._types import Array, Labels, Samples
from .classification import STKRClassifier
from .regression import STKRRegressor

__all__ = ["Explanation", "explain"]


class Explanation(Report):
    """What :func:`explain` found: a verdict, numbers, and a page that notebooks show.

    Attributes
    ----------
    verdict : list of str
        Plain sentences, the most important first.
    numbers : dict
        Everything behind them, as ``stkr explain --json`` prints it.
    html : str
        The page; ``save(path)`` writes it.
    """

    def __init__(self, numbers: dict[str, Any], html: str) -> None:
        super().__init__(html)
        self.numbers = numbers
        self.verdict: list[str] = numbers["verdict"]

    def __str__(self) -> str:
        return "\n".join(f"- {sentence}" for sentence in self.verdict)

    def __repr__(self) -> str:
        return f"<Explanation>\n{self}"


class _Explains:
    """Turns the fit of an estimator into an explanation of the same samples and labels."""

    _draws: int
    _curves: bool
    _about: str
    explanation: Explanation

    def _run(
        self,
        samples: _core.Samples,
        labels: Array,
        names: list[str],
        spec: _core.Specification,
        boolean: bool = False,
    ) -> Any:
        repeat = [("Estimator", self._about)]
        return _core.explain(samples, labels, names, spec, boolean, self._draws, self._curves, repeat)

    def _keep(self, found: tuple[str, str], y: Array) -> None:
        text, html = found
        self.explanation = Explanation(json.loads(text), html)


def _is_regression(y: Any) -> bool:
    values = np.asarray(y)
    if values.ndim > 1:
        return True
    if values.dtype.kind != "f":
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.round(known)).any())


def explain(
    X: Samples,
    y: Labels,
    estimator: SpectralEstimator | None = None,
    *,
    labeled: Any = None,
    features: Any = None,
    curves: bool = True,
    draws: int = 4,
) -> Explanation:
    """Say whether unlabeled samples help, which transform suits, and what to buy.

    The kernel is that of a full selection, unless the estimator gives one. Every number has its
    uncertainty; what so few labels cannot tell is said. docs/explain.md describes the computations.

    Parameters
    ----------
    X, y, labeled, features
        As in ``STKRClassifier.fit``.
    estimator : STKRClassifier or STKRRegressor, optional
        Its parameters are used; it is not fitted. Default: ``STKRClassifier()``, or
        ``STKRRegressor()`` if y has fractions or several columns.
    curves : bool, default=True
        Also compute learning curves and the cross-fit estimate, which fit parts of the samples.
    draws : int, default=4
        Random subsets of the unlabeled samples per point of a curve.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> x = np.linspace(0, 1, 200)[:, np.newaxis]
    >>> y = np.where(np.arange(200) % 10 == 0, x[:, 0] > 0.5, -1)
    >>> found = stkr.explain(x, y, stkr.STKRClassifier("knn"), curves=False)
    >>> found.numbers["labels"], found.numbers["kernel"]["semidefinite"]
    (20, True)
    >>> found.verdict[0][:12]
    'Expect about'
    """
    if estimator is None:
        estimator = STKRRegressor() if _is_regression(y) else STKRClassifier()
    if not isinstance(estimator, (STKRClassifier, STKRRegressor)):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}; expected STKRClassifier or STKRRegressor"
        )
    kind = type(estimator)
    explaining: Any = type(kind.__name__, (_Explains, kind), {})
    asked = explaining(**clone(estimator).get_params())
    asked._about = repr(estimator)
    asked._draws = check_count("draws", draws)
    asked._curves = check_flag("curves", curves)
    asked.fit(X, y, labeled=labeled, features=features)
    found: Explanation = asked.explanation
    return found
