"""Transforms as values."""

import copy
import pickle

import numpy as np
import pytest

from stkr import transforms
from stkr._transform_parameter import as_transform


@pytest.mark.parametrize(
    "transform, s",
    [
        (transforms.power(2.5), lambda x: x**2.5),
        (transforms.polynomial([1, 0, 2]), lambda x: x + 2 * x**3),
        (transforms.inverse_laplacian(0.7), lambda x: x / (1 - 0.7 * x)),
        (transforms.reciprocal([1.0, -0.4], 2), lambda x: x**2 / (1 - 0.4 * x)),
        (transforms.diffusion(3), lambda x: np.exp(3 * x) - 1),
        (transforms.smooth_step(0.4), lambda x: x**4 / (x**4 + 0.4**4)),
        (transforms.through([(0.5, 1.0), (0.25, 0.5)]), lambda x: 2 * x),
        (as_transform("through(0.2:0.1, 1:0.5)"), lambda x: 0.5 * x),
        (
            transforms.weighted_sum([(0.5, transforms.power(2)), (2, transforms.diffusion(1))]),
            lambda x: 0.5 * x**2 + 2 * np.expm1(x),
        ),
        (
            as_transform("0.5*smooth_step(0.4, 2) + 2*power(1)"),
            lambda x: 0.5 * x**2 / (x**2 + 0.16) + 2 * x,
        ),
        (transforms.function(np.tan, "tan"), np.tan),
    ],
)
def test_values(transform, s):
    x = np.linspace(0, 1, 7)
    np.testing.assert_allclose(transform(x), s(x), rtol=1e-12, atol=1e-15)
    assert transform(x.reshape(7, 1)).shape == (7, 1)
    assert copy.deepcopy(transform) == transform
    assert pickle.loads(pickle.dumps(transform)) == transform
    assert transform.describe() in repr(transform)


def test_theorem_1():
    good = transforms.inverse_laplacian(0.9).validate(0.0, 1.0)
    assert good.valid and good.slope == pytest.approx(10.0)
    bad = transforms.function(lambda x: x - x * x).validate(0.0, 1.0)
    assert not bad.valid and "FAIL" in str(bad)
    assert not transforms.power(3).validate(-1.0, 1.0).valid  # an odd power of a negative number


@pytest.mark.parametrize(
    "s, failing",
    [
        (lambda x: x if x < 0.5 else x + 1.0, "s continuous"),
        (lambda x: x * np.log1p(1 / x) if x > 0 else 0.0, "s(lambda) <= M lambda"),
        (np.sqrt, "s(lambda) <= M lambda"),
        (lambda x: 1e6 * x / (1 + 1e6 * x), None),
        (lambda x: np.exp(5 * x) - 1, None),
        (lambda x: max(0.0, x - 0.03), None),
    ],
)
def test_theorem_1_of_a_function(s, failing):
    validity = transforms.function(s, "s").validate(0.0, 1.0)
    failed = [condition for condition, holds, _ in validity.conditions if not holds]
    assert failed == ([] if failing is None else [failing])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: transforms.power(0.5), "power"),
        (lambda: transforms.inverse_laplacian(-1), "eta"),
        (lambda: transforms.diffusion(0), "t"),
        (lambda: transforms.truncation(0), "d"),
        (lambda: transforms.polynomial([]), "coefficient"),
        (lambda: transforms.smooth_step(0), "position"),
        (lambda: transforms.smooth_step(0.5, 3), "even"),
        (lambda: transforms.through([]), "no pair"),
        (lambda: transforms.through([0.5]), "expected pairs"),
        (lambda: transforms.through([(0.5, 1.0), (1.0, 0.5)]), "not less"),
        (lambda: as_transform("through"), "pairs"),
        (lambda: as_transform("through(0.5)"), "':' and the value of s"),
        (lambda: as_transform("smooth_step"), "position"),
        (lambda: transforms.weighted_sum([]), "no terms"),
        (lambda: transforms.weighted_sum([(-1, transforms.power(2))]), "positive"),
        (lambda: transforms.weighted_sum([(1, lambda x: x)]), "an object of"),
        (lambda: transforms.weighted_sum([3]), "pairs"),
        (lambda: transforms.weighted_sum([(1, transforms.truncation(2))]), "truncation"),
        (lambda: transforms.from_text("power(2) + "), "found the end"),
        (lambda: as_transform("sine(2)"), "'sine' is unknown"),
        (lambda: as_transform("sine"), "'sine' is unknown"),
        (lambda: as_transform("polynomial"), "coefficients"),
        (lambda: as_transform("truncation"), "n_components"),
        (lambda: as_transform(3), "int"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_function_that_is_not_zero_at_zero():
    with pytest.raises(ValueError, match="expected s\\(0\\) = 0"):
        transforms.function(lambda x: 1 - x)([0.5])


def test_a_function_that_raises_is_heard():
    def broken(x):
        raise ZeroDivisionError("oh")

    with pytest.raises(ZeroDivisionError, match="oh"):
        transforms.function(broken)([0.5])
    with pytest.raises(TypeError, match="function of one number"):
        transforms.function(3)


def test_the_text_repeats_a_sum():
    s = transforms.weighted_sum(
        [(1 / 3, transforms.inverse_laplacian(0.9)), (0.1, transforms.smooth_step(0.7, 8))]
    )
    again = transforms.from_text(s.text())
    x = np.linspace(0, 1, 11)
    np.testing.assert_array_equal(again(x), s(x))
    assert again.text() == s.text()
    assert s.validate().valid and s.validate().slope <= 10 / 3 + 0.2
