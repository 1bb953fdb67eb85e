"""Bad values of y and labeled, for every estimator."""

import numpy as np
import pytest
import scipy.sparse

import stkr
from conftest import CLASSIFIERS, ESTIMATORS, REGRESSORS, make

LABELED = np.arange(12)


def check(names, moons, y, labeled, error, message):
    for name in names:
        with pytest.raises(error, match=message):
            make(name).fit(moons[0], y, labeled=labeled)


@pytest.mark.parametrize(
    "change, error, message",
    [
        (lambda y: None, ValueError, "requires y to be passed.*None: give"),
        (lambda y: y[:-1], ValueError, "y has 119 entries for 120 samples; expected one per sam"),
        (lambda y: np.ma.masked_array(y, y > 0), ValueError, "y is a masked array with 60 masked"),
        (lambda y: scipy.sparse.csr_matrix(y), TypeError, "y is a sparse matrix.*y.toarray()"),
        (lambda y: [[1], [1, 2]] * 60, ValueError, "y has entries of different lengths"),
        (lambda y: y * 1j, ValueError, "y is an array of complex128; expected"),
        (lambda y: y.astype("datetime64[D]"), ValueError, r"y is an array of datetime64\[D\]"),
        (lambda y: np.where(y, np.inf, 0.0), ValueError, "y contains .*infinity.*(sample |y.)0"),
        (lambda y: np.where(y, np.nan, 0.0), ValueError, "y contains NaN.*(sample |y.)0"),
    ],
)
def test_targets_of_any_kind(moons, change, error, message):
    check(ESTIMATORS, moons, change(moons[1]), LABELED, error, message)


@pytest.mark.parametrize(
    "change, error, message",
    [
        (lambda y: 3, ValueError, "y should be a 1d array"),
        (lambda y: np.stack([y, y], 1), ValueError, r"1d array, got an array of shape \(120, 2\)"),
        (lambda y: y + 0.25, ValueError, "Unknown label type: y holds .*25; expected integers"),
        (lambda y: np.array([0, "a"] * 60, dtype=object), TypeError, "y mixes strings and numbers"),
        (lambda y: tuples(y), ValueError, "y holds tuple objects; expected integers or strings"),
        (lambda y: y.astype(object) + 10**30, ValueError, "y holds int objects; expected"),
        (lambda y: np.zeros(120, int), ValueError, "all 12 labeled samples are of class 0; exp"),
    ],
)
def test_classes(moons, change, error, message):
    check(CLASSIFIERS, moons, change(moons[1]), LABELED, error, message)


def tuples(y):
    result = np.empty(len(y), dtype=object)
    result[:] = [(int(value), 0) for value in y]
    return result


@pytest.mark.parametrize(
    "y", [np.full(120, -1), np.full(120, np.nan), np.full(120, ""), np.full(120, None)], ids=str
)
def test_no_class_at_all(moons, y):
    check(CLASSIFIERS, moons, y, None, ValueError, "no sample is labeled: set the classes of")


def test_one_class_only(moons):
    y = np.where(np.arange(120) < 5, 3, -1)
    check(CLASSIFIERS, moons, y, None, ValueError, "all 5 labeled samples are of class 3")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda y: 3.0, "y has 0 dimensions"),
        (lambda y: np.zeros((120, 2, 2)), "y has 3 dimensions; expected one, or two"),
        (lambda y: y.astype(str), "y is an array of <U21; expected numbers, with NaN"),
        (lambda y: np.array(["a", None] * 60, dtype=object), "y is an array of object; expected"),
        (lambda y: np.full(120, np.nan), "y contains NaN among the samples that labeled lists"),
    ],
)
def test_numbers(moons, change, message):
    check(REGRESSORS, moons, change(moons[1]), LABELED, ValueError, message)


def test_numbers_of_which_some_are_missing(moons):
    check(REGRESSORS, moons, np.full(120, np.nan), None, ValueError, "no sample is labeled")
    partly = np.zeros((120, 2))
    partly[7, 1] = np.nan
    check(REGRESSORS, moons, partly, None, ValueError, "NaN in only some targets of sample 7")


@pytest.mark.parametrize("names", [CLASSIFIERS, REGRESSORS], ids=["classes", "numbers"])
@pytest.mark.parametrize(
    "labeled, error, message",
    [
        ([0, 120], ValueError, "index 120 is out of range; expected 0 to 119"),
        ([-1, 0], ValueError, "index -1 is out of range"),
        ([2**63], ValueError, "index 9223372036854775808 is out of range"),
        ([True] * 119, ValueError, r"a mask of shape \(119,\) for 120 samples; expected one value"),
        ([0.0, 1.0], ValueError, "array of float64 with 1 dimensions; expected a mask of booleans"),
        (["a"], ValueError, "array of <U1 with 1 dimensions; expected a mask"),
        ([[0, 1]], ValueError, "int64 with 2 dimensions; expected a mask"),
        (3, ValueError, "int64 with 0 dimensions; expected a mask"),
        ({0, 1}, ValueError, "object with 0 dimensions; expected a mask"),
        ([0, 1, 1], ValueError, "index 1 is listed 2 times; expected every index once"),
        (np.arange(120) % 2, ValueError, r"index 0 is listed 60 times.*labeled.astype\(bool\)"),
        ([], ValueError, "no sample is labeled"),
        ([False] * 120, ValueError, "no sample is labeled"),
        ([[0], [1, 2]], ValueError, "labeled has entries of different lengths"),
        (np.ma.masked_array([0, 1], [0, 1]), ValueError, "labeled is a masked array"),
        (scipy.sparse.csr_matrix([True] * 120), TypeError, "labeled is a sparse matrix"),
    ],
)
def test_labeled(moons, names, labeled, error, message):
    check(names, moons, moons[1], labeled, error, message)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, ">i4", ">i8", np.uint64])
def test_indices_of_any_width(moons, dtype):
    X, y, labeled = moons
    plain = stkr.STKRClassifier().fit(X, y, labeled=labeled).dual_coef_
    for indices in (labeled.astype(dtype), np.repeat(labeled, 2)[::2].astype(dtype)[::-1]):
        assert (stkr.STKRClassifier().fit(X, y, labeled=indices).dual_coef_ == plain).all()
