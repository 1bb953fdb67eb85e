"""The default number of threads, which does not change results."""

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

import stkr
from stkr import _core
from stkr._specification import threads_of


def test_the_environment_limits_them(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = _core.default_threads()
    for value, limit in (("3", 3), ("1", 1), ("2,4", 2), ("1000000", 10**6)):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert _core.default_threads() == threads_of(None) == threads_of(-1) == min(limit, cores)
    assert threads_of(5) == 5


def test_otherwise_the_affinity_mask_does(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert 1 <= _core.default_threads() <= len(os.sched_getaffinity(0))
    program = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from stkr import _core; print(_core.default_threads())"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "1\n", run.stderr


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_child_process_has_threads_of_its_own(start):
    X = np.random.default_rng(0).normal(size=(3000, 8))
    y = np.where(np.arange(3000) < 1500, 0, 1)
    here = _fit(X, y)
    with multiprocessing.get_context(start).Pool(1) as pool:
        there = pool.apply_async(_fit, (X, y)).get(timeout=120)
    np.testing.assert_array_equal(here, there)


def _fit(X, y):
    return stkr.STKRClassifier("knn", n_jobs=3).fit(X, y, labeled=range(0, 3000, 50)).dual_coef_
