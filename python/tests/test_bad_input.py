"""Bad input of the lower layer and of models from files: clear errors, no crashes."""

import pickle

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import stkr
from stkr import transforms

NAN = float("nan")


@pytest.fixture
def gram(moons):
    return stkr.gram.points(moons[0])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"kernel": "foo"}, "kernel='foo' is unknown"),
        ({"kernel": "knn"}, "'normalize' does not apply to kernel 'knn'"),
        ({"kernel": "precomputed"}, "X is 120 x 2; expected a kernel matrix"),
        ({"kernel": "polynomial", "degree": 1.5}, "degree=1.5; expected an integer"),
        ({"kernel": "polynomial", "gamma": "a"}, "gamma='a'; expected a number"),
        ({"kernel": "cosine", "gamma": 1.0}, "'gamma' does not apply to kernel 'cosine'"),
        ({"gamma": 1.0, "length_scale": 2.0}, "both set the length scale; give one of them"),
        ({"normalize": "yes"}, "normalize='yes'; expected True or False"),
        ({"center": 3}, "center=3; expected True or False"),
        ({"length_scale": "mean"}, "expected a number, '2x' for twice the default, or 'median'"),
        ({"random_state": -1}, "random_state=-1; expected"),
        ({"n_jobs": 0}, "n_jobs=0; expected"),
    ],
)
def test_grams_of_points(moons, options, message):
    with pytest.raises(ValueError, match=message):
        stkr.gram.points(moons[0], **options)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n_neighbors": 0}, "n_neighbors=0; expected an integer"),
        ({"n_neighbors": 120}, "k = 120 neighbors of 120 points; expected k from 1 to 119"),
        ({"edge_weight": "x"}, "edge_weight='x'; expected one of"),
        ({"edge_rule": 3}, "edge_rule=3; expected one of"),
        ({"recall": 3}, "recall = 3; expected a fraction"),
    ],
)
def test_grams_of_neighbors(moons, options, message):
    with pytest.raises(ValueError, match=message):
        stkr.gram.neighbors(moons[0], **options)


@pytest.mark.parametrize("option", ["self_loops", "symmetrize", "center"])
def test_grams_of_graphs(ring, option):
    with pytest.raises(ValueError, match=f"{option}='no'; expected True or False"):
        stkr.gram.graph(ring, **{option: "no"})
    with pytest.raises(ValueError, match="normalization=3; expected one of lazy_walk"):
        stkr.gram.graph(ring, 3)


def test_grams_of_matrices_and_operators(ring):
    for K, error, message in (
        ("a", ValueError, "could not convert|an array of <U1"),
        (None, ValueError, "Expected 2D array"),
        (np.ones((3, 4)), ValueError, "X is 3 x 4"),
        (np.zeros((0, 0)), ValueError, r"0 sample\(s\)"),
        (np.triu(np.ones((3, 3))), ValueError, "symmetric"),
        (ring, TypeError, "dense data is required"),
        (aslinearoperator(np.eye(3)), TypeError, "use stkr.gram.operator"),
    ):
        with pytest.raises(error, match=message):
            stkr.gram.precomputed(K)
    with pytest.raises(ValueError, match="dtype is complex128"):
        stkr.gram.operator(aslinearoperator(np.eye(3) * 1j))
    with pytest.raises(ValueError, match="not finite"):
        stkr.gram.operator(aslinearoperator(np.full((3, 3), NAN)))


def test_products_and_blocks(gram):
    with pytest.raises(ValueError, match="dimension mismatch"):
        gram @ np.ones(119)
    with pytest.raises(TypeError, match="a Gram is real"):
        gram @ (np.ones(120) * 1j)
    with pytest.raises(ValueError, match="could not convert"):
        gram @ np.full(120, "a")
    for rows, message in (
        ([120], "there is no sample 120; samples are numbered 0 to 119"),
        ([-1], "there is no sample -1"),
        ([2**63], "9223372036854775808 is too large"),
        ([0.5], "float64 with 1 dimensions; expected a list of integers"),
        ([[0]], "int64 with 2 dimensions"),
        (None, "object with 0 dimensions"),
    ):
        with pytest.raises(ValueError, match=message):
            gram.block(rows, [0])


@pytest.mark.parametrize(
    "labeled, y, message",
    [
        ([0, 120], [1.0, 2.0], "index 120 is out of range; expected 0 to 119"),
        ([0, 0], [1.0, 2.0], "sample 0 is listed as labeled twice"),
        ([], [], "no labeled sample"),
        ([0.0, 1.0], [1.0, 2.0], "expected a list of integers"),
        ([True] * 120, np.ones(120), "array of bool .*expected a list of integers"),
        ([0, 1], [1.0], "targets are 1 x 1 but 2 samples are labeled"),
        ([0, 1], ["a", "b"], "y is an array of <U1 with 1 dimensions; expected real numbers"),
        ([0, 1], [1j, 2.0], "y is an array of complex128"),
        ([0, 1], None, "y is an array of object with 0 dimensions"),
        ([0, 1], np.ones((2, 1, 1)), "y is an array of float64 with 3 dimensions"),
        ([0, 1], [NAN, 1.0], "target of labeled sample 0 is not finite"),
        ([0, 1], np.ma.masked_array([1.0, 2.0], [0, 1]), "y is a masked array"),
    ],
)
def test_right_hand_sides(gram, labeled, y, message):
    with pytest.raises(ValueError, match=message):
        stkr.solve(gram, labeled, y)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": 3}, "method=3; expected one of stkr, kernel_pca"),
        ({"spectral_transform": "x"}, "transform='x' is unknown"),
        ({"eta": "a"}, "eta='a'; expected a positive number"),
        ({"eta": 1e9}, r"eta = 1e\+09 is at or above 1/lambda_1"),
        ({"method": "kernel_pca", "n_components": 119}, "d = 119 but there are 118 unlabeled"),
        ({"n_components": 0}, "n_components=0; expected an integer"),
        ({"n_steps": 0}, "n_steps=0; expected an integer"),
        ({"solver": None}, "solver=None; expected one of auto"),
        ({"step_size": "a"}, "step_size='a'; expected a number"),
        ({"step_size": -1}, "step-size applies only to solver richardson"),
        (
            {"solver": "richardson", "step_size": -1},
            "step-size = -1; expected a positive number, or 0",
        ),
        ({"max_iter": 10**12}, "max_iter=1000000000000; expected at most"),
        ({"tol": 0}, "tol=0; expected a positive number"),
        ({"random_state": 2**64}, "random_state=18446744073709551616; expected"),
        ({"n_jobs": 10**6}, "n_jobs=1000000; expected at most"),
    ],
)
def test_options_of_solve(gram, options, message):
    with pytest.raises(ValueError, match=message):
        stkr.solve(gram, [0, 1], [1.0, -1.0], **options)


@pytest.mark.parametrize("k", [0, -1, 1.5, "a", None, True])
def test_eigenpairs(gram, k):
    with pytest.raises(ValueError, match=f"k={k!r}; expected an integer of at least 1"):
        stkr.eigenpairs(gram, k)
    with pytest.raises(ValueError, match="k=121 for a gram of 120 samples; expected at most 120"):
        stkr.eigenpairs(gram, 121)
    with pytest.raises(TypeError, match="gram is a ndarray; expected a Gram"):
        stkr.eigenpairs(np.eye(3), 1)
    for option, value in (("tol", 0), ("max_iter", 2**40), ("random_state", "x"), ("n_jobs", 0)):
        with pytest.raises(ValueError, match=f"{option}={value!r}; expected"):
            stkr.eigenpairs(gram, 2, **{option: value})


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: transforms.power("a"), "power='a'; expected a number"),
        (lambda: transforms.polynomial("ab"), "coefficients='ab'; expected a list of numbers"),
        (lambda: transforms.polynomial([1, NAN]), "expected finite"),
        (lambda: transforms.inverse_laplacian(None), "eta=None; expected a number"),
        (lambda: transforms.reciprocal([1.0], 1.5), "r=1.5; expected an integer"),
        (lambda: transforms.diffusion([1]), r"time=\[1\]; expected a number"),
        (lambda: transforms.truncation(1.5), "dimension=1.5; expected an integer"),
        (lambda: transforms.power(2).validate(1.0, 0.0), "lower=1 and upper=0; expected lower <="),
        (lambda: transforms.power(2).validate("a", 1.0), "lower='a'; expected a number"),
    ],
)
def test_transforms(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_damaged_models(moons, tmp_path):
    """Truncated anywhere, or with any bit flipped."""
    X, y, labeled = moons
    path = tmp_path / "model.npz"
    clf = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    clf.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for size in [0, 1, 10, *rng.integers(10, len(whole), 20), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(stkr.DataError, match="empty|truncated|damaged"):
            stkr.load(path)
    for place in rng.integers(0, len(whole), 200):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(damaged))
        with pytest.raises(stkr.DataError, match="checksum"):
            stkr.load(path)
    state = pickle.dumps(clf)
    place = state.index(whole[-4096:-100]) + 50
    with pytest.raises(stkr.DataError, match="checksum"):
        pickle.loads(state[:place] + bytes([state[place] ^ 1]) + state[place + 1 :])


def test_paths(moons, tmp_path):
    for path in (None, 3, ["a"]):
        with pytest.raises(TypeError, match="expected str, bytes or os.PathLike"):
            stkr.load(path)
    with pytest.raises(stkr.DataError, match="cannot be opened; check the path"):
        stkr.load(tmp_path)
    for path in ("", tmp_path / "nothing"):
        with pytest.raises(FileNotFoundError, match="no such file; check the path"):
            stkr.load(path)
    X, y, labeled = moons
    clf = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    with pytest.raises(TypeError, match="os.PathLike"):
        clf.save(None)
    for path, message in ((tmp_path, "it is a folder"), ("", "the path is empty")):
        with pytest.raises(OSError, match=message):
            clf.save(path)
    clf.save(tmp_path / "model.npz")
    for n_jobs in (0, "two", 10**6):
        with pytest.raises(ValueError, match="n_jobs=.*; expected"):
            stkr.load(tmp_path / "model.npz", n_jobs=n_jobs)


def test_loaded_models_and_what_they_predict_for(moons, ring, tmp_path):
    X, y, labeled = moons
    path = tmp_path / "model.npz"
    halves = np.repeat([0, 1], 20)
    stkr.STKRClassifier("graph").fit(ring, halves, labeled=[1, 21]).save(path)
    with pytest.raises(ValueError, match="4 columns, but the model has 40 samples"):
        stkr.load(path).predict(ring[:2, :4])
    stkr.STKRClassifier(lambda A, B: A @ B.T).fit(X, y, labeled=labeled).save(path)
    with pytest.raises(ValueError, match="2 columns, but the model has 120.*kernel between"):
        stkr.load(path).predict(X)
    with pytest.raises(NotFittedError, match="read one with stkr.load"):
        clone(stkr.load(path)).predict(X)


def test_pairs_of_edges_and_features_have_a_row_for_each_sample(ring):
    edges = ring[:3]
    core = stkr._core.NewSamples
    parts = [
        core.sparse(edges.indptr, edges.indices, edges.data, 3, 40),
        core.dense(np.zeros((2, 1))),
    ]
    with pytest.raises(ValueError, match="one part has 3 rows, another 2; expected one row per"):
        core.parts(parts)
    with pytest.raises(ValueError, match="no part given"):
        core.parts([])
