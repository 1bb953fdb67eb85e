"""All plots: where they are drawn, and what happens without matplotlib."""

import doctest
import importlib
import sys
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pictures import closed_figures  # noqa: F401
from sklearn.neighbors import KNeighborsClassifier

from stkr import plots
from stkr.plots._style import tick_texts


def curve(ax=None):
    X = np.arange(16.0)[:, None]
    return plots.learning_curve(KNeighborsClassifier(1), X, np.arange(16) // 8, labels=(1, 2),
                                unlabeled=0, repeats=1, ax=ax)[0]  # fmt: skip


PARTS = SimpleNamespace(by_label=np.eye(2), score=np.ones(2), constant=np.zeros(2), labeled=np.arange(2))

DRAW = {
    "spectrum": lambda ax=None: plots.spectrum([1.0, 0.5], ax=ax),
    "embedding": lambda ax=None: plots.embedding(np.eye(3), [0, 1, 1], ax=ax),
    "learning_curve": curve,
    "contributions": lambda ax=None: plots.contributions(PARTS, ax=ax),
}


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_pictures_go_where_they_are_told(draw):
    _, (left, right) = plt.subplots(1, 2)
    assert draw(ax=right) is right
    assert right.has_data() and not left.has_data()
    assert plt.get_fignums() == [1]


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_pictures_make_a_figure_of_their_own(draw):
    assert draw().figure is not draw().figure


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_pictures_refuse_anything_but_axes(draw):
    with pytest.raises(TypeError, match="ax is of type ndarray; pass one matplotlib Axes"):
        draw(ax=plt.subplots(1, 2)[1])


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_pictures_say_how_to_get_matplotlib(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"install matplotlib \(pip\) or python3-matplotlib"):
        draw()


@pytest.mark.parametrize("name", ["_style", "_spectrum", "_scores", "_embedding", "_learning_curve",
                                  "_contributions"])
def test_examples_of_docstrings_hold(name):
    result = doctest.testmod(importlib.import_module(f"stkr.plots.{name}"))
    assert result.attempted and not result.failed


def test_tick_texts_tell_all_values_apart():
    assert tick_texts([0.7, 0.99999, 0.999999]) == ["0.7", "0.99999", "0.999999"]
    assert tick_texts([1 / 3, 1 / 3 + 1e-5]) == ["0.33333", "0.33334"]
    assert tick_texts([1e-8, 1.0]) == ["$10^{-8}$", "$10^{0}$"]
    assert tick_texts([0.01, 0.1, 1.0]) == ["0.01", "0.1", "1"]
    assert tick_texts([5e-7, 1.0]) == ["5e-7", "1"]
    assert tick_texts([np.nan]) == ["nan"]
