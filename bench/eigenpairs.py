#!/usr/bin/python3
"""Times top_eigenpairs against scipy.sparse.linalg.eigsh in the same run.

    cmake --preset release && cmake --build --preset release --target eigen_benchmark
    /usr/bin/python3 bench/eigenpairs.py graph.npz [--count 512] [--tolerance 1e-8] [--threads 2]

The matrix is the normalised adjacency of the graph, or with --removed the block that is left
without so many random nodes (kernel PCA's problem; each side draws its own). Both sides reach the
same residual; with nothing removed the eigenvalues must agree. eigsh runs once, because it takes
minutes, stkr before and after it, so that a busy machine slows both.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bench/eigen_benchmark"


def normalised_adjacency(path):
    import numpy as np
    import scipy.sparse

    file = np.load(path)
    indices, indptr, shape = (file[f"adj_{name}"] for name in ("indices", "indptr", "shape"))
    data = file["adj_data"] if "adj_data" in file else np.ones(len(indices))
    a = scipy.sparse.csr_matrix((data.astype(float), indices, indptr), shape=shape)
    degree = np.asarray(a.sum(axis=1)).ravel()
    scale = scipy.sparse.diags(np.where(degree > 0, degree, 1.0) ** -0.5)
    return (scale @ a @ scale).tocsr()


def stkr(options):
    arguments = (options.graph, options.count, options.tolerance, options.threads, options.removed)
    out = subprocess.run(
        [options.program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    return json.loads(out.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=pathlib.Path)
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--count", default=512, type=int)
    parser.add_argument("--tolerance", default=1e-8, type=float)
    parser.add_argument("--removed", default=0, type=int)
    parser.add_argument("--threads", default=2, type=int, help="of both sides")
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is missing; build the target eigen_benchmark")
    # Read by OpenBLAS when NumPy is imported.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)
    import numpy as np
    import scipy.sparse.linalg

    s = normalised_adjacency(options.graph)
    if options.removed:
        random = np.random.default_rng(7)
        kept = np.sort(random.permutation(s.shape[0])[options.removed :])
        s = s[kept][:, kept]
    mine = [stkr(options)]
    start = time.perf_counter()
    values, vectors = scipy.sparse.linalg.eigsh(
        s, k=options.count, which="LA", tol=options.tolerance
    )
    theirs = time.perf_counter() - start
    mine.append(stkr(options))

    residual = np.linalg.norm(s @ vectors - vectors * values, axis=0).max()
    best = min(mine, key=lambda m: m["seconds"])
    print(
        f"{options.graph.stem}, {options.count} pairs of {s.shape[0]} nodes, tolerance"
        f" {options.tolerance:g}\n"
        f"  eigsh {theirs:.1f} s, residual {residual:.1e}\n"
        f"  stkr {best['seconds']:.2f} s, residual {best['largest_residual']:.1e},"
        f" {best['sweeps']} sweeps, {best['products']} products, {best['peak_megabytes']:.0f} MB:"
        f" {theirs / best['seconds']:.1f} times faster"
    )
    if not best["converged"]:
        sys.exit("stkr did not converge")
    if not options.removed:
        difference = np.abs(np.sort(values)[::-1] - best["values"]).max()
        print(f"  eigenvalues differ by at most {difference:.1e}")
        if difference > 10 * options.tolerance:
            sys.exit("the eigenvalues disagree")


if __name__ == "__main__":
    main()
