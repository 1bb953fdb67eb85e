"""Pages about a fit."""

from __future__ import annotations

import html
import os
from typing import Any

import numpy as np
from sklearn.base import clone

from . import _core
from ._labels import class_names, encode_classes, encode_targets


class Record:
    """The library's record of a selection; copies and pickles do not keep it."""

    def __init__(self, core: Any = None) -> None:
        self.core = core

    def __reduce__(self) -> tuple[type[Record], tuple[()]]:
        return Record, ()


class Report:
    """A page about a fit: one self-contained HTML document.

    Notebooks show it; ``str(report)`` is its text.

    Attributes
    ----------
    html : str
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Report: {len(self.html):,} characters of HTML; save(path) writes it>"

    def _repr_html_(self) -> str:
        # In a frame, so that neither style sheet affects the other.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:640px;border:0" '
            'title="Report"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced.
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


class Reports:
    """The method ``report`` of fitted estimators."""

    _diagnostics: bool = False

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        X: Any = None,
        y: Any = None,
        labeled: Any = None,
        names: Any = None,
        image: str | None = None,
    ) -> Report:
        """Return a page about the fit: choices, class shares, evidence, uncertain samples.

        Parameters
        ----------
        path : path, optional
            Write the page to this file, too.
        X, y, labeled : optional
            The arguments of ``fit``. With them, the page also shows leave-one-out predictions and
            the spectrum, for which a copy is fitted, and pictures of samples.
        names : list of str, optional
            Names of the samples; default: those that the model has, or their numbers.
        image : str, optional
            ``"28x28"`` or ``"32x32x3"``: the rows of X are pictures of that height and width.

        Returns
        -------
        Report
        """
        if X is None and (y is not None or labeled is not None or image is not None):
            raise ValueError("y, labeled and image need X, the samples of fit")
        if X is not None and y is None:
            raise ValueError("X needs y, the labels of fit")
        estimator: Any = self
        model = estimator._model()
        fitted: Any = getattr(self, "best_estimator_", self)
        record, codes, classes, features = fitted.summary_.record, None, list[str](), None
        if X is not None:
            copy = clone(fitted)
            copy._diagnostics = True
            record = copy.fit(X, y, labeled=labeled).summary_.record
            classes, codes = _encoded(copy, y, labeled, len(y))
            if image is not None:
                features = np.ascontiguousarray(X, dtype=np.float64)
        page = Report(
            _core.fit_page(
                model,
                record,
                getattr(self, "_selection", Record()).core,
                codes,
                classes,
                "",
                [] if names is None else [str(name) for name in names],
                features,
                image or "",
                [("Estimator", repr(self))],
            )
        )
        if path is not None:
            page.save(path)
        return page


def _encoded(estimator: Any, y: Any, labeled: Any, size: int) -> tuple[list[str], Any]:
    """Return the names of the classes or targets, and the labels as the library takes them."""
    if hasattr(estimator, "classes_"):
        classes, codes = encode_classes(y, labeled, size)
        return class_names(classes), codes
    targets = encode_targets(y, labeled, size)
    return [f"y{k}" for k in range(targets.shape[1])], targets
