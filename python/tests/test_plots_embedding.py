"""Contents of the plot of an embedding."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from pictures import closed_figures, texts  # noqa: F401

import stkr
from stkr import plots
from stkr.plots._style import PALETTE

Z = np.random.default_rng(0).normal(size=(30, 3))
CLASSES = np.arange(30) % 3


def colors(collection):
    return [to_hex(color) for color in collection.get_facecolors()]


def test_embedding_draws_the_first_two_columns():
    ax = plots.embedding(Z, CLASSES)
    (points,) = ax.collections
    np.testing.assert_array_equal(points.get_offsets(), Z[:, :2])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("spectral coordinate 1", "spectral coordinate 2")


def test_embedding_draws_the_columns_asked_for():
    ax = plots.embedding(Z, CLASSES, columns=(2, 0))
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), Z[:, [2, 0]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("spectral coordinate 3", "spectral coordinate 1")
    for columns in ((0, 3), (0,), (0.5, 1)):
        with pytest.raises(ValueError, match="expected two of the numbers 0 to 2"):
            plots.embedding(Z, CLASSES, columns=columns)


def test_embedding_gives_every_class_a_color_and_its_name():
    ax = plots.embedding(Z, np.array(["ant", "bee", "cat"])[CLASSES])
    assert colors(ax.collections[0]) == [PALETTE[c] for c in CLASSES]
    assert texts(ax.get_legend().get_texts()) == ["ant", "bee", "cat"]
    assert [handle.get_color() for handle in ax.get_legend().get_lines()] == list(PALETTE[:3])


@pytest.mark.parametrize("labeled", [[4, 0, 11], np.isin(np.arange(30), [0, 4, 11])])
def test_embedding_outlines_labeled_samples_and_draws_them_larger(labeled):
    ax = plots.embedding(Z, CLASSES, labeled=labeled)
    others, marked = ax.collections
    np.testing.assert_array_equal(marked.get_offsets(), Z[[0, 4, 11], :2])
    np.testing.assert_array_equal(others.get_offsets(), np.delete(Z[:, :2], [0, 4, 11], axis=0))
    assert colors(marked) == [PALETTE[c] for c in CLASSES[[0, 4, 11]]]
    assert marked.get_sizes() > others.get_sizes()
    assert marked.get_linewidths() == [1.0] and others.get_linewidths() == [0.0]
    assert texts(ax.get_legend().get_texts()) == ["0", "1", "2", "labeled"]


def test_embedding_marks_nothing_where_nothing_is_labeled():
    for none in (None, [], np.zeros(30, dtype=bool)):
        assert len(plots.embedding(Z, CLASSES, labeled=none).collections) == 1


def test_embedding_takes_all_samples_as_labeled():
    ax = plots.embedding(Z, CLASSES, labeled=np.arange(30))
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), Z[:, :2])


def test_embedding_shows_many_classes_by_a_color_bar():
    labels = np.arange(30) % 15 * 10
    ax = plots.embedding(Z, labels)
    np.testing.assert_array_equal(ax.collections[0].get_array(), labels // 10)
    bar = ax.figure.axes[1]
    assert bar.get_ylabel() == "class"
    assert texts(bar.get_yticklabels()) == ["0", "20", "40", "60", "80", "100", "120", "140"]
    assert ax.get_legend() is None


def test_embedding_shows_numbers_by_a_color_bar():
    values = Z[:, 2]
    ax = plots.embedding(Z, values, labeled=[3])
    others, marked = ax.collections
    np.testing.assert_array_equal(others.get_array(), np.delete(values, 3))
    np.testing.assert_array_equal(marked.get_array(), values[[3]])
    assert others.get_clim() == marked.get_clim() == (values.min(), values.max())
    assert ax.figure.axes[1].get_ylabel() == "label"
    assert texts(ax.get_legend().get_texts()) == ["labeled"]


def test_embedding_renders_many_points_as_pixels():
    many = np.random.default_rng(1).normal(size=(6000, 2))
    assert plots.embedding(many, many[:, 0] > 0).collections[0].get_rasterized()
    assert not plots.embedding(Z, CLASSES).collections[0].get_rasterized()


def test_embedding_shows_what_an_estimator_embeds():
    x = np.concatenate([Z, Z + 6])
    y = np.full(60, -1)
    y[[0, 30]] = 0, 1
    model = stkr.STKRClassifier(n_components=2).fit(x, y)
    embedded = model.transform(x)
    ax = plots.embedding(embedded, model.transduction_, labeled=y >= 0)
    np.testing.assert_array_equal(ax.collections[1].get_offsets(), embedded[[0, 30]])


@pytest.mark.parametrize("arguments, message", [
    ((Z[:, :1], CLASSES), "Z has one column"),
    ((Z[:, 0], CLASSES), "2 dimensions"),
    ((np.full((30, 2), np.nan), CLASSES), "60 NaN"),
    ((Z, CLASSES[:-1]), r"labels has shape \(29,\); expected \(30,\)"),
    ((Z, np.full(30, np.nan)), "labels has 30 NaN"),
    ((Z, np.array(["a", None] * 15, dtype=object)), "mixes NoneType, str"),
    ((Z, CLASSES, [30]), "row numbers from 30 to 30; expected 0 to 29"),
    ((Z, CLASSES, [-1]), "row numbers from -1"),
    ((Z, CLASSES, [0.5]), "array of float64"),
    ((Z, CLASSES, [True]), r"mask of shape \(1,\)"),
])  # fmt: skip
def test_embedding_says_what_is_wrong_with_its_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.embedding(*arguments)
    assert not plt.get_fignums()
