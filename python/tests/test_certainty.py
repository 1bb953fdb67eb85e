"""How certain predictions are, where they come from, and what to label next."""

import copy
import csv
import pickle
import subprocess

import numpy as np
import pytest
from conftest import rbf, ridge_unit
from sklearn.datasets import load_digits

import stkr


@pytest.fixture(scope="module")
def wave():
    """Noisy values of a function of one number: X, y, and 40 labeled samples."""
    rng = np.random.default_rng(5)
    X = rng.uniform(0, 4, (150, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(150)
    return X, y, np.arange(40)


@pytest.fixture(scope="module")
def reg(wave):
    X, y, labeled = wave
    params = {"normalize": False}
    return stkr.STKRRegressor("rbf", length_scale=0.5, power=2, ridge=0.05, kernel_params=params).fit(
        X, y, labeled=labeled
    )


@pytest.fixture(scope="module")
def clf():
    X, y = load_digits(return_X_y=True)
    return stkr.STKRClassifier("knn", power=4, ridge=0.1).fit(X[:300], y[:300], labeled=range(60))


def dense(X, labeled, new):
    """K_s between everything and the labels, for s(λ) = λ², and K_s(x, x)."""
    N = len(X)
    K = rbf(X, X, 0.5)
    rows = rbf(new, X, 0.5)
    Ks = K @ K / N
    return Ks[np.ix_(labeled, labeled)], rows @ K[:, labeled] / N, (rows**2).sum(1) / N


def test_deviations_are_those_of_the_gaussian_process(wave, reg):
    X, y, labeled = wave
    new = np.linspace(-1, 5, 23)[:, None]
    G, k, own = dense(X, labeled, new)
    A = G + 0.05 * ridge_unit(G) * np.eye(len(G))
    inverse = np.linalg.inv(A)
    one = np.ones(len(G))
    u = inverse @ one / (one @ inverse @ one)
    P = inverse - np.outer(inverse @ one, u)
    targets = y[labeled]
    scale = targets @ P @ targets / (len(G) - 1)
    variance = own - np.einsum("ij,jk,ik->i", k, inverse, k)
    variance += (1 - k @ inverse @ one) ** 2 / (one @ inverse @ one)
    predicted, deviation = reg.predict(new, return_std=True)
    np.testing.assert_allclose(predicted, k @ P @ targets + u @ targets, atol=1e-6)
    np.testing.assert_allclose(deviation, np.sqrt(scale * variance), atol=1e-6)
    assert (predicted == reg.predict(new)).all()


def test_deviations_of_fitted_samples(wave, reg):
    X, _, _ = wave
    _, expected = reg.predict(X, return_std=True)
    np.testing.assert_allclose(reg.transduction_std_, expected, atol=1e-6)


def test_several_targets(wave):
    X, y, labeled = wave
    both = np.stack([y, 3 * y], axis=1)
    reg = stkr.STKRRegressor("rbf", length_scale=0.5, power=1, ridge=0.05).fit(X, both, labeled)
    predicted, deviation = reg.predict(X[50:60], return_std=True)
    assert predicted.shape == deviation.shape == reg.transduction_std_[50:60].shape == (10, 2)
    np.testing.assert_allclose(deviation[:, 1], 3 * deviation[:, 0], rtol=1e-6)
    ends = reg.predict_interval(X[50:60])
    assert ends.shape == (10, 2, 2) and (ends[..., 0] < ends[..., 1]).all()
    np.testing.assert_allclose(ends[:, 1], 3 * ends[:, 0], rtol=1e-6)


def jackknife(X, y, labeled, new, coverage):
    """The definition: a fit without each label, with the same β."""
    n = len(labeled)
    G, k, _ = dense(X, labeled, new)
    beta = 0.05 * ridge_unit(G) / n
    lower, upper = [], []
    for i in range(n):
        kept = np.arange(n) != i
        A = G[np.ix_(kept, kept)] + (n - 1) * beta * np.eye(n - 1)
        one = np.linalg.solve(A, np.ones(n - 1))
        b = one @ y[labeled[kept]] / one.sum()
        alpha = np.linalg.solve(A, y[labeled[kept]] - b)
        miss = abs(y[labeled[i]] - b - G[i, kept] @ alpha)
        f = k[:, kept] @ alpha + b
        lower.append(f - miss)
        upper.append(f + miss)
    rank = int(np.ceil(coverage * (n + 1) - 1e-9))
    return np.stack([np.sort(lower, 0)[n - rank], np.sort(upper, 0)[rank - 1]], axis=1)


def test_intervals_are_those_of_the_jackknife(wave, reg):
    X, y, labeled = wave
    new = np.linspace(0, 4, 17)[:, None]
    np.testing.assert_allclose(
        reg.predict_interval(new, 0.8), jackknife(X, y, labeled, new, 0.8), atol=1e-6
    )


def test_intervals_of_the_poisson_transform(wave):
    """Part of the default average on neighbor graphs; here against fits without each label."""
    X, y, labeled = wave

    def fit(labels):
        reg = stkr.STKRRegressor("knn", spectral_transform="poisson", eta=0.99, beta=1e-3)
        return reg.fit(X, y, labeled=labels)

    new = X[100:110] + 0.001
    ends = []
    for i in labeled:
        without = fit(np.delete(labeled, i))
        miss = abs(y[i] - without.transduction_[i])
        ends.append(without.predict(new) + miss * np.array([[-1], [1]]))
    lower, upper = np.sort(ends, axis=0).transpose(1, 0, 2)
    rank = int(np.ceil(0.8 * 41 - 1e-9))
    expected = np.stack([lower[40 - rank], upper[rank - 1]], axis=1)
    np.testing.assert_allclose(fit(labeled).predict_interval(new, 0.8), expected, atol=1e-6)


def test_intervals_cover():
    inside = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.uniform(0, 4, (300, 1))
        y = np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(300)
        reg = stkr.STKRRegressor().fit(X, y, labeled=range(100))
        lower, upper = reg.predict_interval(coverage=0.9).T
        inside.append(((lower <= y) & (y <= upper))[100:].mean())
        np.testing.assert_allclose(reg.predict_interval(X[:5]), reg.predict_interval()[:5], atol=1e-6)
    assert 0.85 < np.mean(inside) < 0.95


def test_contributions_add_up_to_scores(clf):
    X, _ = load_digits(return_X_y=True)
    scores = clf.decision_function(X[300:303])
    for row, score in zip(X[300:303], scores):
        parts = clf.contributions(row)
        assert parts.by_label.shape == (60, 10) and list(parts.labeled) == list(range(60))
        np.testing.assert_allclose(parts.by_label.sum(0), score, atol=1e-8)
        np.testing.assert_allclose(parts.score, score, atol=1e-8)
        assert (parts.constant == 0).all() and parts.radius > 0
        assert parts.by_sample.shape == (len(parts.through), 10)
    parts = clf.contributions(100, through=3)
    np.testing.assert_allclose(parts.by_label.sum(0), clf.model_.core.fitted[100], atol=1e-8)
    assert len(parts.through) <= 3


def test_contributions_are_those_of_the_definition(wave, reg):
    X, y, labeled = wave
    G, k, _ = dense(X, labeled, X[60:61])
    A = G + 0.05 * ridge_unit(G) * np.eye(len(G))
    one = np.linalg.solve(A, np.ones(len(G)))
    b = one @ y[labeled] / one.sum()
    alpha = np.linalg.solve(A, y[labeled] - b)
    for parts in (reg.contributions(60), reg.contributions(X[60]), reg.contributions(X[60:61])):
        np.testing.assert_allclose(parts.by_label[:, 0], k[0] * alpha, atol=1e-6)
        np.testing.assert_allclose(parts.constant, b, atol=1e-6)
        np.testing.assert_allclose(parts.score, reg.predict(X[60:61]), atol=1e-8)
        assert parts.radius is None


@pytest.mark.parametrize("criterion", ["error", "variance", "survey"])
def test_suggestions_are_unlabeled_and_repeatable(clf, reg, criterion):
    for model, n_labeled, size in ((clf, 60, 300), (reg, 40, 150)):
        found = model.suggest(12, criterion)
        assert len(set(found)) == 12 and found.min() >= n_labeled and found.max() < size
        assert (model.suggest(12, criterion) == found).all()
        assert (model.suggest(5, criterion) == found[:5]).all()


def test_suggestions_reduce_the_variance(wave):
    X, y, _ = wave
    labeled = np.argsort(X[:, 0])[:20]  # all at one end

    def mean_variance(more):
        fitted = stkr.STKRRegressor("rbf", length_scale=0.5, power=1, ridge=0.05)
        fitted.fit(X, y, labeled=[*labeled, *more])
        return fitted, (fitted.transduction_std_**2).mean()

    first, before = mean_variance([])
    _, suggested = mean_variance(first.suggest(5))
    others = np.setdiff1d(np.arange(150), labeled)
    drawn = [
        mean_variance(np.random.default_rng(seed).permutation(others)[:5])[1] for seed in range(10)
    ]
    assert suggested < before and suggested < np.mean(drawn)


def test_deviations_of_many_new_samples_are_estimated():
    random = np.random.default_rng(5)
    X, new = random.uniform(0, 6, (3100, 2)), random.uniform(0, 6, (400, 2))
    reg = stkr.STKRRegressor("knn", eta=0.99, ridge=0.1)
    reg.fit(X, np.sin(X[:, 0]), labeled=range(40))
    _, exact = reg.predict(new[:250], return_std=True)
    predicted, estimated = reg.predict(new, return_std=True)
    assert (predicted == reg.predict(new)).all()
    ratio = estimated[:250] / exact
    assert 0 < np.sqrt(np.mean((ratio - 1) ** 2)) < 0.0625 * 1.25  # √(2/128)/2, and its own error
    assert abs(ratio.mean() - 1) < 0.03
    assert (reg.predict(new, return_std=True)[1] == estimated).all()  # prepared once
    again = stkr.STKRRegressor("knn", eta=0.99, ridge=0.1, n_jobs=1)
    again.fit(X, np.sin(X[:, 0]), labeled=range(40))
    assert (again.predict(new, return_std=True)[1] == estimated).all()


def test_the_error_of_numbers_is_their_variance(reg):
    assert (reg.suggest(6) == reg.suggest(6, "variance")).all()


def test_suggestions_go_where_predictions_are_in_doubt():
    random = np.random.default_rng(3)
    centers = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
    X = np.repeat(centers, 30, axis=0) + random.normal(size=(120, 2))
    y = np.repeat([0, 1, 0, 1], 30)
    labeled = [0, 1, 30, 31, 60, 61]  # none in the last group
    clf = stkr.STKRClassifier("knn", eta=0.99, ridge=0.1).fit(X, y, labeled=labeled)
    assert clf.suggest(1)[0] >= 90


def test_the_system_stays_in_the_process(reg, wave, tmp_path):
    X, _, _ = wave
    questions = [
        lambda model: model.predict(X, return_std=True),
        lambda model: model.transduction_std_,
        lambda model: model.predict_interval(),
        lambda model: model.suggest(3),
        lambda model: model.contributions(0),
    ]
    for other in (pickle.loads(pickle.dumps(reg)), copy.deepcopy(reg)):
        assert (other.predict(X) == reg.predict(X)).all()
        for question in questions:
            with pytest.raises(ValueError, match="[Cc]all fit again in this process"):
                question(other)


def test_samples_of_weight_0(wave):
    X, y, labeled = wave
    weights = (np.arange(150) % 3 != 1).astype(float)
    reg = stkr.STKRRegressor("rbf", length_scale=0.5, power=1, ridge=0.05)
    reg.fit(X, y, labeled=labeled, sample_weight=weights)
    assert (weights[reg.suggest(20)] == 1).all() and (reg.suggest(20) >= 40).all()
    parts = reg.contributions(50)
    assert (parts.labeled == labeled[weights[labeled] == 1]).all()
    np.testing.assert_allclose(parts.score, reg.transduction_[50], atol=1e-8)
    np.testing.assert_allclose(reg.contributions(X[49]).score, reg.transduction_[49], atol=1e-8)
    with pytest.raises(ValueError, match="weight 0"):
        reg.contributions(49)
    with pytest.raises(ValueError, match="pass the samples as X"):
        reg.predict_interval()
    assert reg.predict_interval(X).shape == (150, 2)


def test_weighted_fits_do_not_answer(wave):
    X, y, labeled = wave
    reg = stkr.STKRRegressor("rbf", power=1, ridge=0.05)
    reg.fit(X, y, labeled=labeled, sample_weight=1 + X[:, 0])
    with pytest.raises(ValueError, match="sample weights"):
        reg.suggest(3)


def test_beta_needs_the_system(wave):
    X, y, labeled = wave
    options = {"eta": 0.99, "beta": 1e-3}
    reg = stkr.STKRRegressor("knn", **options).fit(X, y, labeled=labeled)
    with pytest.raises(ValueError, match="With beta.*use the solver direct, or a relative ridge"):
        reg.suggest(3)
    direct = stkr.STKRRegressor("knn", solver="direct", **options).fit(X, y, labeled=labeled)
    assert len(direct.suggest(3)) == 3 and len(direct.predict_interval()) == 150


def test_graphs_and_searches(ring, moons):
    y = np.full(40, -1)
    y[[0, 5, 10, 20, 25, 30]] = [0, 0, 0, 1, 1, 1]
    nodes = stkr.STKRClassifier("graph", power=3, ridge=0.1).fit(ring, y)
    parts = nodes.contributions(12)
    assert set(parts.through) <= {11, 12, 13} and parts.by_label.shape == (6, 2)
    new = nodes.contributions(ring[12])
    np.testing.assert_allclose(new.score, new.by_label.sum(0), atol=1e-12)
    assert nodes.predict_set(coverage=0.8).shape == (40, 2)
    assert len(nodes.suggest(4)) == 4
    X, truth, labeled = moons
    search = stkr.STKRClassifierCV("rbf", families=["power"], powers=[2], betas=[1e-2], cv=2)
    search.fit(X, truth, labeled=labeled)
    assert len(search.suggest(2)) == 2 and search.contributions(3).by_label.shape == (6, 2)


def test_errors(clf, reg, wave):
    X, _, _ = wave
    for coverage in (0, 1, -0.5, "all", True, np.nan):
        with pytest.raises(ValueError, match="coverage"):
            clf.predict_set(coverage=coverage)
        with pytest.raises(ValueError, match="coverage"):
            reg.predict_interval(X, coverage=coverage)
    with pytest.raises(ValueError, match="60 labels can give at most 0.9836"):
        clf.predict_set(coverage=0.99)
    with pytest.raises(ValueError, match="40 labels can give at most 0.9756"):
        reg.predict_interval(coverage=0.99)
    expected = "criterion='entropy'; expected one of error, variance, survey"
    with pytest.raises(ValueError, match=expected):
        clf.suggest(criterion="entropy")
    with pytest.raises(ValueError, match="n=0"):
        clf.suggest(0)
    with pytest.raises(ValueError, match="expected at most 240, the unlabeled samples"):
        clf.suggest(241)
    with pytest.raises(ValueError, match="balance='yes'"):
        clf.suggest(balance="yes")
    with pytest.raises(ValueError, match="sample 300; expected 0 to 299"):
        clf.contributions(300)
    with pytest.raises(ValueError, match="2 samples; expected one at a time"):
        reg.contributions(X[:2])
    with pytest.raises(ValueError, match="features"):
        reg.contributions([1.0, 2.0])
    with pytest.raises(ValueError, match="return_std=1"):
        reg.predict(X, return_std=1)
    with pytest.raises(ValueError, match="leave_one_out='yes'"):
        stkr.STKRClassifier(leave_one_out="yes").fit(X, [0, 1] * 75)
    for ask in (lambda m: m.suggest(), lambda m: m.contributions(0)):
        with pytest.raises(stkr._prediction.NotFittedError):
            ask(stkr.STKRRegressor())
    with pytest.raises(stkr._prediction.NotFittedError):
        stkr.STKRClassifier().predict_set()


def test_the_command_says_the_same_from_a_file(command, wave, reg, tmp_path):
    X, y, labeled = wave
    targets = np.where(np.arange(len(y)) < len(labeled), y, np.nan)
    np.savez(tmp_path / "wave.npz", X=X, y=targets)

    def run(*arguments):
        done = subprocess.run([command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run("fit", "wave.npz", "-o", "m.npz", "--kernel", "rbf", "--length-scale", "0.5", "--power", "2",
        "--ridge", "0.05", "--no-normalize")  # fmt: skip
    run("predict", "m.npz", "-o", "out.csv", "--uncertainty", "--coverage", "0.9", "--jackknife-plus")
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert [name.split("_")[0] for name in rows[0][-3:]] == ["deviation", "lower", "upper"]
    deviation, lower, upper = np.array(rows[1:])[:, -3:].astype(float).T
    np.testing.assert_allclose(deviation, reg.transduction_std_, rtol=1e-6)
    np.testing.assert_allclose(np.column_stack([lower, upper]), reg.predict_interval(), rtol=1e-6)
    run("suggest", "m.npz", "-n", "4", "-o", "next.csv")
    with open(tmp_path / "next.csv", newline="") as file:
        suggested = [int(row["index"]) for row in csv.DictReader(file)]
    np.testing.assert_array_equal(suggested, reg.suggest(4))
