"""Scores of learning curves, and contents of their plot."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from matplotlib.colors import rgb_to_hsv
from pictures import closed_figures, texts, ticks  # noqa: F401
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import stkr
from stkr import plots

RANDOM = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], [40, 24, 16])
X = RANDOM.normal(size=(80, 2)) + 1.5 * Y[:, None]
FITS = []  # X and y of each fit, then the samples that it predicted


@pytest.fixture(autouse=True)
def no_fits():
    FITS.clear()


class Nearest(ClassifierMixin, BaseEstimator):
    """The class of the nearest labeled sample."""

    def fit(self, X, y):
        FITS.append([X, y])
        self.model = KNeighborsClassifier(1).fit(X[y >= 0], y[y >= 0])
        return self

    def predict(self, X):
        FITS[-1].append(X)
        return self.model.predict(X)


class NearestNumber(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        FITS.append([X, y])
        known = ~np.isnan(y)
        self.model = KNeighborsRegressor(1).fit(X[known], y[known])
        return self

    def predict(self, X):
        FITS[-1].append(X)
        return self.model.predict(X)


class NearestOfKernel(ClassifierMixin, BaseEstimator):
    """The same with a kernel matrix."""

    def __init__(self, kernel="precomputed"):
        self.kernel = kernel

    def fit(self, K, y):
        assert K.shape == (len(y), len(y))
        self.y = y
        return self

    def predict(self, K):
        K = K.toarray() if scipy.sparse.issparse(K) else K
        return self.y[np.argmax(np.where(self.y >= 0, K, -np.inf), axis=1)]


def truth_of(points):
    """Return the classes of rows of X."""
    return Y[[np.flatnonzero((X == row).all(axis=1))[0] for row in points]]


def test_learning_curve_fits_the_numbers_asked_for():
    plots.learning_curve(Nearest(), X, Y, labels=(1, 3), unlabeled=(0, 20), repeats=2)
    sizes = [(np.bincount(y[y >= 0]).tolist(), np.count_nonzero(y == -1)) for _, y, _ in FITS]
    assert sizes == 2 * [([1] * 3, 0), ([3] * 3, 0), ([1] * 3, 20), ([3] * 3, 20)]
    for points, y, _ in FITS:
        assert len(np.unique(points, axis=0)) == len(y)
        np.testing.assert_array_equal(y[y >= 0], truth_of(points[y >= 0]))


def test_learning_curve_tests_on_the_same_quarter_which_no_fit_has_seen():
    plots.learning_curve(Nearest(), X, Y, labels=(1, 4), unlabeled=(0, None), repeats=3)
    tested = {FITS[0][2].tobytes()}
    for points, _, test in FITS:
        tested.add(test.tobytes())
        assert not set(map(tuple, points)) & set(map(tuple, test))
    assert len(tested) == 1
    assert np.bincount(truth_of(FITS[0][2])).tolist() == [10, 6, 4]


def test_learning_curve_nests_larger_fits_around_smaller_ones():
    plots.learning_curve(Nearest(), X, Y, labels=(1, 2), unlabeled=(5, 9), repeats=2)
    seen = [(set(map(tuple, x[y >= 0])), set(map(tuple, x[y < 0]))) for x, y, _ in FITS]
    for (one, few), (two, _), (same, many), _ in (seen[:4], seen[4:]):
        assert one < two and one == same and few < many
    assert seen[0] != seen[4]


def test_learning_curve_returns_means_and_standard_errors():
    ax, results = plots.learning_curve(Nearest(), X, Y, labels=(2, 1), unlabeled=(10, 0), repeats=4)
    right = []
    for points, y, test in FITS:
        distance = np.linalg.norm(test[:, None] - points[None], axis=2)
        nearest = np.argmin(np.where(y >= 0, distance, np.inf), axis=1)
        right.append(np.mean(y[nearest] == truth_of(test)))
    right = np.reshape(right, (4, 2, 2))
    np.testing.assert_array_equal(results["labels"], [2, 1])
    np.testing.assert_array_equal(results["unlabeled"], [10, 0])
    np.testing.assert_allclose(results["mean"], right.mean(axis=0))
    np.testing.assert_allclose(results["standard_error"], right.std(axis=0, ddof=1) / 2)
    assert results["standard_error"].max() > 0


def test_learning_curve_draws_a_line_and_a_band_for_each_number_of_unlabeled_samples():
    ax, results = plots.learning_curve(Nearest(), X, Y, labels=(5, 1, 2), unlabeled=(9, 0, 30))
    order = [1, 2, 0]
    for line, band, mean, error in zip(ax.lines, ax.collections, results["mean"],
                                       results["standard_error"]):  # fmt: skip
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 5])
        np.testing.assert_array_equal(line.get_ydata(), mean[order])
        corners = {tuple(point) for point in band.get_paths()[0].vertices}
        for edge in (mean + error, mean - error):
            assert {*zip([1, 2, 5], edge[order])} <= corners
    assert len(ax.lines) == len(ax.collections) == 3
    assert texts(ax.get_legend().get_texts()) == ["9", "0", "30"]
    brightness = [rgb_to_hsv(line.get_color()[:3])[2] for line in ax.lines]
    assert brightness[1] > brightness[0] > brightness[2]
    assert ticks(ax.xaxis) == {1: "1", 2: "2", 5: "5"}
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "labeled samples per class"
    assert ax.yaxis.get_major_formatter()(0.85, 0) == "85"


def test_learning_curve_takes_all_that_are_left_by_default():
    _, results = plots.learning_curve(Nearest(), X, Y, labels=(1, 4), repeats=1)
    assert results["unlabeled"].tolist() == [60 - 3 * 4]
    assert all(np.count_nonzero(y == -1) == 48 for _, y, _ in FITS)
    _, results = plots.learning_curve(Nearest(), X, Y, labels=1, unlabeled=(0, None), repeats=1)
    assert results["unlabeled"].tolist() == [0, 57]


def test_learning_curve_of_one_repetition_has_no_band():
    ax, results = plots.learning_curve(Nearest(), X, Y, repeats=1, labels=(1, 2))
    assert np.isnan(results["standard_error"]).all()
    assert not ax.collections


def test_learning_curve_is_the_same_for_the_same_seed_and_any_number_of_jobs():
    mean = lambda **options: plots.learning_curve(Nearest(), X, Y, **options)[1]["mean"]
    np.testing.assert_array_equal(mean(), mean(n_jobs=2))
    assert (mean() != mean(random_state=1)).any()


@pytest.mark.parametrize("names", [np.array(["x", "y", "z"]), np.array([7.0, 8.5, 9.0]),
                                   np.array(["x", "y", "z"], dtype=object)])  # fmt: skip
def test_learning_curve_takes_any_type_of_class(names):
    _, coded = plots.learning_curve(Nearest(), X, Y, repeats=2)
    _, named = plots.learning_curve(Nearest(), X, names[Y], repeats=2)
    np.testing.assert_array_equal(named["mean"], coded["mean"])


def test_learning_curve_hides_targets_of_a_regressor_by_nan():
    target = X[:, 0] ** 2
    ax, results = plots.learning_curve(NearestNumber(), X, target, labels=(5, 20), unlabeled=(8,),
                                       repeats=1)  # fmt: skip
    for fit, labels, mean in zip(FITS, (5, 20), results["mean"][0]):
        points, y, test = fit
        known = ~np.isnan(y)
        assert (np.count_nonzero(known), len(y)) == (labels, labels + 8)
        np.testing.assert_array_equal(y[known], points[known, 0] ** 2)
        truth = test[:, 0] ** 2
        nearest = np.argmin(np.linalg.norm(test[:, None] - points[known][None], axis=2), axis=1)
        error = np.sum((y[known][nearest] - truth) ** 2)
        assert mean == pytest.approx(1 - error / np.sum((truth - truth.mean()) ** 2))
    assert ax.get_ylabel() == "R² on new samples"
    assert ax.get_xlabel() == "labeled samples"


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.coo_matrix])
def test_learning_curve_cuts_columns_of_kernels_too(form):
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 1e4)  # never 0: sparse = dense
    _, expected = plots.learning_curve(Nearest(), X, Y, repeats=2)
    _, found = plots.learning_curve(NearestOfKernel(), form(K), Y, repeats=2)
    np.testing.assert_array_equal(found["mean"], expected["mean"])


def test_learning_curve_shows_that_unlabeled_samples_help():
    angle = RANDOM.uniform(0, np.pi, size=300)
    side = np.arange(300) % 2
    moons = np.column_stack([np.cos(angle) * (1 - 2 * side) + side, np.sin(angle) * (1 - 2 * side)])
    moons += 0.05 * RANDOM.normal(size=moons.shape)
    _, results = plots.learning_curve(stkr.STKRClassifier("knn"), moons, side, labels=(2, 4),
                                      unlabeled=(20, None), repeats=3)  # fmt: skip
    few, many = results["mean"]
    assert (many > few).all() and (many > 0.95).all()


def test_learning_curve_cuts_graphs_for_estimators():
    apart = X + 3 * Y[:, None]
    near = np.linalg.norm(apart[:, None] - apart[None], axis=2) < 1.5
    np.fill_diagonal(near, False)
    graph = scipy.sparse.csr_matrix(near.astype(float))
    _, results = plots.learning_curve(stkr.LabelSpreading("graph"), graph, Y, labels=(4, 8),
                                      repeats=2)  # fmt: skip
    assert (results["mean"] > 0.9).all()


@pytest.mark.parametrize("changes, message", [
    ({"y": Y[:-1]}, r"X has shape \(80, 2\) and y has shape \(79,\)"),
    ({"y": np.where(Y == 2, -1, Y)}, "y marks 16 of 80 samples as unlabeled"),
    ({"y": np.array(["", "x", "y"])[Y]}, "y marks 40 of 80"),
    ({"y": np.array([None, "x", "y"])[Y]}, "y marks 40 of 80"),
    ({"y": X}, "one class per sample"),
    ({"labels": (0, 1)}, r"labels is \[0, 1\]; expected integers of at least 1"),
    ({"labels": ()}, r"labels is \[\]"),
    ({"labels": (1.5,)}, r"labels is \[1.5\]"),
    ({"labels": (1, 13)}, "up to 13, but the rarest class has only 12 samples"),
    ({"unlabeled": (-1,)}, r"unlabeled is \[-1\]; expected integers of at least 0"),
    ({"labels": (2,), "unlabeled": (0, 55)}, "up to 55, but only 54 samples are left besides 6"),
    ({"repeats": 0}, r"repeats is \[0\]"),
])  # fmt: skip
def test_learning_curve_says_what_is_wrong_with_its_arguments(changes, message):
    with pytest.raises(ValueError, match=message):
        plots.learning_curve(**{"estimator": Nearest(), "X": X, "y": Y, **changes})
    assert not FITS


def test_learning_curve_refuses_targets_that_are_missing():
    with pytest.raises(ValueError, match="y has 80 NaN"):
        plots.learning_curve(NearestNumber(), X, np.full(80, np.nan))


def test_equal_warnings_of_many_fits_are_one():
    y = np.repeat([0, 1], 40)
    X = np.random.default_rng(0).normal(size=(80, 2)) + 6.0 * y[:, None]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plots.learning_curve(stkr.STKRClassifier("knn", n_neighbors=30), X, y, labels=(1, 2),
                             unlabeled=(5,), repeats=4)
    texts = [str(one.message) for one in caught if "n_neighbors=30" in str(one.message)]
    assert len(texts) == 2  # for 7 and for 9 samples
    assert all(text.endswith("(4 of 8 fits)") for text in texts)
