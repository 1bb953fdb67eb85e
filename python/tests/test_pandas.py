"""pandas: missing values and extension types in y and X."""

import numpy as np
import pytest

import stkr

pandas = pytest.importorskip("pandas")


@pytest.fixture
def table(moons):
    """Points as a DataFrame, and their classes with every fifth known."""
    X, y, _ = moons
    known = np.arange(len(y)) % 5 == 0
    return pandas.DataFrame(X, columns=["a", "b"]), y, known


def expected(X, y, known):
    return stkr.STKRClassifier("knn").fit(X, y, labeled=known)


@pytest.mark.parametrize("kind", ["string", "Int64", "Float64", "boolean", "category", "object"])
def test_classes_with_missing_values(table, kind):
    X, y, known = table
    values = pandas.Series(y)
    if kind in ("string", "category"):
        values = values.map({0: "lower", 1: "upper"})
    if kind == "boolean":
        values = values.map({0: False, 1: True})
    values = values.astype(kind).where(pandas.Series(known))
    if kind == "object":
        values = values.astype(object).where(pandas.Series(known), pandas.NA)
    assert values.isna().sum() == (~known).sum()
    clf = stkr.STKRClassifier("knn").fit(X, values)
    reference = expected(X, y, known)
    assert (np.searchsorted(clf.classes_, clf.transduction_) == reference.transduction_).all()
    # Unlabeled rows do not count in a score.
    assert clf.score(X, values) == reference.score(X[known], y[known])


def test_targets_with_missing_values(table):
    X, _, known = table
    truth = np.sin(3 * X["a"])
    plain = stkr.STKRRegressor("knn").fit(X, truth.where(known))
    for values in (
        truth.astype("Float64").where(known),
        truth.astype(object).where(known, None),
        pandas.DataFrame({"t": truth}).convert_dtypes()["t"].where(known),
    ):
        model = stkr.STKRRegressor("knn").fit(X, values)
        np.testing.assert_array_equal(model.transduction_, plain.transduction_)
    two = pandas.DataFrame({"s": truth, "t": -truth}).convert_dtypes()
    both = stkr.STKRRegressor("knn", ridge=0.1).fit(X, two.where(pandas.Series(known)))
    np.testing.assert_allclose(both.transduction_[:, 0], -both.transduction_[:, 1])


def test_points_of_extension_types(table):
    X, y, known = table
    X = X.assign(count=(10 * X["a"]).round().astype(int), flag=X["b"] > 0)
    plain = expected(X.astype(float), y, known)
    converted = X.convert_dtypes()
    assert str(converted.dtypes["count"]) == "Int64"
    clf = expected(converted, y, known)
    assert (clf.transduction_ == plain.transduction_).all()
    assert list(clf.feature_names_in_) == ["a", "b", "count", "flag"]
    converted.loc[3, "count"] = pandas.NA
    with pytest.raises(ValueError, match=r"X\[3, 2\] is .*; expected a finite number: replace it"):
        expected(converted, y, known)


def test_text_among_the_points_says_encode_it(table):
    X, y, known = table
    X = X.assign(color="red")
    for frame in (X, X.convert_dtypes()):
        with pytest.raises(ValueError, match=r"X\[0, 2\] is 'red'; .*: encode text as numbers"):
            expected(frame, y, known)


def test_a_missing_class_that_labeled_lists(table):
    X, y, known = table
    values = pandas.Series(y, dtype="Int64").where(pandas.Series(known))
    with pytest.raises(ValueError, match=r"no value among its labeled samples: y\[1\] is <NA>"):
        stkr.STKRClassifier("knn").fit(X, values, labeled=[0, 1, 5])
