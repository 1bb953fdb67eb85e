"""All of scikit-learn's estimator checks."""

import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import stkr

ESTIMATORS = [
    stkr.STKRClassifier(),
    # The check of weights of 0 shuffles points that coincide. Their order determines at which of
    # them a relative ridge is measured, and on a neighbor graph they differ: hence beta.
    stkr.STKRClassifier(kernel="knn", beta=0.1),
    stkr.STKRClassifier(spectral_transform="power", n_components=2),
    stkr.KernelPCAProbe(),
    stkr.LabelSpreading(),
    stkr.LabelSpreading(n_components=2),
    stkr.STKRRegressor(),
    stkr.STKRRegressor(n_components=2),
    stkr.KernelPCARegressor(),
    stkr.LabelSpreadingRegressor(),
    stkr.STKRClassifierCV(),
    stkr.STKRRegressorCV(),
]


@parametrize_with_checks(ESTIMATORS)
def test_check_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_no_check_is_left_out(estimator):
    """No tag excuses a failure or skips a test."""
    tags = estimator._get_tags()
    assert not tags["_xfail_checks"] and not tags["_skip_test"] and not tags["no_validation"]
