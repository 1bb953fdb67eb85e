"""Contents of the heat map of a selection."""

import types

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from pictures import closed_figures, ticks  # noqa: F401

import stkr
from stkr import plots

RIDGES, POWERS, ETAS, STEPS = [1e1, 1e-1, 1e-3], [1, 2, 4], [0.9, 0.999999], [1, 8]


def height(p, ridge):
    """Largest at p = 2 and a ridge of 0.1, smallest at p = 4 and 0.001."""
    return 0.8 - 0.01 * abs(p - 2) - 0.02 * abs(np.log10(ridge) + 0.9)


def selection(missing=(), **attributes):
    """A selection in which knn without class mass is best; `missing` points are left out."""
    rows = []
    for kernel, class_mass in (("rbf", False), ("knn", False), ("knn", True)):
        bonus = 0.1 * (kernel == "knn") - 0.01 * class_mass
        rows += [("power", p, r, 7 * p * r, 0, class_mass, kernel, height(p, r) + bonus)
                 for p in POWERS for r in RIDGES if (p, r) not in missing]  # fmt: skip
        rows += [("label-propagation", eta, 0.0, 0.0, steps, class_mass, kernel, 0.5 + bonus + eta / 9)
                 for eta in ETAS for steps in STEPS]  # fmt: skip
    names = ("family", "parameter", "ridge", "beta", "iterations", "class_mass", "kernel",
             "mean_test_score")  # fmt: skip
    results = dict(zip(names, map(np.array, zip(*rows))))
    return types.SimpleNamespace(cv_results_=results, scoring="accuracy", **attributes)


def cells(ax):
    """Return the scores of the heat map, rows from bottom to top."""
    (mesh,) = ax.collections
    shape = (len(ax.get_yticks()), len(ax.get_xticks()))
    return np.ma.filled(mesh.get_array().astype(float), np.nan).reshape(shape)


def framed(ax):
    frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    (place,) = {patch.get_xy() for patch in frames}
    return place


def test_scores_draws_the_family_and_kernel_of_the_best_point():
    ax = plots.scores(selection())
    expected = [[height(p, ridge) + 0.1 for ridge in sorted(RIDGES)] for p in POWERS]
    np.testing.assert_allclose(cells(ax), expected)
    assert ax.get_title() == "power, knn"
    assert ticks(ax.xaxis) == {0: "$10^{-3}$", 1: "$10^{-1}$", 2: "$10^{1}$"}
    assert ticks(ax.yaxis) == {0: "1", 1: "2", 2: "4"}
    across = "ridge, in units of the mean diagonal"
    assert (ax.get_xlabel(), ax.get_ylabel()) == (across, "power p")


def test_scores_frames_the_best_cell_and_writes_percents():
    ax = plots.scores(selection())
    assert framed(ax) == (0.5, 0.5)
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(written) == 9
    assert (written[1, 1], written[0, 0]) == ("89.8", "84.8")


def test_scores_puts_the_steps_of_label_propagation_across():
    ax = plots.scores(selection(), family="label_propagation")
    assert ax.get_title() == "label propagation, knn"
    assert ax.get_xlabel() == "steps T"
    assert ticks(ax.xaxis) == {0: "1", 1: "8"}
    assert ticks(ax.yaxis) == {0: "0.9", 1: "0.999999"}
    np.testing.assert_allclose(cells(ax), 0.6 + np.repeat(ETAS, 2).reshape(2, 2) / 9)
    assert framed(ax) == (-0.5, 0.5)  # the first of equal scores


def test_scores_leaves_cells_without_a_score_empty_and_hatched():
    cv = selection(missing=[(4, 1e1)])
    is_gap = (cv.cv_results_["parameter"] == 1) & (cv.cv_results_["ridge"] == 1e1)
    cv.cv_results_["mean_test_score"][is_gap] = np.nan
    ax = plots.scores(cv)
    gaps = np.argwhere(np.isnan(cells(ax)))
    assert gaps.tolist() == [[0, 2], [2, 2]]
    assert len(ax.texts) == 7
    assert ax.patch.get_hatch()


def test_scores_names_class_mass_where_it_won():
    cv = selection()
    results = cv.cv_results_
    results["mean_test_score"][results["class_mass"]] += 0.02
    assert plots.scores(cv).get_title() == "power, knn, class mass"


def test_scores_frames_the_point_that_the_selection_names_among_equals():
    cv = selection()
    results = cv.cv_results_
    results["mean_test_score"][:] = 0.5
    cv.best_index_ = np.flatnonzero((results["family"] == "power") & results["class_mass"])[5]
    ax = plots.scores(cv)
    assert ax.get_title() == "power, knn, class mass"
    assert framed(ax) == (-0.5, 0.5)  # the sixth: p = 2, the last of the ridges


def test_scores_marks_the_smallest_where_that_was_chosen():
    cv = selection()
    cv.scoring, cv.best_score_ = "mse", cv.cv_results_["mean_test_score"].min()
    ax = plots.scores(cv, family="power")
    assert ax.get_title() == "power, rbf"
    assert framed(ax) == (-0.5, 1.5)
    assert ax.texts[0].get_text() == f"{cells(ax)[0, 0]:.3g}"


def test_scores_of_a_fine_grid_have_no_numbers_and_fewer_ticks():
    betas, times = np.logspace(-3, 3, 21), np.linspace(1, 3, 11)
    parameter, beta = map(np.ravel, np.meshgrid(times, betas, indexing="ij"))
    results = {"family": ["diffusion"] * len(beta), "parameter": parameter, "beta": beta,
               "ridge": 0 * beta,  # β was given
               "iterations": 0 * beta, "class_mass": beta < 0, "kernel": ["rbf"] * len(beta),
               "mean_test_score": -np.abs(beta - 1) - parameter}  # fmt: skip
    ax = plots.scores(types.SimpleNamespace(cv_results_=results))
    assert not ax.texts
    assert ax.get_xlabel() == "ridge β"
    assert 3 <= len(ax.get_xticks()) < 21
    assert ticks(ax.xaxis)[0] == "0.001"
    assert framed(ax) == (9.5, -0.5)


def test_scores_shows_what_an_estimator_found():
    cv = stkr.STKRRegressorCV(families=["power", "label_propagation"], powers=[1, 2],
                              betas=[1e-4, 1e-2, 1.0], scoring="mse")  # fmt: skip
    x = np.linspace(0, 3, 60)[:, None]
    cv.fit(x, np.where(np.arange(60) % 3 == 0, np.sin(4 * x[:, 0]), np.nan))
    ax = plots.scores(cv, family="power")
    found = {(p, beta): score for family, p, beta, score in zip(
        *(cv.cv_results_[name] for name in ("family", "parameter", "beta", "mean_test_score")))
        if family == "power"}  # fmt: skip
    np.testing.assert_array_equal(cells(ax), [[found[p, beta] for beta in (1e-4, 1e-2, 1.0)]
                                              for p in (1, 2)])  # fmt: skip
    column, row = np.array(framed(ax)) + 0.5
    assert cells(ax)[int(row), int(column)] == min(found.values())
    assert ax.get_title() == "power, rbf"
    assert ax.figure.axes[1].get_ylabel() == "mse"


def test_scores_says_what_is_wrong_with_its_argument():
    with pytest.raises(ValueError, match="SimpleNamespace has no cv_results_; fit it first"):
        plots.scores(types.SimpleNamespace())
    with pytest.raises(ValueError, match="'diffusion' was not tried; found power, label_prop"):
        plots.scores(selection(), family="diffusion")
    cv = selection()
    del cv.cv_results_["beta"]
    with pytest.raises(ValueError, match="has no beta"):
        plots.scores(cv)
    cv = selection()
    cv.cv_results_["mean_test_score"][:] = np.nan
    with pytest.raises(ValueError, match="nothing to draw"):
        plots.scores(cv)
    cv = selection()
    cv.cv_results_["beta"] = cv.cv_results_["beta"][1:]
    with pytest.raises(ValueError, match="differ in length"):
        plots.scores(cv)
