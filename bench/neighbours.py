#!/usr/bin/python3
"""The ten nearest neighbours of every point: stkr beside faiss and scikit-learn, in one run.

    sudo apt-get install python3-faiss python3-sklearn
    scripts/prepare release stkr_command
    /usr/bin/python3 bench/neighbours.py --data DIR [--points 20000]

On the first digits of MNIST. stkr's seconds are those that `stkr graph` reports for search and graph,
without reading the file. The recall of an approximate search is that of its edges in the exact graph.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import faiss
import numpy as np
import scipy.sparse
from sklearn.neighbors import NearestNeighbors

ROOT = pathlib.Path(__file__).resolve().parent.parent
K = 10


def as_graph(neighbours):
    n, k = neighbours.shape
    rows = np.repeat(np.arange(n), k)
    graph = scipy.sparse.csr_matrix((np.ones(n * k), (rows, neighbours.ravel())), shape=(n, n))
    return graph.maximum(graph.T)


def stkr(program, folder, threads, *options):
    out = subprocess.run([program, "graph", folder / "x.npy", "-o", folder / "g.npz", "-k", str(K),
                          "--edge-weight", "binary", "--threads", str(threads), "--json", *options],
                         check=True, capture_output=True, text=True)
    g = np.load(folder / "g.npz")
    graph = scipy.sparse.csr_matrix((g["adj_data"], g["adj_indices"], g["adj_indptr"]),
                                    shape=g["adj_shape"])
    return json.loads(out.stdout)["seconds"], graph


def timed(search):
    start = time.perf_counter()
    neighbours = search()
    seconds = time.perf_counter() - start
    # A point is its own nearest neighbour there, but for equal points.
    own = neighbours == np.arange(len(neighbours))[:, None]
    neighbours = np.where(own.any(axis=1)[:, None], neighbours, np.roll(neighbours, 1, axis=1))
    return seconds, as_graph(np.array([row[row != i][:K] for i, row in enumerate(neighbours)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--points", default=20000, type=int)
    parser.add_argument("--threads", default=2, type=int)
    options = parser.parse_args()
    parts = [np.load(options.data / f"mnist_train_{i}of3.npz")["X"] for i in (1, 2, 3)]
    x = np.concatenate(parts)[: options.points].astype(np.float32) / 255
    faiss.omp_set_num_threads(options.threads)

    def faiss_exact():
        index = faiss.IndexFlatL2(x.shape[1])
        index.add(x)
        return index.search(x, K + 1)[1]

    def faiss_cells():
        cells = int(round(np.sqrt(len(x))))
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(x.shape[1]), x.shape[1], cells)
        index.train(x)
        index.add(x)
        index.nprobe = max(1, cells // 6)
        return index.search(x, K + 1)[1]

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "x.npy", x)
        runs = {
            "stkr, exact": stkr(options.program, folder, options.threads),
            "faiss IndexFlatL2": timed(faiss_exact),
            "scikit-learn, brute force": timed(
                lambda: NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(x).kneighbors(
                    x, return_distance=False)),
            "stkr, recall 0.98": stkr(options.program, folder, options.threads, "--recall", "0.98"),
            "faiss IndexIVFFlat": timed(faiss_cells),
        }
    exact = runs["stkr, exact"][1]
    for method, (seconds, graph) in runs.items():
        print(f"{method:28}{seconds:8.2f} s{100 * exact.multiply(graph).nnz / exact.nnz:9.2f} % of the edges")


if __name__ == "__main__":
    main()
