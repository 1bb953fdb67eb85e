#!/usr/bin/python3
"""Writes the AnnData files of this folder with anndata and h5py.

Usage: tests/files/make_cells.py      recreates them next to this script

Twelve cells in two groups, with a neighbor graph (obsp/connectivities), principal components
(obsm/X_pca) and columns of every kind in obs. cells.h5ad has the encoding of anndata 0.8 and later,
cells_0.7.h5ad that of anndata 0.7.
"""
import pathlib

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse

FOLDER = pathlib.Path(__file__).parent
COUNT = 12
group = np.arange(COUNT) // 6
generator = np.random.default_rng(0)
points = np.round(generator.normal(size=(COUNT, 3)) + 6 * group[:, None], 3).astype(np.float32)
distance = np.linalg.norm(points[:, None] - points[None], axis=2)
weights = np.where((distance < 4) & (distance > 0), np.round(np.exp(-distance / 4), 3), 0)
kinds = np.array(["T cell", "B cell"], dtype=object)[group]
known = [0, 3, 7, 10]
cell_type = pd.Categorical([kinds[k] if k in known else None for k in range(COUNT)])
names = [f"cell-{k}" for k in range(COUNT)]
obs = pd.DataFrame(
    {
        "cell_type": cell_type,
        "text": [kinds[k] if k in known else "" for k in range(COUNT)],
        "number": [float(group[k]) if k in known else np.nan for k in range(COUNT)],
        "counts": pd.array([int(group[k]) if k in known else None for k in range(COUNT)], "Int64"),
        "flag": group == 1,
        "truth": pd.Categorical(kinds),
    },
    index=names,
)
data = anndata.AnnData(
    X=scipy.sparse.csr_matrix(np.round(np.abs(points), 1)), obs=obs,
    var=pd.DataFrame(index=["g0", "g1", "g2"]), dtype=np.float32,
)
data.obsm["X_pca"] = points
data.obsm["X_umap"] = points[:, :2].astype(np.float64)
data.obsp["connectivities"] = scipy.sparse.csr_matrix(weights.astype(np.float32))
data.obsp["distances"] = scipy.sparse.csc_matrix(np.where(weights > 0, distance, 0))
data.write_h5ad(FOLDER / "cells.h5ad")

# anndata 0.7: codes with a reference to obs/__categories, and no encoding of arrays and texts.
text = h5py.string_dtype()
with h5py.File(FOLDER / "cells_0.7.h5ad", "w") as file:
    obs = file.create_group("obs")
    obs.attrs["_index"] = "index"
    obs.attrs["column-order"] = np.array(["cell_type", "text"], dtype=object)
    obs.attrs["encoding-type"], obs.attrs["encoding-version"] = "dataframe", "0.1.0"
    obs.create_dataset("index", data=np.array(names, dtype=object), dtype=text)
    categories = obs.create_group("__categories").create_dataset(
        "cell_type", data=np.array(cell_type.categories, dtype=object), dtype=text)
    codes = obs.create_dataset("cell_type", data=cell_type.codes)
    codes.attrs["categories"] = categories.ref
    obs.create_dataset("text", data=np.array(data.obs["text"], dtype=object), dtype=text)
    file.create_dataset("obsm/X_pca", data=points)
    graph = file.create_group("obsp/connectivities")
    graph.attrs["encoding-type"], graph.attrs["encoding-version"] = "csr_matrix", "0.1.0"
    graph.attrs["shape"] = (COUNT, COUNT)
    for name in ("data", "indices", "indptr"):
        graph.create_dataset(name, data=getattr(data.obsp["connectivities"], name))
