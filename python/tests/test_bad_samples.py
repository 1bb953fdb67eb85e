"""Bad values of X in fit and predict, for every estimator."""

import threading

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.exceptions import NotFittedError

import stkr
from conftest import CLASSIFIERS, ESTIMATORS, make, rbf

LABELED = np.arange(12)


def with_value(X, value, dtype=float):
    X = X.astype(dtype)
    X[7, 1] = value
    return X


BAD_POINTS = {
    "text in objects": (lambda X: with_value(X, "abc", object), r"'abc': X\[7, 1\] is 'abc'"),
    "None in objects": (lambda X: with_value(X, None, object), r"NaN: X\[7, 1\] is None"),
    "NaN": (lambda X: with_value(X, np.nan), r"contains NaN: X\[7, 1\] is nan; expected a finite"),
    "infinity": (lambda X: with_value(X, np.inf), r"infinity.*X\[7, 1\] is inf.*remove its row"),
    "texts in lists": (lambda X: [["a", "b"]] * 120, r"X\[0, 0\] is 'a'; expected a finite"),
    "texts": (lambda X: X.astype(str), "X is an array of <U32; expected numbers"),
    "dates": (lambda X: X.astype("datetime64[s]"), r"array of datetime64\[s\]; expected numbers"),
    "complex": (lambda X: X * 1j, "Complex data not supported: X is an array of complex128"),
    "masked": (lambda X: np.ma.masked_less(X, 0), r"masked array with \d+ masked.*X.filled"),
    "one dimension": (lambda X: X[:, 0], "Expected 2D array, got 1D array.*[Rr]eshape"),
    "three dimensions": (lambda X: X[:, :, None], "with dim 3.*expected <= 2"),
    "one number": (lambda X: 3.0, "Expected 2D array, got scalar"),
    "nothing": (lambda X: None, "Expected 2D array, got scalar"),
    "no rows": (lambda X: X[:0], r"0 sample\(s\).*minimum of 1 is required"),
    "no columns": (lambda X: X[:, :0], r"0 feature\(s\).*minimum of 1 is required"),
    "rows of different lengths": (lambda X: [[1.0, 2.0], [3.0]] * 60, "sequence"),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("change, message", BAD_POINTS.values(), ids=BAD_POINTS)
def test_points(moons, estimator, change, message):
    X, y, _ = moons
    with pytest.raises(ValueError, match=f"(?s){message}"):
        make(estimator).fit(change(X), y, labeled=LABELED)
    fitted = make(estimator, n_components=2).fit(X, y, labeled=LABELED)
    methods = ["predict", "transform"]
    methods += ["predict_proba", "decision_function"] if estimator in CLASSIFIERS else []
    for method in methods:
        with pytest.raises(ValueError, match=f"(?s){message}"):
            getattr(fitted, method)(change(X))


@pytest.mark.parametrize("change, message", BAD_POINTS.values(), ids=BAD_POINTS)
def test_points_of_a_gram_and_a_loaded_model(moons, tmp_path, change, message):
    X, y, _ = moons
    for make_gram in (stkr.gram.points, stkr.gram.neighbors):
        with pytest.raises(ValueError, match=f"(?s){message}"):
            make_gram(change(X))
    stkr.STKRClassifier().fit(X, y, labeled=LABELED).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=f"(?s){message}"):
        stkr.load(tmp_path / "model.npz").predict(change(X))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_points_that_do_not_fit_the_model(moons, estimator):
    X, y, _ = moons
    with pytest.raises(ValueError, match=r"X has 1 sample \(n_samples=1\); expected at least two"):
        make(estimator).fit(X[:1], y[:1])
    fitted = make(estimator).fit(X, y, labeled=LABELED)
    with pytest.raises(ValueError, match=f"X has 1 features, but {estimator} is expecting 2"):
        fitted.predict(X[:, :1])
    with pytest.raises(ValueError, match=f"X has 3 features, but {estimator} is expecting 2"):
        fitted.predict(scipy.sparse.csr_matrix((4, 3)))
    with pytest.raises(ValueError, match="LinearOperator is a kernel itself"):
        fitted.predict(aslinearoperator(np.eye(3)))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_kernel_matrices(moons, estimator):
    X, y, _ = moons
    K = rbf(X, X, 0.5) + 1e-9 * np.eye(len(X))
    for bad, error, message in (
        (K[:, :4], ValueError, "X is 120 x 4; expected a kernel matrix.*square"),
        (np.triu(K), ValueError, r"K\(\d+, \d+\) is .* but .*symmetric"),
        (np.where(K == K[3, 4], np.nan, K), ValueError, r"X\[3, 4\] is nan"),
        (scipy.sparse.csr_matrix(K), TypeError, "dense data is required for kernel='precomputed'"),
        (aslinearoperator(K[:, :4]), ValueError, "X is 120 x 4"),
        (aslinearoperator(np.triu(K)), ValueError, "operator is not symmetric"),
        (aslinearoperator(K * 1j), ValueError, "operator: dtype is complex128; expected real"),
        (aslinearoperator(K * np.nan), ValueError, "matmat returned values that are not finite"),
    ):
        with pytest.raises(error, match=message):
            make(estimator, "precomputed").fit(bad, y, labeled=LABELED)
    fitted = make(estimator, "precomputed").fit(K, y, labeled=LABELED)
    with pytest.raises(ValueError, match="5 columns, but the model has 120.*kernel between"):
        fitted.predict(K[:3, :5])
    with pytest.raises(TypeError, match="LinearOperator, which cannot describe new samples"):
        fitted.predict(aslinearoperator(K))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_kernel_functions(moons, estimator):
    X, y, _ = moons

    def good(A, B):
        return rbf(A, B, 0.5) + 1e-9 * (A[:, None] == B[None]).all(-1)

    def answer(change):
        return lambda A, B: change(good(A, B))

    for kernel, error, message in (
        (answer(lambda K: K[:3]), ValueError, r"shape \(3, \d+\); expected \(\d+, \d+\): one row"),
        (answer(lambda K: K * np.nan), ValueError, "not finite: nan for row 0 of its first"),
        (answer(lambda K: "K"), ValueError, "returned a str; expected an array of real numbers"),
        (answer(lambda K: K.astype(str)), ValueError, "returned a ndarray of <U32; expected"),
        (answer(lambda K: K * 1j), ValueError, "returned a ndarray of complex128"),
        (answer(lambda K: np.ma.masked_less(K, 0.5)), ValueError, "returned a MaskedArray"),
        (answer(lambda K: None), ValueError, r"shape \(\); expected \(120, 120\)"),
        (answer(scipy.sparse.csr_matrix), ValueError, "returned a csr_matrix"),
        (answer(np.triu), ValueError, "expected a symmetric kernel matrix, so pass"),
        (answer(lambda K: 1 / 0), ZeroDivisionError, "division by zero"),
        (lambda A: A, TypeError, "takes 1 positional argument but 2 were given"),
    ):
        with pytest.raises(error, match=message):
            make(estimator, kernel).fit(X, y, labeled=LABELED)
    changing = [good]
    fitted = make(estimator, lambda A, B: changing[0](A, B)).fit(X, y, labeled=LABELED)
    changing[0] = answer(lambda K: K.T[:2])
    with pytest.raises(ValueError, match=r"shape \(2, 5\); expected \(5, 120\)"):
        fitted.predict(X[:5])


def test_an_operator_whose_products_go_wrong_later(moons):
    X, y, _ = moons
    calls = []

    def later(block):
        calls.append(1)
        return block[:3] if len(calls) > 2 else block

    operator = LinearOperator((120, 120), matvec=lambda x: x, matmat=later, dtype=float)
    with pytest.raises(ValueError, match=r"matmat returned an array of shape \(3, \d+\)"):
        stkr.STKRClassifier("precomputed").fit(operator, y, labeled=LABELED)


def test_an_operator_of_float32_is_symmetric_to_rounding(moons):
    X, y, _ = moons
    K = rbf(X, X, 0.5).astype(np.float32)
    narrow = LinearOperator(K.shape, matvec=lambda x: K @ x.astype(np.float32), dtype=np.float32)
    assert stkr.STKRClassifier("precomputed").fit(narrow, y, labeled=LABELED).predict(K).shape


def test_what_was_fitted_before_a_failure_is_not_mixed_with_it(moons):
    X, y, _ = moons
    clf = stkr.STKRClassifier().fit(X, y, labeled=LABELED)
    names = np.array(["right", "left"])[y]
    with pytest.raises(ValueError, match="at or above 1/lambda_1"):
        clf.set_params(eta=100.0).fit(X, names, labeled=LABELED)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        clf.predict(X)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_before_fit(moons, estimator):
    X, y, _ = moons
    model = make(estimator, n_components=2)
    for name in ("predict", "transform", "save"):
        with pytest.raises(NotFittedError, match=f"This {estimator} instance"):
            getattr(model, name)(X)
    for name in ("transduction_", "dual_coef_"):
        with pytest.raises(NotFittedError, match="Call 'fit'"):
            getattr(model, name)
    model = make(estimator)
    if not estimator.startswith("KernelPCA"):
        model.fit(X, y, labeled=LABELED).set_params(n_components=2)
        with pytest.raises(NotFittedError, match="fitted without n_components"):
            model.transform(X)


def test_several_threads_at_once(moons):
    """With one shared estimator and one per thread, including Python functions."""
    X, y, _ = moons
    clf = stkr.STKRClassifier(n_components=2).fit(X, y, labeled=LABELED)
    expected = clf.predict_proba(X + 0.1)
    kernel = stkr.STKRClassifier(lambda A, B: A @ B.T, spectral_transform=lambda x: x * x)
    failures = []

    def work():
        try:
            for _ in range(5):
                assert (clf.predict_proba(X + 0.1) == expected).all()
                clf.transform(X)
                own = stkr.STKRClassifier("knn").fit(X, y, labeled=LABELED)
                assert (own.predict(X) == own.transduction_).mean() > 0.9
                stkr.STKRClassifier(**kernel.get_params()).fit(X, y, labeled=LABELED).predict(X)
                with pytest.raises(ValueError, match="NaN"):
                    clf.predict(X * np.nan)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
