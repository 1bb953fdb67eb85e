"""Every parameter of every estimator with values of the wrong type, size or spelling."""

import inspect

import numpy as np
import pytest

import stkr
from conftest import CLASSIFIERS, ESTIMATORS, make

LABELED = np.arange(12)
NAN, HUGE = float("nan"), 10**12

POSITIVE = [(v, "expected a positive number") for v in (0, -1, "a", NAN, None, [1.0], True, 1j)]
COUNT = [(v, "expected an integer of at least 1") for v in (0, -3, 1.5, "a", [2], True)]
COUNT += [(HUGE, "expected at most 2147483647")]
FLAG = [(v, "expected True or False") for v in ("yes", None, 2, [True])]

# Bad values and their messages, for the estimators that have the parameter.
EVERYWHERE = {
    "kernel": [(v, "is unknown; expected auto, one of rbf") for v in ("foo", None, 3, b"rbf", {"a": 1})]
    + [("gaussian", "did you mean 'rbf'"), ("knm", "did you mean 'knn'")],
    "length_scale": [(v, "expected a positive number") for v in (0, -1, NAN, [1.0], True)]
    + [(v, "expected a number, '2x' for twice the default, or 'median'") for v in ("mean", "x", "-2x")],
    "kernel_params": [(v, "kernel_params=.*; expected a dict") for v in ("x", 3, ["normalize"])]
    + [({"foo": 1}, "'foo' does not apply to kernel 'rbf'; expected gamma, add, share, .*, center")]
    + [({"degree": 1}, "'degree' does not apply to kernel 'rbf'")]
    + [({"gamma": v}, "gamma=.*; expected a positive number") for v in ("scale", 0, -1, NAN)]
    + [({name: v}, f"{name}={v!r}; exp") for name in ("normalize", "center") for v in ("yes", 2)],
    "eta": [
        ("a", "eta='a'; expected a"),
        ([0.5], r"eta=\[0.5\]; expected a"),
        (0, "eta ?= ?0; expected a"),
        (-1, "eta ?= ?-1; expected a"),
        (1.5, "eta = 1.5 is at or above 1/lambda_1"),
    ],
    "n_components": COUNT + [(121, "121 for 120 samples|d = 121 but there are 108 unlabeled")],
    "ridge": [case for case in POSITIVE if case[0] is not None],
    "beta": [case for case in POSITIVE if case[0] is not None],
    "solver": [(v, "expected one of auto, direct") for v in ("lu", None, 3, ["cg"], "automatic")],
    "tol": POSITIVE,
    "max_iter": [*COUNT, (None, "expected an integer of at least 1")],
    "n_steps": COUNT,
    "fit_intercept": FLAG,
    "leave_one_out": FLAG,
    "verbose": FLAG,
    "spectral_transform": [("sine", "'sine' is unknown; expected auto, learned, inverse_laplacian")]
    + [("pwer", "did you mean 'power'")]
    + [("polynomial", r"needs coefficients: pass stkr.transforms.polynomial\(")]
    + [("truncation", "needs n_components")]
    + [(v, "expected a name, an object of stkr.transforms") for v in (3, None, [1])]
    + [(lambda x: 1 + x, r"s\(0\) = 1; expected s\(0\) = 0")]
    + [(lambda x: NAN, r"s\(0\) = nan; expected s\(0\) = 0")],
    "prior": [
        ("foo", "prior='foo'; expected 'uniform'"),
        ([0.5], "1 shares for 2 classes"),
        (3, "1 shares for 2 classes"),
        ([-0.5, 1.5], "share of class '0' is -0.5; expected 0 or more"),
        ([0, 1], "share of class '0' is 0, but samples are labeled with it"),
        ([NAN, 1], "share of class '0' is nan"),
        (["a", "b"], r"prior=\['a', 'b'\]; expected a list of numbers"),
        ({0: 0.5}, "expected a list of numbers"),
    ],
    "memory": [("lots", "'lots': does not start with a number; expected a size such as 4GB")]
    + [("4XB", "'xb' is not a memory unit"), ("-4GB", "is not positive")]
    + [(v, "expected bytes, a string") for v in (-1, 0, NAN, float("inf"), [1], True, 2**80)],
    "random_state": [
        (v, "random_state=.*; expected an integer from 0 to 2")
        for v in ("x", -1, 1.5, 2**64, True, np.random.default_rng(0))
    ],
    "n_jobs": [(v, "expected None or -1 for all cores") for v in (0, "two", 1.5, True)]
    + [(10**6, "n_jobs=1000000; expected at most [0-9]+, or -1")],
    "device": [("cuda", "cannot be used: .*; expected cpu"), ("gpu", "'gpu' is unknown; expected cpu")]
    + [(v, "expected a name such as 'cpu', or None") for v in (0, True, ["cpu"])],
    # Parameters of the searches.
    "length_scales": [
        (["a"], "length_scales: 'a'; expected a number, '2x'"),
        ([None], "length_scales: None; expected a number"),
        ([True], "length_scales: True; expected a number"),
        ([], "length_scales is empty"),
        ([0], "length scale = 0; expected a positive number"),
        ([NAN], "length scale = nan"),
    ],
    "families": [
        (v, "families: .*; expected some of power") for v in ("foo", 3, [3], ["power", "x"])
    ]
    + [([], "families is empty")],
    "powers": [(v, "powers=.*; expected a list of numbers") for v in ("a", ["a"], [None], {1: 2})]
    + [([], "powers is empty"), ([0.5], "p = 0.5; expected a power of 1 or more")],
    "betas": [([0], "beta = 0; expected a pos"), ([NAN], "beta = nan"), ([], "betas is empty")],
    "cv": [
        (v, "expected two folds or more, 'loo', a splitter of scikit-learn, a list of")
        for v in (0, 1, -1, "x", 1.5, True, ([0],), ([0.5], [1]), ("a", "b"), ([[0]], [[1]]))
    ]
    + [
        (13, "13 folds but only 12 labeled samples; use cv='loo'"),
        ([([0, 1], [2, 120])], "cv contains the index 120, but the data has 120 samples"),
        ([([0, 1], [30])], "fold 0: held_out is empty; expected labeled samples"),
        ([([0, 1], [1])], "fold 0: sample 1 is listed twice"),
        ([], "has no folds"),
        (([0, 1], [120]), "contains the index 120, but the data has 120 samples"),
        (([0, -1], [2]), "contains the index -1"),
        (([0, 1], [1, 2]), "index 1 is in both train and val"),
        (([], [1]), "train is empty"),
        (([0, 1], []), "val is empty"),
    ],
    "scoring": [(v, "scoring=.*; expected one of") for v in ("foo", 3, ["accuracy"])],
}
# Parameters that apply only together with others.
WITH = {
    "n_neighbors": ({"kernel": "knn"}, COUNT),
    "power": (
        {"spectral_transform": "power"},
        [(v, "power=.*; expected a number") for v in ("a", [2], True)]
        + [(v, "power: p = .*; expected p >= 1") for v in (0, 0.5, -1, NAN)],
    ),
    "time": (
        {"spectral_transform": "diffusion"},
        [(v, "time=.*; expected a number") for v in ("a", [2])]
        + [(v, "diffusion: t = .*; expected a positive number") for v in (0, -1, NAN)],
    ),
    "ridges": (
        {"betas": None},
        [([0], "ridge = 0; expected a pos"), ([NAN], "ridge = nan"), ([], "ridges is empty")],
    ),
    "etas": (
        {"families": ["inverse_laplacian"]},
        [(v, "expected a list of numbers") for v in ("a", [None])]
        + [([v], f"eta = {v}; expected a number between 0 and 1") for v in (0, 1, -1, NAN)],
    ),
    "times": (
        {"families": ["diffusion"]},
        [("a", "expected a list of numbers"), ([0], "t = 0; expected a positive diffusion time")],
    ),
    "dimensions": (
        {"families": ["kernel_pca"]},
        [(v, "dimensions=.*; expected a list of integers") for v in ("a", [1.5], [None])]
        + [([0], "d = 0; expected 1 or more"), ([121], "d = 121 left out")],
    ),
}
KERNEL_PARAMS = {
    "polynomial": {
        "gamma": [(v, "gamma=.*; expected a number") for v in ("a", [1], True)]
        + [(NAN, "gamma = nan; expected a finite number")],
        "coef0": [("x", "coef0='x'; expected a number")],
        "degree": COUNT,
    },
    "knn": {
        "edge_weight": [(v, "expected one of self_tuning") for v in ("foo", 3, "self-tuning")],
        "edge_rule": [(v, "expected one of either, mutual") for v in ("foo", 3)],
        "recall": [("a", "recall='a'; expected a number")]
        + [(v, "recall = .*; expected a fraction") for v in (0, 2, NAN)],
        "measure": [(v, "expected one of uniform, degree") for v in ("foo", 3)],
    },
    "graph": {
        "normalization": [(v, "expected one of lazy_walk") for v in ("foo", 3, "rbf")],
        "self_loops": FLAG[:1] + FLAG[2:],
        "symmetrize": FLAG[:1] + FLAG[2:],
        "measure": [(v, "expected one of uniform, degree") for v in ("foo", 3)],
    },
}


def parameters_of(name):
    return set(inspect.signature(getattr(stkr, name)).parameters)


def test_every_parameter_is_tried():
    tried = set(EVERYWHERE) | set(WITH) | {"class_mass"}
    for name in ESTIMATORS:
        assert parameters_of(name) <= tried, name


@pytest.mark.parametrize("parameter", EVERYWHERE)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_wrong_values(moons, estimator, parameter):
    if parameter not in parameters_of(estimator):
        return
    X, y, _ = moons
    for value, message in EVERYWHERE[parameter]:
        with pytest.raises(ValueError, match=message):
            make(estimator, **{parameter: value}).fit(X, y, labeled=LABELED)
            pytest.fail(f"{parameter}={value!r} was accepted")


@pytest.mark.parametrize("parameter", WITH)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_wrong_values_that_need_others(moons, estimator, parameter):
    others, wrong = WITH[parameter]
    if parameter not in parameters_of(estimator):
        return
    X, y, _ = moons
    for value, message in wrong:
        if parameter == "n_neighbors" and estimator.endswith("CV"):
            if isinstance(value, list) or value == HUGE:
                continue  # lists are valid here, and a huge count is another case
            message = "expected a list of integers|expected 1 or more"
        with pytest.raises(ValueError, match=message):
            make(estimator, **others, **{parameter: value}).fit(X, y, labeled=LABELED)
            pytest.fail(f"{parameter}={value!r} was accepted")


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_class_mass(moons, estimator):
    X, y, _ = moons
    expected = "expected False, True or 'both'" if estimator.endswith("CV") else FLAG[0][1]
    for value in ("yes", None, 2, [True]):
        with pytest.raises(ValueError, match=f"class_mass=.*; {expected}"):
            make(estimator, class_mass=value).fit(X, y, labeled=LABELED)


@pytest.mark.parametrize("kernel, name", [(k, n) for k in KERNEL_PARAMS for n in KERNEL_PARAMS[k]])
def test_options_of_kernels(moons, ring, kernel, name):
    X, y, labeled = moons[0], moons[1], LABELED
    if kernel == "graph":
        X, y, labeled = ring, np.repeat([0, 1], 20), [1, 2, 21, 22]
    for value, message in KERNEL_PARAMS[kernel][name]:
        for estimator in ESTIMATORS:
            with pytest.raises(ValueError, match=message):
                make(estimator, kernel, kernel_params={name: value}).fit(X, y, labeled=labeled)
                pytest.fail(f"{name}={value!r} was accepted")


@pytest.mark.parametrize("kernel", ["graph", "precomputed", lambda A, B: A @ B.T])
def test_a_length_scale_where_there_is_none(kernel):
    with pytest.raises(ValueError, match="length_scale=1.0 applies only to named point kernels"):
        stkr.STKRClassifier(kernel, length_scale=1.0).fit(np.eye(4), [0, 1, -1, -1])


@pytest.mark.parametrize(
    "s, error, message",
    [
        (lambda x: "a", TypeError, r"transform '<lambda>': s\(0\) is a str; expected a number"),
        (lambda x: None, TypeError, r"s\(0\) is a NoneType"),
        (lambda x: 1j * x, TypeError, r"s\(0\) is a complex"),
        (lambda x: x if x < 0.1 else "a", TypeError, r"s\(.+\) is a str; expected a number"),
        (lambda x: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda: 0, TypeError, "takes 0 positional arguments"),
        (lambda x: x if x < 0.1 else NAN, ValueError, "nan"),
    ],
)
@pytest.mark.parametrize("estimator", ["STKRClassifier", "STKRRegressor"])
def test_functions_that_are_no_transforms(moons, estimator, s, error, message):
    X, y, _ = moons
    with pytest.raises(error, match=message):
        make(estimator, spectral_transform=s).fit(X, y, labeled=LABELED)


def test_more_neighbors_than_samples_is_a_warning(moons):
    X, y, _ = moons
    with pytest.warns(UserWarning, match="n_neighbors=1000000 for 120 samples: all 119 others"):
        stkr.STKRClassifier("knn", n_neighbors=10**6).fit(X, y, labeled=LABELED)


def test_a_decreasing_transform_is_a_warning(moons):
    X, y, _ = moons
    with pytest.warns(UserWarning, match="conditions of Theorem 1 do not all hold.*s >= 0"):
        stkr.STKRClassifier(spectral_transform=lambda x: -x).fit(X, y, labeled=LABELED)


def test_threads_asked_for_in_the_environment(moons, monkeypatch):
    """Too many threads or an invalid number do not cause an error."""
    X, y, _ = moons
    for value in ("1000000", "many", ""):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        stkr.STKRClassifier().fit(X, y, labeled=LABELED)
