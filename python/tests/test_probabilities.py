"""Class probabilities against a plain reference."""

import numpy as np
import pytest

from stkr import STKRClassifier, _core


def nearest_distribution(row):
    """Project to the nearest probabilities, by trying every number of positive ones."""
    ordered = np.sort(row)[::-1]
    for count in range(len(row), 0, -1):
        shift = (ordered[:count].sum() - 1.0) / count
        if ordered[count - 1] > shift:
            break
    return np.maximum(row - shift, 0.0)


def reference(scores, evidence, prior):
    result = []
    for row, reached in zip(scores, evidence):
        positive = np.maximum(row, 0.0)
        if not reached:
            result.append(prior)
        elif len(row) == 2:
            second = 0.5 + (row[1] - row[0]) / (2.0 * np.abs(row).sum())
            result.append([1.0 - second, second])
        elif positive.sum() > 0:
            result.append(positive / positive.sum())
        else:
            result.append(nearest_distribution(row / np.abs(row).max()))
    return np.array(result)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_of_every_kind_of_scores(classes):
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(60, 2)) + 4.0 * np.arange(60)[:, None] % classes
    y = np.arange(60) % classes
    y[3 * classes:] = -1
    clf = STKRClassifier("rbf", length_scale=1.0, eta=0.9, ridge=0.1).fit(X, y)
    core = clf.model_.core
    scores = rng.normal(size=(200, classes))
    scores[:40] = -np.abs(scores[:40])  # without a positive score
    evidence = rng.random(200) < 0.8
    found = _core.class_probabilities(scores, evidence, list(core.prior))
    np.testing.assert_allclose(found, reference(scores, evidence, core.prior), atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-14)
    calibrated = core.probabilities(scores, evidence)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1.0, atol=1e-14)
    assert (calibrated.argmax(1) == scores.argmax(1))[evidence].all()
    np.testing.assert_allclose(calibrated[~evidence] - core.prior, 0.0, atol=1e-14)
    plain = STKRClassifier("rbf", length_scale=1.0, eta=0.9, ridge=0.1, solver="cg").fit(X, y)
    core = plain.model_.core
    np.testing.assert_allclose(
        plain.label_distributions_, reference(core.fitted, plain.evidence_, core.prior), atol=1e-14
    )
    new = rng.normal(size=(20, 2))
    far = np.full((1, 2), 1e6)  # no label reaches it
    expected = core.prior[None]
    np.testing.assert_allclose(clf.predict_proba(far), expected, atol=1e-14)
    assert (clf.predict_proba(new).argmax(axis=1) == clf.predict(new)).all()


def test_are_for_classes():
    from stkr import STKRRegressor

    X = np.linspace(0.0, 1.0, 20)[:, None]
    core = STKRRegressor("rbf", length_scale=0.2).fit(X, X[:, 0]).model_.core
    with pytest.raises(ValueError, match="probabilities are for classes"):
        core.probabilities(np.zeros((2, 1)), np.ones(2, bool))
