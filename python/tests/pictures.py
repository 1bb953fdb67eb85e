"""Shared by the tests of plots."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402: after the choice of a backend
import pytest  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    plt.close("all")
    yield
    plt.close("all")


def texts(labels):
    return [label.get_text() for label in labels]


def ticks(axis):
    """Return tick labels by position."""
    return dict(zip(axis.get_ticklocs(), texts(axis.get_ticklabels())))
