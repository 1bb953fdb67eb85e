"""stkr.reproduce on a small graph with the name and layout of the paper's."""

import numpy as np
import pytest
import scipy.stats

import stkr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A block model instead of Cora: the paper's split takes 140 + 500 labeled nodes."""
    import scipy.sparse

    rng = np.random.default_rng(5)
    labels = rng.integers(0, 7, 2708)
    rows, columns = rng.integers(0, 2708, (2, 12000))
    keep = (labels[rows] == labels[columns]) | (rng.uniform(size=12000) < 0.05)
    rows, columns = rows[keep], columns[keep]
    graph = scipy.sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(2708, 2708))
    graph = ((graph + graph.T) > 0).astype(float).tocsr()
    path = tmp_path_factory.mktemp("graphs")
    np.savez(
        path / "cora.npz",
        adj_data=graph.data,
        adj_indices=graph.indices,
        adj_indptr=graph.indptr,
        adj_shape=graph.shape,
        labels=labels,
    )
    return path


def test_a_table(folder):
    result = stkr.reproduce(folder, methods=["SP-Lap", "LP"], seeds=3)
    rows = {(row["setting"], row["method"]): row for row in result.rows}
    assert set(rows) == {
        ("transductive", "LP"),
        ("transductive", "SP-Lap"),
        ("inductive", "SP-Lap"),
    }
    row = rows["transductive", "SP-Lap"]
    assert row["dataset"] == "cora" and row["seeds"] == 3 and len(row["accuracies"]) == 3
    assert row["mean"] == pytest.approx(np.mean(row["accuracies"]))
    assert row["std"] == pytest.approx(np.std(row["accuracies"], ddof=1))
    assert 20 < row["mean"] <= 100
    assert (row["paper_mean"], row["paper_std"]) == (77.04, 5.74)  # as printed
    assert row["difference"] == pytest.approx(row["mean"] - 77.04)
    ours, papers = row["std"] ** 2 / 3, 5.74**2 / 10
    freedom = (ours + papers) ** 2 / (ours**2 / 2 + papers**2 / 9)
    half = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(ours + papers)
    assert row["interval"] == pytest.approx((row["difference"] - half, row["difference"] + half))
    text = str(result)
    assert text.splitlines()[0].startswith("data") and "SP-Lap" in text and "±" in text


def test_one_seed_has_no_interval(folder):
    result = stkr.reproduce(folder, methods=["LP"], seeds=1)
    (row,) = result.rows
    assert row["std"] is None and row["interval"] is None
    assert row["difference"] == pytest.approx(row["mean"] - row["paper_mean"])
    assert f"{row['difference']:+.1f}" in str(result)


def test_seeds_by_name_give_the_same_again(folder):
    one, two = (
        stkr.reproduce(folder, ["cora"], methods=["LP"], seeds=[3]).rows[0]["accuracies"]
        for _ in range(2)
    )
    assert one == two


def test_a_checkpoint_resumes(folder, tmp_path):
    cells = tmp_path / "cells.jsonl"
    first = stkr.reproduce(folder, methods=["LP"], seeds=2, checkpoint=cells)
    assert len(cells.read_text().splitlines()) == 2
    second = stkr.reproduce(folder, methods=["LP"], seeds=3, checkpoint=cells)
    assert len(cells.read_text().splitlines()) == 3
    assert second.rows[0]["accuracies"][:2] == first.rows[0]["accuracies"]


def test_a_failure_does_not_end_the_others(folder, tmp_path):
    (tmp_path / "cora.npz").write_bytes((folder / "cora.npz").read_bytes())
    (tmp_path / "photo.npz").write_bytes(b"junk")
    with pytest.warns(UserWarning, match="photo: .*does not start like"):
        result = stkr.reproduce(tmp_path, methods=["LP"], seeds=1)
    assert [row["dataset"] for row in result.rows] == ["cora"]


def test_counts_that_differ_from_the_papers_are_a_warning(folder):
    with pytest.warns(UserWarning, match="cora.*edges"):
        stkr.reproduce(folder, methods=["LP"], seeds=1)


def test_what_is_wrong_is_said(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="cora.npz"):
        stkr.reproduce(tmp_path)
    with pytest.raises(stkr.DataError, match="photo"):
        stkr.reproduce(folder, ["photo"])
    with pytest.raises(ValueError, match="datasets='nothing'; expected one of .*cora"):
        stkr.reproduce(folder, ["nothing"])
    with pytest.raises(ValueError, match="exhibit='x'"):
        stkr.reproduce(folder, exhibit="x")
    with pytest.raises(TypeError, match="os.PathLike"):
        stkr.reproduce(None)
    with pytest.raises(ValueError, match="methods='SVM'; expected one of LP, SP-Lap"):
        stkr.reproduce(folder, methods=["LP", "SVM"])
    with pytest.raises(ValueError, match="datasets is empty: nothing to run"):
        stkr.reproduce(folder, [])
    for seeds in (0, -1, [-1], [2**64]):
        with pytest.raises(ValueError, match="seeds=.*; expected the number of splits, at least 1"):
            stkr.reproduce(folder, seeds=seeds)
    for seeds in ("a", None, 1.5, [0.5]):
        with pytest.raises(ValueError, match="seeds=.*; expected a list of integers"):
            stkr.reproduce(folder, seeds=seeds)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"junk", "does not start like a file of format npz"),
        ({"a": np.ones(3)}, "contains the arrays a; expected a graph"),
        (
            {
                "adj_data": np.ones(2),
                "adj_indices": [1, 99],
                "adj_indptr": [0, 1, 2],
                "adj_shape": [2, 2],
                "labels": [0, 1],
            },
            "column index 99 at entry 1 is out of range",
        ),
    ],
)
def test_damaged_graphs(tmp_path, content, message):
    if isinstance(content, bytes):
        (tmp_path / "cora.npz").write_bytes(content)
    else:
        np.savez(tmp_path / "cora.npz", **content)
    with pytest.raises(stkr.DataError, match=message):
        stkr.reproduce(tmp_path, seeds=1)
