"""How certain predictions are, where they come from, and which labels would help most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from . import _core
from ._checks import check_choice, check_count, check_flag, is_number, is_whole
from ._prediction import ClassPredictor, Predictor, TargetPredictor
from ._types import Array, Flags, Floats, Indices, Samples

CRITERIA = ("error", "variance", "survey")


def _check_coverage(coverage: Any) -> float:
    if not is_number(coverage) or not 0 < coverage < 1:
        raise ValueError(f"coverage={coverage!r}; expected a number between 0 and 1, such as 0.9")
    return float(coverage)


def _check_possible(coverage: float, largest: float, n_labeled: int) -> None:
    if coverage > largest + 1e-12:
        most = np.floor(1e4 * largest) / 1e4
        raise ValueError(
            f"coverage={coverage:g}: {n_labeled} labels can give at most {most:.4f}; expected at "
            "most that, or more labels"
        )


@dataclass(frozen=True, eq=False)
class Contributions:
    """Where the scores of one sample come from.

    Attributes
    ----------
    by_label : ndarray of shape (n_labeled, n_outputs)
        What each label adds: α_i K_s(x, x_i). With ``constant``, these add up to ``score``.
    labeled : ndarray of int of shape (n_labeled,)
        The labeled samples, in the order of ``by_label``.
    score : ndarray of shape (n_outputs,)
        f(x), before class sizes scale it.
    constant : ndarray of shape (n_outputs,)
        The intercept of a regression; 0 for classes.
    through : ndarray of int
        The fitted samples through which labels act most, such as neighbors in a graph, the
        strongest first. Empty for a labeled sample of a kernel with a self term.
    by_sample : ndarray of shape (len(through), n_outputs)
        What comes through each of them.
    radius : float or None
        The best class stays ahead of the second within this distance of the sample, measured
        by K_s; None for regression, and for averages over transforms or ridges.
    """

    by_label: Floats
    labeled: Indices
    score: Floats
    constant: Floats
    through: Indices
    by_sample: Floats
    radius: float | None


class Questions(Predictor):
    """Questions that the system of a fit answers, for estimators that keep it."""

    def _system(self) -> "_core.FittedSystem":
        self._model()
        self._check_has_labels()
        system = self.model_.system
        if system is None:
            raise ValueError(
                f"this {type(self).__name__} has no system of its labels, which a fit keeps only "
                "in its own process: copies, pickles and files lose it, and kernel PCA and label "
                "spreading have none. Call fit again in this process"
            )
        return system

    def _known(self, what: str) -> Indices:
        """Return all samples of the system; refuse fits that left some out."""
        if self._counted is not None:
            raise ValueError(
                f"{what}: the fit left samples of weight 0 out; pass the samples as X"
            )
        return np.arange(len(self._system()), dtype=np.int64)

    def _outer(self, samples: Indices) -> Indices:
        """Convert indices of the system, which lacks samples of weight 0, to those of X."""
        if self._counted is None:
            return samples
        outer: Indices = np.flatnonzero(self._counted)[samples]
        return outer

    def suggest(self, n: int = 10, criterion: str = "error", balance: bool = True) -> Indices:
        """Suggest which samples to label next.

        Each suggestion reduces the criterion most, given all labels and the suggestions before
        it, whatever their labels turn out to be (docs/certainty.md).

        Parameters
        ----------
        n : int, default=10
            Number of suggestions, at most the number of unlabeled samples.
        criterion : "error", "variance" or "survey", default="error"
            Reduce the expected number of wrong classes, by variances of f relative to those
            without labels and by the probability that predictions are wrong; the sum of the
            variances of f over all samples; or the variance of the sum, which prefers samples
            that represent many others. In regression, "error" is "variance".
        balance : bool, default=True
            Prefer samples whose predicted class has few labels; no effect in regression.

        Returns
        -------
        ndarray of int of shape (n,)
            Unlabeled samples of the fit, the best first. The same for the same ``random_state``.

        Examples
        --------
        >>> import numpy as np
        >>> from stkr import STKRClassifier
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1], [9.2]])
        >>> y = np.array([0, -1, -1, 1, -1, -1, -1, -1, -1])
        >>> clf = STKRClassifier("rbf", length_scale=0.5, power=1, ridge=0.1).fit(X, y)
        >>> clf.suggest(1)  # no label is near
        array([7])
        """
        count = check_count("n", n)
        check_choice("criterion", criterion, CRITERIA)
        balance = check_flag("balance", balance)
        system = self._system()
        unlabeled = len(system) - len(system.labeled)
        if count > unlabeled:
            raise ValueError(f"n={count}; expected at most {unlabeled}, the unlabeled samples")
        classes = self._model().predict_fitted()[2]
        return self._outer(system.suggest(classes, self._doubt(), count, criterion, balance))

    def _doubt(self) -> Floats:
        """Return the probability that each prediction is wrong; empty if it is not known."""
        return np.empty(0)

    def contributions(self, sample: Any, through: int = 10) -> Contributions:
        """Return what each label contributes to the scores of one sample.

        Parameters
        ----------
        sample : int, or one row of X as in ``predict``
            The index of a fitted sample, or a new sample.
        through : int, default=10
            At most so many fitted samples through which labels act.

        Returns
        -------
        Contributions
            With ``by_label``, ``labeled``, ``score``, ``constant``, ``through``, ``by_sample``
            and ``radius``.

        Examples
        --------
        >>> import numpy as np
        >>> from stkr import STKRRegressor
        >>> X = np.array([[0.0], [0.1], [0.2], [0.9], [1.0]])
        >>> y = np.array([1.0, np.nan, np.nan, 3.0, 2.0])
        >>> reg = STKRRegressor("rbf", length_scale=0.5, power=1, ridge=0.1).fit(X, y)
        >>> parts = reg.contributions([0.3])
        >>> parts.labeled
        array([0, 3, 4])
        >>> bool(np.isclose(parts.by_label.sum() + parts.constant[0], reg.predict([[0.3]])[0]))
        True
        """
        most = check_count("through", through)
        system = self._system()
        if is_whole(sample):
            found = system.contributions_to_known(self._inner(int(sample)), most)
        else:
            new = self._new(_as_row(sample))
            if len(new) != 1:
                raise ValueError(
                    f"contributions: {len(new)} samples; expected one at a time: the index of a "
                    "fitted sample, or one row"
                )
            found = system.contributions_to_new(new, most)
        return Contributions(
            by_label=found["by_label"],
            labeled=self._outer(system.labeled),
            score=found["score"],
            constant=found["constant"],
            through=self._outer(found["through"]),
            by_sample=found["by_sample"],
            radius=found["radius"],
        )

    def _inner(self, sample: int) -> int:
        """Convert the index of a fitted sample to that of the system."""
        size = len(self._system()) if self._counted is None else len(self._counted)
        if not 0 <= sample < size:
            raise ValueError(f"sample {sample}; expected 0 to {size - 1}, or a row of X")
        if self._counted is None:
            return sample
        if not self._counted[sample]:
            raise ValueError(f"sample {sample} has weight 0 and is not in the fit; pass its row")
        return int(np.count_nonzero(self._counted[:sample]))


def _as_row(sample: Any) -> Any:
    """Return a single row as an array with one row; leave anything else as it is."""
    if isinstance(sample, tuple) or getattr(sample, "ndim", 1) != 1:
        return sample
    if hasattr(sample, "to_frame"):  # a row of a DataFrame
        return sample.to_frame().T
    row = np.asarray(sample)
    return row[np.newaxis] if row.ndim == 1 else sample


class PredictionSets(ClassPredictor):
    """Sets of plausible classes, from a model that left its labels out."""

    def predict_set(self, X: Samples = None, coverage: float = 0.9) -> Flags:
        """Return the classes that the labels do not rule out.

        Conformal sets from the labels left out. If labeled and other samples are drawn alike,
        they contain the right class with at least this probability, up to the effect of one
        label on the fit. A set is empty if no class is plausible.

        Parameters
        ----------
        X : array or sparse matrix, optional
            As in ``predict``; None: the fitted samples.
        coverage : float, default=0.9
            At most n/(n + 1) for n labels.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            The columns are ``classes_``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from stkr import STKRClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = STKRClassifier().fit(X, y, labeled=range(0, 150, 5))
        >>> plausible = clf.predict_set(X[:1])
        >>> clf.classes_[plausible[0]]
        array([0])
        """
        coverage = _check_coverage(coverage)
        model = self._model()
        self._check_has_labels()
        largest = model.largest_coverage
        if largest is None:
            raise ValueError(
                "predict_set: the fit did not leave its labels out; fit with leave_one_out=True "
                "(needs STKR, 2 to 2,000 labels and no sample weights)"
            )
        _check_possible(coverage, largest, round(largest / (1.0 - largest)))
        scores, evidence, *_ = self._fitted() if X is None else self._answers(X)
        return model.prediction_sets(scores, evidence, coverage)


class TargetCertainty(Questions, TargetPredictor):
    """Standard deviations and intervals of regression targets."""

    @overload
    def predict(self, X: Samples, return_std: Literal[False] = False) -> Array: ...

    @overload
    def predict(self, X: Samples, return_std: Literal[True]) -> tuple[Array, Array]: ...

    def predict(
        self, X: Samples, return_std: bool = False
    ) -> Array | tuple[Array, Array]:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array or sparse matrix
            As in :meth:`stkr.STKRClassifier.predict`.
        return_std : bool, default=False
            Also return the standard deviation of f: that of the Gaussian process whose mean is
            the fit, with K_s as covariance up to a factor that the labels determine. The noise
            of the targets is not included. With more than 3,000 fitted and 256 new samples, an
            estimate that is accurate to about 6%; the first call prepares it.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets), or a pair of them
            If no label reaches a sample, the intercept of the regression.

        Examples
        --------
        >>> import numpy as np
        >>> from stkr import STKRRegressor
        >>> X = np.linspace(0, 3, 40)[:, np.newaxis]
        >>> y = np.where(np.arange(40) < 20, np.sin(X[:, 0]), np.nan)
        >>> reg = STKRRegressor("rbf", power=1, length_scale=0.5, beta=1e-4).fit(X, y)
        >>> predicted, deviation = reg.predict([[1.0], [3.0]], return_std=True)
        >>> bool(deviation[1] > 2 * deviation[0])  # far from the labels
        True
        """
        if not check_flag("return_std", return_std):
            return super().predict(X)
        system = self._system()
        predicted = super().predict(X)
        return predicted, self._shaped(np.sqrt(system.variances_of_new(self._new(X))))

    @property
    def transduction_std_(self) -> Array:
        """The standard deviation of f at every fitted sample, as ``predict`` returns it.

        Exact for up to 3,000 samples; for more, an estimate that is accurate to about 6%.
        """
        known = self._known("transduction_std_")
        return self._shaped(np.sqrt(self._system().variances_of_known(known)))

    def predict_interval(self, X: Samples = None, coverage: float = 0.9) -> Array:
        """Return intervals for the targets, by the jackknife+.

        From fits that leave each label out, in closed form. If labeled and other samples are
        drawn alike, intervals contain the target with probability at least 2·coverage - 1, and
        usually about ``coverage``.

        Parameters
        ----------
        X : array or sparse matrix, optional
            As in ``predict``; None: the fitted samples.
        coverage : float, default=0.9
            At most n/(n + 1) for n labels.

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
            Lower and upper ends.

        Examples
        --------
        >>> import numpy as np
        >>> from stkr import STKRRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(0, 3, (200, 1))
        >>> y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(200)
        >>> reg = STKRRegressor().fit(X, y, labeled=range(50))
        >>> lower, upper = reg.predict_interval(coverage=0.9).T
        >>> bool(0.8 < ((lower <= y) & (y <= upper))[50:].mean() < 1.0)
        True
        """
        coverage = _check_coverage(coverage)
        system = self._system()
        n_labeled = len(system.labeled)
        _check_possible(coverage, n_labeled / (n_labeled + 1), n_labeled)
        if X is None:
            ends = system.intervals_of_known(self._known("predict_interval"), coverage)
        else:
            ends = system.intervals_of_new(self._new(X), coverage)
        return np.stack([self._shaped(end) for end in ends], axis=-1)


class ClassCertainty(Questions, PredictionSets):
    """Questions and prediction sets of classifiers."""

    def _doubt(self) -> Floats:
        if self._model().largest_coverage is None:  # shares of scores are no probabilities
            return np.empty(0)
        scores, evidence, *_ = self._model().predict_fitted()
        doubt: Floats = 1 - self._model().probabilities(scores, evidence).max(axis=1)
        return doubt.clip(0, 1)
