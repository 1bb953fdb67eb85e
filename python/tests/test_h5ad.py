"""AnnData files written by anndata, read by the stkr command, and answers read by anndata again."""

import os
import subprocess

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

STKR = os.environ.get("STKR_COMMAND")
pytestmark = pytest.mark.skipif(not STKR, reason="the stkr command was not built")


def stkr(*arguments, code=0):
    done = subprocess.run([STKR, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.fixture
def cells():
    rng = np.random.default_rng(0)
    group = np.arange(40) // 20
    points = rng.normal(size=(40, 5)) + 5 * group[:, np.newaxis]
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 5
    np.fill_diagonal(near, False)
    kinds = np.array(["B cell", "T cell"], dtype=object)[group]
    labels = pd.Categorical([kinds[k] if k % 10 == 0 else None for k in range(40)])
    age = np.where(np.arange(40) % 5 == 0, group + 0.5, np.nan)
    obs = pd.DataFrame({"cell_type": labels, "truth": pd.Categorical(kinds), "age": age},
                       index=[f"cell{k}" for k in range(40)])
    data = anndata.AnnData(X=points, obs=obs, dtype=np.float64)
    data.obsm["X_pca"] = points
    data.obsp["connectivities"] = scipy.sparse.csr_matrix(near.astype(float))
    return data


@pytest.mark.parametrize("options", [[], ["--kind", "points"]])
def test_answers_are_columns_of_a_copy(cells, tmp_path, options):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    before = (tmp_path / "cells.h5ad").read_bytes()
    stkr("fit", tmp_path / "cells.h5ad", "--labels", "cell_type", "-o", tmp_path / "m.npz", *options)
    stkr("predict", tmp_path / "m.npz", "-o", tmp_path / "answers.h5ad")
    found = anndata.read_h5ad(tmp_path / "answers.h5ad")
    assert list(found.obs)[: len(cells.obs.columns)] == list(cells.obs)
    assert list(found.obs)[-3:] == ["stkr_prediction", "stkr_probability", "stkr_evidence"]
    prediction = found.obs["stkr_prediction"]
    assert isinstance(prediction.dtype, pd.CategoricalDtype)
    assert (prediction.astype(str) == found.obs["truth"].astype(str)).all()
    assert found.obs["stkr_probability"].between(0.5, 1).all()
    assert found.obs["stkr_evidence"].dtype == bool and found.obs["stkr_evidence"].all()
    np.testing.assert_array_equal(found.X, cells.X)
    assert (found.obs_names == cells.obs_names).all()
    assert (tmp_path / "cells.h5ad").read_bytes() == before
    stkr("predict", tmp_path / "m.npz", "-o", tmp_path / "sure.h5ad", "--uncertainty")
    sure = anndata.read_h5ad(tmp_path / "sure.h5ad").obs
    assert list(sure)[-2:] == ["stkr_deviation", "stkr_evidence"]
    assert (sure["stkr_deviation"] > 0).all()
    # Again into a copy of the copy: the columns are replaced, not added.
    stkr("predict", tmp_path / "m.npz", "-o", tmp_path / "b.h5ad", "--copy", tmp_path / "answers.h5ad")
    assert list(anndata.read_h5ad(tmp_path / "b.h5ad").obs) == list(found.obs)


def test_new_cells_and_numbers_are_answered(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    fresh = cells[::2].copy()
    fresh.write_h5ad(tmp_path / "new.h5ad")
    stkr("fit", tmp_path / "cells.h5ad", "--labels", "age", "-o", tmp_path / "m.npz",
         "--kind", "points", "--task", "regression")
    stkr("predict", tmp_path / "m.npz", tmp_path / "new.h5ad", "-o", tmp_path / "answers.h5ad")
    found = anndata.read_h5ad(tmp_path / "answers.h5ad")
    assert len(found) == 20
    assert found.obs["stkr_prediction"][:10].max() < found.obs["stkr_prediction"][10:].min()


def test_the_copied_file_must_have_the_cells_of_the_model(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    cells[::-1].copy().write_h5ad(tmp_path / "other.h5ad")
    stkr("fit", tmp_path / "cells.h5ad", "--labels", "cell_type", "-o", tmp_path / "m.npz")
    message = stkr("predict", tmp_path / "m.npz", "-o", tmp_path / "a.h5ad",
                   "--copy", tmp_path / "other.h5ad", code=3)
    assert "other.h5ad: cell 0 is 'cell39', but sample 0 of the predictions is 'cell0'" in message
    assert not (tmp_path / "a.h5ad").exists()
    (tmp_path / "cells.h5ad").unlink()
    message = stkr("predict", tmp_path / "m.npz", "-o", tmp_path / "a.h5ad", code=2)
    assert "cells.h5ad" in message and "--copy" in message


def test_damaged_anndata_is_refused(cells, tmp_path):
    path = tmp_path / "cells.h5ad"

    def refusal(change, *options):
        cells.write_h5ad(path)
        with h5py.File(path, "r+") as file:
            change(file)
        return stkr("data", "info", path, *options, code=3)

    assert "is an HDF5 file without obs" in refusal(lambda f: f.pop("obs"))
    assert "out of range for 2 categories" in refusal(
        lambda f: f["obs/cell_type/codes"].write_direct(np.full(40, 9, "i1")), "--labels", "cell_type")
    assert "has no obsp/connectivities or obsm/X_pca" in refusal(
        lambda f: (f.pop("obsp"), f.pop("obsm")))
    assert "more than a file of" in refusal(lambda f: (f["obs"].pop("age"), f["obs"].create_dataset(
        "age", shape=(2**40,), chunks=(1024,), dtype="i8")), "--labels", "age")
    assert "expected one row for each of 40 cells" in refusal(
        lambda f: f["obsp/connectivities"].attrs.modify("shape", [41, 40]))
