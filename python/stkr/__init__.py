"""Semi-supervised learning by spectrally transformed kernel regression.

scikit-learn estimators: :class:`STKRClassifier`, :class:`STKRRegressor`,
:class:`STKRClassifierCV`, :class:`STKRRegressorCV`, :class:`KernelPCAProbe`,
:class:`LabelPropagation`. Lower-level functions for research: :mod:`stkr.gram`,
:mod:`stkr.transforms`, :func:`solve`, :func:`eigenpairs`, :func:`reproduce`. Plots:
:mod:`stkr.plots`.
"""

from . import gram, plots, transforms
from ._core import __version__
from .classification import KernelPCAProbe, LabelPropagation, STKRClassifier
from .exceptions import ConvergenceWarning, DataError
from .models import ClassifierModel, RegressorModel, load
from .regression import STKRRegressor
from .reproduction import reproduce
from .selection import STKRClassifierCV, STKRRegressorCV
from .solving import eigenpairs, solve

__all__ = [
    "ClassifierModel",
    "ConvergenceWarning",
    "DataError",
    "KernelPCAProbe",
    "LabelPropagation",
    "RegressorModel",
    "STKRClassifier",
    "STKRClassifierCV",
    "STKRRegressor",
    "STKRRegressorCV",
    "__version__",
    "eigenpairs",
    "gram",
    "load",
    "plots",
    "reproduce",
    "solve",
    "transforms",
]
