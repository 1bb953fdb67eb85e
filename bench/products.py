#!/usr/bin/python3
"""Times one product of stkr against scikit-learn and SciPy in the same run.

    scripts/prepare release product_benchmark
    /usr/bin/python3 bench/products.py [--threads 2] [--repeats 5] [--json]

1. RBF products in double and single precision beside scikit-learn's rbf_kernel(X) @ V. The peer
   forms the N x N matrix and is measured at 20,000 points, the largest that fits comfortably; stkr
   at 50,000. What is compared is pairs of points per second.
2. The other kernels of points, stkr alone.
3. Peak memory of stkr over the number of points: linear.
4. A sparse product beside SciPy's A @ X.

Both sides take turns, so that a busy machine slows both; ratios are of medians. The problems have
the same distributions on both sides; stkr's side checks a few rows of its result against a
term-by-term evaluation before it is timed. Each of stkr's measurements is the median of a few
products in a process of its own, whose peak memory is reported.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
import scipy.sparse
from sklearn.metrics.pairwise import rbf_kernel

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bench/product_benchmark"
FEATURES, COLUMNS = 64, 10


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def rbf_product(points):
    """rbf_kernel(X) @ V as scikit-learn users write it: forms the N x N matrix."""
    random = np.random.default_rng(1)
    x = random.standard_normal((points, FEATURES))
    v = random.standard_normal((points, COLUMNS))
    return lambda: rbf_kernel(x, gamma=0.5 / FEATURES) @ v


def graph_product(nodes, entries):
    random = np.random.default_rng(1)
    indices = np.sort(
        random.integers(0, nodes, size=(nodes, entries // nodes), dtype=np.int32), axis=1
    ).ravel()
    indptr = np.arange(0, entries + 1, entries // nodes, dtype=np.int32)
    data = random.uniform(0.5, 1.5, size=indices.size)
    a = scipy.sparse.csr_matrix((data, indices, indptr), shape=(nodes, nodes))
    x = random.standard_normal((nodes, COLUMNS))
    return lambda: a @ x


class Stkr:
    def __init__(self, program, threads):
        self.program, self.threads = program, threads

    def run(self, *arguments):
        out = subprocess.run(
            [self.program, *map(str, arguments)], check=True, capture_output=True, text=True
        )
        return json.loads(out.stdout)

    def points(self, kernel, points, precision, repeats=3):
        sizes = (points, FEATURES, COLUMNS, repeats, self.threads)
        return self.run(kernel, *sizes, precision)

    def graph(self, nodes, entries):
        return self.run("graph", nodes, entries, COLUMNS, 3, self.threads)


def in_turns(peer, ours, repeats):
    """Seconds of the peer and all of stkr's measurements."""
    theirs, mine = [], []
    for _ in range(repeats):
        theirs.append(seconds(peer))
        mine.append(ours())
    return statistics.median(theirs), mine


def row(name, mine, rate, peer_seconds=None, peer_amount=None):
    """`rate` is stkr's key of what is compared, `peer_amount` how much of it one peer's product
    does; without it both sides do the same work."""
    median = lambda key: statistics.median(m[key] for m in mine)
    result = {
        "name": name,
        "seconds": median("median_seconds"),
        rate: median(rate),
        "largest_error": max(m["largest_error"] for m in mine),
        "peak_megabytes": max(m["peak_megabytes"] for m in mine),
    }
    if peer_seconds is not None:
        amount = peer_amount or result[rate] * result["seconds"]
        result["peer_seconds"] = peer_seconds
        result["peer_" + rate] = amount / peer_seconds
        result["ratio"] = result[rate] / result["peer_" + rate]
    return result


def show(result):
    rate = next(k for k in ("pairs_per_second", "bytes_per_second") if k in result)
    unit = rate.replace("_", " ")
    print(
        f"{result['name']}\n  stkr {result['seconds']:.3f} s, {result[rate] / 1e9:.2f}e9 {unit},"
        f" peak {result['peak_megabytes']:.0f} MB, error {result['largest_error']:.1e}"
    )
    if "ratio" in result:
        print(
            f"  peer {result['peer_seconds']:.3f} s, {result['peer_' + rate] / 1e9:.2f}e9 {unit}:"
            f" stkr is {result['ratio']:.1f} times faster"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--threads", default=0, type=int, help="of stkr; 0: all cores")
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--scale", default=1.0, type=float, help="of points and nodes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is missing; build the target product_benchmark")
    stkr = Stkr(options.program, options.threads)
    scaled = lambda count: int(count * options.scale)
    points, peer_points, nodes = scaled(50000), scaled(20000), scaled(1000000)
    results = []

    def report(result):
        results.append(result)
        if not options.json:
            show(result)

    size = f"{points} x {FEATURES}, {COLUMNS} columns"
    peer = rbf_product(peer_points)
    for precision in ("double", "float"):
        theirs, mine = in_turns(
            peer, lambda: stkr.points("rbf", points, precision), options.repeats
        )
        name = f"rbf {size}, {precision} / scikit-learn at {peer_points}"
        report(row(name, mine, "pairs_per_second", theirs, peer_points**2))
    for kernel in ("laplacian", "matern32", "cosine"):
        for precision in ("double", "float"):
            mine = [stkr.points(kernel, points, precision) for _ in range(options.repeats)]
            report(row(f"{kernel} {size}, {precision}", mine, "pairs_per_second"))
    for count in (points // 2, points, 2 * points):
        mine = [stkr.points("rbf", count, "double", 1)]
        name = f"memory: rbf {count} x {FEATURES}, {COLUMNS} columns, double"
        report(row(name, mine, "pairs_per_second"))
    entries = 20 * nodes
    theirs, mine = in_turns(
        graph_product(nodes, entries), lambda: stkr.graph(nodes, entries), options.repeats
    )
    name = f"graph {nodes} nodes, {entries} entries, {COLUMNS} columns / SciPy"
    report(row(name, mine, "bytes_per_second", theirs))
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
