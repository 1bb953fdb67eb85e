"""Contents of the plot of contributions."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from pictures import closed_figures, texts  # noqa: F401

import stkr
from stkr import plots
from stkr.plots._style import BLUE, PALETTE, RED

X = np.random.default_rng(0).normal(size=(60, 2)) + 3 * (np.arange(60) % 3)[:, np.newaxis]
Y = np.where(np.arange(60) < 18, np.arange(60) % 3, -1)


@pytest.fixture(scope="module")
def clf():
    return stkr.STKRClassifier("rbf", length_scale=1.0, power=1, ridge=0.1).fit(X, Y)


def widths(ax):
    return np.array([bar.get_width() for bar in ax.patches])


def rows(ax):
    return texts(ax.get_yticklabels())


def test_bars_are_the_largest_contributions_and_add_up_to_the_score(clf):
    parts = clf.contributions(40)
    ax = plots.contributions(parts, most=5)
    best = int(np.argmax(parts.score))
    order = np.argsort(-np.abs(parts.by_label[:, best]))
    assert rows(ax) == [str(parts.labeled[i]) for i in order[:5]] + ["13 others"]
    np.testing.assert_allclose(widths(ax)[:5], parts.by_label[order[:5], best])
    np.testing.assert_allclose(widths(ax).sum(), parts.score[best], rtol=1e-12)
    assert ax.get_xlabel() == f"contribution to the score of output {best}, which is {parts.score[best]:.3g}"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the largest on top
    assert len(rows(plots.contributions(parts, most=18))) == 18
    assert rows(plots.contributions(parts, most=17))[-1] == "1 other"


def test_colors_show_the_sign_or_the_class(clf):
    parts = clf.contributions(40)
    bars = plots.contributions(parts, most=18).patches
    assert {to_hex(bar.get_facecolor()) for bar in bars} == {BLUE, RED}
    assert all((bar.get_width() < 0) == (to_hex(bar.get_facecolor()) == RED) for bar in bars)
    ax = plots.contributions(parts, Y[parts.labeled], most=18, output=1, classes=["ant", "bee", "cat"])
    classes = Y[[int(name) for name in rows(ax)]]
    assert [to_hex(bar.get_facecolor()) for bar in ax.patches[:18]] == [PALETTE[c] for c in classes]
    assert texts(ax.get_legend().get_texts()) == ["0", "1", "2"]
    assert ax.get_xlabel().startswith("contribution to the score of bee, which is ")
    np.testing.assert_allclose(widths(ax)[:18].sum(), parts.score[1], rtol=1e-9)


def test_a_regression_has_a_constant():
    target = np.where(np.arange(60) < 10, X[:, 0], np.nan)
    reg = stkr.STKRRegressor("rbf", length_scale=1.0, power=1, ridge=0.1).fit(X, target)
    parts = reg.contributions(X[30])
    ax = plots.contributions(parts)
    assert rows(ax)[-1] == "constant" and widths(ax)[-1] == parts.constant[0]
    np.testing.assert_allclose(widths(ax).sum(), parts.score[0], rtol=1e-9)
    assert ax.get_xlabel().startswith("contribution to the score, which is ")


def test_bad_arguments_are_named(clf):
    parts = clf.contributions(40)
    for options, message in [
        ({"output": 3}, "output=3; expected a number from 0 to 2"),
        ({"output": True}, "output=True"),
        ({"most": 0}, "most=0; expected a whole number of at least 1"),
        ({"classes": ["a"]}, "classes has 1 names; expected 3"),
        ({"labels": Y}, r"labels has shape \(60,\); expected \(18,\)"),
        ({"labels": np.arange(18)}, "labels has 18 classes; expected at most 10"),
    ]:
        with pytest.raises(ValueError, match=message):
            plots.contributions(parts, **options)
