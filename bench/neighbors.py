#!/usr/bin/python3
"""The ten nearest neighbors of every point: stkr, faiss and scikit-learn in one run.

    sudo apt-get install python3-faiss python3-sklearn
    scripts/prepare release stkr_command
    /usr/bin/python3 bench/neighbors.py --data DIR --points 20000 --threads 2

prints a markdown table: the first digits of MNIST, medians and ranges of --repeats alternating runs.
Exact searches are compared with exact ones, approximate ones at equal recall, the fraction of the edges
of the exact graph that are found. faiss's `IndexIVFFlat` has as many cells as stkr (the square root of
the number of points) and searches the smallest number of them (nprobe) at which its recall is at least
that of stkr, found by bisection before timing. Its seconds include training, adding and one search;
those of stkr are what `stkr graph` reports for search and graph, which includes determining the number
of cells to search. Neither includes reading the file.

The line below the table shows the instruction set that faiss was compiled for: Debian's build is
generic; its exact search is a BLAS product anyway, but its cell scan is not. The script uses the faiss
that `import` finds.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import faiss
import numpy as np
import scipy.sparse
from sklearn.neighbors import NearestNeighbors

ROOT = pathlib.Path(__file__).resolve().parent.parent
K = 10


def as_graph(neighbors):
    """The symmetric neighbor graph; a point is its own nearest neighbor, except for equal points."""
    n = len(neighbors)
    own = neighbors == np.arange(n)[:, None]
    own[~own.any(axis=1), -1] = True
    others, rows = neighbors[~own], np.repeat(np.arange(n), K)
    found = others >= 0  # -1: the cells contained fewer points
    edges = rows[found], others[found]
    graph = scipy.sparse.csr_matrix((np.ones(edges[0].size), edges), shape=(n, n))
    return graph.maximum(graph.T)


class Stkr:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def __call__(self, *arguments):
        command = [self.options.program, "graph", self.folder / "x.npy", "-o", self.folder / "g.npz",
                   "-k", K, "--edge-weight", "binary", "--threads", self.options.threads, "--json",
                   *arguments]
        out = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
        g = np.load(self.folder / "g.npz")
        graph = scipy.sparse.csr_matrix((g["adj_data"], g["adj_indices"], g["adj_indptr"]),
                                        shape=g["adj_shape"])
        return json.loads(out.stdout)["seconds"], graph


def timed(search):
    start = time.perf_counter()
    neighbors = search()
    return time.perf_counter() - start, as_graph(neighbors)


def cells_of(x):
    """faiss's inverted lists: a trained and filled index."""
    cells = int(round(np.sqrt(len(x))))
    quantizer = faiss.IndexFlatL2(x.shape[1])
    index = faiss.IndexIVFFlat(quantizer, x.shape[1], cells)
    index.quantizer_kept = quantizer  # the index only points to it
    index.train(x)
    index.add(x)
    return index


def faiss_cells(x, nprobe):
    index = cells_of(x)
    index.nprobe = nprobe
    return index.search(x, K + 1)[1]


def faiss_exact(x):
    index = faiss.IndexFlatL2(x.shape[1])
    index.add(x)
    return index.search(x, K + 1)[1]


def smallest_nprobe(x, exact, goal):
    """The fewest cells at which the recall on all points is at least `goal`; it grows with nprobe."""
    index = cells_of(x)
    low, high = 0, index.nlist
    while high - low > 1:
        # Start with few cells: searching half of them is as slow as an exact search.
        first = low == 0 and high == index.nlist
        index.nprobe = 1 + high // 16 if first else min((low + high) // 2, 4 * max(low, 1))
        reached = recall(as_graph(index.search(x, K + 1)[1]), exact)
        print(f"  nprobe {index.nprobe}: {100 * reached:.2f} %", file=sys.stderr, flush=True)
        low, high = (low, index.nprobe) if reached >= goal else (index.nprobe, high)
    return high


def recall(graph, exact):
    return exact.multiply(graph).nnz / exact.nnz


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--points", default=20000, type=int)
    parser.add_argument("--recall", default=0.98, type=float, help="requested from stkr")
    parser.add_argument("--threads", default=2, type=int, help="for all but scikit-learn, which uses all cores")
    parser.add_argument("--repeats", default=5, type=int)
    options = parser.parse_args()
    parts = [np.load(options.data / f"mnist_train_{i}of3.npz")["X"] for i in (1, 2, 3)]
    x = np.concatenate(parts)[: options.points].astype(np.float32) / 255
    faiss.omp_set_num_threads(options.threads)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "x.npy", x)
        stkr = Stkr(options, folder)
        exact = stkr()[1]
        goal = recall(stkr("--recall", options.recall)[1], exact)
        nprobe = smallest_nprobe(x, exact, goal)
        brute = NearestNeighbors(n_neighbors=K + 1, algorithm="brute")
        ways = {
            "stkr, exact": stkr,
            "faiss `IndexFlatL2`": lambda: timed(lambda: faiss_exact(x)),
            "scikit-learn, brute force":
                lambda: timed(lambda: brute.fit(x).kneighbors(x, return_distance=False)),
            f"stkr, `--recall {options.recall:g}`": lambda: stkr("--recall", options.recall),
            f"faiss `IndexIVFFlat`, nprobe = {nprobe} of {int(round(np.sqrt(len(x))))}":
                lambda: timed(lambda: faiss_cells(x, nprobe)),
        }
        measured = {way: [] for way in ways}
        for _ in range(options.repeats):
            for way, search in ways.items():
                measured[way].append(search())
                print(f"  {way}: {measured[way][-1][0]:.2f} s", file=sys.stderr, flush=True)

    print(f"\n{len(x):,} digits, {K} neighbors, {options.threads} threads, {options.repeats}"
          " repetitions:\n\n| search | seconds: median (range) | edges of the exact graph |\n"
          "| --- | --- | --- |")
    for way, runs in measured.items():
        seconds = [s for s, _ in runs]
        print(f"| {way} | {statistics.median(seconds):.2f} ({min(seconds):.2f}-{max(seconds):.2f})"
              f" | {100 * min(recall(graph, exact) for _, graph in runs):.2f} % |")
    print(f"\nfaiss {faiss.__version__}, compiled for: {faiss.get_compile_options().strip()}")


if __name__ == "__main__":
    main()
