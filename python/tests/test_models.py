"""Model files shared by the command and Python."""

import csv
import subprocess

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

import stkr


def run(command, *arguments):
    done = subprocess.run(
        [command, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def read_answers(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    scores = [[float(v) for name, v in row.items() if name.startswith("score_")] for row in rows]
    return [row["prediction"] for row in rows], np.array(scores)


def scores_of(model, X):
    return model.model_.core.predict_new(model._new(X))[0]


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_what_python_saves_the_command_predicts_with(command, digits, tmp_path, kernel):
    X, y = digits
    clf = stkr.STKRClassifier(kernel).fit(X[:300], y[:300], labeled=range(80))
    clf.save(tmp_path / "model.npz")
    np.save(tmp_path / "new.npy", X[300:])
    run(command, "predict", tmp_path / "model.npz", tmp_path / "new.npy", "-o", tmp_path / "a.csv")
    answers, scores = read_answers(tmp_path / "a.csv")
    assert answers == [str(c) for c in clf.predict(X[300:])]
    assert (scores == scores_of(clf, X[300:])).all()


def test_what_the_command_saves_python_predicts_with(command, digits, tmp_path):
    X, y = digits
    np.savez(tmp_path / "data.npz", X=X[:300], labels=y[:300], labeled=np.arange(80))
    run(command, "fit", tmp_path / "data.npz", "-o", tmp_path / "model.npz")
    np.save(tmp_path / "new.npy", X[300:])
    run(command, "predict", tmp_path / "model.npz", tmp_path / "new.npy", "-o", tmp_path / "a.csv")
    model = stkr.load(tmp_path / "model.npz")
    answers, scores = read_answers(tmp_path / "a.csv")
    assert model.predict(X[300:]).tolist() == [int(a) for a in answers]
    assert (scores_of(model, X[300:]) == scores).all()
    # The same fit in Python gives the same model, bit for bit.
    clf = stkr.STKRClassifier().fit(X[:300], y[:300], labeled=range(80))
    assert (clf.dual_coef_ == model.dual_coef_).all()
    assert (clf.predict_proba(X[300:]) == model.predict_proba(X[300:])).all()
    assert model.score(X[300:], y[300:]) > 0.8
    assert model.info_["method"] == "stkr" and model.n_features_in_ == 64


def test_regression_goes_both_ways(command, moons, tmp_path):
    X, y, labeled = moons
    targets = np.where(np.isin(np.arange(len(X)), labeled), y + 0.5, np.nan)
    np.savez(tmp_path / "data.npz", X=X, y=targets)
    run(command, "fit", tmp_path / "data.npz", "-o", tmp_path / "model.npz", "--labels", "y")
    model = stkr.load(tmp_path / "model.npz")
    assert isinstance(model, stkr.RegressorModel)
    ours = stkr.STKRRegressor().fit(X, targets)
    assert (model.predict(X[:9]) == ours.predict(X[:9])).all()
    assert (model.transduction_ == ours.transduction_).all()


def test_graph_models(command, ring, tmp_path):
    halves = np.repeat([4, 9], 20)
    labeled = [3, 23]
    clf = stkr.STKRClassifier("graph").fit(ring, halves, labeled=labeled)
    clf.save(tmp_path / "model.npz")
    new = scipy.sparse.csr_matrix(([1.0, 2.0, 1.0], ([0, 0, 1], [1, 2, 30])), shape=(2, 40))
    scipy.sparse.save_npz(tmp_path / "new.npz", new)
    run(command, "predict", tmp_path / "model.npz", tmp_path / "new.npz", "-o", tmp_path / "a.csv")
    answers, scores = read_answers(tmp_path / "a.csv")
    assert answers == ["4", "9"]
    model = stkr.load(tmp_path / "model.npz")
    assert (scores_of(model, new) == scores).all()
    assert model.classes_.tolist() == [4, 9] and model.n_features_in_ == 40


def test_models_of_a_graph_and_features_take_a_pair(command, ring, tmp_path):
    rng = np.random.default_rng(0)
    features = np.repeat([[0.0], [3.0]], 20, axis=0) + 0.1 * rng.standard_normal((40, 1))
    labels = np.full(40, -1)
    labels[[3, 23]] = [0, 1]
    np.savez(
        tmp_path / "data.npz",
        adj_data=ring.data,
        adj_indices=ring.indices,
        adj_indptr=ring.indptr,
        adj_shape=ring.shape,
        attr_matrix=features,
        labels=labels,
    )
    run(
        command, "fit", tmp_path / "data.npz", "-o", tmp_path / "model.npz", "--add-kernel", "rbf:0.5"
    )
    model = stkr.load(tmp_path / "model.npz")
    edges = scipy.sparse.csr_matrix(([1.0, 1.0], ([0, 1], [1, 30])), shape=(2, 40))
    assert model.predict((edges, np.array([[0.0], [3.0]]))).tolist() == [0, 1]
    with pytest.raises(ValueError, match="tuple of 2"):
        model.predict(edges)


def test_class_names_keep_their_type(moons, tmp_path):
    X, y, labeled = moons
    for classes in (np.array([7, -3]), np.array(["red", "blue"]), np.array([1.0, 2.0])):
        clf = stkr.STKRClassifier().fit(X, classes[y], labeled=labeled)
        clf.save(tmp_path / "model.npz")
        again = stkr.load(tmp_path / "model.npz")
        assert again.predict(X[:9]).tolist() == clf.predict(X[:9]).tolist()


@pytest.mark.parametrize("clf", [stkr.STKRClassifier(), stkr.STKRClassifierCV(cv="loo")])
def test_truth_values_stay_what_they_are(moons, tmp_path, clf):
    X, y, labeled = moons
    truth = y == 1
    clf.fit(X, truth, labeled=labeled)
    clf.save(tmp_path / "model.npz")
    again = stkr.load(tmp_path / "model.npz")
    assert again.classes_.dtype == bool and again.predict(X).dtype == bool
    assert again.score(X, truth) == clf.score(X, truth) > 0.5
    # ... and strings that look like them stay strings.
    texts = np.where(truth, "True", "False")
    clf = stkr.STKRClassifier().fit(X, texts, labeled=labeled)
    clf.save(tmp_path / "model.npz")
    again = stkr.load(tmp_path / "model.npz")
    assert again.classes_.tolist() == ["False", "True"]
    assert again.score(X, texts) == clf.score(X, texts)


def test_graphs_with_names_of_nodes(command, ring, tmp_path):
    """Nodes numbered from 1 in the command's file, and one new node per half."""
    edges = scipy.sparse.triu(ring).tocoo()
    lines = [f"{i + 1} {j + 1} {w}" for i, j, w in zip(edges.row, edges.col, edges.data)]
    (tmp_path / "graph.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "labels.csv").write_text("node,label\n4,left\n24,right\n")
    run(
        command,
        *("fit", tmp_path / "graph.tsv", "--labels", tmp_path / "labels.csv"),
        *("-o", tmp_path / "model.npz"),
    )
    model = stkr.load(tmp_path / "model.npz")
    assert model.info_["sample_names"] == [str(i + 1) for i in range(40)]
    new = scipy.sparse.csr_matrix(([1.0, 1.0], ([0, 1], [3, 39])), shape=(2, 40))
    assert model.predict(new).tolist() == ["left", "right"]
    (tmp_path / "new.tsv").write_text("a 4\nb 40\n")
    run(command, "predict", tmp_path / "model.npz", tmp_path / "new.tsv", "-o", tmp_path / "a.csv")
    assert read_answers(tmp_path / "a.csv")[0] == ["left", "right"]
    model.save(tmp_path / "again.npz")
    assert stkr.load(tmp_path / "again.npz").info_ == model.info_


def test_float_labels_mean_the_same_to_the_command(command, moons, tmp_path):
    """-1 or NaN among integers means unlabeled, as for a classifier in Python."""
    X, y, labeled = moons
    for unlabeled in (-1.0, np.nan):
        floats = np.full(len(X), unlabeled)
        floats[labeled] = y[labeled]
        np.savez(tmp_path / "data.npz", X=X, labels=floats)
        run(command, "fit", tmp_path / "data.npz", "-o", tmp_path / "model.npz")
        model = stkr.load(tmp_path / "model.npz")
        clf = stkr.STKRClassifier().fit(X, floats)
        assert isinstance(model, stkr.ClassifierModel)
        assert (model.transduction_ == clf.transduction_).all()
        run(command, "fit", tmp_path / "data.npz", "-o", tmp_path / "r.npz", "--task", "regression")
        assert isinstance(stkr.load(tmp_path / "r.npz"), stkr.RegressorModel)


def test_a_model_that_was_not_read():
    with pytest.raises(NotFittedError, match="stkr.load"):
        stkr.ClassifierModel().predict([[0.0]])


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.npz"):
        stkr.load(tmp_path / "missing.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ValueError, match="not an .npz archive"):
        stkr.load(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(stkr.DataError):
        stkr.load(tmp_path / "other.npz")


def test_a_file_that_cannot_be_written(moons, tmp_path):
    X, y, labeled = moons
    clf = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    with pytest.raises(OSError, match="nowhere"):
        clf.save(tmp_path / "nowhere" / "model.npz")


TABLE = """name,size,color,old,label
anna,1.0,red,true,a
bert,1.2,red,true,
carl,5.0,blue,false,b
dora,5.5,,false,
"""


@pytest.fixture
def table(command, tmp_path):
    """A model of the command on a table with ids, text and truth values, and its answers."""
    (tmp_path / "table.csv").write_text(TABLE)
    options = ["--id", "name", "--impute", "median", "--standardize", "--kernel", "rbf"]
    model = tmp_path / "model.npz"
    run(command, "fit", tmp_path / "table.csv", "-o", model, "--power", "2", *options)
    run(command, "predict", model, tmp_path / "table.csv", "-o", tmp_path / "a.csv")
    return stkr.load(model), read_answers(tmp_path / "a.csv")[1]


def test_frames_are_encoded_like_the_table_of_the_command(table):
    pandas = pytest.importorskip("pandas")
    model, scores = table
    assert model.info_["sample_names"] == ["anna", "bert", "carl", "dora"]
    assert model.info_["id_column"] == "name"
    assert [c["kind"] for c in model.info_["encoding"]["columns"]] == ["number", "category", "boolean"]
    frame = pandas.DataFrame(
        {
            "old": [True, True, False, False],
            "color": ["red", "red", "blue", None],
            "size": [1.0, 1.2, 5.0, 5.5],
        }
    )
    assert (scores_of(model, frame) == scores).all()
    assert model.predict(frame.iloc[[0, 2]]).tolist() == ["a", "b"]
    with pytest.warns(UserWarning, match="X: 1 cell holds no category of the model .'green'"):
        model.predict(frame.iloc[:1].assign(color="green"))
    with pytest.raises(stkr.DataError, match="^X: lacks the feature 'old'"):
        model.predict(frame.drop(columns="old"))


def test_arrays_cannot_replace_tables_with_text(table):
    with pytest.raises(TypeError, match="pass a DataFrame with the columns size, color, old"):
        table[0].predict(np.zeros((1, 4)))


def test_arrays_are_standardized_like_the_table_of_the_command(command, tmp_path):
    X = np.array([[1.0, 1000.0], [2.0, 1300.0], [8.0, 5000.0], [9.0, 5100.0]])
    np.savez(tmp_path / "data.npz", X=X, labels=[0, -1, 1, -1])
    fit = ["fit", tmp_path / "data.npz", "-o", tmp_path / "model.npz", "--standardize"]
    run(command, *fit, "--kernel", "rbf", "--power", "2")
    model = stkr.load(tmp_path / "model.npz")
    assert np.allclose(model.info_["encoding"]["center"], X.mean(axis=0))
    assert np.allclose(model.info_["encoding"]["scale"], X.std(axis=0))
    np.save(tmp_path / "new.npy", X + 0.25)
    run(command, "predict", tmp_path / "model.npz", tmp_path / "new.npy", "-o", tmp_path / "a.csv")
    assert (scores_of(model, X + 0.25) == read_answers(tmp_path / "a.csv")[1]).all()
    scaled = stkr.STKRClassifier("rbf", spectral_transform="power", power=2).fit(
        (X - X.mean(axis=0)) / X.std(axis=0), [0, -1, 1, -1]
    )
    new = (X + 0.25 - X.mean(axis=0)) / X.std(axis=0)
    assert np.allclose(scores_of(scaled, new), scores_of(model, X + 0.25), atol=1e-9)
