"""Contents of the plot of a spectrum."""

import numpy as np
import pytest
from pictures import closed_figures, texts  # noqa: F401

import stkr
from stkr import plots


class Power:
    """A minimal transform for a plot."""

    def __init__(self, p):
        self.p = p

    def __call__(self, values):
        return values**self.p

    def describe(self):
        return f"power p={self.p}"


def test_spectrum_draws_eigenvalues_from_the_largest_over_their_rank():
    ax = plots.spectrum([0.5, 1.0, 0.25])
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), [[1, 1.0], [2, 0.5], [3, 0.25]])
    assert (ax.get_yscale(), ax.get_legend()) == ("linear", None)
    assert ax.get_ylabel() == "eigenvalue λ of S"


def test_spectrum_scales_the_transform_to_the_largest_eigenvalue():
    values = np.array([4.0, 2.0, 1.0])
    ax = plots.spectrum(values, Power(2))
    np.testing.assert_allclose(ax.lines[1].get_ydata(), values**2 / 4)
    assert texts(ax.get_legend().get_texts()) == ["λ", "s(λ) of power p=2, scaled to s(λ₁) = λ₁"]


def test_spectrum_lets_a_truncation_keep_the_largest():
    ax = plots.spectrum([1.0, 4.0, 2.0], stkr.transforms.truncation(2))
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), [4.0, 2.0, 0.0])
    assert "truncation d=2" in ax.get_legend().get_texts()[1].get_text()


def test_spectrum_takes_any_function_as_a_transform():
    ax = plots.spectrum([2.0, 1.0], np.expm1)
    np.testing.assert_allclose(ax.lines[1].get_ydata(), np.expm1([2, 1]) * 2 / np.expm1(2))
    assert "expm1" in ax.get_legend().get_texts()[1].get_text()


def test_spectrum_shows_eigenvalues_of_a_gram():
    x = np.random.default_rng(0).normal(size=(50, 2))
    pairs = stkr.eigenpairs(stkr.gram.points(x, length_scale=1.0), 8)
    transform = stkr.transforms.inverse_laplacian(0.5 / pairs.values[0])
    ax = plots.spectrum(pairs.values, transform)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), pairs.values)
    expected = pairs.values / (2 - pairs.values / pairs.values[0])
    np.testing.assert_allclose(ax.lines[1].get_ydata(), expected)


@pytest.mark.parametrize("values, scale", [
    (np.linspace(1, 0.1, 20), "linear"),
    (10.0 ** -np.arange(6), "log"),
    (np.linspace(1, -1, 20), "linear"),
    (np.concatenate([10.0 ** -np.arange(8), -(10.0 ** -np.arange(2, 8))]), "symlog"),
    (np.zeros(3), "linear"),
    ([1.0, 0.5, 0.0], "linear"),
    ([-1.0, -2.0], "linear"),
])  # fmt: skip
def test_spectrum_takes_the_scale_that_tells_eigenvalues_apart(values, scale):
    ax = plots.spectrum(values)
    ax.figure.canvas.draw()
    assert ax.get_yscale() == scale
    low, high = ax.get_ylim()
    shown = np.asarray(values)[np.asarray(values) > 0] if scale == "log" else np.asarray(values)
    assert low <= shown.min() and shown.max() <= high


def test_spectrum_says_how_many_eigenvalues_a_logarithm_hides():
    ax = plots.spectrum([1.0, 1e-3, 0.0, -1e-17])
    assert ax.get_yscale() == "log"
    assert texts(ax.get_legend().get_texts()) == ["λ (2 of 4 ≤ 0, not shown)"]


def test_spectrum_keeps_eigenvalues_readable_when_the_transform_falls_fast():
    values = 10.0 ** -np.arange(0, 5, 0.5)
    ax = plots.spectrum(values, Power(4))  # down to 1e-18
    assert ax.get_ylim()[0] == pytest.approx(1e-6 / 2)
    label = ax.get_legend().get_texts()[1].get_text()
    assert "(6 of 10 below the axis)" in label.replace("\n", " ")


@pytest.mark.parametrize("eigenvalues, message", [
    ([], "at least one entry"),
    ([[1.0, 2.0]], "shape .1, 2."),
    ([1.0, np.nan], "1 NaN or infinite entries out of 2"),
    ([1.0, 1j], "real numbers"),
])  # fmt: skip
def test_spectrum_refuses_what_is_no_spectrum(eigenvalues, message):
    with pytest.raises(ValueError, match=message):
        plots.spectrum(eigenvalues)


def test_spectrum_refuses_transforms_it_cannot_draw():
    with pytest.raises(ValueError, match=r"s\(1\) = inf"), np.errstate(divide="ignore"):
        plots.spectrum([2.0, 1.0], lambda values: values / (1 - values))
    with pytest.raises(ValueError, match=r"s\(0\) = 0 at the largest"):
        plots.spectrum([0.0, -1.0], Power(2))
    with pytest.raises(ValueError, match="one value per eigenvalue"):
        plots.spectrum([2.0, 1.0], np.sum)
    with pytest.raises(TypeError, match="type str"):
        plots.spectrum([2.0, 1.0], "power")
