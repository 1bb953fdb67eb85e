"""Input arrays: borrowed if documented, otherwise copied, never changed."""

import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import stkr
from conftest import ESTIMATORS, make, rbf

LABELED = np.arange(12)


def borrowers(array):
    gc.collect()
    return sys.getrefcount(array)


def mapped(array, folder):
    path = folder / f"{len(list(folder.iterdir()))}.npy"
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "Fortran order": lambda A, folder: np.asfortranarray(A),
    "every other row and column": lambda A, folder: np.repeat(np.repeat(A, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda A, folder: A[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda A, folder: A.T.copy().T,
    "swapped bytes": lambda A, folder: A.astype(A.dtype.newbyteorder(">")),
    "read-only": lambda A, folder: read_only(A),
    "memory map": mapped,
    "not aligned": lambda A, folder: shifted(A),
    "objects": lambda A, folder: A.astype(object),
    "lists": lambda A, folder: A.tolist(),
    "longdouble": lambda A, folder: A.astype(np.longdouble),
    "nothing masked": lambda A, folder: np.ma.masked_array(A, mask=False),
}


def shifted(array):
    """Copy an array to an address that is not a multiple of its item size."""
    buffer = np.empty(array.nbytes + 1, dtype=np.uint8)
    result = buffer[1:].view(array.dtype).reshape(array.shape)
    result[:] = array
    return result


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_layout_of_points_predicts_the_same(moons, tmp_path, estimator, layout):
    X, y, _ = moons
    plain = make(estimator).fit(X, y, labeled=LABELED)
    other = layout(X, tmp_path)
    model = make(estimator).fit(other, y, labeled=LABELED)
    assert (model.dual_coef_ == plain.dual_coef_).all()
    assert (model.predict(layout(X + 0.1, tmp_path)) == plain.predict(X + 0.1)).all()
    assert (np.asarray(other, dtype=float) == X).all()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_of_a_kernel_matrix_predicts_the_same(moons, tmp_path, layout):
    X, y, _ = moons
    K = rbf(X, X, 0.5) + 1e-6 * np.eye(len(X))
    plain = stkr.STKRClassifier("precomputed").fit(K, y, labeled=LABELED)
    model = stkr.STKRClassifier("precomputed").fit(layout(K, tmp_path), y, labeled=LABELED)
    assert (model.dual_coef_ == plain.dual_coef_).all()
    assert (model.predict_proba(layout(K[:9], tmp_path)) == plain.predict_proba(K[:9])).all()
    gram = stkr.gram.precomputed(layout(K, tmp_path))
    assert (gram @ X == stkr.gram.precomputed(K) @ X).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", ["rbf", "knn", "linear", lambda A, B: rbf(A, B, 0.5)])
def test_nothing_is_changed(moons, estimator, kernel):
    X, y, _ = moons
    labeled = LABELED.copy()
    before = X.copy(), y.copy(), labeled.copy()
    make(estimator, kernel).fit(X, y, labeled=labeled).predict(X)
    for now, then in zip((X, y, labeled), before):
        assert now.tobytes() == then.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear", "cosine", "polynomial"])
def test_points_are_kept_as_long_as_the_model(moons, kernel, dtype):
    X, y, _ = moons
    X = X.astype(dtype)
    free = borrowers(X)
    clf = stkr.STKRClassifier(kernel).fit(X, y, labeled=LABELED)
    with_model = borrowers(X)
    assert with_model > free
    with pytest.raises(ValueError, match="cannot resize"):
        X.resize((60, 2))
    gram = stkr.gram.points(X, kernel)
    assert borrowers(X) > with_model
    del clf, gram
    assert borrowers(X) == free


def test_points_outlive_their_name(moons):
    X, y, _ = moons
    own = X.copy()
    clf = stkr.STKRClassifier().fit(own, y, labeled=LABELED)
    gram = stkr.gram.points(own)
    expected, product = clf.predict_proba(X), gram @ X
    del own
    gc.collect()
    np.ones(X.shape)  # could reuse freed memory
    assert (clf.predict_proba(X) == expected).all() and (gram @ X == product).all()


def test_neighbors_have_an_index_of_their_own(moons):
    X, y, _ = moons
    free = borrowers(X)
    clf = stkr.STKRClassifier("knn").fit(X, y, labeled=LABELED)
    assert borrowers(X) == free
    expected = clf.predict_proba(X + 0.1)
    new = X + 0.1
    X[:] = np.nan
    assert (clf.predict_proba(new) == expected).all()


def test_a_kernel_matrix_is_let_go_after_the_fit(moons):
    """It is borrowed while in use; predictions need only the coefficients."""
    X, y, _ = moons
    K = rbf(X, X, 0.5) + 1e-9 * np.eye(len(X))
    free = borrowers(K)
    gram = stkr.gram.precomputed(K)
    assert borrowers(K) > free
    del gram
    assert borrowers(K) == free
    probe = stkr.KernelPCAProbe("precomputed").fit(K, y, labeled=LABELED)
    assert borrowers(K) == free
    assert (probe.predict(K[:5]) == y[:5]).all()
    kept = stkr.STKRClassifier("precomputed").fit(K, y, labeled=LABELED)
    assert borrowers(K) > free  # for questions about the fit
    clf = pickle.loads(pickle.dumps(kept))
    del kept
    assert borrowers(K) == free
    before = clf.predict_proba(K[:5])
    new = K[:5].copy()
    K[:] = np.nan
    assert (clf.predict_proba(new) == before).all()


def test_nothing_is_kept_of_a_fit_or_a_prediction_that_failed(moons):
    X, y, _ = moons
    free = borrowers(X)
    for parameters in ({"eta": 100.0}, {"n_components": 500}, {"spectral_transform": lambda x: 1 / 0}):
        with pytest.raises((ValueError, ZeroDivisionError)):
            stkr.STKRClassifier(**parameters).fit(X, y, labeled=LABELED)
        assert borrowers(X) == free
    clf = stkr.STKRClassifier().fit(X.copy(), y, labeled=LABELED)
    clf.predict(X)
    assert borrowers(X) == free


def test_points_changed_after_the_fit(moons):
    """They are borrowed, as documented: predictions for fitted samples stay, those for new samples
    use the changed points or fail."""
    X, y, _ = moons
    clf = stkr.STKRClassifier("rbf").fit(X, y, labeled=LABELED)
    transduction, coefficients = clf.transduction_, clf.dual_coef_.copy()
    X[:] = X[::-1].copy()
    assert (clf.transduction_ == transduction).all() and (clf.dual_coef_ == coefficients).all()
    assert set(clf.predict(X)) <= {0, 1}
    X[:] = np.nan
    with pytest.raises(ValueError, match="nan"):
        clf.predict(np.zeros((3, 2)))


def test_what_comes_out_cannot_be_written_to(moons):
    X, y, _ = moons
    clf = stkr.STKRClassifier().fit(X, y, labeled=LABELED)
    with pytest.raises(ValueError, match="read-only"):
        clf.dual_coef_[0] = 9
    coefficients = clf.dual_coef_
    expected = coefficients.copy()
    del clf
    gc.collect()
    assert (coefficients == expected).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", ["rbf", "knn", "precomputed"])
def test_float32_in_float32_out(moons, estimator, kernel):
    X, y, _ = moons
    X = rbf(X, X, 0.5) + 1e-3 * np.eye(len(X)) if kernel == "precomputed" else X
    wide = make(estimator, kernel).fit(X, y, labeled=LABELED)
    narrow = make(estimator, kernel).fit(X.astype(np.float32), y, labeled=LABELED)
    assert narrow.dual_coef_.dtype == np.float32 and wide.dual_coef_.dtype == np.float64
    if hasattr(wide, "predict_proba"):
        answers = [model.predict_proba(X.astype(model._dtype)) for model in (wide, narrow)]
        assert (wide.transduction_ == narrow.transduction_).mean() > 0.98
    else:
        answers = [model.predict(X.astype(model._dtype)) for model in (wide, narrow)]
        np.testing.assert_allclose(narrow.transduction_, wide.transduction_, atol=5e-3)
    assert answers[0].dtype == np.float64 and answers[1].dtype == np.float32
    np.testing.assert_allclose(answers[1], answers[0], atol=5e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint16, np.int64, bool])
def test_other_numbers_are_made_float64(moons, dtype):
    X, y, _ = moons
    X = (4 * X).astype(dtype)
    plain = stkr.STKRClassifier(length_scale=1.0).fit(X.astype(float), y, labeled=LABELED)
    clf = stkr.STKRClassifier(length_scale=1.0).fit(X, y, labeled=LABELED)
    assert (clf.predict_proba(X) == plain.predict_proba(X.astype(float))).all()
    assert clf.dual_coef_.dtype == np.float64


def test_pandas(moons):
    pandas = pytest.importorskip("pandas")
    X, y, _ = moons
    frame = pandas.DataFrame(X, columns=["a", "b"])
    clf = stkr.STKRClassifier().fit(frame, pandas.Series(y), labeled=LABELED)
    plain = stkr.STKRClassifier().fit(X, y, labeled=LABELED)
    assert (clf.predict(frame) == plain.predict(X)).all()
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[["b", "a"]])
    frame.loc[7, "b"] = np.nan
    with pytest.raises(ValueError, match=r"X\[7, 1\] is nan"):
        stkr.STKRClassifier().fit(frame, y, labeled=LABELED)


PEAK = """
import sys
import numpy as np
import stkr

def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

what, dtype = sys.argv[1:]
rng = np.random.default_rng(0)
stkr.STKRClassifier("linear").fit(rng.standard_normal((50, 4)), [0, 1] * 25)  # warm up
if what == "points":
    X = np.empty((500, 60000), dtype=dtype)
    for row in X:
        row[:] = rng.standard_normal(len(row))
else:
    X = np.zeros((6000, 6000), dtype=dtype)
    X[np.arange(6000), np.arange(6000)] = np.arange(6000) % 7 + 1.0
before = status("VmRSS")
if what == "gram":
    g = stkr.gram.precomputed(X)
    g @ np.ones(len(X))
else:
    kernel = "linear" if what == "points" else "precomputed"
    y = np.full(len(X), -1)
    y[:20] = np.arange(20) % 2
    clf = stkr.STKRClassifier(kernel, spectral_transform="power", max_iter=5).fit(X, y)
print(X.nbytes / 2**20, status("VmHWM") - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc")
@pytest.mark.skipif("STKR_SANITIZE" in os.environ, reason="a sanitizer uses additional memory")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("what", ["points", "precomputed", "gram"])
def test_large_arrays_are_not_copied(what, dtype):
    """The peak memory stays well below that of a second array."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PEAK, what, dtype],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    size, growth = map(float, done.stdout.split())
    assert size > 100 and growth < 0.6 * size, (size, growth)
