"""Semi-supervised learning by spectrally transformed kernel regression.

scikit-learn estimators: :class:`STKRClassifier`, :class:`STKRRegressor`,
:class:`STKRClassifierCV`, :class:`STKRRegressorCV`, :class:`KernelPCAProbe`,
:class:`KernelPCARegressor`, :class:`LabelSpreading`, :class:`LabelSpreadingRegressor`. Scorers and
splitters for partly labeled y: :mod:`stkr.metrics`. Lower-level functions for research: :mod:`stkr.gram`,
:mod:`stkr.transforms`, :func:`solve`, :func:`eigenpairs`, :func:`reproduce`; the paper's analysis as
numbers: :mod:`stkr.theory`. What the data say: :func:`explain`. Plots: :mod:`stkr.plots`.
"""

from . import gram, metrics, plots, transforms
from ._core import __version__
from .classification import STKRClassifier
from .exceptions import ConvergenceWarning, DataError
from .explaining import Explanation, explain
from .kernel_pca import KernelPCAProbe, KernelPCARegressor
from .label_spreading import LabelPropagation as LabelPropagation  # deprecated, so not in __all__
from .label_spreading import LabelSpreading, LabelSpreadingRegressor
from .models import ClassifierModel, RegressorModel, load
from .regression import STKRRegressor
from .reproduction import reproduce
from .selection import STKRClassifierCV, STKRRegressorCV
from .solving import eigenpairs, solve
from . import theory  # after the estimators, which it takes

__all__ = [
    "ClassifierModel",
    "ConvergenceWarning",
    "DataError",
    "Explanation",
    "KernelPCAProbe",
    "KernelPCARegressor",
    "LabelSpreading",
    "LabelSpreadingRegressor",
    "RegressorModel",
    "STKRClassifier",
    "STKRClassifierCV",
    "STKRRegressor",
    "STKRRegressorCV",
    "__version__",
    "eigenpairs",
    "explain",
    "gram",
    "load",
    "metrics",
    "plots",
    "reproduce",
    "solve",
    "theory",
    "transforms",
]
